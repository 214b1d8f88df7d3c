/* SPDX-License-Identifier: Apache-2.0 */
#include "become.h"

#include "affinity.h"
#include "auto.h"
#include "caps.h"
#include "confine.h"
#include "hop.h"
#include "launch_say.h"
#include "mount.h"
#include "opt.h"
#include "raw.h"
#include "sys.h"

#include <errno.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

/* The descriptors that we may have but a container may not: an eighth, at most this many. The kernel checks the limit
 * before each message, which may carry 253 descriptors; if the limit is hardly larger than that, keeping some back is
 * of no use. */
#define KEPT_MOST  4096
#define KEPT_LEAST 512
#define TELLS_MS   5000

int become_on(const struct plan *p, const struct cgroup *c, struct err *e)
{
	return p->cpuset_cpus && (p->own_cpuset || !(c->holds & HOLDS_CPUSET))
	               ? affinity_set(p->cpuset_cpus, e)
	               : 0;
}

/* ---- user, limits, directory ---------------------------------------------------------- */

#define ETC_MAX (1 << 20)

/* Reads a file of the image, which may be a device or FIFO: only regular files are read. */
static char *read_etc(int root, const char *path, uint64_t how)
{
	auto_close int fd = sys_openat2(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY,
		RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | how);
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

/* The root without what is mounted there: with docker users are looked up in the image's files. And whoever reads what the
 * container has mounted itself, as a FUSE, may wait for ever. *copy: a copy of the root without its mounts, once one is needed;
 * or -1. */
static char *read_bare_etc(int root, int *copy, const char *path)
{
	char *text = NULL;

	errno = EXDEV;
	if (*copy < 0)
		text = read_etc(root, path, RESOLVE_NO_XDEV);
	if (text || errno != EXDEV)
		return text;
	if (*copy < 0)
		*copy = sys_open_tree(AT_FDCWD, "/", OPEN_TREE_CLONE);
	return read_etc(*copy, path, 0);
}

int become_who(const struct plan *p, struct identity *who, struct err *e)
{
	auto_close int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), copy = -1;
	auto_free char *passwd = read_bare_etc(root, &copy, "/etc/passwd");
	auto_free char *group = read_bare_etc(root, &copy, "/etc/group");

	if (identity_find(p->user, (const char *const *)p->group_add.v, p->group_add.n, passwd,
		    group, who, e) < 0)
		return -1;
	if (p->etc_covered) { /* but their homes in what is mounted there */
		auto_free char *mounted = read_etc(root, "/etc/passwd", 0);

		identity_home(who, mounted);
	}
	return 0;
}

/* A name that the container controls. Links of /proc lead to what we have open, and to our program: out of the container. */
static int open_inside(const char *path, uint64_t flags)
{
	return sys_openat2(AT_FDCWD, path, flags, RESOLVE_NO_MAGICLINKS);
}

/* Its parent is there. */
static int make_dir(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	auto_free char *parent = xstrndup(path, (size_t)(name - path));
	auto_close int above = open_inside(parent, O_PATH | O_DIRECTORY);

	if (above < 0)
		return -1;
	return *name && mkdirat(above, name, 0755) < 0 && errno != EEXIST ? -1 : 0;
}

/* path: absolute */
static int make_parents(const char *path)
{
	auto_free char *dir = xstrdup(path);

	for (char *s = dir + 1; (s = strchr(s, '/')) != NULL; *s++ = '/') {
		*s = '\0';
		if (make_dir(dir) < 0)
			return -1;
	}
	return make_dir(dir);
}

static int no_workdir(const char *path, struct err *e)
{
	int why = errno;
	auto_close int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (root >= 0 && mount_no_directory(root, path, e) < 0)
		return -1;
	errno = why;
	if (why == ENOENT) {
		(void)err_go(e, "mkdir %s", path);
		e->kind = ERR_RUNTIME;
		return -1;
	}
	(void)err_sys(e, "chdir to cwd (%s) set in config.json failed", QUOTED(path));
	e->kind = ERR_SYSTEM;
	return -1;
}

static int enter_workdir(const char *path, bool create, struct err *e)
{
	if (!create && *path != '/')
		return err_set(e, ERR_NOT_EXECUTABLE, "Cwd must be an absolute path");
	if (sys_enter(path) == 0 ||
		(errno == ENOENT && create && make_parents(path) == 0 && sys_enter(path) == 0))
		return 0;
	if (errno == EXDEV)
		return err_set(e, ERR_DENIED, "chdir to cwd (\"%s\"): outside of the container", path);
	if (!create) /* in docker's words */
		return err_set(e, ERR_NOT_EXECUTABLE,
			"chdir to cwd (%s) set in config.json failed: %s", QUOTED(path),
			errno == ENOENT    ? "no such file or directory"
			: errno == ENOTDIR ? "not a directory"
					   : errno_text(errno));
	return no_workdir(path, e);
}

/* The error of docker's runtime for errno, and with the exit status that docker's client makes of it. */
static int no_device(const char *what, struct err *e)
{
	enum err_kind kind = errno == ENOENT                      ? ERR_NO_COMMAND
	                     : errno == EISDIR || errno == EACCES ? ERR_NOT_EXECUTABLE
	                                                          : ERR_RUNTIME;

	(void)err_go(e, "%s", what);
	e->kind = kind;
	return -1;
}

/* A container may have put anything in its place. */
static int open_device(const char *path, unsigned int major, unsigned int minor)
{
	auto_close int fd = open_inside(path, O_RDWR | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(major, minor))
		return take_fd(&fd);
	errno = ENODEV;
	return -1;
}

static int open_terminal(int *master, int *slave, struct err *e)
{
	*master = open_device("/dev/pts/ptmx", 5, 2);
	if (*master < 0 && errno == EACCES) /* the machine's, by -v /dev:/dev: only root's, unlike the one beside it */
		*master = open_device("/dev/ptmx", 5, 2);
	if (*master < 0)
		return no_device("open /dev/ptmx", e);
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
		launch_say(sock, SAY_PTY, &master, 1);
		if (ioctl(slave, TIOCSCTTY, 0) < 0)
			return err_sys(e, "make the terminal the controlling one");
		ends[0] = ends[1] = ends[2] = slave;
	} else if (std[0] < 0 || std[1] < 0 || std[2] < 0) {
		null = open_device("/dev/null", 1, 3);
		if (null < 0)
			return no_device("error reopening /dev/null inside container: open /dev/null", e);
	}
	for (int i = 0; i < 3; i++)
		if (dup2(ends[i] < 0 ? null : ends[i], i) < 0)
			return err_sys(e, "stream %d", i);
	return 0;
}

/* The kernel counts the descriptors in flight in sockets for each user, and a user with more of them than a process's
 * limit may send no more. A container's limit must be lower than ours, or a process that leaves descriptors in flight
 * would keep all other containers from starting. */
static void keep_descriptors(void)
{
	struct rlimit n;
	rlim_t ours;

	if (getrlimit(RLIMIT_NOFILE, &n) < 0)
		return;
	ours = n.rlim_max / 8 < KEPT_MOST ? n.rlim_max / 8 : KEPT_MOST;
	if (ours < KEPT_LEAST)
		return;
	n.rlim_max -= ours;
	if (n.rlim_cur > n.rlim_max)
		n.rlim_cur = n.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &n); /* less than it was */
}

static int set_rlimits(const struct plan *p, struct err *e)
{
	bool nofile = false;

	for (size_t i = 0; i < p->n_rlimits; i++) {
		const struct plan_rlimit *r = &p->rlimits[i];
		struct rlimit now, want = {r->soft, r->hard};

		nofile = nofile || r->resource == RLIMIT_NOFILE;
		/* A container cannot have a higher limit than the caller; cmd/ has warned of it. */
		if (getrlimit(r->resource, &now) == 0) {
			if (want.rlim_max > now.rlim_max)
				want.rlim_max = now.rlim_max;
			if (want.rlim_cur > want.rlim_max)
				want.rlim_cur = want.rlim_max;
		}
		if (setrlimit(r->resource, &want) < 0)
			return err_sys(e, "set a resource limit");
	}
	if (!nofile)
		keep_descriptors();
	/* The kernel counts processes for each user namespace (since 5.14): so this limits the processes of this
	 * container, with their threads, and no others. */
	if (p->pids > 0) {
		struct rlimit n = {(rlim_t)p->pids, (rlim_t)p->pids};

		if (setrlimit(RLIMIT_NPROC, &n) < 0)
			return err_sys(e, "--pids-limit");
	}
	return 0;
}

/* ---- another number ------------------------------------------------------------------- */

/* A child in a user namespace of its own. */
struct renamed {
	pid_t pid;
	int pidfd, process; /* process: its directory in the machine's /proc */
};

/* Enters a user namespace, tells its number in the machine's /proc, and becomes a program that does nothing: `to` closes. */
static void __attribute__((noreturn))
make_namespace(int proc, int hop, const struct plan *limits, int to, int until)
{
	struct err unused; /* the caller sets the same limits, and tells */
	char number[16];
	ssize_t n;

	if (limits)
		(void)set_rlimits(limits, &unused);
	if (syscall(SYS_unshare, CLONE_NEWUSER) < 0 ||
		(n = readlinkat(proc, "self", number, sizeof(number))) < 0 ||
		sys_write_all(to, number, (size_t)n) < 0 || dup2(until, 0) < 0)
		_exit(errno);
	sys_keep_only((int[]){0, to, hop}, 3);
	if (confine(CONFINE_WAIT, &unused) == 0)
		(void)hop_wait(hop);
	_exit(errno);
}

/* Its number; fails if it does not get so far. */
static int hear_number(int from, char *number, size_t size)
{
	struct pollfd told = {.fd = from, .events = POLLIN};
	size_t n = 0;
	ssize_t got = 0;

	/* Others may have stopped it, but not for ever. */
	while (n < size - 1 && poll(&told, 1, TELLS_MS) == 1 &&
		(got = sys_read(from, number + n, size - 1 - n)) > 0)
		n += (size_t)got;
	number[n] = '\0';
	return n > 0 && got == 0 && told.revents ? 0 : -1;
}

static int renamed_end(const struct renamed *r)
{
	int status = 0;

	(void)sys_pidfd_kill(r->pidfd, SIGKILL); /* it may have ended */
	(void)waitpid(r->pid, &status, __WALL);  /* our child */
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

static int renamed_begin(
	int proc, const struct plan *limits, struct renamed *r, int *until, struct err *e)
{
	auto_close int from = -1, to = -1, its = -1, hop = hop_open(e);
	struct clone_args args = {.flags = CLONE_PIDFD, .pidfd = (uint64_t)(uintptr_t)&r->pidfd};
	char number[16];

	if (hop < 0 && e->kind == ERR_DENIED)
		return err_set(e, ERR_DENIED,
			"vm.memfd_noexec=2 forbids a program in memory, which another user than root takes where one id is "
			"mapped: sudo sysctl -w vm.memfd_noexec=1");
	if (hop < 0)
		return -1;
	if (sys_pipe(&from, &to) < 0 || sys_pipe(&its, until) < 0)
		return err_sys(e, "pipe");
	r->pid = sys_clone3(&args); /* no signal at its end, which the caller may have us ignore */
	if (r->pid < 0)
		return err_sys(e, "a process for -u");
	if (r->pid == 0)
		make_namespace(proc, hop, limits, to, its);
	(void)close(take_fd(&to)); /* it has its own */
	if (hear_number(from, number, sizeof(number)) == 0 &&
		(r->process = openat(proc, number, O_PATH | O_DIRECTORY | O_CLOEXEC)) >= 0)
		return 0;
	errno = renamed_end(r);
	return err_sys(e, "a user namespace for -u");
}

static int put_map(int process, const char *file, const char *what, unsigned int id, struct err *e)
{
	char map[64];

	(void)snprintf(map, sizeof(map), "%u 0 1\n", id); /* always fits */
	return sys_put(process, file, map) < 0 ? err_sys(e, "map %s %u", what, id) : 0;
}

static int enter_namespace(int process, const struct identity *who, struct err *e)
{
	auto_close int ns = -1;

	(void)sys_put(process, "setgroups", "deny"); /* is denied already where it was inherited */
	if (put_map(process, "uid_map", "user", who->uid, e) < 0 ||
		put_map(process, "gid_map", "group", who->gid, e) < 0)
		return -1;
	ns = openat(process, "ns/user", O_RDONLY | O_CLOEXEC);
	return ns < 0 || sys_setns(ns, CLONE_NEWUSER) < 0
	               ? err_sys(e, "enter the user namespace for -u")
	               : 0;
}

/* The container's root owns the new namespace, and can trace who is in it, with all that this has open, as soon as that is
 * dumpable; but of a process that is not, the files in /proc belong to the machine's root, its maps too. So the namespace is made
 * by a child with nothing open that becomes an empty program, which anybody may look at. */
int become_renamed(int proc, const struct plan *limits, const struct identity *who, struct err *e)
{
	struct renamed r = {.pidfd = -1, .process = -1};
	auto_close int until = -1;
	int result = renamed_begin(proc, limits, &r, &until, e);

	if (result == 0) {
		result = enter_namespace(r.process, who, e);
		(void)renamed_end(&r); /* it was only to be looked at */
	}
	auto_close_(&r.process);
	auto_close_(&r.pidfd);
	return result;
}

static void reset_signals(bool hold)
{
	sigset_t set;

	sys_default_signals();
	(void)(hold ? sigfillset(&set) : sigemptyset(&set));
	(void)sigprocmask(SIG_SETMASK, &set, NULL); /* cannot fail with these arguments */
}

/* A session keyring is inherited, with the caller's tickets and keys in it, and no namespace separates it. With
 * docker's filter no process can ask for it, so this is needed only without: each keyring counts to the user's quota.
 * If the kernel refuses keyctl() here, it will refuse it inside, too. */
static int own_keyring(const struct plan *p, struct err *e)
{
	if (!p->seccomp_profile)
		return 0;
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) >= 0 || errno == ENOSYS || errno == EPERM)
		return 0;
	if (errno == EDQUOT)
		return err_set(e, ERR_DENIED,
			"no session keyring of its own: the user has as many keys as "
			"the sysctl kernel.keys.maxkeys lets him have");
	return err_sys(e, "a session keyring of its own");
}

/* With a range of ids, EINVAL means that the id is beyond it. */
static int not_become(const struct identity *who, struct err *e)
{
	if (errno != EINVAL)
		return err_sys(e, "become user %u, group %u", who->uid, who->gid);
	return err_set(e, ERR_SYSTEM,
		"user %u, group %u or another of its groups is none of the container's ids: /etc/subuid and /etc/subgid grant "
		"fewer (--ids one has any, one at a time)",
		who->uid, who->gid);
}

/* Drops to exactly the plan's capabilities after exec: exec makes the bounding set the permitted one for root, and
 * gives other users nothing. So the filter can be installed while CAP_SYS_ADMIN is held, without no_new_privs. */
static int drop_rights(const struct plan *p, const struct identity *who,
	const struct seccomp_filter *filter, struct err *e)
{
	bool one_id = p->fake_root;

	if (!one_id && setgroups(who->n_groups, who->groups) < 0)
		return not_become(who, e);
	if (caps_apply(p->caps, caps_all(), e) < 0)
		return -1;
	if (p->no_new_privs && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(e, "no-new-privileges");
	if (filter && filter->code && seccomp_install(filter, e) < 0)
		return -1;
	if (!one_id && (syscall(SYS_setresgid, who->gid, who->gid, who->gid) < 0 ||
			       syscall(SYS_setresuid, who->uid, who->uid, who->uid) < 0))
		return not_become(who, e);
	return 0;
}

/* ---- the command ---------------------------------------------------------------------- */

static bool runnable(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111);
}

/* The file that the name means: with a slash itself, else the first of that name in the container's PATH. */
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

static int exec_err(const char *name, const char *path, struct err *e)
{
	int sys = errno;

	return launch_exec_err(name, path, sys, access(path, F_OK) == 0, e);
}

bool become_may_be_refused(const struct plan *p)
{
	return p->seccomp_profile && strcmp(p->seccomp_profile, "unconfined") != 0;
}

static void reached(const struct become *b, bool is)
{
	if (b->reached)
		__atomic_store_n(b->reached, is, __ATOMIC_RELEASE);
}

static int exec_command(const struct plan *p, struct strv *env, const struct become *b, struct err *e)
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
	if (b->hop >= 0 && fcntl(b->sock, F_SETFD, 0) < 0)
		return exec_err(p->argv.v[0], path, e);
	reached(b, true);
	if (b->hop < 0)
		(void)execve(path, p->argv.v, env->v);
	else
		(void)hop_exec(b->hop, b->sock, b->first, path, p->argv.v, env->v);
	reached(b, false); /* it has yet to tell */
	return exec_err(p->argv.v[0], path, e);
}

/* As docker's runtime does: an empty HOME counts as unset, and each variable must have a name. */
static int make_env(const struct plan *p, const struct identity *who, struct strv *env, struct err *e)
{
	const char *home;

	strv_copy(env, &p->env);
	for (size_t i = 0; i < env->n; i++) {
		auto_buf struct buf word = {0};

		if (*env->v[i] != '=')
			continue;
		buf_quote(&word, env->v[i]);
		return err_set(e, ERR_NOT_EXECUTABLE,
			"environment variable name can't be empty: %s", word.s);
	}
	home = strv_env(env, "HOME");
	if (!home || !home[strlen("HOME=")]) {
		auto_free char *kv = xasprintf("HOME=%s", who->home);

		strv_env_set(env, kv);
	}
	return 0;
}

int become(const struct plan *p, const struct identity *who, const struct seccomp_filter *filter,
	const struct become *b, struct err *e)
{
	auto_strv struct strv env = {0};
	char byte;

	if (enter_workdir(p->workdir, b->first, e) < 0)
		return -1;
	if (setsid() < 0 && errno != EPERM)
		return err_sys(e, "setsid");
	if (set_streams(p, b->std, b->sock, b->first, e) < 0)
		return -1;
	if (p->fake_root && (who->uid != 0 || who->gid != 0) && b->proc >= 0 &&
		become_renamed(b->proc, p, who, e) < 0)
		return -1;
	if (set_rlimits(p, e) < 0) /* which may leave no room for another process */
		return -1;
	reset_signals(p->hold_signals);
	if (make_env(p, who, &env, e) < 0)
		return -1;
	/* Not only when exec closes them: until then they could be the way to the command. */
	sys_keep_only((int[]){0, 1, 2, b->sock, b->hop}, 5);
	if (own_keyring(p, e) < 0)
		return -1;
	if (fcntl(b->sock, F_SETFL, O_NONBLOCK) <
		0) /* otherwise the check for the parent below would wait for a message */
		return err_sys(e, "fcntl");
	if (drop_rights(p, who, filter, e) < 0)
		return -1;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return err_sys(e, "prctl");
	/* Who died before is not heard of any more. */
	if (b->parent ? getppid() != b->parent : read(b->sock, &byte, 1) == 0)
		raw_exit(127);
	return exec_command(p, &env, b, e);
}
