/* SPDX-License-Identifier: Apache-2.0 */
#include "watch_parts.h"

#include "sys.h"
#include "tap.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process of two threads: the second one answers each byte, and at 'l' works for ever. */
struct ends {
	int from, to;
};

static void *answer(void *arg)
{
	const struct ends *e = arg;
	char c;

	while (read(e->from, &c, 1) == 1 && write(e->to, &c, 1) == 1)
		while (c == 'l')
			;
	exit(0);
}

static pid_t begin(struct ends *ask)
{
	int in[2], out[2];
	pthread_t thread;
	pid_t pid = -1;

	if (pipe(in) < 0 || pipe(out) < 0 || (pid = fork()) < 0)
		exit(2);
	*ask = (struct ends){out[0], in[1]};
	if (pid > 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pthread_create(&thread, NULL, answer, &(struct ends){in[0], out[1]}) == 0)
		(void)pthread_join(thread, NULL);
	_exit(1);
}

static bool asks(const struct ends *e, char c)
{
	return write(e->to, &c, 1) == 1 && read(e->from, &c, 1) == 1;
}

/* Until the process has not run between two questions: with what is noted of it then. */
static void until_asleep(struct watch *w)
{
	do {
		watch_note_times(w);
		(void)sched_yield();
	} while (!watch_still_sleeps(w));
}

static bool is_woken(const sigset_t *waiting)
{
	const struct timespec long_time = {.tv_sec = 1000};

	return ppoll(NULL, 0, &long_time, waiting) < 0 && watch_woken();
}

int main(void)
{
	static struct watch w = {.processes = 1};
	const struct rlimit none = {3, 1024}, some = {1024, 1024};
	sigset_t waiting;
	struct ends e;

	w.sleep.first = begin(&e);
	ok(asks(&e, 'x'), "the process answers");
	until_asleep(&w);
	watch_arm(&w);
	ok(!w.waking.sure && w.waking.n_timers == 0, "who did not ask for it is not woken");
	watch_begin_waking(&w, &waiting);
	w.processes = 2;
	watch_arm(&w);
	ok(!w.waking.sure && w.waking.n_timers == 0, "nor is he where a process was not found");
	w.processes = 1;

	watch_arm(&w);
	if (w.waking.sure) {
		is_int(w.waking.n_bells, 2, "each thread has a bell");
		ok(!watch_woken(), "none of them rings");
		ok(asks(&e, 'x') && is_woken(&waiting), "one that woke for a moment rings");
		watch_disarm(&w);
		ok(!w.waking.sure && w.waking.n_bells == 0, "they are gone");
		until_asleep(&w);
		watch_arm(&w);
		ok(!w.waking.sure && w.waking.n_timers == 1, "so soon they are not made again");
		w.idle_for = WATCH_SLEEPS;
		watch_arm(&w);
		ok(w.waking.sure, "but after a long sleep");
		watch_disarm(&w);
		w.waking.hasty = false;
		watch_note_times(&w);
		ok(asks(&e, 'x'), "it runs after it was looked at");
		watch_arm(&w);
		ok(!w.waking.sure && w.waking.n_bells == 0, "then a bell for each thread is no proof");
	} else {
		skip("a bell for each thread", "no package gives it: perf events for this user");
	}
	watch_disarm(&w);

	until_asleep(&w);
	(void)watch_woken();
	ok(setrlimit(RLIMIT_NOFILE, &none) == 0, "without descriptors there are no bells");
	watch_arm(&w);
	ok(!w.waking.sure && w.waking.n_timers == 1, "but a timer");
	ok(asks(&e, 'l') && is_woken(&waiting), "which tells that the process works");
	watch_forget_times(&w);
	ok(w.waking.n_timers == 0 && !watch_still_sleeps(&w), "nothing is left of it");
	(void)setrlimit(RLIMIT_NOFILE, &some); /* for a sanitizer, which looks for what is lost */
	(void)kill(w.sleep.first, SIGKILL);
	(void)waitpid(w.sleep.first, NULL, 0);
	return done_testing();
}
