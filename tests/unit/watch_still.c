/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that the watch stops, and that do not stay so. */
#include "watch_parts.h"

#include "auto.h"
#include "sys.h"
#include "tap.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECKS 5000

static void sleeps(void)
{
	for (;;)
		(void)pause();
}

static void works(void)
{
	for (volatile unsigned long n = 0;; n++)
		;
}

static void *thread(void *arg)
{
	(void)arg;
	sleeps();
	return NULL;
}

/* Its first thread ends. */
static void goes_on(void)
{
	pthread_t other;

	if (pthread_create(&other, NULL, thread, NULL) != 0)
		_exit(1);
	pthread_exit(NULL);
}

/* A process in a namespace of its own, by which it is told from others. */
static pid_t start(void (*what)(void))
{
	int ready[2];
	char c = 0;
	pid_t pid = pipe(ready) < 0 ? -1 : fork();

	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (unshare(CLONE_NEWUSER | CLONE_NEWIPC) < 0)
			_exit(1);
		(void)!write(ready[1], &c, 1);
		what(); /* and does not return */
	}
	(void)close(ready[1]);
	c = read(ready[0], &c, 1) == 1;
	(void)close(ready[0]);
	return c ? pid : -1;
}

/* tid: one of its threads that has not ended. */
static void begin(struct watch *w, int proc, pid_t pid, pid_t tid)
{
	struct plan p = {.own_memory = 1LL << 40};
	char spare[2][16] = {"", ""}, path[64];
	struct stat in = {0};

	(void)snprintf(path, sizeof(path), "%d/task/%d/ns/ipc", (int)pid, (int)tid);
	ok(fstatat(proc, path, &in, 0) == 0, "its namespace");
	watch_begin_some(w, &p, proc, "ns/ipc", &in, spare);
}

static void end(struct watch *w, pid_t pid)
{
	watch_end(w);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static bool in_state(pid_t pid, pid_t tid, char state)
{
	char path[64], text[1024];
	const char *after;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	after = sys_get(AT_FDCWD, path, text, sizeof(text)) > 0 ? strrchr(text, ')') : NULL;
	return after && after[2] == state;
}

static void until(pid_t pid, pid_t tid, char state)
{
	while (!in_state(pid, tid, state))
		(void)sched_yield();
}

/* Wakes it, and looks, as often as it takes to see that. */
static void check(struct watch *w, pid_t pid)
{
	for (int i = 0; i < CHECKS && w->n_victims == 0; i++) {
		(void)kill(pid, SIGCONT);
		(void)poll(NULL, 0, 1); /* for what it does with a processor, if it gets one */
		w->check_at = 1;        /* it is time */
		watch_keep_still(w);
	}
}

static void test_sleeper(int proc)
{
	pid_t pid = start(sleeps);
	struct watch w;

	begin(&w, proc, pid, pid);
	(void)watch_hold(&w, WATCH_HOLD_ALL);
	is_int(w.n_held, 1, "a process is held");
	until(pid, pid, 'T');
	w.check_at = 1;
	watch_keep_still(&w);
	ok(in_state(pid, pid, 'T'), "and stands still");
	for (int i = 0; i < 10; i++) {
		(void)kill(pid, SIGCONT);
		w.check_at = 1;
		watch_keep_still(&w);
	}
	is_int(w.n_victims, 0, "if it is woken, and does nothing, it is not killed");
	end(&w, pid);
}

static void test_waker(int proc)
{
	pid_t pid = start(works);
	int status = 0;
	struct watch w;

	begin(&w, proc, pid, pid);
	(void)watch_hold(&w, WATCH_HOLD_ALL);
	check(&w, pid);
	is_int(w.n_victims, 1, "who is woken again and again, and goes on, is killed");
	is_int(w.n_held, 0, "and not held any more");
	ok(w.killed, "for memory");
	ok(w.n_victims == 1 && waitpid(pid, &status, 0) == pid && WTERMSIG(status) == SIGKILL,
		"by a kill");
	end(&w, pid);
}

/* A thread of a process that is not its first. */
static pid_t other_thread(pid_t pid)
{
	char path[64];
	auto_strv struct strv names = {0};
	auto_close int task = -1;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	task = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (task < 0 || sys_names(task, &names) < 0)
		return 0;
	for (size_t i = 0; i < names.n; i++)
		if (atoi(names.v[i]) != (int)pid)
			return (pid_t)atoi(names.v[i]);
	return 0;
}

static void test_second_thread(int proc)
{
	pid_t pid = start(goes_on), other;
	struct watch w;

	until(pid, pid, 'Z');
	other = other_thread(pid);
	begin(&w, proc, pid, other);
	(void)watch_hold(&w, WATCH_HOLD_ALL);
	is_int(w.n_held, 1, "a process whose first thread has ended is held");
	if (w.n_held)
		until(pid, other, 'T');
	watch_go_on(&w);
	until(pid, other, 'S');
	(void)kill(pid, SIGSTOP);
	until(pid, other, 'T');
	(void)watch_hold(&w, WATCH_HOLD_ALL);
	is_int(w.n_held, 0, "unless somebody else has stopped it");
	end(&w, pid);
}

static void waits(int options, bool all)
{
	pid_t parent = getpid(), child = fork();
	siginfo_t info;
	int status;

	if (child == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent) /* it has been killed already */
			_exit(0);
		sleeps();
	}
	while (all ? waitpid(-1, &status, options) < 0 : waitid(P_ALL, 0, &info, options) < 0)
		;
}

static void waits_for_ends(void)
{
	waits(0, true);
}

static void waits_for_stops(void)
{
	waits(WUNTRACED, true);
}

static void waits_as_sudo(void)
{
	waits(WEXITED | WSTOPPED, false);
}

static void test_parents(int proc)
{
	static const struct {
		void (*what)(void);
		bool heeds;
		const char *sentence;
	} cases[] = {{sleeps, false, "who waits for nothing"},
		{waits_for_ends, false, "who waits for ends"},
		{waits_for_stops, true, "who waits for stops"}, {waits_as_sudo, true, "by waitid()"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		pid_t pid = start(cases[i].what);
		char name[16];
		auto_close int dir = -1;

		(void)snprintf(name, sizeof(name), "%d", (int)pid);
		dir = openat(proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		until(pid, pid, 'S');
		while (cases[i].heeds && !watch_heeds_stops(dir)) /* it may be on its way still */
			(void)sched_yield();
		ok(watch_heeds_stops(dir) == cases[i].heeds, cases[i].sentence);
		(void)kill(pid, SIGSTOP);
		watch_await_stop(dir, INT64_MAX);
		ok(in_state(pid, pid, 'T'), "is waited for");
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, 0);
	}
}

int main(void)
{
	auto_close int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	pid_t pid = start(sleeps);

	(void)alarm(100);
	if (pid < 0) {
		skip("a process can be told by its namespace", "no user namespaces");
		return done_testing();
	}
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	test_sleeper(proc);
	test_waker(proc);
	test_second_thread(proc);
	test_parents(proc);
	return done_testing();
}
