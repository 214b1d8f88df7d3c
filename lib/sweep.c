/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

#include "auto.h"
#include "pids.h"
#include "spent.h"
#include "sys.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Rounds in which nothing but killed processes may be seen before they are let alone: somebody who
 * does not wait for his child keeps it, and the kernel may have to finish with one. */
#define ROUNDS 200

/* Of a process whose first thread has ended the others are asked. */
static bool stat_of_threads(int dir, const char *ns, struct stat *st)
{
	int fd = openat(dir, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	bool found = false;

	if (!d) {
		auto_close_(&fd);
		return false;
	}
	for (struct dirent *at; !found && (at = readdir(d)) != NULL;) {
		char path[64];

		(void)snprintf(path, sizeof(path), "%.20s/%.40s", at->d_name, ns); /* fits */
		found = *at->d_name != '.' && fstatat(fd, path, st, 0) == 0;
	}
	(void)closedir(d); /* only read from */
	return found;
}

bool sweep_is_in(int dir, const char *ns, const struct stat *what)
{
	struct stat st;

	/* One that is dying has no namespaces any more. */
	if (!ns)
		return true;
	return (fstatat(dir, ns, &st, 0) == 0 || stat_of_threads(dir, ns, &st)) &&
	       st.st_ino == what->st_ino && st.st_dev == what->st_dev;
}

struct round {
	const char *ns;
	const struct stat *what;
	pid_t spare;
	bool any;
	struct spent *spent;
};

static void each(int proc, struct round *r, void (*call)(int dir, struct round *r))
{
	char self[24] = "";
	ssize_t len = readlinkat(proc, "self", self, sizeof(self) - 1);
	auto_close int list = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct pids all;

	self[len > 0 ? len : 0] = '\0';
	pids_begin(&all, list);
	for (const char *name; (name = pids_next(&all)) != NULL;) {
		auto_close int dir = -1;

		if (strcmp(name, self) == 0 || (r->spare && (pid_t)atoi(name) == r->spare))
			continue;
		/* Good for a signal as a pidfd is: the number cannot come to mean another one. */
		dir = openat(proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir >= 0 && sweep_is_in(dir, r->ns, r->what))
			call(dir, r);
	}
}

static void kill_one(int dir, struct round *r)
{
	r->any = sys_pidfd_kill(dir, SIGKILL) == 0 || r->any;
}

void sweep(int proc, const char *ns, const struct stat *what, pid_t spare)
{
	/* Processes appear in the order of their numbers: most that are forked meanwhile come later. */
	for (int i = 0; i < ROUNDS; i++) {
		struct round r = {.ns = ns, .what = what, .spare = spare};

		each(proc, &r, kill_one);
		if (!r.any)
			return;
		if (i > 1)
			(void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* shorter is fine */
	}
}

void sweep_once(int proc)
{
	struct round r = {0};

	each(proc, &r, kill_one);
}

/* Whose turn comes late where thousands want it: a shorter slice comes sooner. */
static bool follow(pid_t pid, int pidfd)
{
	int status = 0;

	if (pid < 0)
		return false;
	sys_short_slice(pid);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	auto_close_(&pidfd);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* No waiting for the next turn: the caller's processor is what its child has to have. */
static void __attribute__((noreturn)) kill_from_inside(int pidfd)
{
	int inside = -1;
	pid_t pid;

	sys_hide_args();
	if (sys_setns(pidfd, CLONE_NEWPID) < 0)
		_exit(1);
	pid = sys_fork(&inside);
	if (pid == 0)
		_exit(kill(-1, SIGKILL) < 0);
	_exit(!follow(pid, inside));
}

bool sweep_namespace(int pidfd)
{
	int child = -1;
	pid_t pid = sys_fork(&child);

	if (pid == 0)
		kill_from_inside(pidfd);
	return follow(pid, child);
}

static void add_time(int dir, struct round *r)
{
	struct spent_process p;
	char text[1024];

	if (sys_get(dir, "stat", text, sizeof(text)) > 0 && spent_parse(text, &p))
		spent_add(r->spent, &p);
}

bool sweep_still_there(struct spent_process *p, void *arg)
{
	struct spent_process now;
	char path[32], text[1024];

	(void)snprintf(path, sizeof(path), "%d/stat", (int)p->pid); /* fits */
	if (sys_get(*(int *)arg, path, text, sizeof(text)) <= 0 || !spent_parse(text, &now) ||
		now.start != p->start)
		return false;
	*p = now;
	return true;
}

int64_t sweep_cpu_ns(int proc, const char *ns, const struct stat *what, struct spent *spent)
{
	struct round r = {.ns = ns, .what = what, .spent = spent};

	each(proc, &r, add_time);
	spent_look(spent, sweep_still_there, &proc);
	return (int64_t)(spent_ticks(spent, SPENT_USER) + spent_ticks(spent, SPENT_SYSTEM)) *
	       (1000000000 / sysconf(_SC_CLK_TCK));
}

void sweep_signal(int proc, pid_t pid, const char *ns, const struct stat *what, int signo)
{
	char name[24];
	auto_close int dir = -1;

	(void)snprintf(name, sizeof(name), "%d", (int)pid); /* fits */
	dir = openat(proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0 && sweep_is_in(dir, ns, what))
		(void)sys_pidfd_kill(dir, signo); /* it has ended */
}
