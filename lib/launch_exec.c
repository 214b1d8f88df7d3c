/* SPDX-License-Identifier: Apache-2.0 */
#include "launch.h"

#include "auto.h"
#include "become.h"
#include "guard.h"
#include "hop.h"
#include "launch_say.h"
#include "sys.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>

/* A namespace of control groups for each exec: everything that comes of it is in there, and can neither leave nor
 * hide, however often it forks. Nobody else sees a difference. */
static int tag(int machine_proc, struct stat *out, struct err *e)
{
	if (syscall(SYS_unshare, CLONE_NEWCGROUP) < 0 ||
		fstatat(machine_proc, "thread-self/ns/cgroup", out, 0) < 0)
		return err_sys(e, "a namespace of control groups");
	return 0;
}

static int join(const struct launch_exec *l, struct guard *g, struct identity *who, struct err *e)
{
	g->machine_proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cgroup_enter(l->cgroup, getpid(), e) < 0 || become_on(l->plan, l->cgroup, e) < 0)
		return -1;
	/* First the user namespace, which allows the rest. Not that of pid 1, which may have gone
	 * further down (become_renamed): the one which owns the container's mounts. */
	if (l->userns >= 0 && sys_setns(l->userns, CLONE_NEWUSER) < 0)
		return err_sys(e, "join the container's user namespace");
	if (sys_setns(l->pidfd, (int)(l->plan->namespaces & ~(uint64_t)CLONE_NEWUSER)) < 0)
		return err_sys(e, "join the container");
	(void)prctl(PR_SET_DUMPABLE, 0);
	if (tag(g->machine_proc, &g->tag, e) < 0 || become_who(l->plan, who, e) < 0)
		return -1;
	g->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Here and not later: we are not in the container's pid namespace yet, only our children will
	 * be, so that nobody inside sees the moment in which we can be traced. */
	if (l->plan->fake_root && (who->uid != 0 || who->gid != 0))
		return become_renamed(g->machine_proc, who, e);
	return 0;
}

/* Inside, the parent of what was exec'ed, and of what that leaves behind as long as it lasts: a pid 1 which does not
 * wait for strangers would keep them as zombies. It decides nothing: who kills it, or stops it, ends only his command. */
static void __attribute__((noreturn))
run_shim(const struct launch_exec *l, const struct identity *who, int sock, int hop, int talk)
{
	struct err e = {0};
	pid_t command, pid, ours = getpid();
	struct shim_report said = {0};
	int st;
	char killing;

	/* With the guard, and the command with us. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || recv(talk, &killing, 1, MSG_DONTWAIT | MSG_PEEK) == 0)
		_exit(127);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	command = fork();
	if (command < 0) {
		(void)err_sys(&e, "fork");
		launch_say_err(sock, &e);
	}
	if (command == 0) {
		const struct become b = {
			.std = l->std, .sock = sock, .proc = -1, .hop = hop, .parent = ours};

		(void)become(l->plan, who, l->filter, &b, &e);
		launch_say_err(sock, &e);
	}
	(void)prctl(PR_SET_NAME, "sbx-exec");
	/* The client's pipes must close when the command lets go of them. */
	sys_keep_only(&talk, 1);
	while ((pid = waitpid(-1, &st, 0)) > 0 || errno == EINTR)
		if (pid == command) {
			said.status = st;
			break;
		}
	/* All that lives is being killed; or it may live on, and becomes pid 1's. */
	st = recv(talk, &killing, 1, MSG_DONTWAIT) == 1 ? 0 : WNOHANG;
	while (waitpid(-1, NULL, st) > 0)
		;
	(void)getrusage(RUSAGE_CHILDREN, &said.usage); /* these arguments are sound */
	(void)send(talk, &said, sizeof(said), MSG_DONTWAIT | MSG_NOSIGNAL); /* as good as an exit */
	_exit(0);
}

static void __attribute__((noreturn)) run_joiner(const struct launch_exec *l, int sock, int hop)
{
	struct guard g = {.shim = -1, .pidfd = -1, .talk = -1, .machine_proc = -1, .proc = -1};
	struct identity who;
	struct err e = {0};
	int talk[2];

	/* The shim is seen inside: how the client was called is not the container's business. */
	sys_hide_args();
	/* Whoever kills the client's process group must not get us: nobody would wait for the shim. Where the machine's pid 1
	 * doesn't either (a pod's `sleep`), the zombie keeps the container's pid 1 from ending. */
	(void)setsid(); /* a child: leads no group */
	if (join(l, &g, &who, &e) < 0)
		launch_say_err(sock, &e);
	g.began = sys_now_ns();
	/* A pidfd with it: opened later it could be refused, and then a shim that has a command would have to be killed. */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, talk) < 0 ||
		(g.shim = sys_fork(&g.pidfd)) < 0) {
		(void)err_sys(&e, "fork");
		launch_say_err(sock, &e);
	}
	if (g.shim == 0) {
		(void)close(talk[0]); /* or we would not notice that it is gone */
		run_shim(l, &who, sock, hop, talk[1]);
	}
	g.talk = talk[0];
	(void)prctl(PR_SET_NAME, "sbx-exec");
	/* The client's own end of the lifeline must close when it dies: we do not keep it. */
	sys_keep_only((int[]){g.pidfd, g.talk, l->lifeline, g.proc, g.machine_proc}, 5);
	guard_run(l, &g);
}

int launch_exec(const struct launch_exec *l, struct launched *out, struct err *e)
{
	struct launched r = LAUNCHED_NONE;
	bool hide = hop_needed();
	auto_close int ours = -1, theirs = -1, hop = hide ? hop_open(e) : -1;
	int pair[2], result;

	if (hide && hop < 0)
		return -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	ours = pair[0];
	theirs = pair[1];
	r.pid = sys_fork(&r.pidfd);
	if (r.pid < 0)
		return err_sys(e, "fork");
	if (r.pid == 0) {
		(void)close(take_fd(&ours));
		run_joiner(l, theirs, hop);
	}
	(void)close(take_fd(&theirs));
	result = launch_listen(ours, NULL, l->plan, &r, e);
	if (result == 0) {
		*out = r;
		return 0;
	}
	(void)waitpid(r.pid, NULL, 0); /* of a command that could not be exec'ed */
	(void)close(r.pidfd);
	if (r.pty >= 0)
		(void)close(r.pty);
	return -1;
}
