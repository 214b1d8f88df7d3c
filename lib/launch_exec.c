/* SPDX-License-Identifier: Apache-2.0 */
#include "launch.h"

#include "auto.h"
#include "become.h"
#include "fdmsg.h"
#include "guard.h"
#include "hop.h"
#include "launch_say.h"
#include "raw.h"
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
#include <sys/wait.h>

/* Gives each exec a cgroup namespace of its own: all its descendants are in it, and can neither leave nor hide,
 * however often they fork. Otherwise it makes no difference to them. */
static int tag(struct guard *g, struct err *e)
{
	if (syscall(SYS_unshare, CLONE_NEWCGROUP) < 0)
		return err_sys(e, "a namespace of control groups");
	g->tag_ns = sys_ns(g->self, SYS_NS_CGROUP);
	if (g->tag_ns < 0)
		g->tag_ns = openat(g->machine_proc, "thread-self/" LAUNCH_TAG, O_RDONLY | O_CLOEXEC);
	if (g->tag_ns < 0 || fstat(g->tag_ns, &g->tag) < 0)
		return err_sys(e, "a namespace of control groups");
	return 0;
}

/* Sent before a process is in it: if we are killed, the client kills those processes. It gets the namespace itself, too: its
 * number could be another one's as soon as nobody has it any more. */
static void tell_tag(int lifeline, const struct guard *g)
{
	const struct launch_tag t = {g->tag.st_dev, g->tag.st_ino};

	if (lifeline >= 0)
		(void)fdmsg_send(lifeline, &t, sizeof(t), &g->tag_ns, 1); /* there is room; or the client is gone */
}

static int join(const struct launch_exec *l, struct guard *g, struct identity *who, struct err *e)
{
	g->machine_proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	g->self = sys_pidfd_open(getpid());
	if (g->self < 0)
		return err_sys(e, "open a process");
	if (cgroup_enter(l->cgroup, getpid(), e) < 0 || become_on(l->plan, l->cgroup, e) < 0)
		return -1;
	/* Whoever may trace in that user namespace, and sees the machine's processes, would get all that we have open. */
	(void)prctl(PR_SET_DUMPABLE, 0);
	/* The user namespace first, which permits the rest. Not pid 1's, which may be a nested one (become_renamed),
	 * but the one that owns the container's mounts. */
	if (l->userns >= 0 && sys_setns(l->userns, CLONE_NEWUSER) < 0)
		return err_sys(e, "join the container's user namespace");
	if (sys_setns(l->pidfd, (int)(l->plan->namespaces & ~(uint64_t)CLONE_NEWUSER)) < 0)
		return err_sys(e, "join the container");
	if (tag(g, e) < 0 || become_who(l->plan, who, e) < 0)
		return -1;
	/* Now and not later: a child that execs is to have nothing of the machine's. */
	if (l->plan->fake_root && (who->uid != 0 || who->gid != 0))
		return become_renamed(g->machine_proc, NULL, who, e);
	return 0;
}

/* What processes get that share the guard's memory. */
struct inside {
	const struct launch_exec *l;
	struct guard *g;
	struct identity who;
	int sock, hop;
	pid_t shim; /* its number in there */
};

SYS_OTHER_STACK static int run_command(void *arg)
{
	const struct inside *in = arg;
	const struct become b = {.std = in->l->std,
		.sock = in->sock,
		.proc = -1,
		.hop = in->hop,
		.parent = in->shim,
		.reached = &in->g->reached};
	struct err e = {0};

	/* In a table of its own. The container controls the names that become() looks up. */
	sys_keep_only((int[]){0, 1, 2, b.std[0], b.std[1], b.std[2], b.sock, b.hop}, 8);
	(void)umask(0022); /* the caller's own is nothing to the container */
	/* A death signal from the shim: become() sets it again, and checks whether that was early enough. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)become(in->l->plan, &in->who, in->l->filter, &b, &e);
	launch_say_last(in->sock, &e, &in->g->reached);
}

/* Reaps, while the guard runs beside it in the same memory: must not touch errno or the heap. */
static void __attribute__((noreturn)) reap(int talk, pid_t command)
{
	struct shim_report said = {0};
	struct iovec vec = {&(char){0}, 1}, report = {&said, sizeof(said)};
	struct msghdr order = {.msg_iov = &vec, .msg_iovlen = 1};
	const struct msghdr last = {.msg_iov = &report, .msg_iovlen = 1};
	int st = 0, how;
	long pid;

	do
		pid = raw_call(SYS_wait4, -1, (long)&st, 0, 0);
	while (pid != command && pid != -ECHILD); /* others were left behind */
	said.status = st;
	/* The guard's order: everything is being killed; or it may live on, as children of pid 1. */
	how = raw_call(SYS_recvmsg, talk, (long)&order, MSG_DONTWAIT, 0) == 1 ? 0 : WNOHANG;
	while (raw_call(SYS_wait4, -1, (long)&st, how, 0) > 0)
		;
	(void)raw_call(SYS_getrusage, RUSAGE_CHILDREN, (long)&said.usage, 0, 0); /* these arguments are sound */
	(void)raw_call(SYS_sendmsg, talk, (long)&last, MSG_DONTWAIT | MSG_NOSIGNAL, 0); /* as good as an exit */
	for (;;)
		(void)raw_call(SYS_exit_group, 0, 0, 0, 0); /* does not return */
}

/* The shim: inside the container, parent of the exec'ed command and of the processes that this leaves behind, as long
 * as the shim lives; a pid 1 that does not reap would keep them as zombies. It decides nothing: killing or stopping it
 * only ends the command. It runs in the guard's memory; the guard waits until the command has been exec'ed. */
SYS_OTHER_STACK static int run_shim(void *arg)
{
	struct inside *in = arg;
	struct pollfd guard = {.fd = in->g->self, .events = POLLIN};
	struct err e = {0};
	pid_t command;

	/* The shim dies with the guard, and the command with the shim. If the guard died before the call there is no
	 * signal; and it has no pid in this namespace that could have changed. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || poll(&guard, 1, 0) != 0)
		_exit(127);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	(void)prctl(PR_SET_NAME, LAUNCH_SHIM);
	in->shim = getpid();
	command = sys_clone_vm(run_command, in, CLONE_VFORK, &in->g->command, &in->g->shared);
	if (command < 0) {
		(void)err_sys(&e, "fork");
		launch_say_err(in->sock, &e);
	}
	/* The guard closes the command's descriptors, and needs the others itself. */
	if (raw_call(SYS_unshare, CLONE_FILES, 0, 0, 0) == 0) /* else memory is short */
		sys_keep_only(&in->g->talk[1], 1);
	reap(in->g->talk[1], command);
}

/* Who waits for the end of the client's own streams would wait for a guard or command, too, that a FUSE of the container's holds. */
static void leave_streams(void)
{
	auto_close int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = 0; i < 3 && null > 2; i++)
		(void)dup2(null, i); /* arguments are sound */
}

static void __attribute__((noreturn)) run_joiner(const struct launch_exec *l, int sock, int hop)
{
	struct guard g = {.shim = -1,
		.pidfd = -1,
		.talk = {-1, -1},
		.machine_proc = -1,
		.command = -1,
		.sock = sock,
		.self = -1,
		.tag_ns = -1,
		.shared = 1};
	struct inside in = {.l = l, .g = &g, .sock = sock, .hop = hop};
	struct err e = {0};

	/* Processes inside can see the shim, and must not see the client's command line. */
	sys_hide_args();
	/* A new session, so that we survive the killing of the client's process group: otherwise nobody would reap the
	 * shim, and if the machine's pid 1 does not reap either (a pod's `sleep`), the zombie keeps the container's
	 * pid 1 from ending. */
	(void)setsid(); /* a child: leads no group */
	leave_streams();
	/* It must close when the client dies. */
	if (l->far_end >= 0)
		(void)close(l->far_end);
	if (join(l, &g, &in.who, &e) < 0)
		launch_say_err(sock, &e);
	g.began = sys_now_ns();
	tell_tag(l->lifeline, &g);
	(void)close(take_fd(&g.tag_ns)); /* only asked */
	/* Gets a pidfd together with the process: opening it later could fail, and then a shim that has started a
	 * command would have to be killed. */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, g.talk) < 0 ||
		(g.shim = sys_clone_vm(run_shim, &in, CLONE_FILES, &g.pidfd, NULL)) < 0) {
		(void)err_sys(&e, "fork");
		launch_say_err(sock, &e);
	}
	(void)prctl(PR_SET_NAME, LAUNCH_SHIM);
	guard_run(l, &g);
}

int launch_exec_begin(const struct launch_exec *l, struct launched *out, int *sock, struct err *e)
{
	struct launched r = LAUNCHED_NONE;
	bool hide = hop_needed();
	auto_close int ours = -1, theirs = -1, hop = hide ? hop_open(e) : -1;
	int pair[2];

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
	if (l->meanwhile)
		l->meanwhile(l->arg);
	*out = r;
	*sock = take_fd(&ours);
	return 0;
}

int launch_exec_end(int sock, const struct launch_exec *l, struct launched *out, struct err *e)
{
	return launch_listen(sock, NULL, l, out, e);
}

int launch_exec(const struct launch_exec *l, struct launched *out, struct err *e)
{
	struct launched r;
	auto_close int sock = -1;

	if (launch_exec_begin(l, &r, &sock, e) < 0)
		return -1;
	if (launch_exec_end(sock, l, &r, e) == 0) {
		*out = r;
		return 0;
	}
	(void)waitpid(r.pid, NULL, 0); /* of a command that could not be exec'ed */
	(void)close(r.pidfd);
	if (r.pty >= 0)
		(void)close(r.pty);
	return -1;
}
