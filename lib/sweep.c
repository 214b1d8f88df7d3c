/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

#include "auto.h"
#include "pids.h"
#include "procs.h"
#include "raw.h"
#include "spent.h"
#include "sys.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Rounds in a row with only killed processes after which these are left alone: a parent may not reap its child, or the
 * kernel may need long to end one. */
#define ROUNDS      200
#define HELD_ROUNDS 20

static void nap(void)
{
	(void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* shorter is fine */
}

/* HIDDEN: it is another user's, or gone. */
enum is { OUT, HIDDEN, IN, UNKNOWN };

/* For a process whose first thread has ended, the other threads are examined. open: to be opened, too; or NULL. */
static enum is stat_of_threads(int dir, const char *ns, struct stat *st, int *open)
{
	int fd = openat(dir, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	enum is found = HIDDEN;

	if (!d) {
		found = procs_not_ours(errno) ? HIDDEN : UNKNOWN;
		auto_close_(&fd);
		return found;
	}
	for (;;) {
		const struct dirent *at;
		char path[64];

		errno = 0;
		at = readdir(d);
		if (!at && errno && !procs_not_ours(errno))
			found = UNKNOWN;
		if (!at)
			break;
		if (*at->d_name == '.')
			continue;
		(void)snprintf(path, sizeof(path), "%.20s/%.40s", at->d_name, ns); /* fits */
		if (open && (*open = openat(fd, path, O_RDONLY | O_CLOEXEC)) >= 0) {
			found = IN;
			break;
		}
		if (!open && fstatat(fd, path, st, 0) == 0) {
			found = IN;
			break;
		}
		if (!procs_not_ours(errno))
			found = UNKNOWN;
	}
	(void)closedir(d); /* only read from */
	return found;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

static enum is where_is(int dir, const char *ns, const struct stat *what)
{
	enum is found = IN;
	struct stat st;

	/* One that is dying has no namespaces any more. */
	if (ns && fstatat(dir, ns, &st, 0) < 0)
		found = procs_not_ours(errno) ? stat_of_threads(dir, ns, &st, NULL) : UNKNOWN;
	if (ns && found == IN && !is_same(&st, what))
		return OUT;
	return found;
}

/* Whether a process's user namespace is `users`, or below that. */
static enum is where_below(int dir, const struct stat *users)
{
	auto_close int ns = openat(dir, "ns/user", O_RDONLY | O_CLOEXEC);
	enum is found = IN;
	struct stat st;

	if (ns < 0)
		found = procs_not_ours(errno) ? stat_of_threads(dir, "ns/user", NULL, &ns) : UNKNOWN;
	while (found == IN && (fstat(ns, &st) < 0 || !is_same(&st, users))) {
		int parent = sys_userns_above(ns);

		if (parent < 0)
			found = errno == EPERM ? OUT : UNKNOWN; /* EPERM: we are not above it */
		else
			(void)close(ns); /* only asked */
		ns = parent < 0 ? ns : parent;
	}
	return found;
}

bool sweep_is_in(int dir, const char *ns, const struct stat *what)
{
	return where_is(dir, ns, what) == IN;
}

bool sweep_may_be_below(int dir, const struct stat *users)
{
	enum is is = where_below(dir, users);

	return is == IN || is == UNKNOWN;
}

static bool is_spared(const pid_t *spare, const char *name)
{
	pid_t pid = spare ? (pid_t)atoi(name) : 0;

	return pid && (pid == spare[0] || pid == spare[1]);
}

int sweep_proc(void)
{
	int proc = -1;

	for (int i = 0; i < ROUNDS && proc < 0; i++) {
		if (i > 0)
			nap();
		proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (proc < 0 && procs_not_ours(errno))
			break;
	}
	return proc;
}

bool sweep_each(const struct sweep *of, void (*call)(int dir, void *arg), void *arg)
{
	char self[24] = "";
	ssize_t len = readlinkat(of->proc, "self", self, sizeof(self) - 1);
	bool all_seen = true;
	auto_close int list = -1;
	struct pids all;

	/* Where it does not show the caller there is none. */
	if (len < 0 && !procs_not_ours(errno))
		return false;
	self[len > 0 ? len : 0] = '\0';
	list = openat(of->proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (list < 0)
		return false;
	pids_begin(&all, list);
	for (const char *name; (name = pids_next(&all)) != NULL;) {
		auto_close int dir = -1;
		enum is is;

		if (strcmp(name, self) == 0 || is_spared(of->spare, name))
			continue;
		/* Good for a signal as a pidfd is: the number cannot come to mean another one. */
		dir = openat(of->proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		is = dir >= 0                ? where_is(dir, of->ns, of->what)
		     : procs_not_ours(errno) ? HIDDEN
		                             : UNKNOWN;
		if (is == OUT && of->users)
			is = where_below(dir, of->users);
		if (is == IN)
			call(dir, arg);
		all_seen = all_seen && is != UNKNOWN;
	}
	return all_seen && all.n >= 0;
}

struct killing {
	bool any;
	bool late; /* who is held then is let alone */
};

static void kill_one(int dir, void *arg)
{
	struct killing *k = arg;

	if (sys_pidfd_kill(dir, SIGKILL) == 0 && !(k->late && sys_is_held(dir, ".")))
		k->any = true;
}

void sweep(const struct sweep *of)
{
	if (of->proc < 0)
		return;
	/* Processes appear in the order of their numbers: most that are forked meanwhile come later. */
	for (int i = 0; i < ROUNDS; i++) {
		struct killing k = {.late = i > HELD_ROUNDS};

		/* Nobody is left only if all could be looked at. */
		if (sweep_each(of, kill_one, &k) && !k.any)
			return;
		if (i > 1)
			nap();
	}
}

void sweep_once(const struct sweep *of)
{
	struct killing k = {.any = false};

	/* Those who are not seen die with the first one, or are seen by a later sweep. */
	(void)sweep_each(of, kill_one, &k);
}

/* Runs in the caller's memory, while the caller goes on: must not touch errno. */
SYS_OTHER_STACK static int kill_all(void *unused)
{
	(void)unused;
	return raw_call(SYS_kill, -1, SIGKILL, 0, 0) < 0;
}

bool sweep_namespace(int pidfd)
{
	static char stack[4 * 4096] __attribute__((aligned(16)));
	auto_close int ours = open("/proc/thread-self/ns/pid", O_RDONLY | O_CLOEXEC);
	int status = -1;
	pid_t pid;

	if (ours < 0 || sys_setns(pidfd, CLONE_NEWPID) < 0)
		return false;
	sys_hide_args(); /* processes inside see our command line as the child's */
	pid = clone(kill_all, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	if (pid > 0)
		sys_short_slice(pid); /* among thousands of processes it would get the processor late: a shorter slice gets it sooner */
	(void)sys_setns(ours, CLONE_NEWPID); /* where one always may go back to */
	/* Processes inside may stop it, as the kernel does not kill them yet while somebody holds the first one on its way out. */
	while (pid > 0 && (waitpid(pid, &status, WUNTRACED) < 0 ? errno == EINTR : WIFSTOPPED(status)))
		if (WIFSTOPPED(status))
			(void)kill(pid, SIGKILL); /* our child */
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void add_time(int dir, void *arg)
{
	struct spent_process p;
	char text[1024];

	if (sys_get(dir, "stat", text, sizeof(text)) > 0 && spent_parse(text, &p))
		spent_add(arg, &p);
}

bool sweep_still_there(struct spent_process *p, void *arg)
{
	struct spent_process now;
	char path[32], text[1024];
	ssize_t len;

	(void)snprintf(path, sizeof(path), "%d/stat", (int)p->pid); /* fits */
	len = sys_get(*(int *)arg, path, text, sizeof(text));
	if (len < 0)
		return !procs_not_ours(errno); /* not known: as it was */
	if (len == 0 || !spent_parse(text, &now) || now.start != p->start)
		return false;
	*p = now;
	return true;
}

int64_t sweep_cpu_ns(const struct sweep *of, struct spent *spent)
{
	int proc = of->proc;

	(void)sweep_each(of, add_time, spent); /* sweep_still_there() keeps those whom it did not see */
	spent_look(spent, sweep_still_there, &proc);
	return (int64_t)(spent_ticks(spent, SPENT_USER) + spent_ticks(spent, SPENT_SYSTEM)) *
	       (1000000000 / sysconf(_SC_CLK_TCK));
}

void sweep_signal(const struct sweep *of, pid_t pid, int signo)
{
	char name[24];
	auto_close int dir = -1;

	(void)snprintf(name, sizeof(name), "%d", (int)pid); /* fits */
	dir = openat(of->proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0 && sweep_is_in(dir, of->ns, of->what))
		(void)sys_pidfd_kill(dir, signo); /* it has ended */
}
