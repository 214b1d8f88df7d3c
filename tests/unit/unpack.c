/* SPDX-License-Identifier: Apache-2.0 */
#include "state.h"
#include "tap.h"
#include "unpack.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static char top[] = "/tmp/sbx-unit-XXXXXX";

/* What the directory is to look like: mksquashfs makes the image of it. */
static const char make[] =
	"mkdir -p tree/d/sub tree/closed && cd tree && echo text >d/f && ln d/f d/sub/again && "
	"ln -s ../nowhere d/l && chmod 4711 d/f && mkfifo -m 600 p && echo x >closed/g && chmod 500 closed && "
	"touch -d @1000000000 d/f d && head -c 3000000 /dev/zero >zeros && cd .. && "
	"mksquashfs tree t.sqsh -quiet -no-progress -comp zstd -p 'w c 0 0 0 0 0' >mk.log 2>&1 && chmod 700 tree/closed";

static bool stat_of(const char *dir, const char *name, struct stat *st)
{
	auto_free char *path = xasprintf("%s/%s", dir, name);

	return lstat(path, st) == 0;
}

static void test_files(const char *dir)
{
	auto_free char *link = xasprintf("%s/d/l", dir);
	struct stat st, other;
	char target[32] = "";

	ok(stat_of(dir, "d/f", &st) && S_ISREG(st.st_mode) && st.st_size == 5, "a file");
	is_int(st.st_mode & 07777, 04711, "has its mode");
	is_int(st.st_mtime, 1000000000, "and its time");
	ok(stat_of(dir, "d/sub/again", &other) && other.st_ino == st.st_ino,
		"another name of it is the same file");
	ok(readlink(link, target, sizeof(target) - 1) == 10 && str_eq(target, "../nowhere"),
		"a symbolic link");
	ok(stat_of(dir, "p", &st) && S_ISFIFO(st.st_mode) && (st.st_mode & 0777) == 0600, "a pipe");
	ok(stat_of(dir, "closed/g", &st), "what lies in a directory that may not be written");
	ok(stat_of(dir, "closed", &st) && (st.st_mode & 0777) == 0500, "which may not be written then");
	ok(stat_of(dir, "d", &st) && st.st_mtime == 1000000000, "a directory's time is set last");
	ok(stat_of(dir, "zeros", &st) && st.st_size == 3000000, "a file of holes");
	ok(stat_of(dir, "w", &st) && S_ISCHR(st.st_mode) && st.st_rdev == makedev(0, 0), "a whiteout");
}

int main(void)
{
	auto_free char *root = NULL, *run = NULL, *image = NULL, *dir = NULL, *again = NULL;
	auto_store struct store s = {0};
	struct err e = {0};
	struct stat st;

	if (!mkdtemp(top) || chdir(top) < 0)
		return 1;
	root = xasprintf("%s/root", top);
	run = xasprintf("%s/run", top);
	image = xasprintf("%s/t.sqsh", top);
	(void)setenv("SBX_ROOT", root, 1);
	(void)setenv("SBX_RUNTIME", run, 1);
	if (!ok(store_open(&s, &e) == 0, "a store"))
		return 1;
	if (system(make) != 0) {
		skip("unpacking", "mksquashfs is not here");
		return done_testing();
	}
	is_int(image_unpack_layer(&s, image, false, &dir, &e), 0, "a layer is unpacked");
	if (e.kind != ERR_NONE)
		printf("# %s\n", e.text);
	test_files(dir);
	ok(lstat(dir, &st) == 0 && image_unpack_layer(&s, image, false, &again, &e) == 0 &&
			str_eq(dir, again),
		"and not once more");
	ok(truncate(image, 150) == 0 && image_unpack_layer(&s, image, false, &again, &e) < 0,
		"a cut image is refused");
	is_int(e.kind, ERR_CORRUPT, "as corrupt");
	(void)chdir("/");
	is_int(state_remove_tree(AT_FDCWD, top, &e), 0, "all is taken away again");
	return done_testing();
}
