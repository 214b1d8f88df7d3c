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
	"mksquashfs tree t.sqsh -quiet -no-progress -comp zstd -Xcompression-level 3 -p 'w c 0 0 0 0 0' >mk.log 2>&1 && chmod 700 tree/closed";

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
	ok(stat_of(dir, "zeros", &st) && st.st_size == 3000000 && st.st_blocks < 1000,
		"a file of holes has them");
	ok(stat_of(dir, "w", &st) && S_ISCHR(st.st_mode) && st.st_rdev == makedev(0, 0), "a whiteout");
}

enum { DIRECTORY = 1, PLAIN, LINK };

/* The entry with a name of one letter, in an image that is not compressed. */
static char *entry_of(char *bytes, size_t n, char type, char letter)
{
	const char wanted[] = {type, 0, 0, 0, letter}; /* the length of its name less one, and that */
	char *at = memmem(bytes, n, wanted, sizeof(wanted));

	return at ? at - 4 : NULL; /* behind its place, and its number */
}

/* The second name of a directory could be the first of so many that no disk holds them. */
static void test_two_names(const struct store *s)
{
	auto_free char *image = xasprintf("%s/two.sqsh", top), *dir = NULL, *bytes = xcalloc(1, 65536);
	auto_close int fd = -1;
	char *a, *b;
	ssize_t n;
	struct err e = {0};

	if (system("mkdir -p two/a two/b && mksquashfs two two.sqsh -quiet -no-progress -noI -noD -noF >mk.log 2>&1"))
		return;
	fd = open(image, O_RDWR | O_CLOEXEC);
	n = read(fd, bytes, 65536);
	a = entry_of(bytes, (size_t)n, DIRECTORY, 'a');
	b = entry_of(bytes, (size_t)n, DIRECTORY, 'b');
	if (!ok(n > 0 && a && b, "an image of two directories"))
		return;
	ok(pwrite(fd, a, 2, b - bytes) == 2 && image_unpack_layer(s, image, false, &dir, &e) < 0,
		"two names of one are refused");
	is_int(e.kind, ERR_CORRUPT, "as corrupt");
}

/* A link, or a file, and then a file of the same name: it would be written to where the link leads. */
static void test_one_name(const struct store *s, char type, const char *sentence)
{
	auto_free char *image = xasprintf("%s/same%d.sqsh", top, type), *dir = NULL,
		       *bytes = xcalloc(1, 65536);
	auto_free char *command =
		xasprintf("rm -rf same && mkdir same && cd same && echo x >b && %s a && "
			  "mksquashfs . %s -quiet -no-progress -noI -noD -noF >../mk.log 2>&1",
			type == LINK ? "ln -s b" : "echo y >", image);
	auto_close int fd = -1;
	char *b;
	ssize_t n;
	struct err e = {0};

	if (system(command))
		return;
	fd = open(image, O_RDWR | O_CLOEXEC);
	n = read(fd, bytes, 65536);
	b = entry_of(bytes, (size_t)n, PLAIN, 'b');
	ok(n > 0 && b && pwrite(fd, "a", 1, b + 8 - bytes) == 1 &&
			image_unpack_layer(s, image, false, &dir, &e) < 0,
		sentence);
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
	test_two_names(&s);
	test_one_name(&s, PLAIN, "two files of one name are refused");
	test_one_name(&s, LINK, "and so is a file that has the name of a link");
	(void)chdir("/");
	is_int(state_remove_tree(AT_FDCWD, top, &e), 0, "all is taken away again");
	return done_testing();
}
