/* SPDX-License-Identifier: Apache-2.0 */
#include "listen.h"

#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 200 };

static char path[80];

static int too_early;

/* In place of the C library's: looks who could see it before. */
int listen(int fd, int backlog)
{
	too_early += access(path, F_OK) == 0;
	return (int)syscall(SYS_listen, fd, backlog);
}

static void test_seen(void)
{
	struct stat st = {0};
	struct err e;
	int fd = listen_unix(path, &e);

	ok(fd >= 0 && lstat(path, &st) == 0, "there is a socket");
	ok(st.st_mode == (S_IFSOCK | 0600), "nobody else's");
	is_int(too_early, 0, "which is not seen before it listens");
	(void)close(fd);
	(void)unlink(path);
}

static void test_file(void)
{
	struct err e;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	(void)close(fd);
	ok(listen_unix(path, &e) < 0 && e.kind == ERR_CONFLICT, "a file is no socket that a server left");
	ok(unlink(path) == 0, "and stays");
}

static void test_link(void)
{
	char other[96], target[96] = "";
	struct err e;
	int fd;

	(void)snprintf(other, sizeof(other), "%s.other", path); /* fits */
	fd = listen_unix(other, &e);
	(void)close(fd); /* as of a dead one */
	ok(symlink(other, path) == 0 && listen_unix(path, &e) < 0 && e.kind == ERR_CONFLICT,
		"nor is a link to one");
	ok(readlink(path, target, sizeof(target) - 1) > 0 && access(other, F_OK) == 0, "and both stay");
	(void)unlink(path);
	(void)unlink(other);
	ok(symlink(other, path) == 0 && listen_unix(path, &e) < 0, "nor one to nothing");
	(void)unlink(path);
}

/* One byte more than there is room for. */
static void test_long(void)
{
	char name[109 + 1] = "/tmp/";
	struct err e = {0};

	memset(name + 5, 'x', 108 - 5);
	ok(listen_unix(name, &e) < 0 && e.kind == ERR_USAGE,
		"a path that is too long by its end is refused");
}

/* Listens, if it may, when `begin` closes, and until `end` does. */
static pid_t listener(const int begin[2], const int end[2], int said)
{
	struct err e;
	pid_t pid = fork();
	char c;

	if (pid != 0)
		return pid;
	(void)close(begin[1]);
	(void)close(end[1]);
	(void)!read(begin[0], &c, 1);
	c = listen_unix(path, &e) >= 0 ? 'y' : e.kind == ERR_CONFLICT ? 'n' : '!';
	(void)!write(said, &c, 1);
	(void)!read(end[0], &c, 1);
	_exit(0);
}

/* Whether one of two who begin at once says that it listens, and the other that somebody does. */
static bool one_of_two(void)
{
	int begin[2], end[2], said[2], seen = 0;
	pid_t pids[2];
	char c;

	if (pipe2(begin, O_CLOEXEC) < 0 || pipe2(end, O_CLOEXEC) < 0 || pipe2(said, O_CLOEXEC) < 0)
		abort();
	for (int k = 0; k < 2; k++)
		pids[k] = listener(begin, end, said[1]);
	(void)close(begin[0]);
	(void)close(begin[1]);
	for (int k = 0; k < 2; k++)
		seen += read(said[0], &c, 1) == 1 ? c : 0;
	(void)close(end[0]);
	(void)close(end[1]);
	(void)close(said[0]);
	(void)close(said[1]);
	for (int k = 0; k < 2; k++)
		(void)waitpid(pids[k], NULL, 0);
	return seen == 'y' + 'n';
}

static void test_two(bool stale, const char *sentence)
{
	int right = 0;
	struct err e;

	for (int i = 0; i < ROUNDS; i++) {
		if (stale)
			(void)close(listen_unix(path, &e));
		right += one_of_two();
		(void)unlink(path);
	}
	is_int(right, ROUNDS, sentence);
}

int main(void)
{
	static char top[] = "/tmp/sbx-listen.XXXXXX";

	if (!mkdtemp(top))
		return 1;
	(void)snprintf(path, sizeof(path), "%s/s", top); /* fits */
	test_seen();
	test_file();
	test_link();
	test_long();
	test_two(false, "of two at once, one listens");
	test_two(true, "of two who take the place of a dead one, one does");
	ok(rmdir(top) == 0, "and nothing is left");
	return done_testing();
}
