/* SPDX-License-Identifier: Apache-2.0 */
#include "affinity.h"

#include "auto.h"
#include "procs.h"
#include "str.h"
#include "sys.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define CPUS (8 * (int)sizeof(cpu_set_t)) /* CPU_SETSIZE is a number of bytes in some libc */

/* The syntax was checked by spec_complete(). This checks that each number is one that a machine can have. */
static bool parse(const char *cpus, cpu_set_t *set)
{
	bool fits = true;
	char *end;

	CPU_ZERO(set);
	for (const char *at = cpus; *at; at = *end ? end + 1 : end) {
		unsigned long first = strtoul(at, &end, 10), last = first;

		if (end == at)
			return fits;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		fits &= last < CPUS;
		for (; first <= last && first < CPUS; first++)
			CPU_SET(first, set);
	}
	return fits;
}

static char *words(const cpu_set_t *set)
{
	auto_buf struct buf b = {0};

	for (int i = 0; i < CPUS; i++) {
		int first = i;

		if (!CPU_ISSET(i, set))
			continue;
		while (i + 1 < CPUS && CPU_ISSET(i + 1, set))
			i++;
		buf_printf(&b, "%s%d", b.len ? "," : "", first);
		if (i > first)
			buf_printf(&b, "-%d", i);
	}
	return buf_take(&b);
}

static int check(const char *what, const char *wish, const cpu_set_t *have, struct err *e)
{
	auto_free char *available = NULL;
	cpu_set_t asked, both;
	bool fits = parse(wish, &asked);

	CPU_AND(&both, &asked, have);
	if (fits && CPU_EQUAL(&both, &asked))
		return 0;
	available = words(have);
	return err_set(e, ERR_USAGE, "Requested %s are not available - requested %s, available: %s",
		what, wish, available);
}

int affinity_check(const char *cpus, struct err *e)
{
	cpu_set_t have;

	if (sched_getaffinity(0, sizeof(have), &have) < 0)
		return err_sys(e, "ask for the processors");
	return check("CPUs", cpus, &have, e);
}

int affinity_check_within(const char *cpus, const char *those, struct err *e)
{
	cpu_set_t have;

	(void)parse(those, &have); /* numbers beyond what a set holds do not matter */
	return check("CPUs", cpus, &have, e);
}

int affinity_check_mems(const char *mems, struct err *e)
{
	static const char key[] = "\nMems_allowed_list:\t";
	auto_free char *text = sys_text("/proc/self/status");
	char *list = text ? strstr(text, key) : NULL;
	cpu_set_t have;

	if (!list)
		return 0; /* a kernel without nodes */
	list += strlen(key);
	list[strcspn(list, "\n")] = '\0';
	(void)parse(list, &have); /* checked before */
	return check("memory nodes", mems, &have, e);
}

int affinity_set(const char *cpus, struct err *e)
{
	cpu_set_t set;

	(void)parse(cpus, &set); /* checked before */
	return sched_setaffinity(0, sizeof(set), &set) < 0 ? err_sys(e, "--cpuset-cpus %s", cpus) : 0;
}

struct move {
	cpu_set_t from, to;
	bool moved;
};

/* One that chose some of its processors keeps to those that are left. */
static bool move_one(pid_t thread, void *arg)
{
	struct move *m = arg;
	cpu_set_t now, then;

	if (sched_getaffinity(thread, sizeof(now), &now) < 0)
		return true; /* it has ended */
	CPU_AND(&then, &now, &m->to);
	if (CPU_EQUAL(&now, &m->from) || CPU_COUNT(&then) == 0)
		then = m->to;
	if (!CPU_EQUAL(&now, &then) && sched_setaffinity(thread, sizeof(then), &then) == 0)
		m->moved = true;
	return true;
}

bool affinity_move(pid_t pid, const char *from, const char *to)
{
	struct move m = {.moved = false};

	(void)parse(from ? from : "", &m.from); /* they were checked before */
	(void)parse(to, &m.to);
	(void)procs_each_thread(pid, move_one, &m); /* it may have ended */
	return m.moved;
}
