/* SPDX-License-Identifier: Apache-2.0 */
/* The program's malloc(), whichever it is linked with. */
#include "sys.h"
#include "auto.h"
#include "tap.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SLOTS 500

/* The sanitizer's malloc() ends the program by default where others say ENOMEM. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static unsigned next(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 8;
}

static size_t any_size(unsigned *seed)
{
	static const size_t most[] = {40, 600, 5000, 70000, 300000, 20u << 20};
	unsigned kind = next(seed) % 100;

	return next(seed) % most[kind < 50      ? 0
				    : kind < 75 ? 1
				    : kind < 90 ? 2
				    : kind < 96 ? 3
				    : kind < 99 ? 4
						: 5];
}

static bool is_all(const unsigned char *p, size_t n, unsigned char c)
{
	return n == 0 || (p[0] == c && memcmp(p, p + 1, n - 1) == 0);
}

/* Every block is filled with a mark of its own, which nothing else may change. NULL: all went well. */
static void *mess(void *arg)
{
	static __thread struct {
		unsigned char *p, mark;
		size_t n;
	} at[SLOTS];
	unsigned seed = *(unsigned *)arg;

	for (int i = 0; i < 20000; i++) {
		unsigned k = next(&seed) % SLOTS, what = next(&seed) % 5;
		size_t n = any_size(&seed);

		if (at[k].p && !is_all(at[k].p, at[k].n, at[k].mark))
			return arg;
		if (what == 0 && at[k].p) {
			unsigned char *p = realloc(at[k].p, n + 1);

			if (!p || !is_all(p, n < at[k].n ? n : at[k].n, at[k].mark))
				return arg;
			at[k].p = p;
		} else {
			free(at[k].p);
			at[k].p = what == 1   ? calloc(1, n + 1)
			          : what == 2 ? aligned_alloc(256, (n + 256) & ~(size_t)255)
			                      : malloc(n + 1);
			if (!at[k].p || (uintptr_t)at[k].p % (what == 2 ? 256 : 16) ||
				(what == 1 && !is_all(at[k].p, n, 0)))
				return arg;
		}
		at[k].mark = (unsigned char)next(&seed);
		at[k].n = n;
		memset(at[k].p, at[k].mark, n);
		if (i % 5000 == 0)
			sys_trim_heap();
	}
	for (int k = 0; k < SLOTS; k++)
		free(at[k].p);
	return NULL;
}

static void test_threads(void)
{
	unsigned seeds[] = {1, 22, 333, 4444};
	pthread_t id[ARRAY_LEN(seeds)];
	bool whole = true;

	for (size_t i = 0; i < ARRAY_LEN(seeds); i++)
		(void)pthread_create(&id[i], NULL, mess, &seeds[i]);
	for (size_t i = 0; i < ARRAY_LEN(seeds); i++) {
		void *bad;

		(void)pthread_join(id[i], &bad);
		whole = whole && !bad;
	}
	ok(whole, "four threads take and give blocks of all sizes: each stays its owner's, aligned, and calloc's are zero");
}

static void test_edges(void)
{
	volatile size_t too_much = (size_t)-1, none = 0;
	char *p;

	errno = 0;
	ok(!malloc(too_much - 100) && errno == ENOMEM, "more than there is: ENOMEM");
	ok(!calloc(too_much / 2, 3) && errno == ENOMEM, "a product that overflows, too");
	p = malloc(none);
	ok(p != NULL, "none is a block of its own");
	free(p);
	free(NULL);
	p = realloc(NULL, 10);
	ok(p != NULL, "realloc of nothing is malloc");
	memcpy(p, "012345678", 10);
	p = realloc(p, 40u << 20);
	p = p ? realloc(p, 80u << 20) : NULL;
	ok(p && strcmp(p, "012345678") == 0, "what grew large is what it was");
	p[(80u << 20) - 1] = 1;
	p = realloc(p, 10);
	ok(p && strcmp(p, "012345678") == 0, "and what became small again");
	free(p);
}

#ifndef __GLIBC__
static void test_misuse(void)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		char *volatile p = malloc(100);

		free(p);
		free(p);
		_exit(0);
	}
	(void)waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status), "who frees twice is ended");
}
#endif

int main(void)
{
	test_edges();
	test_threads();
#ifndef __GLIBC__
	test_misuse();
#endif
	return done_testing();
}
