/* SPDX-License-Identifier: Apache-2.0 */
#include "toll.h"

#include "auto.h"
#include "pids.h"
#include "spent.h"
#include "sys.h"

#include <stdlib.h>
#include <string.h>

#define CROWD 64 /* processes */
#define FIRST_NS \
	1000000 /* ns, enough for forty processes; no more than a process may run where many want the processor */

static void add_process(int proc, const char *pid, struct toll *t)
{
	char path[64], text[4096];
	unsigned long long n[4];
	const char *after = NULL;
	int64_t tick = 1000000 / sysconf(_SC_CLK_TCK), peak;

	(void)snprintf(path, sizeof(path), "%.20s/stat", pid); /* fits */
	if (sys_get(proc, path, text, sizeof(text)) > 0)
		after = strrchr(text, ')'); /* the name may hold anything */
	if (after && sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu",
			     &n[0], &n[1], &n[2], &n[3]) == 4) {
		t->user_us += (int64_t)(n[0] + n[2]) * tick;
		t->system_us += (int64_t)(n[1] + n[3]) * tick;
	}
	(void)snprintf(path, sizeof(path), "%.20s/status", pid); /* fits */
	if (sys_get_status(proc, path, text, sizeof(text)) <= 0 || !(after = strstr(text, "\nVmHWM:")))
		return; /* one that has ended holds nothing */
	peak = atoll(after + strlen("\nVmHWM:")) * 1024;
	t->peak = peak > t->peak ? peak : t->peak;
}

bool toll_crowd(int proc)
{
	auto_close int list = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct pids all;
	int n = 0;

	pids_begin(&all, list);
	while (n < CROWD && pids_next(&all))
		n++;
	return n == CROWD;
}

static bool take_until(int proc, int64_t at, struct toll *t)
{
	auto_close int list = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct pids all;

	pids_begin(&all, list); /* in the order of their numbers */
	for (const char *name; (name = pids_next(&all)) != NULL;) {
		pid_t pid = (pid_t)atoi(name);

		if (pid <= t->asked)
			continue;
		if (sys_now_ns() > at)
			return true;
		add_process(list, name, t);
		t->asked = pid;
	}
	return false;
}

bool toll_take(int proc, struct toll *t)
{
	return take_until(proc, sys_now_ns() + FIRST_NS, t);
}

void toll_take_rest(int proc, struct toll *t)
{
	(void)take_until(proc, INT64_MAX, t);
}

void toll_take_one(int proc, pid_t pid, struct toll *t)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "%d", (int)pid); /* fits */
	add_process(proc, name, t);
}

static void at_least(struct timeval *t, int64_t us)
{
	if ((int64_t)t->tv_sec * 1000000 + t->tv_usec < us)
		*t = (struct timeval){.tv_sec = us / 1000000, .tv_usec = us % 1000000};
}

void toll_add(const struct toll *t, struct rusage *usage)
{
	at_least(&usage->ru_utime, t->user_us);
	at_least(&usage->ru_stime, t->system_us);
	if (usage->ru_maxrss < t->peak / 1024)
		usage->ru_maxrss = t->peak / 1024;
}

void toll_add_spent(const struct spent *s, struct rusage *usage)
{
	struct timeval *times[SPENT_KINDS] = {&usage->ru_utime, &usage->ru_stime};
	int64_t tick = 1000000 / sysconf(_SC_CLK_TCK);

	for (int k = 0; k < SPENT_KINDS; k++) {
		int64_t us;

		at_least(times[k], (int64_t)s->of[k].living * tick);
		us = times[k]->tv_usec + (int64_t)s->of[k].lost * tick;
		times[k]->tv_sec += us / 1000000;
		times[k]->tv_usec = us % 1000000;
	}
}
