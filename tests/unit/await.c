/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that wait for one container's start, and others that have waited: the last one takes the directory away. */
#include "await.h"
#include "own_store.h"
#include "state.h"
#include "sys.h"
#include "tap.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

enum { WAITERS = 3, TIMES = 2000 };

static int wait_often(const struct store *s)
{
	const struct ctl_attach wants = {.out = true};
	int failed = 0;

	for (int i = 0; i < TIMES; i++) {
		struct await a = {.sock = -1};
		struct err e = {0};

		if (await_begin(s, ID, &wants, &a, &e) < 0)
			failed++;
		else
			await_done(&a);
	}
	return failed;
}

static int sockets(const struct store *s)
{
	auto_close int dir = openat(s->runtime, "w/" ID, O_RDONLY | O_DIRECTORY);
	auto_strv struct strv names = {0};

	return dir >= 0 && sys_names(dir, &names) == 0 ? (int)names.n : 0;
}

/* As in another pid namespace: nobody has the number of the process that began to wait. */
static void test_sweep(const struct store *s)
{
	const struct ctl_attach wants = {.out = true};
	struct await one = {.sock = -1}, other = {.sock = -1};
	struct err e = {0};
	int go[2], status = 1;
	char byte;
	pid_t pid;

	is_int(await_begin(s, ID, &wants, &one, &e), 0, "one waits");
	is_int(await_begin(s, ID, &wants, &other, &e), 0,
		"and another one, whose pid has the same number");
	is_int(sockets(s), 2, "each by a socket of its own");
	await_done(&other);
	if (pipe(go) < 0 || (pid = fork()) < 0)
		exit(1);
	if (pid == 0) {
		(void)close(go[1]);
		if (await_begin(s, ID, &wants, &other, &e) < 0 || fork() > 0)
			_exit(e.kind != ERR_NONE);
		_exit(read(go[0], &byte, 1) != 0); /* with the socket */
	}
	(void)waitpid(pid, &status, 0);
	is_int(status, 0, "a third one begins to wait, in a process that ends");
	await_sweep(s);
	is_int(sockets(s), 2, "those who wait are left alone");
	is_int(accept(one.sock, NULL, NULL), -1, "and not connected to");
	(void)close(go[0]);
	(void)close(go[1]); /* the third one ends */
	for (int i = 0; i < 10000 && sockets(s) > 1; i++) {
		(void)poll(NULL, 0, 1);
		await_sweep(s);
	}
	is_int(sockets(s), 1, "what a dead one has left goes");
	await_forget(s, ID);
	is_int(faccessat(s->runtime, "w/" ID, F_OK, 0), -1, "all goes with the container");
	await_done(&one);
}

int main(void)
{
	char top[] = "/tmp/sbx-await-XXXXXX";
	auto_store struct store s = {-1, -1, NULL, NULL};
	auto_free char *clean = NULL;
	int failed = 0;

	if (!mkdtemp(top))
		return 1;
	own_store(&s, top);
	for (int i = 0; i < WAITERS; i++)
		if (fork() == 0)
			_exit(wait_often(&s) > 0);
	for (int status; wait(&status) > 0;)
		failed += status != 0;
	is_int(failed, 0, "nobody finds that the directory has just gone");
	test_sweep(&s);
	clean = xasprintf("rm -rf %s", top);
	ok(system(clean) == 0, "cleaned up");
	return done_testing();
}
