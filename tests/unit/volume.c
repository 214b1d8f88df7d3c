/* SPDX-License-Identifier: Apache-2.0 */
/* Volumes and networks as the store keeps them. */
#include "network.h"
#include "tap.h"
#include "volume.h"

#include "state.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/sbx-volume-XXXXXX";
static const struct strv none;

static void volumes(const struct store *s)
{
	static const char *const bad[] = {"", "a", ".", "..", "../x", "a/b", "-a", ".a", "a b", "a\n"};
	auto_volume struct volume v = {0}, again = {0}, made_up = {0};
	auto_strv struct strv labels = {0};
	struct volume *list = NULL;
	size_t n = 0, refused = 0;
	struct err e;

	strv_add(&labels, "k=v=w");
	strv_add(&labels, "alone");
	is_int(volume_create(s, "one", NULL, &labels, &none, &v, &e), 0, "a volume is made");
	auto_json json_t *j = volume_inspect(&v);
	is_str(json_str(json_object_get(j, "Labels"), "k", ""), "v=w", "its labels are kept");
	is_str(json_str(json_object_get(j, "Labels"), "alone", "?"), "", "one without a value is empty");
	is_int(volume_create(s, "one", NULL, &none, &none, &again, &e), 0, "making it again is no error");
	is_int((int64_t)again.labels.n, 2, "and changes nothing");
	is_int(volume_create(s, NULL, "local", &none, &none, &made_up, &e), 0, "a name is made up");
	ok(volume_is_anonymous(&made_up) && !volume_is_anonymous(&v), "that one is anonymous");
	for (size_t i = 1; i < ARRAY_LEN(bad); i++) {
		auto_volume struct volume no = {0};

		refused += volume_create(s, bad[i], NULL, &none, &none, &no, &e) < 0 &&
		           volume_find(s, bad[i], &no, &e) < 0 &&
		           volume_remove(s, bad[i], NULL, &e) < 0;
	}
	is_int((int64_t)refused, ARRAY_LEN(bad) - 1, "no name leaves the directory of the volumes");
	is_int(volume_list(s, &list, &n, NULL, &e), 0, "they are listed");
	is_int((int64_t)n, 2, "all of them");
	volume_list_free(list, n);
	is_int(volume_remove(s, "one", NULL, &e), 0, "one is removed");
	ok(volume_find(s, "one", &again, &e) < 0, "then it is not there");
	is_str(e.text, "get one: no such volume", "in docker's words");
}

static bool is_there(const struct store *s, const char *path)
{
	struct stat st;

	return fstatat(s->root, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Where a link stands in a volume's place, nothing is made, written or removed where it leads. */
static void links(const struct store *s)
{
	auto_volume struct volume v = {0};
	struct err e = {0};
	struct stat st;

	(void)mkdirat(s->root, "outside", 0700);
	(void)mkdirat(s->root, "outside/_data", 0711);
	(void)!symlinkat("../outside", s->root, "volumes/linked");
	(void)!symlinkat("../outside", s->root, "volumes/.old-linked");
	(void)mkdirat(s->root, "volumes/.other", 0700);
	ok(volume_create(s, "linked", NULL, &none, &none, &v, &e) < 0, "a link is no volume to be made");
	ok(volume_remove(s, "linked", NULL, &e) < 0, "nor to be removed");
	volume_sweep(s);
	ok(fstatat(s->root, "outside/_data", &st, 0) == 0 && (st.st_mode & 0777) == 0711,
		"what it leads to stays as it was");
	ok(is_there(s, "volumes/.other"), "and so does what has no name of those that come and go");
	(void)unlinkat(s->root, "volumes/linked", 0);
	(void)unlinkat(s->root, "volumes/.old-linked", 0);
	(void)unlinkat(s->root, "volumes/.other", AT_REMOVEDIR);
	(void)unlinkat(s->root, "outside/_data", AT_REMOVEDIR);
	(void)unlinkat(s->root, "outside", AT_REMOVEDIR);
}

/* In a mount namespace where something is mounted over its files: the kernel removes no mount point. */
static int remove_mounted(const struct store *s)
{
	auto_free char *data = xasprintf("%s/volumes/busy/_data", s->root_path);
	struct err e = {0};

	if (syscall(SYS_unshare, CLONE_NEWUSER | CLONE_NEWNS) < 0 ||
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("none", data, "tmpfs", 0, NULL) < 0)
		return 2;
	return volume_remove(s, "busy", NULL, &e) < 0 && is_there(s, "volumes/busy/_data") ? 0 : 1;
}

static void what_stays(const struct store *s)
{
	auto_volume struct volume v = {0};
	struct err e = {0};
	int st = 0;
	pid_t pid;

	is_int(volume_create(s, "busy", NULL, &none, &none, &v, &e), 0, "a volume");
	pid = fork();
	if (pid == 0)
		_exit(remove_mounted(s));
	(void)waitpid(pid, &st, 0);
	if (WEXITSTATUS(st) == 2)
		skip("one that cannot be removed", "no user namespaces here");
	else
		is_int(st, 0, "one that cannot be removed has its name still");
	is_int(volume_remove(s, "busy", NULL, &e), 0, "then it can be");
}

static void networks(const struct store *s)
{
	auto_json json_t *ask = json_pack("{s:s, s:{s:s}}", "Driver", "bridge", "Labels", "k", "v");
	auto_json json_t *list = NULL, *made = NULL, *again = NULL, *found = NULL, *none_at_all = NULL;
	char prefix[6] = "";
	struct err e;

	is_int(network_check(s, "default", &e), 0, "the default is known");
	ok(network_check(s, "my net/..", &e) < 0 && e.kind == ERR_NOT_FOUND, "others are not");
	made = network_create(s, "my net/..", ask, &e);
	ok(made, "any name will do for one that is made");
	is_int(network_check(s, "my net/..", &e), 0, "then it is known");
	again = network_create(s, "my net/..", ask, &e);
	ok(!again && e.kind == ERR_CONFLICT, "a second of that name is refused");
	memcpy(prefix, json_str(made, "Id", "     "), 5);
	found = network_find(s, prefix, &e);
	is_str(json_str(found, "Name", ""), "my net/..", "it is found by the beginning of its id");
	is_str(json_str(json_object_get(found, "Labels"), "k", ""), "v", "with what was wished for it");
	none_at_all = network_find(s, "", &e);
	ok(!none_at_all, "nothing is not the beginning of all ids");
	list = network_list(s, NULL, &e);
	is_int((int64_t)json_array_size(list), 4, "it and the three are listed");
	is_int(network_remove(s, prefix, &e), 0, "it is removed");
	ok(network_remove(s, "my net/..", &e) < 0 && e.kind == ERR_NOT_FOUND, "once");
	ok(network_remove(s, "none", &e) < 0 && e.kind == ERR_DENIED, "the three stay");
}

int main(void)
{
	auto_store struct store s;
	struct err e;

	if (!mkdtemp(dir))
		return 1;
	auto_free char *root = xasprintf("%s/root", dir), *run = xasprintf("%s/run", dir);
	setenv("SBX_ROOT", root, 1);
	setenv("SBX_RUNTIME", run, 1);
	if (store_open(&s, &e) < 0)
		return 1;
	volumes(&s);
	links(&s);
	what_stays(&s);
	networks(&s);
	if (state_remove_tree(AT_FDCWD, dir, &e) < 0)
		printf("# %s is left\n", dir);
	return done_testing();
}
