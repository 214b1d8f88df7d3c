/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_wait.h"

#include "auto.h"
#include "procs.h"
#include "str.h"
#include "sys.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#define LOOK_MS     50
#define STOPS_MOST  100           /* of looks that found it stopped: five seconds */
#define UNWANTED_NS 30000000000LL /* for a start that is slow, and not held up */

static bool has_word(int sock, const struct launch *l)
{
	struct pollfd on = {.fd = sock, .events = POLLIN};

	/* The child may be waiting for layers whose lease only we hold. */
	return l ? layers_wait(l->store, l->lease, sock, LOOK_MS) : poll(&on, 1, LOOK_MS) > 0;
}

/* Signals a process that still has this parent, so that its number is not another's. */
static void signal_child(pid_t parent, pid_t pid, int signo)
{
	auto_close int pidfd = pid > 0 ? sys_pidfd_open(pid) : -1;
	struct proc p;

	if (pidfd >= 0 && procs_read(pid, &p) && p.ppid == parent)
		(void)sys_pidfd_kill(pidfd, signo); /* it may have ended */
}

static bool let_go_on(pid_t parent, pid_t pid)
{
	struct proc p;

	if (pid <= 0 || !procs_read(pid, &p) || (p.state != 'T' && p.state != 't'))
		return false;
	signal_child(parent, pid, SIGCONT);
	return true;
}

/* Whether one was stopped. */
static bool let_all_go_on(const struct launch_wait *w)
{
	pid_t shim;
	bool was;

	if (w->container)
		return let_go_on(getpid(), w->pid);
	shim = sys_first_child(AT_FDCWD, w->pid);
	was = let_go_on(w->pid, shim);
	return let_go_on(shim, sys_first_child(AT_FDCWD, shim)) || was;
}

/* The guard is not killed: it reaps the shim. If the machine's pid 1 had to, and is one that does not, the container could not
 * end. */
static void kill_exec(const struct launch_wait *w)
{
	pid_t shim = sys_first_child(AT_FDCWD, w->pid);

	signal_child(shim, sys_first_child(AT_FDCWD, shim), SIGKILL);
	signal_child(w->pid, shim, SIGKILL);
}

static enum launch_heard held_up(const struct launch_wait *w, bool stopped, struct err *e)
{
	if (!w->container)
		kill_exec(w);
	(void)err_set(e, ERR_RUNTIME,
		stopped ? "exec: %s: another process of its pid namespace has stopped it before it began"
			: "exec: %s: it is told to end, and has not begun yet",
		QUOTED(w->name));
	return LAUNCH_HELD_UP;
}

/* The guard may leave a command that sleeps in the kernel before its exec, on a FUSE that does not answer, and has our socket. */
static bool guard_has_left(const struct launch_wait *w)
{
	siginfo_t info = {0};

	return !w->container && waitid(P_PID, (id_t)w->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == w->pid;
}

enum launch_heard launch_wait(int sock, const struct launch_wait *w, struct err *e)
{
	int64_t give_up = 0;
	int stops = 0;

	while (!has_word(sock, w->container)) {
		bool stopped = let_all_go_on(w);

		stops += stopped;
		if (stops >= STOPS_MOST)
			return held_up(w, true, e);
		if (guard_has_left(w))
			return has_word(sock, w->container) ? LAUNCH_WORD : LAUNCH_LEFT;
		if (!w->unwanted || !w->unwanted(w->arg))
			continue;
		if (!w->container)
			return LAUNCH_LEFT;
		if (!give_up)
			give_up = sys_now_ns() + UNWANTED_NS;
		if (stopped || sys_now_ns() >= give_up)
			return held_up(w, stopped, e);
	}
	return LAUNCH_WORD;
}
