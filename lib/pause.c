/* SPDX-License-Identifier: Apache-2.0 */
#include "pause.h"

#include "auto.h"
#include "cgroup.h"
#include "launch.h"
#include "pids.h"
#include "procs.h"
#include "sys.h"
#include "turns.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>

#define CGROUP2_SUPER_MAGIC 0x63677270
#define PREFIX              "sbx-pause-"

enum {
	ROUNDS = 2000, /* of a millisecond: then something does not want to stand still */
	HELPER_MS = 1000,
	TRIES = 100,
	STILL = 5, /* looks in a row: a single one misses a process that forks and ends during the look, and its child */
};

static void nap(void)
{
	struct timespec ms = {.tv_nsec = 1000000};

	(void)nanosleep(&ms, NULL); /* a shorter one is as good */
}

/* ---- by the freezer of control groups, version 2 ----
 *
 * A group of our own below the container's, so that its limits stay. Not the freezer of version 1: what it
 * has frozen cannot be killed, so no time limit and no `rm -f` could end a paused container.
 */

/* The directory of its group of version 2; NULL: none that we see. */
static char *group_of(pid_t pid)
{
	static const char *const mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	char path[40], text[4096], *line;
	struct statfs fs;

	(void)snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid); /* fits */
	if (sys_get(AT_FDCWD, path, text, sizeof(text)) <= 0)
		return NULL;
	line = str_starts(text, "0::") ? text : strstr(text, "\n0::");
	if (!line)
		return NULL;
	line = strstr(line, "0::") + 3;
	line[strcspn(line, "\n")] = '\0';
	if (strstr(line, "/.."))
		return NULL; /* outside of what this cgroup namespace shows */
	for (size_t i = 0; i < ARRAY_LEN(mounts); i++)
		if (statfs(mounts[i], &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC)
			return xasprintf("%s%s", mounts[i], line);
	return NULL;
}

/* Groups of containers which were killed while they were paused: empty ones go. */
static void sweep(int base)
{
	auto_strv struct strv names = {0};

	(void)sys_names(base, &names); /* with as many names as could be read */
	for (size_t i = 0; i < names.n; i++)
		if (str_starts(names.v[i], PREFIX))
			(void)unlinkat(base, names.v[i], AT_REMOVEDIR); /* fails if there are processes in it */
}

static bool put_pid(int dir, const char *file, pid_t pid)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", (int)pid); /* fits */
	return sys_put(dir, file, text) == 0;
}

/* Moves the processes into a group that is frozen already: each one that comes in stops, and forks no more. */
static bool move_all(const struct state *st, int group)
{
	struct err unused;

	for (int round = 0; round < ROUNDS; round++) {
		auto_free struct proc *list = NULL;
		char events[256];
		size_t n = 0;

		if (procs_list(st, &list, &n, &unused) < 0)
			return false;
		for (size_t i = 0; i < n; i++)
			if (list[i].state != 'Z' && !put_pid(group, "cgroup.procs", list[i].pid) &&
				errno != ESRCH)
				return false;
		/* the second round shows whether a process was forked outside meanwhile */
		if (round > 0 && sys_get(group, "cgroup.events", events, sizeof(events)) > 0 &&
			strstr(events, "frozen 1"))
			return true;
		nap();
	}
	return false;
}

static bool move_back(const struct state *st, int base)
{
	auto_free struct proc *list = NULL;
	struct err unused;
	size_t n = 0;

	if (procs_list(st, &list, &n, &unused) < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		(void)put_pid(base, "cgroup.procs", list[i].pid); /* it may have ended */
	return true;
}

/* NULL: no freezer for us here. */
static char *freeze_group(const struct state *st)
{
	auto_free char *base = group_of(st->pid), *name = xasprintf(PREFIX "%.12s", st->id);
	auto_close int dir = base ? open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	auto_close int group = -1;

	if (dir < 0)
		return NULL;
	sweep(dir);
	if (mkdirat(dir, name, 0700) < 0 && errno != EEXIST)
		return NULL;
	group = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (group >= 0 && sys_put(group, "cgroup.freeze", "1") == 0 && move_all(st, group))
		return take(base);
	if (group >= 0)
		(void)sys_put(group, "cgroup.freeze", "0"); /* no process may stay frozen in there */
	(void)move_back(st, dir);
	(void)unlinkat(dir, name, AT_REMOVEDIR); /* a later sweep finds it */
	return NULL;
}

static int thaw_group(const struct state *st, const char *base, struct err *e)
{
	auto_free char *name = xasprintf(PREFIX "%.12s", st->id);
	auto_close int dir = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_close int group =
		dir < 0 ? -1 : openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	/* Out of the group first: then no process in it forks, and it becomes empty. */
	if (group >= 0)
		(void)move_back(st, dir); /* processes that cannot be moved go on in there */
	if (group < 0 || sys_put(group, "cgroup.freeze", "0") < 0)
		return err_sys(e, "thaw %s/%s", base, name);
	(void)unlinkat(dir, name, AT_REMOVEDIR); /* a later sweep finds it */
	return 0;
}

/* ---- by signals ---- */

static bool stands(const struct proc *p)
{
	return strchr("TtZXx", p->state) != NULL;
}

/* A pid is checked after its pidfd was opened: then it is that process or none. False: it is there, or may be, and does not
 * have the signal. */
static bool signal_one(const struct proc *p, int signo)
{
	auto_close int pidfd = sys_pidfd_open(p->pid);
	struct proc now;

	if (pidfd < 0)
		return procs_gone(errno);
	if (!procs_read(p->pid, &now))
		return procs_gone(errno);
	return now.start != p->start || sys_pidfd_kill(pidfd, signo) == 0 || procs_gone(errno);
}

static json_t *already_stopped(const struct proc *list, size_t n)
{
	json_t *pids = json_array();

	for (size_t i = 0; i < n; i++)
		if (list[i].state == 'T')
			(void)json_array_append_new(pids, json_integer(list[i].pid)); /* memory */
	return pids;
}

/* Our processes that are inside because of execs, of this or another container, must not be stopped, and are on no
 * list; but a signal to all reaches them as well. */
static bool continue_ours_once(void)
{
	auto_close int dir = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool all_seen = true;
	struct pids all;

	if (dir < 0)
		return false;
	pids_begin(&all, dir);
	for (const char *name; (name = pids_next(&all)) != NULL;) {
		pid_t pid = atoi(name);
		struct proc p;

		if (!procs_read(pid, &p))
			all_seen = all_seen && procs_gone(errno);
		else if (p.state == 'T' && str_eq(p.comm, LAUNCH_SHIM) && procs_is_hidden(pid))
			all_seen = signal_one(&p, SIGCONT) && all_seen;
	}
	return all_seen && all.n >= 0;
}

static void continue_ours(void)
{
	/* For want of descriptors or memory not all may have been seen. */
	for (int i = 0; i < TRIES && !continue_ours_once(); i++)
		nap();
}

static void __attribute__((noreturn)) stop_from_inside(int userns, int pid1)
{
	pid_t pid;

	sys_hide_args();
	(void)prctl(PR_SET_DUMPABLE, 0);
	if (sys_setns(userns, CLONE_NEWUSER) < 0 || sys_setns(pid1, CLONE_NEWPID) < 0)
		_exit(1);
	pid = fork();
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)kill(-1, SIGSTOP); /* all but pid 1 and us */
		_exit(0);
	}
	(void)waitpid(pid, NULL, 0); /* as far as processes inside let it */
	_exit(0);
}

/* One call makes the kernel signal a whole pid namespace, so that no process forks meanwhile. If that fails, or
 * processes inside prevent it, the looks that follow stop them one by one. */
static void stop_at_once(const struct state *st)
{
	auto_close int pid1 = sys_pidfd_open(st->pid), userns = sys_owner_userns(pid1, st->pid);
	auto_close int helper = -1;
	struct pollfd gone;
	pid_t pid;

	if (pid1 < 0 || userns < 0 || procs_own_namespace(st->pid) != 1 ||
		sys_start_time(st->pid) != st->pid_start)
		return;
	(void)sys_pidfd_kill(pid1, SIGSTOP); /* it may have ended */
	pid = sys_fork(&helper);
	if (pid == 0)
		stop_from_inside(userns, pid1);
	if (pid < 0)
		return;
	gone = (struct pollfd){.fd = helper, .events = POLLIN};
	if (poll(&gone, 1, HELPER_MS) <= 0)
		(void)sys_pidfd_kill(helper, SIGKILL); /* our child, not yet waited for */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	continue_ours();
}

/* Parents before children, so that no shell sees its child stop. One that waits in the kernel (D) has the
 * signal pending and will not come back to its own code. */
static int stop_all(const struct state *st, json_t **stopped, struct err *e)
{
	for (int round = 0, still = 0; round < ROUNDS; round++) {
		auto_free struct proc *list = NULL;
		size_t n = 0, running = 0;

		if (procs_list(st, &list, &n, e) < 0)
			return -1;
		if (round == 0) {
			*stopped = already_stopped(list, n);
			stop_at_once(st);
		}
		for (size_t i = 0; i < n; i++) {
			if (stands(&list[i]))
				continue;
			running += round == 0 || list[i].state != 'D';
			(void)signal_one(&list[i], SIGSTOP); /* the next look shows it */
		}
		still = running ? 0 : still + 1;
		if (still == STILL)
			return 0;
		if (running)
			nap();
	}
	return err_set(e, ERR_SYSTEM, "its processes do not stop");
}

static bool holds(const json_t *pids, pid_t pid)
{
	json_t *v;
	size_t i;

	json_array_foreach(pids, i, v)
	{
		if (json_integer_value(v) == pid)
			return true;
	}
	return false;
}

/* Children before parents, for the same reason. */
static int continue_all(const struct state *st, const json_t *stopped, struct err *e)
{
	bool all_go = false;

	for (int i = 0; i < TRIES && !all_go; i++) {
		auto_free struct proc *list = NULL;
		size_t n = 0;

		if (i > 0)
			nap();
		if (procs_list(st, &list, &n, e) < 0)
			return -1;
		all_go = true;
		for (size_t k = n; k-- > 0;)
			if (!holds(stopped, list[k].pid))
				all_go = signal_one(&list[k], SIGCONT) && all_go;
	}
	continue_ours(); /* of a pause that was killed */
	return all_go ? 0 : err_set(e, ERR_SYSTEM, "its processes cannot be told to go on");
}

/* ---- */

/* Its own group, where its limits made one. */
static int freeze_own(const struct state *st, bool freeze, struct err *e)
{
	auto_cgroup struct cgroup c = {0};

	if (!cgroup_from_json(&c, json_object_get(st->extra, "cgroup")))
		return err_set(e, ERR_UNSUPPORTED, "no control group");
	return cgroup_freeze(&c, freeze, e);
}

json_t *pause_begun(void)
{
	return json_pack("{s:b}", "begun", 1);
}

/* Nobody knows how far it came. */
static int thaw_whatever(const struct state *st, struct err *e)
{
	auto_free char *base = group_of(st->pid);
	char *frozen = base ? strstr(base, "/" PREFIX) : NULL;
	struct err unused; /* of ways that were not taken */

	if (frozen)
		*frozen = '\0';
	if (freeze_own(st, false, e) < 0 && e->kind != ERR_UNSUPPORTED)
		return -1;
	if (frozen && thaw_group(st, base, e) < 0)
		return -1;
	if (base && !frozen)
		(void)thaw_group(st, base, &unused);
	return continue_all(st, NULL, e);
}

int pause_freeze(const struct store *s, const struct state *st, json_t **how, struct err *e)
{
	auto_json json_t *stopped = NULL;
	auto_free char *base = NULL;
	auto_close int turns = -1;

	if (freeze_own(st, true, e) == 0) {
		*how = json_pack("{s:b}", "own", 1);
		return 0;
	}
	base = freeze_group(st);
	if (base) {
		*how = json_pack("{s:s}", "cgroup", base);
		return 0;
	}
	turns = turns_open(s);
	if (turns_pause(turns, e) < 0)
		return -1;
	if (stop_all(st, &stopped, e) < 0) {
		struct err unused;

		if (continue_all(st, stopped, &unused) < 0) /* as it was before */
			*how = pause_begun();
		return -1;
	}
	*how = json_pack("{s:O}", "stopped", stopped);
	return 0;
}

int pause_thaw(const struct state *st, const json_t *how, struct err *e)
{
	const char *base = json_str(how, "cgroup", NULL);

	if (json_bool(how, "begun", false))
		return thaw_whatever(st, e);
	if (json_bool(how, "own", false))
		return freeze_own(st, false, e);
	return base ? thaw_group(st, base, e) : continue_all(st, json_object_get(how, "stopped"), e);
}
