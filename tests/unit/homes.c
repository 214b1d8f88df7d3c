/* SPDX-License-Identifier: Apache-2.0 */
#include "homes.h"

#include "tap.h"

#include <stdlib.h>

/* What /proc/stat says when of each 100 ticks since the last time a processor slept so many. */
static void look(struct homes *h, const int *slept, int n, uint32_t random)
{
	static uint64_t idle[8], busy[8];
	char text[1024] = "cpu  1 2 3 4 5 6 7 8 0 0\n";
	size_t len = strlen(text);

	for (int i = 0; i < n; i++) {
		idle[i] += (uint64_t)slept[i];
		busy[i] += (uint64_t)(100 - slept[i]);
		len += (size_t)snprintf(text + len, sizeof(text) - len,
			"cpu%d %" PRIu64 " 0 10 %" PRIu64 " 10 0 0 0 7 7\n", i, busy[i], idle[i]);
	}
	(void)snprintf(text + len, sizeof(text) - len, "intr 1 2 3\n");
	homes_read(h, text, random);
}

static void begin(struct homes *h, int a, int b, int cpus)
{
	homes_done(h);
	*h = (struct homes){.n = 2, .cpu = {a, b}};
	for (int i = 0; i < cpus; i++)
		CPU_SET((unsigned)i, &h->may);
}

static void both(const struct homes *h, int a, int b, const char *sentence)
{
	ok(homes_of(h, 0) == a && homes_of(h, 1) == b, sentence);
}

int main(void)
{
	struct homes h = {0};
	cpu_set_t may;

	homes_begin(&h, 1);
	is_int((int64_t)h.n, 1, "one worker has one lane");
	ok(sched_getaffinity(0, sizeof(may), &may) == 0 && CPU_ISSET((unsigned)homes_of(&h, 0), &may),
		"on a processor that it may use");
	homes_done(&h);
	homes_begin(&h, 1000);
	is_int((int64_t)h.n, CPU_COUNT(&may) < HOMES_MAX ? CPU_COUNT(&may) : HOMES_MAX,
		"many have as many lanes as there are processors");
	for (size_t i = 1; i < h.n; i++)
		if (homes_of(&h, i) == homes_of(&h, i - 1))
			ok(false, "each another one");

	begin(&h, 0, 1, 4);
	look(&h, (int[]){0, 0, 100, 100}, 4, 0);
	both(&h, 0, 1, "nobody moves before there are two looks");
	look(&h, (int[]){40, 30, 100, 100}, 4, 0);
	both(&h, 0, 1, "nobody leaves a processor that is not always busy");
	look(&h, (int[]){2, 30, 10, 90}, 4, 0);
	both(&h, 3, 1, "who shares one moves to an idle one");
	look(&h, (int[]){90, 30, 90, 3}, 4, 0);
	both(&h, 0, 1, "the first of several by one random number");
	look(&h, (int[]){0, 30, 90, 90}, 4, 1);
	both(&h, 3, 1, "another by another");
	look(&h, (int[]){90, 0, 20, 0}, 4, 0);
	both(&h, 0, 1, "two do not move to the same one");
	look(&h, (int[]){0, 0, 40, 40}, 4, 0);
	both(&h, 0, 1, "nobody moves where nothing is idle");

	begin(&h, 0, 1, 3);
	look(&h, (int[]){0, 0, 0, 100}, 4, 0);
	look(&h, (int[]){0, 0, 0, 100}, 4, 0);
	both(&h, 0, 1, "nor to where it may not be");

	begin(&h, -1, -1, 4);
	look(&h, (int[]){0, 0, 100, 100}, 4, 0);
	look(&h, (int[]){0, 0, 100, 100}, 4, 0);
	both(&h, -1, -1, "who is anywhere stays there");
	homes_read(&h, "", 0);
	homes_read(&h, "cpu\ncpu99999999999999999999 1\ncpu1", 0);
	both(&h, -1, -1, "what is no list of processors says nothing");
	homes_done(&h);
	return done_testing();
}
