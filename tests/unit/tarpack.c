/* SPDX-License-Identifier: Apache-2.0 */
#include "tarpack.h"
#include "tap.h"

#include "auto.h"
#include "sys.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES 40
#define PACKS 300

static atomic_bool over;

/* Each name's content changes with that of the next one, always of another kind. */
static void *swap(void *arg)
{
	int dir = *(const int *)arg;

	for (int i = 0; !over; i = (i + 1) % NAMES) {
		char one[16], other[16];

		(void)snprintf(one, sizeof(one), "n%d", i);
		(void)snprintf(other, sizeof(other), "n%d", (i + 1) % NAMES);
		(void)sys_renameat(dir, one, dir, other, RENAME_EXCHANGE);
	}
	return NULL;
}

static bool make(int dir, int i)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "n%d", i);
	switch (i % 4) {
	case 0:
		return close(openat(dir, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0644)) == 0;
	case 1:
		return symlinkat("/nosuch", dir, name) == 0;
	case 2:
		return mkdirat(dir, name, 0755) == 0;
	default:
		return mkfifoat(dir, name, 0644) == 0;
	}
}

static int count(void *context, const void *bytes, size_t n)
{
	(void)bytes;
	*(size_t *)context += n;
	return 0;
}

static bool pack(int dir, struct err *e)
{
	size_t n = 0;
	struct tar_writer w = {.sink = count, .context = &n};
	struct tarpack p = {.dir = dir, .name = ".", .as = "", .uid = -1, .gid = -1};

	return tarpack(&w, &p, e) == 0 && n >= (NAMES - 1) * (size_t)TAR_BLOCK;
}

static void changing(int dir)
{
	struct err e = {0};
	pthread_t swaps;
	int made = 0, packed = 0;

	for (int i = 0; i < NAMES; i++)
		made += make(dir, i);
	if (!ok(made == NAMES && pthread_create(&swaps, NULL, swap, &dir) == 0,
		    "names that change their kind"))
		return;
	while (packed < PACKS && pack(dir, &e))
		packed++;
	over = true;
	(void)pthread_join(swaps, NULL);
	is_int(packed, PACKS, "are packed");
	is_str(e.text, "", "without an error");
}

int main(void)
{
	char name[] = "/tmp/sbx-tarpack.XXXXXX";
	auto_close int dir = mkdtemp(name) ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	changing(dir);
	for (int i = 0; i < NAMES; i++) {
		char entry[16];

		(void)snprintf(entry, sizeof(entry), "n%d", i);
		if (unlinkat(dir, entry, 0) < 0)
			(void)unlinkat(dir, entry, AT_REMOVEDIR);
	}
	(void)rmdir(name);
	return done_testing();
}
