/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory of operation.
 *
 * The supervisor has joined the user namespace of the image server, so the container's own user
 * namespace is a child of that one: FUSE admits it to the layers, and nothing in a container
 * holds power over what containers share.
 *
 *   1. clone   all namespaces at once; the child waits
 *   2. map     the supervisor writes the id maps, then says go
 *   3. gather  (child) a detached copy of every source; afterwards no host path is looked up
 *   4. build   the root, the steps, pivot_root; the old root is gone
 *   5. become  terminal, streams, user, limits, capabilities, seccomp
 *   6. exec
 *
 * Parent and child share a SEQPACKET socket. The child sends descriptors (its /proc, its terminal)
 * and, when a phase fails, one struct err; the socket is close-on-exec, so that end of file means
 * that the command runs.
 *
 * Every process of ours that is inside of a container or joins one is non-dumpable: the memory
 * of an image that was exec'ed on the host belongs to the host's user namespace, so nobody in the
 * container can trace it or open /proc/PID/exe of it.
 */
#include "launch.h"

#include "affinity.h"
#include "auto.h"
#include "caps.h"
#include "mount.h"
#include "net.h"
#include "passwd.h"
#include "sweep.h"
#include "sys.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <termios.h>

enum { SAY_ERROR = 'e', SAY_PTY = 't', SAY_INSIDE = 'i' };

struct message {
	char what;
	struct err err;
};

/* ---- what parent and child say -------------------------------------------------------- */

static void say_fds(int sock, char what, const int *fds, int n)
{
	struct message m = {.what = what};

	/* A parent which is gone cannot be told; PDEATHSIG ends us. */
	(void)sys_send_fds(sock, &m, sizeof(m.what), fds, n);
}

static void __attribute__((noreturn)) say_err(int sock, const struct err *e)
{
	struct message m = {.what = SAY_ERROR, .err = *e};

	(void)sys_send_fds(sock, &m, sizeof(m), NULL, 0);
	_exit(127);
}

/* Reads until the child has exec'ed (0) or told why not (-1). l: of a container that is made; or NULL */
static int listen_to(int sock, const struct launch *l, struct launched *out, struct err *e)
{
	for (;;) {
		struct message m;
		int fd[2] = {-1, -1}, n_fds;
		ssize_t n;

		if (l) /* it may be waiting for the layers, which nobody else may hold */
			layers_wait(l->store, l->lease, sock);
		n = sys_recv_fds(sock, &m, sizeof(m), fd, 2, &n_fds);

		if (n == 0)
			return 0;
		if (n < 0)
			return err_sys(e, "hear of the container");
		if (m.what == SAY_ERROR) {
			*e = m.err;
			return -1;
		}
		if (m.what == SAY_PTY) {
			out->pty = fd[0];
		} else if (m.what == SAY_INSIDE) {
			out->mounts = fd[0];
			out->proc = fd[1];
		}
	}
}

/* ---- 2. map --------------------------------------------------------------------------- */

/* The container has the ids of the image server's user namespace, which is ours. */
static int write_maps(pid_t pid, const struct lease *lease, struct err *e)
{
	char path[32];
	auto_close int proc = -1;

	(void)snprintf(path, sizeof(path), "/proc/%d", (int)pid); /* always fits */
	proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0)
		return err_sys(e, "open %s", path);
	if (sys_put(proc, "uid_map", lease->uid_map) < 0)
		return err_sys(e, "write %s/uid_map", path);
	if (sys_put(proc, "gid_map", lease->gid_map) < 0)
		return err_sys(e, "write %s/gid_map", path);
	return 0;
}

/* In a map of one id every user but root is that id under another number, in a user namespace of
 * its own. `proc` is the machine's /proc: it shows us under "self" in whatever pid namespace. */
static int rename_id(int proc, const struct identity *who, struct err *e)
{
	char map[64];

	if (syscall(SYS_unshare, CLONE_NEWUSER) < 0)
		return err_sys(e, "a user namespace for -u");
	/* The files of a process that cannot be dumped belong to root. */
	if (prctl(PR_SET_DUMPABLE, 1) < 0)
		return err_sys(e, "prctl");
	(void)snprintf(map, sizeof(map), "%u 0 1\n", who->uid); /* always fits */
	(void)sys_put(proc, "self/setgroups", "deny"); /* is denied already where it was inherited */
	if (sys_put(proc, "self/uid_map", map) < 0)
		return err_sys(e, "map user %u", who->uid);
	(void)snprintf(map, sizeof(map), "%u 0 1\n", who->gid); /* always fits */
	if (sys_put(proc, "self/gid_map", map) < 0)
		return err_sys(e, "map group %u", who->gid);
	if (prctl(PR_SET_DUMPABLE, 0) < 0)
		return err_sys(e, "prctl");
	return 0;
}

/* ---- 5. become ------------------------------------------------------------------------ */

#define ETC_MAX (1 << 20)

/* A file of the image, which may be anything but is only read when it is a file. */
static char *read_etc(int root, const char *path)
{
	auto_close int fd = sys_openat2(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY,
		RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
	struct stat st;
	char *text;
	size_t len = 0;
	ssize_t n = 0;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > ETC_MAX)
		return NULL;
	text = xcalloc((size_t)st.st_size + 1, 1);
	while (len < (size_t)st.st_size && (n = sys_read(fd, text + len, (size_t)st.st_size - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	return text;
}

static int find_identity(const struct plan *p, struct identity *who, struct err *e)
{
	/* A copy of the root without what is mounted on it: users are the image's, as docker has it. */
	auto_close int root = p->etc_covered ? sys_open_tree(AT_FDCWD, "/", OPEN_TREE_CLONE)
	                                     : open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_free char *passwd = read_etc(root, "/etc/passwd");
	auto_free char *group = read_etc(root, "/etc/group");

	return identity_find(p->user, (const char *const *)p->group_add.v, p->group_add.n, passwd,
		group, who, e);
}

static int make_parents(const char *path)
{
	auto_free char *dir = xstrdup(path);

	for (char *s = dir + 1; (s = strchr(s, '/')) != NULL; *s++ = '/') {
		*s = '\0';
		if (mkdir(dir, 0755) < 0 && errno != EEXIST)
			return -1;
	}
	return mkdir(dir, 0755) < 0 && errno != EEXIST ? -1 : 0;
}

static int enter_workdir(const char *path, bool create, struct err *e)
{
	char real[4096];

	if (!create && *path != '/')
		return err_set(e, ERR_NOT_EXECUTABLE, "Cwd must be an absolute path");
	if (chdir(path) < 0 && (errno != ENOENT || !create || make_parents(path) < 0 || chdir(path) < 0)) {
		if (!create) /* in docker's words */
			return err_set(e, ERR_NOT_EXECUTABLE,
				"chdir to cwd (\"%s\") set in config.json failed: %s", path,
				errno == ENOENT    ? "no such file or directory"
				: errno == ENOTDIR ? "not a directory"
						   : strerror(errno));
		if (errno == ENOTDIR)
			return err_set(e, ERR_SYSTEM, "Cannot mkdir: %s is not a directory", path);
		(void)err_sys(e, "chdir to cwd (\"%s\") set in config.json failed", path);
		e->kind = ERR_SYSTEM;
		return -1;
	}
	/* A working directory outside of the root would be a way out. */
	if (!getcwd(real, sizeof(real)) || real[0] != '/')
		return err_set(e, ERR_DENIED, "chdir to cwd (\"%s\"): outside of the container", path);
	return 0;
}

static int open_terminal(int *master, int *slave, struct err *e)
{
	*master = open("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*master < 0)
		return err_sys(e, "open a terminal");
	if (ioctl(*master, TIOCSPTLCK, &(int){0}) < 0)
		return err_sys(e, "unlock the terminal");
	/* By descriptor: a path in /dev/pts could have become anything. */
	*slave = ioctl(*master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	return *slave < 0 ? err_sys(e, "open the terminal") : 0;
}

static int set_streams(const struct plan *p, const int *std, int sock, bool console, struct err *e)
{
	auto_close int null = -1, master = -1, slave = -1;
	int ends[3] = {std[0], std[1], std[2]};

	if (p->tty) {
		if (open_terminal(&master, &slave, e) < 0)
			return -1;
		if (p->rows && p->cols) /* the program sees it, whenever it looks */
			(void)ioctl(slave, TIOCSWINSZ, &(struct winsize){p->rows, p->cols, 0, 0});
		if (console && mount_console(slave, e) < 0)
			return -1;
		say_fds(sock, SAY_PTY, &master, 1);
		if (ioctl(slave, TIOCSCTTY, 0) < 0)
			return err_sys(e, "make the terminal the controlling one");
		ends[0] = ends[1] = ends[2] = slave;
	} else if (std[0] < 0 || std[1] < 0 || std[2] < 0) {
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (null < 0)
			return err_sys(e, "open /dev/null");
	}
	for (int i = 0; i < 3; i++)
		if (dup2(ends[i] < 0 ? null : ends[i], i) < 0)
			return err_sys(e, "stream %d", i);
	return 0;
}

static int set_rlimits(const struct plan *p, struct err *e)
{
	for (size_t i = 0; i < p->n_rlimits; i++) {
		const struct plan_rlimit *r = &p->rlimits[i];
		struct rlimit now, want = {r->soft, r->hard};

		/* What the caller may not have, the container cannot have: the front door has said so. */
		if (getrlimit((__rlimit_resource_t)r->resource, &now) == 0) {
			if (want.rlim_max > now.rlim_max)
				want.rlim_max = now.rlim_max;
			if (want.rlim_cur > want.rlim_max)
				want.rlim_cur = want.rlim_max;
		}
		if (setrlimit((__rlimit_resource_t)r->resource, &want) < 0)
			return err_sys(e, "set a resource limit");
	}
	/* Counted for each user namespace (kernel 5.14 and later), so this is the number of processes
	 * of this container, threads included, and nobody else's. */
	if (p->pids > 0) {
		struct rlimit n = {(rlim_t)p->pids, (rlim_t)p->pids};

		if (setrlimit(RLIMIT_NPROC, &n) < 0)
			return err_sys(e, "--pids-limit");
	}
	return 0;
}

static void reset_signals(bool hold)
{
	sigset_t set;

	for (int s = 1; s < NSIG; s++)
		(void)signal(s, SIG_DFL); /* KILL, STOP and libc's own refuse, and need it not */
	(void)(hold ? sigfillset(&set) : sigemptyset(&set));
	(void)sigprocmask(SIG_SETMASK, &set, NULL); /* cannot fail with these arguments */
}

/* Ends with exactly the plan's rights after exec: exec itself turns a bounding set into the
 * permitted one for root, and into nothing for everybody else. That is why the filter can go in
 * while CAP_SYS_ADMIN is held and no_new_privs is not needed. */
static int drop_rights(const struct plan *p, const struct identity *who,
	const struct seccomp_filter *filter, struct err *e)
{
	bool one_id = p->fake_root;

	if (!one_id && setgroups(who->n_groups, who->groups) < 0)
		return err_sys(e, "set the groups");
	if (caps_apply(p->caps, caps_all(), e) < 0)
		return -1;
	if (p->no_new_privs && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(e, "no-new-privileges");
	if (filter && filter->code && seccomp_install(filter, e) < 0)
		return -1;
	if (!one_id && (syscall(SYS_setresgid, who->gid, who->gid, who->gid) < 0 ||
			       syscall(SYS_setresuid, who->uid, who->uid, who->uid) < 0))
		return err_sys(e, "become user %u", who->uid);
	return 0;
}

/* ---- 6. exec -------------------------------------------------------------------------- */

static int exec_err(const char *name, const char *path, struct err *e)
{
	int sys = errno;
	const char *slash = strchr(name, '/');

	if (sys == ENOENT && !slash)
		return err_set(e, ERR_NO_COMMAND,
			"exec: \"%s\": executable file not found in $PATH", name);
	if (sys == ENOENT && access(path, F_OK) < 0)
		return err_set(e, ERR_NO_COMMAND,
			"exec: \"%s\": stat %s: no such file or directory", name, path);
	if (sys == ENOENT) /* it is there: the interpreter of its first line is not */
		return err_set(e, ERR_NO_COMMAND, "exec %s: no such file or directory", path);
	if (sys == EISDIR)
		return err_set(e, ERR_NOT_EXECUTABLE, "exec: \"%s\": is a directory", name);
	if (sys == ENOEXEC)
		return err_set(e, ERR_NOT_EXECUTABLE, "exec %s: exec format error", path);
	if (sys == EACCES || sys == EPERM)
		return err_set(e, ERR_NOT_EXECUTABLE, "exec: \"%s\": permission denied", name);
	if (sys == ENOTDIR)
		return err_set(e, ERR_NO_COMMAND, "exec: \"%s\": stat %s: not a directory", name, path);
	errno = sys;
	(void)err_sys(e, "exec %s", path);
	e->kind = ERR_NOT_EXECUTABLE;
	return -1;
}

static bool runnable(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111);
}

/* The file that name means: itself with a slash, else the first in the container's PATH. */
static char *look_up(const char *name, const struct strv *env)
{
	const char *path = strv_env(env, "PATH");

	if (strchr(name, '/'))
		return xstrdup(name);
	for (path = path ? path + 5 : ""; *path;) {
		size_t n = strcspn(path, ":");
		char *at = n ? xasprintf("%.*s/%s", (int)n, path, name) : xasprintf("./%s", name);

		if (runnable(at))
			return at;
		free(at);
		path += n + (path[n] == ':');
	}
	return NULL;
}

static int exec_command(const struct plan *p, struct strv *env, struct err *e)
{
	auto_free char *path = look_up(p->argv.v[0], env);
	struct stat st;

	if (!path) {
		errno = ENOENT;
		return exec_err(p->argv.v[0], p->argv.v[0], e);
	}
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return exec_err(p->argv.v[0], path, e);
	}
	(void)execve(path, p->argv.v, env->v);
	return exec_err(p->argv.v[0], path, e);
}

/* ---- the child ------------------------------------------------------------------------ */

static int do_become(const struct plan *p, const struct seccomp_filter *filter, const int *std,
	int sock, int proc, bool first, struct err *e)
{
	auto_strv struct strv env = {0};
	struct identity who;

	if (find_identity(p, &who, e) < 0)
		return -1;
	(void)umask(0022); /* the caller's own is nothing to the container */
	if (enter_workdir(p->workdir, first, e) < 0)
		return -1;
	if (setsid() < 0 && errno != EPERM)
		return err_sys(e, "setsid");
	if (set_streams(p, std, sock, first, e) < 0 || set_rlimits(p, e) < 0)
		return -1;
	if (p->fake_root && (who.uid != 0 || who.gid != 0) && proc >= 0 && rename_id(proc, &who, e) < 0)
		return -1;
	reset_signals(p->hold_signals);
	strv_copy(&env, &p->env);
	if (!strv_env(&env, "HOME"))
		strv_addf(&env, "HOME=%s", who.home);
	/* Nothing of the machine stays open behind the command. */
	if (sys_close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) < 0 && errno != ENOSYS && errno != EINVAL)
		return err_sys(e, "close_range");
	if (drop_rights(p, &who, filter, e) < 0)
		return -1;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return err_sys(e, "prctl");
	return exec_command(p, &env, e);
}

static int set_names(const struct plan *p, struct err *e)
{
	if (!(p->namespaces & CLONE_NEWUTS))
		return 0;
	if (sethostname(p->hostname, strlen(p->hostname)) < 0)
		return err_sys(e, "set the host name %s", p->hostname);
	if (p->domainname && setdomainname(p->domainname, strlen(p->domainname)) < 0)
		return err_sys(e, "set the domain name %s", p->domainname);
	return 0;
}

/* Only what a namespace of the container's own owns can be written by it, so the kernel itself keeps
 * the machine's settings safe; names cannot leave the directory. */
static int set_sysctls(const struct plan *p, int sys, struct err *e)
{
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
			return err_sys(e, "--sysctl %s", p->sysctls.v[i]);
	}
	return 0;
}

static int do_build(const struct launch *l, struct mount_proc *proc, struct err *e)
{
	const struct plan *p = l->plan;
	auto_free int *sources = xcalloc(p->n_steps, sizeof(*sources));
	auto_close int root = -1;

	if (sys_mount(NULL, "/", NULL, SYS_MS_REC | SYS_MS_PRIVATE, NULL) < 0)
		return err_sys(e, "make the mounts private");
	if (mount_gather(p, sources, e) < 0)
		return -1;
	root = mount_root(l->upper, l->lease, l->lower, l->rootfs, e);
	if (root < 0)
		return -1;
	if (mount_steps(p, root, sources, proc, e) < 0)
		return -1;
	for (size_t i = 0; i < p->n_steps; i++)
		if (sources[i] >= 0)
			(void)close(sources[i]); /* attached: the mount lives on */
	return mount_pivot(root, p->read_only, e);
}

#define APT_DIR "/etc/apt/apt.conf.d"

/* With one id apt cannot become its _apt user, and looks whether it did. */
static void tell_apt(const struct plan *p)
{
	auto_close int fd = -1;
	static const char text[] = "APT::Sandbox::User \"root\";\n";

	if (!p->fake_root || p->read_only || access(APT_DIR, F_OK) < 0)
		return;
	fd = open(APT_DIR "/90sbx-one-id", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd >= 0)
		(void)sys_write_all(fd, text, sizeof(text) - 1); /* apt says what is wrong, if it is */
}

/* A user may make the kernel kill it sooner, and only root later: that is told by the kernel. */
static void set_oom_score(const struct plan *p, int proc)
{
	char text[16];

	if (p->oom_score_adj == SPEC_UNSET || p->oom_score_adj == 0)
		return;
	(void)snprintf(text, sizeof(text), "%d", (int)p->oom_score_adj); /* fits: it was checked */
	(void)sys_put(proc, "self/oom_score_adj", text);
}

/* Where no control group does it. The program could change it: then the front door has said so. */
static int set_affinity(const struct plan *p, const struct cgroup *c, struct err *e)
{
	return p->cpuset_cpus && !(c->holds & HOLDS_CPUSET) ? affinity_set(p->cpuset_cpus, e) : 0;
}

/* What the supervisor keeps of the inside: the mount namespace and, where there is one, /proc. */
static void say_inside(int sock, int machine_proc, int proc)
{
	auto_close int mounts = openat(machine_proc, "self/ns/mnt", O_RDONLY | O_CLOEXEC);

	if (mounts >= 0) /* else: everything ends, only later */
		say_fds(sock, SAY_INSIDE, (int[]){mounts, proc}, proc >= 0 ? 2 : 1);
}

static void __attribute__((noreturn)) run_child(const struct launch *l, int parents, int sock)
{
	auto_close int machine_proc = -1;
	struct mount_proc proc = {-1, -1};
	struct err e = {0};
	char go;

	(void)close(parents); /* or we would not notice that it is gone */
	/* A supervisor which died before the prctl took its death signal with it. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || sys_read(sock, &go, 1) != 1)
		_exit(127);
	/* The root of its control groups is the one it is in now. */
	if (l->cgroup->n > 0 && syscall(SYS_unshare, CLONE_NEWCGROUP) < 0) {
		(void)err_sys(&e, "a namespace of control groups");
		say_err(sock, &e);
	}
	if (set_affinity(l->plan, l->cgroup, &e) < 0)
		say_err(sock, &e);
	machine_proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	set_oom_score(l->plan, machine_proc);
	(void)prctl(PR_SET_DUMPABLE, 0); /* from here on files in /proc/self are not ours to write */
	if (do_build(l, &proc, &e) < 0 || set_names(l->plan, &e) < 0)
		say_err(sock, &e);
	if (l->plan->loopback && l->seed[SEED_NET] < 0 && net_lo_up(&e) < 0)
		say_err(sock, &e);
	say_inside(sock, machine_proc, proc.root);
	if (set_sysctls(l->plan, proc.sys, &e) < 0)
		say_err(sock, &e);
	tell_apt(l->plan);
	(void)do_become(l->plan, l->filter, l->std, sock, machine_proc, true, &e);
	say_err(sock, &e);
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
#define GO_STACK \
	(1 << 20) /* the container is built on a copy of it; untouched pages cost nothing */

/* What the process in between knows; it shares our memory and runs while we wait for it. */
struct between {
	const struct launch *l;
	struct clone_args *args;
	int ours, theirs, failed;
	bool refused; /* the namespaces are there, but not for us */
	pid_t pid;
};

static int enter_seed(const int *seed)
{
	static const int types[SEED_FDS] = {
		[SEED_USER] = CLONE_NEWUSER,
		[SEED_NET] = CLONE_NEWNET,
		[SEED_IPC] = CLONE_NEWIPC,
		[SEED_UTS] = CLONE_NEWUTS,
	};

	for (int i = 0; i < SEED_FDS; i++)
		if (sys_setns(seed[i], types[i]) < 0)
			return -1;
	return 0;
}

static int go_between(void *arg)
{
	struct between *b = arg;

	if (b->l->seed[0] >= 0 ? enter_seed(b->l->seed) < 0
			       : sys_setns(b->l->join, (int)b->l->plan->joined) < 0) {
		b->failed = errno;
		b->refused = true;
		_exit(1);
	}
	b->pid = sys_clone3(b->args);
	if (b->pid == 0)
		run_child(b->l, b->ours, b->theirs);
	b->failed = b->pid < 0 ? errno : 0;
	_exit(0);
}

/* Into namespaces that exist goes a process in between, which makes the container as a child of ours and
 * is gone: the supervisor itself stays outside, where it can start an image server again, and where a limit of
 * processes does not count it. */
static pid_t clone_inside(
	const struct launch *l, struct clone_args *args, int ours, int theirs, struct err *e)
{
	struct between b = {.l = l, .args = args, .ours = ours, .theirs = theirs, .pid = -1};
	char *stack = mmap(NULL, GO_STACK, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
	pid_t pid;

	if (stack == MAP_FAILED)
		return err_sys(e, "a stack");
	args->flags |= CLONE_PARENT;
	args->exit_signal = 0; /* that of the process in between */
	pid = clone(go_between, stack + GO_STACK, CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &b);
	if (pid > 0)
		(void)waitpid(pid, NULL, 0); /* our child, which has ended */
	else
		b.failed = errno;
	(void)munmap(stack, GO_STACK); /* ours, and nobody is on it */
	errno = b.failed;
	if (b.pid < 0)
		return b.refused ? err_sys(e, "join namespaces") : clone_err(e);
	return b.pid;
}

int launch_container(const struct launch *l, struct launched *out, struct err *e)
{
	struct clone_args args = {.flags = l->plan->namespaces | CLONE_PIDFD, .exit_signal = SIGCHLD};
	struct launched r = {.pid = -1, .pidfd = -1, .pty = -1, .proc = -1, .mounts = -1};
	auto_close int ours = -1, theirs = -1;
	int into = cgroup_clone_fd(l->cgroup), pair[2];

	if (chdir(l->stage) < 0)
		return err_sys(e, "enter %s", l->stage);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	ours = pair[0];
	theirs = pair[1];
	args.pidfd = (uint64_t)(uintptr_t)&r.pidfd;
	if (l->cgroup->n > 0)
		args.flags &= ~(uint64_t)CLONE_NEWCGROUP; /* that would be ours; the child does it */
	if (into >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)into;
	}
	/* The maps of a process which cannot be dumped can only be written by the machine's root. */
	(void)prctl(PR_SET_DUMPABLE, 1);
	if (l->seed[0] >= 0 || l->join >= 0) {
		if (l->seed[0] >= 0)
			args.flags &= ~(uint64_t)SEED_FLAGS;
		r.pid = clone_inside(l, &args, ours, theirs, e);
	} else {
		r.pid = sys_clone3(&args);
		if (r.pid == 0)
			run_child(l, ours, theirs);
		if (r.pid < 0)
			(void)clone_err(e);
	}
	if (r.pid < 0)
		return -1;
	(void)close(take_fd(&theirs));
	if ((into >= 0 || cgroup_enter(l->cgroup, r.pid, e) == 0) &&
		(!(args.flags & CLONE_NEWUSER) || write_maps(r.pid, l->lease, e) == 0) &&
		write(ours, "g", 1) == 1 && (!l->meanwhile || l->meanwhile(l->arg, e) == 0) &&
		listen_to(ours, l, &r, e) == 0) {
		(void)prctl(PR_SET_DUMPABLE, 0);
		*out = r;
		return 0;
	}
	(void)sys_pidfd_kill(r.pidfd, SIGKILL); /* it may have ended by itself */
	(void)waitpid(r.pid, NULL, 0);
	(void)close(r.pidfd);
	if (r.pty >= 0)
		(void)close(r.pty);
	if (r.proc >= 0)
		(void)close(r.proc);
	if (r.mounts >= 0)
		(void)close(r.mounts);
	return -1;
}

/* ---- exec ----------------------------------------------------------------------------- */

struct guard {
	pid_t shim;
	int pidfd;        /* of it */
	int talk;         /* with it */
	int machine_proc; /* shows everything, whatever is mounted in the container */
	int proc;         /* the container's: short, for what is done often */
	struct stat tag;  /* of the namespace that all of them are in */
};

#define CPU_LOOK_MIN_NS 5000000

/* A namespace of control groups for each exec: everything that comes of it is in there, and can neither leave nor
 * hide, however often it forks. Nobody else sees a difference. */
static int tag(int machine_proc, struct stat *out, struct err *e)
{
	if (syscall(SYS_unshare, CLONE_NEWCGROUP) < 0 ||
		fstatat(machine_proc, "thread-self/ns/cgroup", out, 0) < 0)
		return err_sys(e, "a namespace of control groups");
	return 0;
}

static int join(const struct launch_exec *l, struct guard *g, struct err *e)
{
	struct identity who;

	g->machine_proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cgroup_enter(l->cgroup, getpid(), e) < 0 || set_affinity(l->plan, l->cgroup, e) < 0)
		return -1;
	/* First the user namespace, which allows the rest. Not that of pid 1, which may have gone
	 * further down (rename_id): the one which owns the container's mounts. */
	if (l->userns >= 0 && sys_setns(l->userns, CLONE_NEWUSER) < 0)
		return err_sys(e, "join the container's user namespace");
	if (sys_setns(l->pidfd, (int)(l->plan->namespaces & ~(uint64_t)CLONE_NEWUSER)) < 0)
		return err_sys(e, "join the container");
	(void)prctl(PR_SET_DUMPABLE, 0);
	if (tag(g->machine_proc, &g->tag, e) < 0 || find_identity(l->plan, &who, e) < 0)
		return -1;
	g->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Here and not later: we are not in the container's pid namespace yet, only our children will
	 * be, so that nobody inside sees the moment in which we can be traced. */
	if (l->plan->fake_root && (who.uid != 0 || who.gid != 0))
		return rename_id(g->machine_proc, &who, e);
	return 0;
}

/* Inside, the parent of what was exec'ed, and of what that leaves behind as long as it lasts: a pid 1 which does not
 * wait for strangers would keep them as zombies. It decides nothing: who kills it, or stops it, ends only himself. */
static void __attribute__((noreturn)) run_shim(const struct launch_exec *l, int sock, int talk)
{
	struct err e = {0};
	pid_t command, pid;
	int status = 0, st;
	char killing;

	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	command = fork();
	if (command < 0) {
		(void)err_sys(&e, "fork");
		say_err(sock, &e);
	}
	if (command == 0) {
		(void)do_become(l->plan, l->filter, l->std, sock, -1, false, &e);
		say_err(sock, &e);
	}
	(void)prctl(PR_SET_NAME, "sbx-exec");
	/* The client's pipes must close when the command lets go of them. */
	sys_keep_only(&talk, 1);
	while ((pid = waitpid(-1, &st, 0)) > 0 || errno == EINTR)
		if (pid == command) {
			status = st;
			break;
		}
	/* All that lives is being killed; or it may live on, and becomes pid 1's. */
	st = recv(talk, &killing, 1, MSG_DONTWAIT) == 1 ? 0 : WNOHANG;
	while (waitpid(-1, NULL, st) > 0)
		;
	(void)send(talk, &status, sizeof(status), MSG_DONTWAIT | MSG_NOSIGNAL); /* as good as an exit */
	_exit(0);
}

static void __attribute__((noreturn)) leave(const struct guard *g, int lifeline, int end, int code)
{
	struct launch_report r = {.end = end, .status = SIGKILL};

	(void)wait4(g->shim, NULL, 0, &r.usage); /* our child; it is ending */
	if (recv(g->talk, &r.status, sizeof(r.status), MSG_DONTWAIT) < 0)
		r.status = SIGKILL; /* somebody has killed it */
	if (lifeline >= 0)
		(void)send(lifeline, &r, sizeof(r), MSG_DONTWAIT | MSG_NOSIGNAL); /* the client may be gone */
	if (code < 0)
		code = WIFSIGNALED(r.status) ? 128 + WTERMSIG(r.status) : WEXITSTATUS(r.status);
	_exit(code);
}

#define SHIM_MS 2000 /* to reap what was killed; it may be stopped, or kept from running */

static void __attribute__((noreturn)) end_all(const struct guard *g, int lifeline, int end, int code)
{
	struct pollfd shim = {.fd = g->pidfd, .events = POLLIN};

	(void)send(g->talk, "k", 1, MSG_DONTWAIT | MSG_NOSIGNAL); /* it has ended */
	sweep(g->machine_proc, "ns/cgroup", &g->tag, g->shim);
	(void)sys_pidfd_kill(g->pidfd, SIGCONT);
	if (poll(&shim, 1, SHIM_MS) <= 0)
		sweep(g->machine_proc, "ns/cgroup", &g->tag, 0);
	leave(g, lifeline, end, code);
}

/* The shim's first child, as the machine numbers it; 0. */
static pid_t command_of(const struct guard *g)
{
	char path[64], list[64];

	(void)snprintf(path, sizeof(path), "%d/task/%d/children", (int)g->shim, (int)g->shim); /* fits */
	return sys_get(g->machine_proc, path, list, sizeof(list)) > 0 ? (pid_t)atoi(list) : 0;
}

/* Whether the shim has said how the command ended. */
static bool has_said(const struct guard *g)
{
	int status;

	return recv(g->talk, &status, sizeof(status), MSG_DONTWAIT | MSG_PEEK) ==
	       (ssize_t)sizeof(status);
}

/* When to look at the time that was used: it cannot have run out before, were all processors at it. */
static int64_t next_look(const struct guard *g, int64_t limit)
{
	int64_t left = limit - sweep_cpu_ns(g->proc, "ns/cgroup", &g->tag);

	if (left <= 0)
		return 0;
	left /= get_nprocs();
	return sys_now_ns() + (left < CPU_LOOK_MIN_NS ? CPU_LOOK_MIN_NS : left);
}

/* Stands between the client and what it exec'ed, outside of the container's pid namespace: when the client dies,
 * even by SIGKILL, the lifeline breaks and the whole tree goes. When the command ends, what it left in the
 * background stays, as with docker: it becomes pid 1's. */
static void __attribute__((noreturn)) be_guard(const struct launch_exec *l, const struct guard *g)
{
	const struct plan *p = l->plan;
	struct pollfd on[2] = {
		{.fd = g->pidfd, .events = POLLIN}, {.fd = l->lifeline, .events = POLLRDHUP}};
	int64_t deadline = p->timeout_ns ? sys_now_ns() + p->timeout_ns : 0, kill_at = 0;
	int64_t look = p->cpu_time_ns ? next_look(g, p->cpu_time_ns) : 0;

	for (;;) {
		int64_t now, wake = deadline;

		if (look && (!wake || look < wake))
			wake = look;
		if (kill_at && (!wake || kill_at < wake))
			wake = kill_at;
		(void)poll(on, 2, sys_poll_ms(wake));
		now = sys_now_ns();
		if (on[0].revents && kill_at) /* it has listened: what it left behind may not have */
			end_all(g, l->lifeline, LAUNCH_TIMEOUT, 124);
		if (on[0].revents && !has_said(g)) /* somebody has killed the shim */
			end_all(g, l->lifeline, LAUNCH_EXITED, 137);
		if (on[0].revents)
			leave(g, l->lifeline, LAUNCH_EXITED, -1);
		if (on[1].revents)
			end_all(g, l->lifeline, LAUNCH_EXITED, 137);
		if (look && now >= look) {
			look = next_look(g, p->cpu_time_ns);
			if (!look)
				end_all(g, l->lifeline, LAUNCH_CPU, -1);
		}
		if ((kill_at && now >= kill_at) || (deadline && now >= deadline && !p->kill_after_ns))
			end_all(g, l->lifeline, LAUNCH_TIMEOUT, 124);
		if (deadline && now >= deadline) {
			deadline = 0;
			kill_at = now + p->kill_after_ns;
			sweep_signal(g->machine_proc, command_of(g), "ns/cgroup", &g->tag, SIGTERM);
		}
	}
}

static void __attribute__((noreturn)) run_joiner(const struct launch_exec *l, int sock)
{
	struct guard g = {.shim = -1, .pidfd = -1, .talk = -1, .machine_proc = -1, .proc = -1};
	struct err e = {0};
	int talk[2];

	/* The shim is seen inside: how the client was called is not the container's business. */
	sys_hide_args();
	if (join(l, &g, &e) < 0)
		say_err(sock, &e);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, talk) < 0 || (g.shim = fork()) < 0) {
		(void)err_sys(&e, "fork");
		say_err(sock, &e);
	}
	if (g.shim == 0)
		run_shim(l, sock, talk[1]);
	g.talk = talk[0];
	g.pidfd = sys_pidfd_open(g.shim);
	(void)prctl(PR_SET_NAME, "sbx-exec");
	/* The client's own end of the lifeline must close when it dies: we do not keep it. */
	sys_keep_only((int[]){g.pidfd, g.talk, l->lifeline, g.proc, g.machine_proc}, 5);
	be_guard(l, &g);
}

int launch_exec(const struct launch_exec *l, struct launched *out, struct err *e)
{
	struct launched r = {.pid = -1, .pidfd = -1, .pty = -1, .proc = -1, .mounts = -1};
	auto_close int ours = -1, theirs = -1;
	int pair[2], result;
	pid_t joiner;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	ours = pair[0];
	theirs = pair[1];
	joiner = fork();
	if (joiner < 0)
		return err_sys(e, "fork");
	if (joiner == 0) {
		(void)close(take_fd(&ours));
		run_joiner(l, theirs);
	}
	(void)close(take_fd(&theirs));
	result = listen_to(ours, NULL, &r, e);
	/* Without this name its end could not be waited for. */
	if (result == 0 && (r.pidfd = sys_pidfd_open(joiner)) >= 0) {
		r.pid = joiner;
		*out = r;
		return 0;
	}
	if (result == 0) {
		(void)err_sys(e, "look at the process that joins");
		(void)kill(joiner, SIGKILL); /* our child, not yet waited for; the tree below it goes with it */
	}
	(void)waitpid(joiner, NULL, 0); /* of a command that could not be exec'ed */
	if (r.pty >= 0)
		(void)close(r.pty);
	return -1;
}
