/* SPDX-License-Identifier: Apache-2.0 */
/* watch_still: whether a process that was stopped stands still. From inside it may be sent SIGCONT, by processes that were not
 * stopped yet, by a timer of its own, or when its parent ends. */
#include "watch_parts.h"

#include "auto.h"
#include "str.h"
#include "sys.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STOPS_NS 20000
#define RUNS_TICKS \
	2 /* of processor time, the kernel's 10 ms: less may be what a system call takes to its end */

/* path: of its stat. */
static bool has_state_stopped(int dir, const char *path)
{
	const char *after = NULL;
	char text[1024];

	if (sys_get(dir, path, text, sizeof(text)) > 0)
		after = strrchr(text, ')'); /* the name may hold anything */
	return after && str_starts(after, ") T");
}

static bool is_stopped_thread(int threads, const char *name)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "%.15s/stat", name); /* fits */
	return has_state_stopped(threads, path);
}

/* A signal stops all threads, and the one that takes it at once; the others may still be in the kernel. */
static bool has_stopped_thread(int dir)
{
	int task = openat(dir, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *threads = task < 0 ? NULL : fdopendir(task);
	bool found = false;

	if (!threads) {
		auto_close_(&task);
		return true; /* it has ended */
	}
	for (struct dirent *at; !found && (at = readdir(threads)) != NULL;)
		found = *at->d_name != '.' && is_stopped_thread(task, at->d_name);
	(void)closedir(threads); /* only read from */
	return found;
}

/* The number behind "Name:" in a status. */
static uint64_t number(const char *status, const char *name, int base)
{
	const char *at = strstr(status, name);

	return at ? strtoull(at + strlen(name), NULL, base) : 0;
}

bool watch_stands(int dir, struct watch_standing *s)
{
	char text[4096];
	const char *state = NULL;

	if (sys_get_status(dir, "status", text, sizeof(text)) > 0)
		state = strstr(text, "\nState:\t");
	if (!state)
		return true;
	state += strlen("\nState:\t");
	s->alone = number(text, "\nThreads:", 10) <= 1;
	s->asleep = *state == 'S';
	s->resident = watch_field(text, "\nVmRSS:");
	if (*state == 'Z') /* the first thread, others may go on */
		return s->alone || has_stopped_thread(dir);
	return strchr("TtX", *state) || number(text, "\nShdPnd:", 16) >> (SIGSTOP - 1) & 1;
}

/* A shell with job control does, su and sudo do, and stop themselves then: for ever, as nobody lets them go on. Who has stopped
 * before his children is told of nothing, if they go on before him. */
bool watch_heeds_stops(int dir)
{
	unsigned long long third, fourth;
	char text[256];
	long call;

	if (sys_get(dir, "syscall", text, sizeof(text)) <= 0 ||
		sscanf(text, "%ld %*x %*x %llx %llx", &call, &third, &fourth) != 3)
		return false;
	return (call == SYS_wait4 && third & WUNTRACED) || (call == SYS_waitid && fourth & WSTOPPED);
}

void watch_await_stop(int dir, int64_t until)
{
	while (!has_state_stopped(dir, "stat") && sys_now_ns() < until)
		(void)nanosleep(&(struct timespec){.tv_nsec = STOPS_NS}, NULL); /* a shorter one is as good */
}

/* In the kernel's ticks; 0: it has ended. */
static uint64_t ticks(int dir)
{
	unsigned long long user, system;
	const char *after = NULL;
	char text[1024];

	if (sys_get(dir, "stat", text, sizeof(text)) > 0)
		after = strrchr(text, ')'); /* the name may hold anything */
	return after && sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu",
				&user, &system) == 2
	               ? user + system
	               : 0;
}

/* Who is woken and takes nothing does no harm: a shell lets its jobs go on, and a guard the processes of an exec that ends. */
bool watch_takes_more(struct watch_held *h)
{
	struct watch_standing s;
	uint64_t now;

	if (watch_stands(h->dir, &s))
		return false;
	now = ticks(h->dir);
	if (!h->ticks)
		h->ticks = now + 1; /* not 0 */
	if (s.resident < h->resident + WATCH_FILLS && now < h->ticks - 1 + RUNS_TICKS)
		return false;
	/* The first thread of several may be in the kernel for long, with a signal that another one has taken. */
	return s.alone || !has_stopped_thread(h->dir);
}
