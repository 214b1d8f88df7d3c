/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory of operation.
 *
 * The supervisor has joined the user namespace of the image server, so the container's own user
 * namespace is a child of that one: so FUSE lets it access the layers, and no process in a container
 * has privileges over what containers share.
 *
 *   1. clone   all namespaces at once; the child waits
 *   2. map     the supervisor writes the id maps, then says go
 *   3. gather  (child) a detached copy of every source, and the root; afterwards no host path is looked up
 *   4. build   the root, the steps, pivot_root; the old root is gone
 *   5. leave   all that is still open of the machine is closed, as names of the image's are looked up from here on
 *   6. become  terminal, streams, user, limits, capabilities, seccomp
 *   7. exec
 *
 * Where it joins another container's namespaces, a process in between gathers (see launch_build.h), joins, and clones; there
 * are no maps to write.
 *
 * Steps 6 and 7 are in become.c, as they are the same for processes that join a container later (launch_exec.c).
 * Meanwhile the child reports to its parent by launch_say.h.
 *
 * Every process of ours that is in a container or joins one is non-dumpable: its memory belongs to the
 * user namespace in which the program was exec'ed, the host's, so no process in the container can
 * trace it or open its /proc/PID/exe.
 */
#include "launch.h"

#include "auto.h"
#include "become.h"
#include "hop.h"
#include "idmap.h"
#include "launch_build.h"
#include "launch_say.h"
#include "net.h"
#include "procs.h"
#include "stage.h"
#include "sys.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* ---- 2. map --------------------------------------------------------------------------- */

/* The container gets the ids of the image server's user namespace, in which we are. */
static int write_maps(pid_t pid, const struct lease *lease, struct err *e)
{
	char path[32];
	auto_close int proc = -1;

	(void)snprintf(path, sizeof(path), "/proc/%d", (int)pid); /* always fits */
	proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return idmap_odd_proc(e) ? -1 : err_sys(e, "open %s", path);
	if (sys_put(proc, "uid_map", lease->uid_map) < 0)
		return idmap_odd_proc(e) ? -1 : err_sys(e, "write %s/uid_map", path);
	if (sys_put(proc, "gid_map", lease->gid_map) < 0)
		return err_sys(e, "write %s/gid_map", path);
	return 0;
}

/* ---- the child ------------------------------------------------------------------------ */

#define NAME_ROOM 64 /* of the kernel's */

static int set_names(const struct plan *p, struct err *e)
{
	if (!(p->namespaces & CLONE_NEWUTS))
		return 0;
	if (sethostname(p->hostname, strlen(p->hostname)) < 0) {
		(void)err_go(e, "sethostname");
		e->kind = ERR_RUNTIME;
		return -1;
	}
	/* docker writes it to a file in /proc, which truncates it */
	if (p->domainname && setdomainname(p->domainname, strnlen(p->domainname, NAME_ROOM)) < 0)
		return err_sys(e, "set the domain name %s", p->domainname);
	return 0;
}

/* In runc's words, from which docker's client derives the exit code: a sysctl that does not exist ends a start like a
 * missing command, one that cannot be written like a command that cannot be executed. */
static int sysctl_err(const char *path, bool opening, struct err *e)
{
	(void)err_go(e, "%s /proc/sys/%s", opening ? "open" : "write", path);
	e->kind = e->sys == ENOENT                       ? ERR_NO_COMMAND
	          : e->sys == EACCES || e->sys == EISDIR ? ERR_NOT_EXECUTABLE
	                                                 : ERR_RUNTIME;
	return -1;
}

/* Only settings owned by a namespace of the container can be written, so the kernel keeps the machine's safe; names
 * cannot lead out of the directory. own: -1: the container has the machine's /proc, which shows each process its own
 * namespaces' settings. */
static int set_sysctls(const struct plan *p, int machine_proc, int own, struct err *e)
{
	auto_close int machines = -1;
	int sys = own;

	if (own < 0)
		sys = machines = openat(machine_proc, "sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < p->sysctls.n; i++) {
		bool may_fail = p->sysctls.v[i][0] == '-';
		auto_free char *path = xstrdup(p->sysctls.v[i] + may_fail);
		char *value = strchr(path, '=');
		auto_close int fd = -1;

		if (!value)
			continue;
		*value++ = '\0';
		for (char *c = path; *c; c++)
			*c = *c == '.' ? '/' : *c;
		fd = sys_openat2(sys, path, O_WRONLY, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
		if ((fd < 0 || write(fd, value, strlen(value)) < 0) && !may_fail)
			return sysctl_err(path, fd < 0, e);
	}
	return 0;
}

/* Where the base could not do it: if the root is a directory, or a layer replaced apt's directory. Not in a directory of the user's
 * that is mounted there. */
static void tell_apt(const struct launch *l)
{
	const struct mount_layers layers = launch_layers(l);
	auto_close int dir = -1, fd = -1;

	if (!layers.one_id || l->plan->read_only || (!l->rootfs && mount_own_layers(&layers) == 1) ||
		(dir = sys_openat2(AT_FDCWD, "/" STAGE_APT_DIR, O_PATH | O_DIRECTORY,
			 RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV)) < 0)
		return;
	fd = openat(dir, STAGE_APT_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd >= 0)
		(void)sys_write_all(fd, STAGE_APT_TEXT, strlen(STAGE_APT_TEXT)); /* apt reports a wrong file itself */
}

/* A user may raise the score, but only root may lower it: the kernel's error tells. */
static void set_oom_score(const struct plan *p)
{
	char text[16];

	if (p->oom_score_adj == SPEC_UNSET)
		return;
	(void)snprintf(text, sizeof(text), "%d", (int)p->oom_score_adj); /* fits: it was checked */
	(void)sys_put(AT_FDCWD, "/proc/self/oom_score_adj", text);
}

/* Sends what the supervisor keeps of the inside: the mount namespace, the root and, if there is one, /proc; and the
 * tables of System V objects, which are those of the ipc namespace of the process that opens them. */
static void say_inside(const struct launch *l, int sock, int machine_proc, int proc)
{
	static const char *const tables[] = {"sysvipc/shm", "sysvipc/msg", "sysvipc/sem"};
	auto_close int mounts = openat(machine_proc, "self/ns/mnt", O_RDONLY | O_CLOEXEC);
	auto_close int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd[] = {mounts, root, proc, -1, -1, -1}, n = proc < 0 ? 2 : 3;

	for (size_t i = 0; n >= 3 && i < ARRAY_LEN(tables) && (l->plan->namespaces & CLONE_NEWIPC); i++) {
		fd[n] = openat(proc, tables[i], O_RDONLY | O_CLOEXEC);
		if (fd[n] < 0)
			break;
		n++;
	}
	if (mounts >= 0 && root >= 0) /* else: everything ends, only later */
		launch_say(sock, SAY_INSIDE, fd, n);
	while (n > 3)
		(void)close(fd[--n]); /* only read from, and sent */
}

/* What only one start has. */
struct start {
	int ours, theirs; /* ends of the socket of launch_say.h */
	int hop;
	bool *reached; /* see become.h; in memory that parent and child share */
};

/* From here on names are looked up that the image controls, and a link to /proc/self/fd leads to all that is open. */
static void leave_machine(const struct launch *l, const struct start *s, int machine_proc)
{
	sys_keep_only(
		(int[]){0, 1, 2, l->std[0], l->std[1], l->std[2], s->theirs, s->hop, machine_proc}, 9);
}

/* gathered: before there was this process; or NULL */
static void __attribute__((noreturn))
run_child(const struct launch *l, const struct start *s, const struct parts *gathered)
{
	const int sock = s->theirs;
	auto_close int machine_proc = -1;
	struct mount_proc proc = {-1, -1};
	struct parts parts = {0};
	struct identity who;
	struct become b;
	struct err e = {0};
	char go;

	(void)close(s->ours); /* or its end of file would not be noticed */
	/* If the supervisor died before the prctl, there is no death signal; if its message had been sent before,
	 * become() notices. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || sys_read(sock, &go, 1) != 1)
		_exit(127);
	(void)umask(0022); /* the caller's own is nothing to the container */
	/* Makes its present control group the root that the container sees. */
	if (l->cgroup->n > 0 && syscall(SYS_unshare, CLONE_NEWCGROUP) < 0) {
		(void)err_sys(&e, "a namespace of control groups");
		launch_say_err(sock, &e);
	}
	if (become_on(l->plan, l->cgroup, &e) < 0)
		launch_say_err(sock, &e);
	machine_proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (l->join < 0)
		set_oom_score(l->plan);
	(void)prctl(PR_SET_DUMPABLE, 0); /* afterwards files in /proc/self are not ours to write to */
	if (gathered)
		parts = *gathered;
	else if (launch_gather(l, &parts, &e) < 0)
		launch_say_err(sock, &e);
	if (launch_build(l, &parts, &proc, &e) < 0 || set_names(l->plan, &e) < 0)
		launch_say_err(sock, &e);
	if (l->plan->loopback && l->seed[SEED_NET] < 0 && net_lo_up(&e) < 0)
		launch_say_err(sock, &e);
	say_inside(l, sock, machine_proc, proc.root);
	if (set_sysctls(l->plan, machine_proc, proc.sys, &e) < 0)
		launch_say_err(sock, &e);
	leave_machine(l, s, machine_proc);
	tell_apt(l);
	if (become_who(l->plan, &who, &e) < 0)
		launch_say_err(sock, &e);
	b = (struct become){.std = l->std,
		.sock = sock,
		.proc = machine_proc,
		.hop = s->hop,
		.first = true,
		.reached = s->reached};
	(void)become(l->plan, &who, l->filter, &b, &e);
	launch_say_last(sock, &e, s->reached);
}
/* ---- launch --------------------------------------------------------------------------- */

static int clone_err(struct err *e)
{
	int sys = errno;

	(void)err_sys(e, "create namespaces");
	if (sys == ENOSPC || sys == EUSERS)
		(void)err_ctx(e, "user.max_*_namespaces (sysctl) leave no room");
	return -1;
}

#define SEED_FLAGS (CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)

/* What the process in between gets; it shares our memory and runs while we wait for it. */
struct between {
	const struct launch *l;
	struct clone_args *args;
	const struct start *start;
	int failed, shm;
	bool refused; /* the namespaces are there, but not for us */
	pid_t pid;
};

static int enter_seed(const int *seed)
{
	static const int types[SEED_NAMESPACES] = {
		[SEED_USER] = CLONE_NEWUSER,
		[SEED_NET] = CLONE_NEWNET,
		[SEED_IPC] = CLONE_NEWIPC,
		[SEED_UTS] = CLONE_NEWUTS,
	};

	for (int i = 0; i < SEED_NAMESPACES; i++)
		if (sys_setns(seed[i], types[i]) < 0)
			return -1;
	return 0;
}

/* Only a process in a mount's namespace can copy the mount. */
static int open_shm(void *arg)
{
	struct between *b = arg;
	auto_close int at = -1;

	(void)prctl(PR_SET_DUMPABLE, 0); /* of the memory that we share, until we are back */
	if (sys_setns(b->l->owner, CLONE_NEWUSER) == 0 && sys_setns(b->l->join, CLONE_NEWNS) == 0 &&
		(at = sys_openat2(AT_FDCWD, "/dev/shm", O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS)) >= 0)
		b->shm = sys_open_tree(at, "", OPEN_TREE_CLONE | AT_EMPTY_PATH);
	b->failed = b->shm < 0 ? errno : 0;
	return 0;
}

/* Done by a child, as joining a user namespace cannot be undone. */
static int share_shm(const struct launch *l, struct err *e)
{
	struct between b = {.l = l, .shm = -1};
	pid_t pid = sys_clone_vm(open_shm, &b, CLONE_VFORK | CLONE_FILES, NULL, NULL);

	if (pid < 0)
		return err_sys(e, "open the other's /dev/shm");
	(void)waitpid(pid, NULL, 0);     /* our child, which has ended */
	(void)prctl(PR_SET_DUMPABLE, 1); /* for the process in between */
	errno = b.failed;
	return b.shm < 0 ? err_sys(e, "open the other's /dev/shm") : b.shm;
}

static int into_seed(void *arg)
{
	struct between *b = arg;

	if (enter_seed(b->l->seed) < 0) {
		b->failed = errno;
		b->refused = true;
		_exit(1);
	}
	b->pid = sys_clone3(b->args);
	if (b->pid == 0)
		run_child(b->l, b->start, NULL);
	b->failed = b->pid < 0 ? errno : 0;
	_exit(0);
}

/* To enter existing namespaces, a process in between joins them, makes the container as our child, and exits. The
 * supervisor itself stays outside, where it can start an image server again, and where a limit on processes does not
 * count it. */
static pid_t clone_in_seed(
	const struct launch *l, struct clone_args *args, const struct start *s, struct err *e)
{
	struct between b = {.l = l, .args = args, .start = s, .pid = -1};
	pid_t pid;

	args->flags &= ~(uint64_t)SEED_FLAGS;
	args->flags |= CLONE_PARENT;
	args->exit_signal = 0; /* that of the process in between */
	pid = sys_clone_vm(into_seed, &b, CLONE_VFORK | CLONE_FILES, NULL, NULL);
	if (pid > 0)
		(void)waitpid(pid, NULL, 0); /* our child, which has ended */
	else
		b.failed = errno;
	errno = b.failed;
	if (b.pid < 0)
		return b.refused ? err_sys(e, "join namespaces") : clone_err(e);
	return b.pid;
}

/* Likewise, where they are another container's; in memory of its own, as it may have to wait for an image server, which we start
 * again. */
static void __attribute__((noreturn))
join_between(const struct launch *l, struct clone_args *args, const struct start *s)
{
	struct parts parts = {0};
	struct err e = {0};
	int pidfd = -1;
	pid_t pid;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* else: the child notices later */
	(void)umask(0022);                      /* as below */
	/* A process that is in the joined namespaces already sees the child from its first moment on, and might trace
	 * it: if we are the machine's root, it would get root. So it becomes non-dumpable before that, after
	 * everything that needs files in /proc/self. It also hides the client's command line. */
	sys_hide_args();
	set_oom_score(l->plan);
	(void)prctl(PR_SET_DUMPABLE, 0);
	if (launch_gather_alone(l, &parts, &e) < 0)
		launch_say_err(s->theirs, &e);
	if (sys_setns(l->owner, CLONE_NEWUSER) < 0 ||
		sys_setns(l->join, (int)(l->plan->joined & ~(uint64_t)CLONE_NEWUSER)) < 0) {
		(void)err_sys(&e, "join namespaces");
		launch_say_err(s->theirs, &e);
	}
	args->pidfd = (uint64_t)(uintptr_t)&pidfd;
	pid = sys_clone3(args);
	if (pid == 0)
		run_child(l, s, &parts);
	if (pid < 0) {
		(void)clone_err(&e);
		launch_say_err(s->theirs, &e);
	}
	launch_say_born(s->theirs, pid, pidfd);
	_exit(0);
}

static bool plan_has(const struct plan *p, enum step_kind kind)
{
	for (size_t i = 0; i < p->n_steps; i++)
		if (p->steps[i].kind == kind)
			return true;
	return false;
}

/* The number of the process whose namespaces are joined; 0 or less: it has ended. */
static pid_t joined_pid(const struct launch *l)
{
	char path[32], text[512], *at;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", l->join); /* fits */
	if (sys_get(AT_FDCWD, path, text, sizeof(text)) <= 0 || !(at = strstr(text, "\nPid:")))
		return 0;
	return (pid_t)atoi(at + strlen("\nPid:"));
}

static int clone_joined(const struct launch *l, struct clone_args *args, struct start *s,
	struct launched *out, struct err *e)
{
	struct launch with = *l;
	auto_close int owner = sys_owner_userns(l->join, joined_pid(l)), shm = -1, pidfd = -1;
	pid_t pid;
	int heard;

	if (owner < 0)
		return err_sys(e, "join namespaces");
	with.owner = owner;
	if (plan_has(l->plan, STEP_JOINED)) {
		with.shm = shm = share_shm(&with, e);
		if (shm < 0)
			return -1;
	}
	args->flags |= CLONE_PARENT;
	args->exit_signal = 0;
	pid = sys_fork(&pidfd);
	if (pid < 0)
		return clone_err(e);
	if (pid == 0)
		join_between(&with, args, s);
	(void)close(take_fd(&s->theirs)); /* or its end would not be noticed */
	heard = launch_hear_born(s->ours, l, pid, out, e);
	if (heard < 0)
		(void)sys_pidfd_kill(pidfd, SIGKILL); /* it may have ended by itself */
	(void)waitpid(pid, NULL, 0);
	return heard;
}

static void start_done(struct start *s)
{
	auto_close_(&s->theirs);
	if (s->reached)
		(void)munmap(s->reached, sizeof(*s->reached)); /* it is a mapping */
}
#define auto_start __attribute__((cleanup(start_done)))

static int reach(const struct launch *l, struct start *s, struct err *e)
{
	void *shared;

	if (l->join < 0 && !become_may_be_refused(l->plan))
		return 0;
	shared = mmap(NULL, sizeof(*s->reached), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		-1, 0);
	if (shared == MAP_FAILED)
		return err_sys(e, "share memory");
	s->reached = shared;
	return 0;
}

#define BEGINS_MS 1000

/* Whether the hop program has ended before it became the command. Until then its name is its descriptor's number, or that of a
 * memory file; one that has ended keeps its last name until we wait for it. */
static bool hop_has_ended(const struct start *s, const struct launched *c)
{
	struct pollfd ends = {.fd = c->pidfd, .events = POLLIN};
	char hop[16];
	struct proc p;

	(void)snprintf(hop, sizeof(hop), "%d", s->hop); /* fits */
	for (int i = 0; s->hop >= 0 && i < BEGINS_MS; i++) {
		if (!procs_read(c->pid, &p) || (!str_eq(p.comm, hop) && !str_starts(p.comm, "memfd:")))
			return false;
		if (p.state == 'Z')
			return true;
		/* Its descriptors close a little before it ends, or gets the command's name. */
		(void)poll(&ends, 1, 1);
	}
	return false;
}

/* Whether the container ends whose namespaces are joined: then nothing can begin in them, and what has begun is killed. */
static bool join_ends(const struct launch *l)
{
	pid_t pid = l->join < 0 ? 0 : joined_pid(l);

	return l->join >= 0 && (pid <= 0 || procs_is_leaving(pid));
}

/* Who was killed from outside has ended as any container may. */
static bool was_killed(const struct launched *c)
{
	siginfo_t how = {0};

	return waitid((idtype_t)P_PIDFD, (id_t)c->pidfd, &how, WEXITED | WNOWAIT | WNOHANG) == 0 &&
	       how.si_code == CLD_KILLED && how.si_status == SIGKILL;
}

/* Whether the child, which has closed its socket, exec'ed. */
static int has_reached(
	const struct launch *l, const struct start *s, const struct launched *c, struct err *e)
{
	bool reached = !s->reached ||
	               (__atomic_load_n(s->reached, __ATOMIC_ACQUIRE) && !hop_has_ended(s, c));

	if (join_ends(l) && (!reached || was_killed(c)))
		return plan_join_ended(l->plan, l->plan->join, e);
	if (reached || !become_may_be_refused(l->plan))
		return 0;
	(void)waitid((idtype_t)P_PIDFD, (id_t)c->pidfd, &(siginfo_t){0}, WEXITED | WNOWAIT); /* it ends */
	return was_killed(c) ? 0 : launch_refused(l->plan->argv.v[0], e);
}

/* What a launch that failed has opened so far; its process ends. */
static int give_up(const struct launch *l, struct launched *r, struct err *e)
{
	int *fds[] = {&r->pidfd, &r->pty, &r->proc, &r->mounts, &r->root};

	if (join_ends(l))
		(void)plan_join_ended(l->plan, l->plan->join, e);
	(void)sys_pidfd_kill(r->pidfd, SIGKILL); /* it may have ended by itself */
	(void)waitpid(r->pid, NULL, 0);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		auto_close_(fds[i]);
	for (size_t i = 0; i < ARRAY_LEN(r->sysv); i++)
		auto_close_(&r->sysv[i]);
	return -1;
}

static int clone_it(const struct launch *l, struct clone_args *args, struct start *s,
	struct launched *out, struct err *e)
{
	if (l->join >= 0 && l->seed[0] < 0)
		return clone_joined(l, args, s, out, e);
	args->pidfd = (uint64_t)(uintptr_t)&out->pidfd;
	if (l->seed[0] >= 0) {
		out->pid = clone_in_seed(l, args, s, e);
		return out->pid < 0 ? -1 : 0;
	}
	out->pid = sys_clone3(args);
	if (out->pid == 0)
		run_child(l, s, NULL);
	return out->pid < 0 ? clone_err(e) : 0;
}

int launch_container(const struct launch *l, struct launched *out, struct err *e)
{
	struct clone_args args = {.flags = l->plan->namespaces | CLONE_PIDFD, .exit_signal = SIGCHLD};
	struct launched r = LAUNCHED_NONE;
	auto_close int ours = -1, hop = l->hide ? hop_open(e) : -1;
	auto_start struct start s = {.theirs = -1, .hop = hop};
	int into = cgroup_clone_fd(l->cgroup), pair[2];

	if ((l->hide && hop < 0) || reach(l, &s, e) < 0)
		return -1;
	if (chdir(l->stage) < 0)
		return err_sys(e, "enter %s", l->stage);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	s.ours = ours = pair[0];
	s.theirs = pair[1];
	if (l->cgroup->n > 0)
		args.flags &= ~(uint64_t)CLONE_NEWCGROUP; /* that would be ours; the child does it */
	if (into >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)into;
	}
	/* Only the machine's root can write the maps of a process that is not dumpable. */
	(void)prctl(PR_SET_DUMPABLE, 1);
	if (clone_it(l, &args, &s, &r, e) < 0)
		return join_ends(l) ? plan_join_ended(l->plan, l->plan->join, e) : -1;
	if (s.theirs >= 0)
		(void)close(take_fd(&s.theirs));
	if ((into < 0 && cgroup_enter(l->cgroup, r.pid, e) < 0) ||
		((args.flags & CLONE_NEWUSER) && write_maps(r.pid, l->lease, e) < 0) ||
		write(ours, "g", 1) != 1 || (l->meanwhile && l->meanwhile(l->arg, e) < 0) ||
		launch_listen(ours, l, NULL, &r, e) < 0 || has_reached(l, &s, &r, e) < 0)
		return give_up(l, &r, e);
	(void)prctl(PR_SET_DUMPABLE, 0);
	*out = r;
	return 0;
}
