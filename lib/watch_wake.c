/* SPDX-License-Identifier: Apache-2.0 */
/* watch_wake: that a sleeping process runs again is told by the kernel, so that nobody has to look all the time.
 *
 * Best is a bell for each of its threads: a perf event that counts nothing and only records that the thread was given a processor.
 * It rings 50 us later. Where the kernel does not let us have perf events (Debian's and
 * Ubuntu's do not), a timer on each process's processor time is left, which is looked at in each tick of the kernel: after 1 to
 * 7 ms. Of what the process forks before that nothing is told, so looks go on. */
#include "watch_parts.h"

#include "auto.h"
#include "procs.h"
#include "sys.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define WAKE        SIGIO
#define RING_PAGES  2
#define TOO_SOON_NS 10000000000 /* to make and unmake a bell takes as long as several looks */

static volatile sig_atomic_t woken;

static void on_wake(int signo)
{
	(void)signo;
	woken = 1;
}

void watch_begin_waking(struct watch *w, sigset_t *waiting)
{
	sigset_t wake;

	(void)signal(WAKE, on_wake);
	(void)sigemptyset(&wake); /* these cannot fail */
	(void)sigaddset(&wake, WAKE);
	(void)sigprocmask(SIG_BLOCK, &wake, waiting);
	(void)sigdelset(waiting, WAKE);
	w->waking.on = true;
}

bool watch_woken(void)
{
	bool was = woken != 0;

	woken = 0;
	return was;
}

static size_t ring_size(void)
{
	return RING_PAGES * (size_t)sysconf(_SC_PAGESIZE);
}

static bool add_bell(pid_t thread, void *arg)
{
	struct watch_waking *k = arg;
	struct perf_event_attr on = {.size = sizeof(on),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.context_switch = true,
		.exclude_kernel = true,
		.exclude_hv = true,
		.watermark = true,
		.wakeup_watermark = 1};
	struct watch_bell *bell = &k->bells[k->n_bells];

	if (k->n_bells == WATCH_BELLS_MAX)
		return false;
	bell->fd = sys_perf_event(&on, thread);
	if (bell->fd < 0)
		return errno == ESRCH; /* it has ended, and will not run again */
	bell->ring = mmap(NULL, ring_size(), PROT_READ | PROT_WRITE, MAP_SHARED, bell->fd, 0);
	if (bell->ring == MAP_FAILED || fcntl(bell->fd, F_SETOWN, getpid()) < 0 ||
		fcntl(bell->fd, F_SETFL, O_ASYNC) < 0) {
		if (bell->ring != MAP_FAILED)
			(void)munmap(bell->ring, ring_size()); /* it is there */
		(void)close(bell->fd);                         /* nothing was written */
		return false;
	}
	k->n_bells++;
	return true;
}

static void drop_bells(struct watch_waking *k)
{
	while (k->n_bells > 0) {
		struct watch_bell *bell = &k->bells[--k->n_bells];

		(void)munmap(bell->ring, ring_size()); /* it is there */
		(void)close(bell->fd);                 /* nothing was written */
	}
}

/* Who did not run from the look until every bell hung has made no thread that has none. */
static bool hang_bells(struct watch *w)
{
	bool all = true;

	for (int i = 0; all && i < w->sleep.n; i++)
		all = procs_each_thread(w->sleep.of[i].pid, add_bell, &w->waking);
	if (all && watch_still_sleeps(w))
		return true;
	drop_bells(&w->waking);
	return false;
}

static void set_timers(struct watch *w)
{
	struct watch_waking *k = &w->waking;
	struct sigevent by = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = WAKE};
	const struct itimerspec soon = {.it_value = {.tv_nsec = 1}};

	for (int i = 0; i < w->sleep.n; i++)
		if (timer_create(w->sleep.of[i].clock, &by, &k->timers[k->n_timers]) == 0)
			(void)timer_settime(k->timers[k->n_timers++], 0, &soon, NULL); /* it may have ended */
}

void watch_arm(struct watch *w)
{
	struct watch_waking *k = &w->waking;

	if (!k->on || w->sleep.n == 0 || w->sleep.n != w->processes)
		return;
	if (!k->tried && (!k->hasty || w->idle_for >= WATCH_SLEEPS)) {
		k->tried = true;
		k->sure = hang_bells(w);
		k->since = sys_now_ns();
	}
	if (!k->sure && k->n_timers == 0)
		set_timers(w);
}

void watch_disarm(struct watch *w)
{
	struct watch_waking *k = &w->waking;

	if (k->sure)
		k->hasty = sys_now_ns() - k->since < TOO_SOON_NS;
	k->tried = k->sure = false;
	drop_bells(k);
	while (k->n_timers > 0)
		(void)timer_delete(k->timers[--k->n_timers]); /* it is there */
}
