/* SPDX-License-Identifier: Apache-2.0 */
#include "state.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 20

static char top[] = "/tmp/remove.XXXXXX";

/* Three directories in each, `depth` levels deep. */
static void grow(int dir, const char *name, int depth)
{
	static const char *const names[] = {"a", "b", "c"};
	int fd;

	if (mkdirat(dir, name, 0700) < 0)
		exit(1);
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; depth && fd >= 0 && i < sizeof(names) / sizeof(*names); i++)
		grow(fd, names[i], depth - 1);
	(void)close(fd);
}

static pid_t remover(int dir, const char *name)
{
	pid_t pid = fork();
	struct err e;

	if (pid)
		return pid;
	if (state_remove_tree(dir, name, &e) == 0)
		_exit(0);
	printf("# %s\n", e.text);
	_exit(1);
}

/* As a container's, by whoever removes it and by a process that clears away what it worked with; or by two that clear away what
 * was left half removed. */
static void test_two(bool part, const char *what)
{
	int in = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC), failed = 0, status;
	struct err e;

	for (int i = 0; i < ROUNDS && in >= 0; i++) {
		int tree;

		grow(in, "tree", 0);
		tree = openat(in, "tree", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		grow(tree, "work", 4);
		(void)remover(in, "tree");
		(void)remover(part ? tree : in, part ? "work" : "tree");
		while (wait(&status) > 0)
			failed += status != 0;
		(void)close(tree);
		(void)state_remove_tree(in, "tree", &e); /* if it failed */
	}
	is_int(failed, 0, what);
	(void)close(in);
}

int main(void)
{
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	if (!mkdtemp(top))
		return 1;
	test_two(true, "a tree and a part of it are removed at the same time");
	test_two(false, "a tree is removed twice at the same time");
	is_int(rmdir(top), 0, "nothing is left");
	return done_testing();
}
