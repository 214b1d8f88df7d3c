/* SPDX-License-Identifier: Apache-2.0 */
#include "auto.h"
#include "store.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

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
	struct err e = {0};
	struct stat st;

	set("SBX_ROOT", "/a/b/root");
	set("SBX_RUNTIME", "/a/run");
	is_int(store_open(&s, &e), 0, "a store is made where there is none");
	ok(fstat(s.root, &st) == 0 && (st.st_mode & 07777) == 0700, "for its owner alone");
	ok(fcntl(s.root, F_GETFD) & FD_CLOEXEC, "and not inherited");
	ok(s.root_path[0] == '/', "its path is absolute");
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
	one = store_setting("network");
	is_str(one, "host", "a setting is read from the file, without its blanks");
	two = store_setting("empty");
	is_str(two, "", "an empty setting is one");
	three = store_setting("nothing-such");
	is_str(three, NULL, "no setting is none");
	(void)setenv("SBX_IDS", "range", 1);
	four = store_setting("ids");
	is_str(four, "range", "the environment comes first");
}

int main(void)
{
	if (!mkdtemp(top))
		return 1;
	test_fresh();
	test_refused();
	test_settings();
	(void)nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return done_testing();
}
