/* SPDX-License-Identifier: Apache-2.0 */
#include "auto.h"
#include "settings.h"
#include "store.h"
#include "str.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/xattr.h>

static char top[] = "/tmp/sbx-unit-XXXXXX";

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void set(const char *name, const char *format)
{
	auto_free char *value = xasprintf("%s%s", top, format);

	(void)setenv(name, value, 1);
}

static void test_fresh(void)
{
	auto_store struct store s;
	auto_free char *above = NULL, *linked = NULL;
	struct err e = {0};
	struct stat st;

	set("SBX_ROOT", "/a/b/root");
	set("SBX_RUNTIME", "/a/run");
	(void)umask(0); /* whatever the caller's */
	is_int(store_open(&s, &e), 0, "a store is made where there is none");
	above = xasprintf("%s/a/b", top);
	ok(stat(above, &st) == 0 && (st.st_mode & 07777) == 0700, "and so is what it lies in");
	ok(fstat(s.root, &st) == 0 && (st.st_mode & 07777) == 0700, "for its owner alone");
	ok(fcntl(s.root, F_GETFD) & FD_CLOEXEC, "and not inherited");
	ok(s.root_path[0] == '/', "its path is absolute");
	linked = xasprintf("%s/linked", s.root_path);
	ok(symlink("/tmp", linked) == 0 && store_dir(&s, "linked", &e) < 0,
		"a link is no directory of it");
}

/* As `setfacl -d` gives it. */
static void test_rights(void)
{
	static const struct {
		uint32_t version;
		struct {
			uint16_t tag, rights;
			uint32_t id;
		} all[5];
	} given = {2, {{1, 7, ~0U}, {2, 7, 12345}, {4, 5, ~0U}, {0x10, 7, ~0U}, {0x20, 7, ~0U}}};
	auto_free char *above = xasprintf("%s/given", top);
	auto_store struct store s = {-1, -1, NULL, NULL, NULL};
	struct err e = {0};
	struct stat st;

	set("SBX_ROOT", "/given/root");
	set("SBX_RUNTIME", "/a/run");
	(void)umask(022);
	if (mkdir(above, 0700) < 0 ||
		setxattr(above, "system.posix_acl_default", &given, sizeof(given), 0) < 0) {
		ok(true, "rights for new files are not inherited # SKIP the file system has none");
		return;
	}
	is_str(store_open(&s, &e) < 0 ? e.text : "", "", "a store is made where new files get rights");
	(void)close(openat(s.root, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
	ok(fstatat(s.root, "file", &st, 0) == 0 && (st.st_mode & 0777) == 0644, "which are not inherited");
}

static void test_refused(void)
{
	auto_store struct store s;
	struct err e = {0};
	auto_free char *root = xasprintf("%s/a/b/root", top);

	(void)chmod(root, 0750);
	is_int(store_open(&s, &e), -1, "a store that is open to others is refused");
	is_int(e.kind, ERR_DENIED, "as denied");
	ok(strstr(e.text, "chmod 700"), "with what to do about it");
	(void)chmod(root, 0700);
	(void)setenv("SBX_ROOT", "/usr", 1);
	if (geteuid() != 0) { /* whose it is */
		is_int(store_open(&s, &e), -1, "one that is another's is refused");
		ok(strstr(e.text, "/usr belongs to uid "), "with whose it is");
	}
	(void)setenv("SBX_ROOT", "/proc/nothing/here", 1);
	is_int(store_open(&s, &e), -1, "a place which cannot be made is an error");
	ok(strstr(e.text, "/proc/nothing"), "that names the place");
	set("SBX_ROOT", "/a/b/root");
}

static void test_settings(void)
{
	auto_free char *file = xasprintf("%s/config/sbx/config", top),
		       *dir = xasprintf("%s/config", top);
	auto_free char *one = NULL, *two = NULL, *three = NULL, *four = NULL;
	FILE *f;

	(void)mkdir(dir, 0700);
	set("XDG_CONFIG_HOME", "/config");
	free(take(dir));
	dir = xasprintf("%s/config/sbx", top);
	(void)mkdir(dir, 0700);
	f = fopen(file, "w");
	fputs("# network = none\nnetworks = x\n  network =  host \nids=one\nempty =\n", f);
	fclose(f);
	one = setting("network");
	is_str(one, "host", "a setting is read from the file, without its blanks");
	two = setting("empty");
	is_str(two, "", "an empty setting is one");
	three = setting("nothing-such");
	is_str(three, NULL, "no setting is none");
	(void)setenv("SBX_IDS", "range", 1);
	four = setting("ids");
	is_str(four, "range", "the environment comes first");
}

static void test_check(void)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"\n  # ids = nonsense\n\r\nids = one\nfuse=off\noverlay = on\nnetwork = mine\nroot = /a b\n",
			NULL},
		{"ids = one\nids = both", "file:2: ids = both: must be auto, one or range"},
		{"fuse = perhaps\n", "file:1: fuse = perhaps: must be on or off"},
		{"overlay =\n", "file:1: overlay = : must be on or off"},
		{"layers_idle = -1\n", "file:1: layers_idle = -1: must be a number"},
		{"systemd_ms = 99999999999\n", "file:1: systemd_ms = 99999999999: must be a number"},
		{"root = ~/x\n", "file:1: root = ~/x: must be an absolute path"},
		{"\nnetwork none\n", "file:2: \"network none\" is no setting: name = value"},
		{"netwrok = none\n", "file:1: unknown setting \"netwrok\": there are fuse, host, ids, layers_idle, "
				     "network, overlay, root, runtime, scratch, systemd_ms"},
		{"= x\n", "file:1: unknown setting \"\": there are fuse"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = {0};
		int result = settings_check_text(cases[i].text, "file", &e);

		if (!cases[i].says)
			is_int(result, 0, "settings that are some are let");
		else
			ok(result < 0 && str_starts(e.text, cases[i].says), cases[i].says);
	}
}

int main(void)
{
	if (!mkdtemp(top))
		return 1;
	test_fresh();
	test_refused();
	test_rights();
	test_settings();
	test_check();
	(void)nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return done_testing();
}
