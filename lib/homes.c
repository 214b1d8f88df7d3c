/* SPDX-License-Identifier: Apache-2.0 */
#include "homes.h"

#include "auto.h"
#include "str.h"
#include "sys.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define LOOK_NS 1000000000LL
#define HARDLY  5                            /* percent of the time */
#define MOSTLY  50                           /* likewise */
#define CPUS    (8 * (int)sizeof(cpu_set_t)) /* CPU_SETSIZE is a number of bytes in some libc */

static int next_of(const struct homes *h, int cpu)
{
	for (int i = 1; i <= CPUS; i++)
		if (CPU_ISSET((cpu + i) % CPUS, &h->may))
			return (cpu + i) % CPUS;
	return -1;
}

/* The kernel has put us on some processor: begins with that. */
void homes_begin(struct homes *h, size_t most)
{
	int cpu = sched_getcpu();

	*h = (struct homes){.n = 1, .cpu = {-1}};
	if (sched_getaffinity(0, sizeof(h->may), &h->may) < 0 || cpu < 0)
		return;
	h->n = (size_t)CPU_COUNT(&h->may);
	if (h->n > most)
		h->n = most;
	if (h->n > HOMES_MAX)
		h->n = HOMES_MAX;
	for (size_t i = 0; i < h->n; i++, cpu = next_of(h, cpu))
		h->cpu[i] = cpu;
}

int homes_of(const struct homes *h, size_t lane)
{
	return h->cpu[lane];
}

static bool is_home(const struct homes *h, int cpu)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->cpu[i] == cpu)
			return true;
	return false;
}

/* A processor on which none of our lanes is and that was idle half of the time. */
static int idle_one(const struct homes *h, const int8_t *idle, uint32_t random)
{
	int found[CPUS];
	uint32_t n = 0;

	for (int i = 0; i < CPUS; i++)
		if (idle[i] >= MOSTLY && CPU_ISSET(i, &h->may) && !is_home(h, i))
			found[n++] = i;
	return n ? found[random % n] : -1;
}

/* "cpu3 user nice system idle iowait ...": how much of the time since the last look the processor was idle. */
static void read_one(struct homes *h, const char *line, int8_t *idle)
{
	uint64_t all = 0, slept = 0, *before;
	unsigned long cpu;
	char *at;

	cpu = strtoul(line, &at, 10);
	if (at == line || cpu >= (unsigned long)CPUS)
		return; /* all of them together */
	for (int i = 0; i < 8; i++) {
		uint64_t spent = strtoull(at, &at, 10);

		all += spent;
		slept += i == 3 || i == 4 ? spent : 0;
	}
	if (cpu >= h->n_spent) {
		h->spent = xrealloc(h->spent, cpu + 1, sizeof(*h->spent));
		memset(h->spent + h->n_spent, 0, (cpu + 1 - h->n_spent) * sizeof(*h->spent));
		h->n_spent = cpu + 1;
	}
	before = h->spent[cpu];
	if (before[0] && all > before[0] && slept >= before[1])
		idle[cpu] = (int8_t)(100 * (slept - before[1]) / (all - before[0]));
	before[0] = all;
	before[1] = slept;
}

void homes_read(struct homes *h, const char *text, uint32_t random)
{
	int8_t idle[CPUS];

	memset(idle, -1, sizeof(idle)); /* not known */
	for (const char *at = text; at && str_starts(at, "cpu");
		at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		read_one(h, at + 3, idle);
	for (size_t i = 0; i < h->n; i++) {
		int cpu = h->cpu[i], other;

		if (cpu < 0 || idle[cpu] < 0 || idle[cpu] > HARDLY)
			continue;
		other = idle_one(h, idle, random + (uint32_t)i);
		if (other >= 0)
			h->cpu[i] = other;
	}
}

/* It is not known whether our own lane kept the processor busy; then moving does no harm. */
void homes_look(struct homes *h, int64_t now)
{
	auto_free char *text = NULL;
	uint32_t random = 0;

	if (now < h->next_look || h->cpu[0] < 0)
		return;
	h->next_look = now + LOOK_NS;
	text = sys_text("/proc/stat");
	if (text && getrandom(&random, sizeof(random), 0) == sizeof(random))
		homes_read(h, text, random);
}

void homes_done(struct homes *h)
{
	free(h->spent);
	*h = (struct homes){0};
}
