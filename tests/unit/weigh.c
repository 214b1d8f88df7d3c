/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a tree add up to, however deep they lie. */
#include "weigh.h"
#include "str.h"
#include "tap.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH = 500 };

static char top[] = "/tmp/sbx-unit-XXXXXX";

static void write_in(int dir, const char *name, off_t n)
{
	auto_close int fd = openat(dir, name, O_WRONLY | O_CREAT, 0600);

	(void)ftruncate(fd, n);
}

/* Beside the way down lies a directory on each level, before and after it. */
static void dig(int dir)
{
	auto_close int at = dup(dir);

	for (int i = 0; i < DEPTH; i++) {
		int below;

		for (const char *const *name = (const char *const[]){"a", "m-a-directory", "z", NULL};
			*name; name++)
			(void)mkdirat(at, *name, 0700);
		write_in(at, "z/f", 1);
		write_in(at, "a/f", 1);
		below = openat(at, "m-a-directory", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		(void)close(at);
		at = below;
	}
	write_in(at, "bottom", 1000000);
}

static void fill(int dir)
{
	int below;

	write_in(dir, "file", 1000);
	(void)linkat(dir, "file", dir, "again", 0);
	(void)symlinkat("12345", dir, "link");
	(void)symlinkat(".", dir, "loop");
	(void)mkfifoat(dir, "fifo", 0600);
	(void)mkdirat(dir, "closed", 0700);
	below = openat(dir, "closed", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	write_in(below, "file", 100);
	(void)linkat(dir, "file", below, "third", 0);
	(void)close(below);
}

static void unfill(int dir)
{
	auto_free char *command = xasprintf("rm -rf %s", top);

	(void)fchmodat(dir, "closed", 0700, 0);
	(void)!system(command);
}

int main(void)
{
	struct rlimit few = {128, 128};
	auto_close int dir = -1;
	auto_free char *file = NULL, *none = NULL;

	if (!mkdtemp(top) || (dir = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return 1;
	file = xasprintf("%s/file", top);
	none = xasprintf("%s/none/of/these", top);
	ok(weigh(top) == 0, "an empty directory is nothing");
	fill(dir);
	ok(weigh(top) == 1106, "files of several names once, what links say, and no fifo");
	ok(weigh(file) == 1000 && weigh(none) == 0, "a file is itself, and what is not there nothing");
	if (geteuid()) {
		(void)fchmodat(dir, "closed", 0, 0);
		ok(weigh(top) == 1006, "what cannot be read does not count");
		(void)fchmodat(dir, "closed", 0600, 0);
		ok(weigh(top) == 1006, "nor what can be listed only");
		(void)fchmodat(dir, "closed", 0700, 0);
	}
	dig(dir);
	(void)setrlimit(RLIMIT_NOFILE, &few);
	ok(weigh(top) == 1001106 + 2 * DEPTH, "what lies deeper than a path is long counts");
	unfill(dir);
	return done_testing();
}
