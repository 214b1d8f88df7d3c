/* SPDX-License-Identifier: Apache-2.0 */
/* What the supervisor does when a time limit is over, and it has its turn late. */
#include "supervise_parts.h"

#include "auto.h"
#include "spec.h"
#include "sys.h"
#include "tap.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process that is the first of its container; it has ended, or sleeps. */
static pid_t start(bool ended)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)setpgid(0, 0); /* which is killed with it */
		while (!ended)
			(void)pause();
		_exit(3);
	}
	(void)setpgid(pid, pid);
	return pid;
}

/* The end that a run has whose time was up long ago. status: of its process. */
static enum end late(bool ended, int64_t kill_after_ns, int *status)
{
	struct spec spec = {.stop_signal = NULL};
	struct plan plan = {.namespaces = CLONE_NEWPID, .kill_after_ns = kill_after_ns};
	struct supervise ask = {.plan = &plan, .spec = &spec};
	auto_close int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	pid_t pid = start(ended);
	auto_close int pidfd = sys_pidfd_open(pid);
	struct sup s = {.ask = &ask, .c = LAUNCHED_NONE, .timer = timer, .deadline = 1};
	struct pollfd p = {.fd = pidfd, .events = POLLIN};

	s.c.pidfd = pidfd;
	s.c.pid = pid;
	if (ended)
		(void)poll(&p, 1, -1);
	sup_on_timer(&s);
	(void)waitpid(pid, status, 0);
	return s.end;
}

int main(void)
{
	int status = 0;

	is_int(late(true, 0, &status), END_EXITED, "what has ended is not ended by its time");
	is_int(WEXITSTATUS(status), 3, "its exit code");
	is_int(late(true, 1000000000, &status), END_EXITED, "nor is it asked to end");
	is_int(late(false, 0, &status), END_TIMEOUT, "what runs is");
	is_int(WTERMSIG(status), SIGKILL, "by a kill");
	is_int(late(false, 1000000000, &status), END_TIMEOUT, "or is asked to");
	is_int(WTERMSIG(status), SIGTERM, "which ends it");
	return done_testing();
}
