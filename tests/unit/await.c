/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that wait for one container's start, and others that have waited: the last one takes the directory away. */
#include "await.h"
#include "own_store.h"
#include "state.h"
#include "tap.h"

#include <stdlib.h>
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
	clean = xasprintf("rm -rf %s", top);
	ok(system(clean) == 0, "cleaned up");
	return done_testing();
}
