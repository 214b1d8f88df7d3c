/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup.h"

#include "auto.h"
#include "cgroup_place.h"
#include "plan.h"
#include "scope.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

const char *const cgroup_way_names[CGROUP_WAYS] = {
	[CGROUP_NONE] = "none",
	[CGROUP_V2] = "cgroup2",
	[CGROUP_SYSTEMD] = "systemd",
	[CGROUP_V1] = "cgroup1",
};

/* clang-format off */
static const struct {
	unsigned int limit, controller;
} needs[] = {
	{ HOLDS_MEMORY,      CG_MEMORY },
	{ HOLDS_SWAP,        CG_MEMORY },
	{ HOLDS_RESERVATION, CG_MEMORY },
	{ HOLDS_SWAPPINESS,  CG_MEMORY },
	{ HOLDS_PIDS,        CG_PIDS },
	{ HOLDS_CPUS,        CG_CPU },
	{ HOLDS_SHARES,      CG_CPU },
	{ HOLDS_CPUSET,      CG_CPUSET },
};
/* clang-format on */

static unsigned int controllers_for(unsigned int limits)
{
	unsigned int all = 0;

	for (size_t i = 0; i < ARRAY_LEN(needs); i++)
		if (limits & needs[i].limit)
			all |= needs[i].controller;
	return all;
}

/* The limits of p that a group would hold; 0: no group is needed. root: we are the machine's root, whose processes
 * RLIMIT_NPROC does not count. */
static unsigned int limits_of(const struct plan *p, bool root)
{
	unsigned int all = 0;

	if (p->memory)
		all |= HOLDS_MEMORY;
	if (p->memory_swap)
		all |= HOLDS_SWAP;
	if (p->memory_reservation)
		all |= HOLDS_RESERVATION;
	if (p->memory_swappiness >= 0)
		all |= HOLDS_SWAPPINESS;
	if (p->cpu_quota_us)
		all |= HOLDS_CPUS;
	if (p->cpu_shares)
		all |= HOLDS_SHARES;
	if (p->cpuset_cpus || p->cpuset_mems)
		all |= HOLDS_CPUSET;
	/* RLIMIT_NPROC counts processes exactly and for nothing, except those of the machine's root. */
	if (p->pids && (root || all))
		all |= HOLDS_PIDS;
	return all;
}

/* ---- open ----------------------------------------------------------------------------- */

void cgroup_open(struct cgroup *c, const char *id, const struct plan *p, bool root)
{
	unsigned int wants = controllers_for(limits_of(p, root));
	auto_free char *name = NULL;

	*c = (struct cgroup){.way = CGROUP_NONE};
	if (!wants)
		return;
	name = xasprintf(CGROUP_PREFIX "%.64s", id);
	/* If the old hierarchies have the controllers, the unified one has none. */
	if (place_v2(c, name, wants, PLACE_ANYWHERE) == 0)
		c->way = CGROUP_V2;
	else if (place_v2_wanted() && scope_ask(name, scope_ms(), &c->scope) == 0 &&
		 place_v2(c, name, wants, PLACE_BELOW_US) == 0)
		c->way = CGROUP_SYSTEMD;
	else if (place_v1(c, name, wants) == 0)
		c->way = CGROUP_V1;
	if (c->way != CGROUP_NONE)
		cgroup_set(c, p);
}

int cgroup_clone_fd(const struct cgroup *c)
{
	return c->way == CGROUP_V2 || c->way == CGROUP_SYSTEMD ? c->dirs[0].fd : -1;
}

/* Only systemd may move a process from a control group outside of the scope. */
static int enter_dir(const struct cgroup *c, const struct cgroup_dir *d, pid_t pid, struct err *e)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%d", (int)pid); /* fits */
	if (sys_put(d->fd, "cgroup.procs", text) == 0 ||
		(c->way == CGROUP_SYSTEMD && c->scope &&
			scope_attach(c->scope, strrchr(d->path, '/'), pid, scope_ms()) == 0))
		return 0;
	return err_sys(e, "join the container's control group %s", d->path);
}

int cgroup_enter(const struct cgroup *c, pid_t pid, struct err *e)
{
	for (int i = 0; i < c->n; i++)
		if (enter_dir(c, &c->dirs[i], pid, e) < 0)
			return -1;
	return 0;
}

/* ---- widen ---------------------------------------------------------------------------- */

static void rest(void)
{
	(void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* shorter does no harm */
}

static void remove_dir(const char *path)
{
	/* Killed processes count until their parents reap them. */
	for (int i = 0; rmdir(path) < 0 && errno == EBUSY && i < 50; i++)
		rest();
}

static unsigned int controllers_of(const struct cgroup *c)
{
	unsigned int all = 0;

	for (int i = 0; i < c->n; i++)
		all |= c->dirs[i].controllers;
	return all;
}

static void drop_from(struct cgroup *c, int n)
{
	while (c->n > n) {
		struct cgroup_dir *d = &c->dirs[--c->n];

		remove_dir(d->path);
		(void)close(d->fd); /* a directory */
		free(take(d->path));
	}
}

void cgroup_widen(struct cgroup *c, const char *id, const struct plan *p, bool root, bool runs)
{
	unsigned int wants = controllers_for(limits_of(p, root)) & ~controllers_of(c);
	auto_free char *name = xasprintf(CGROUP_PREFIX "%.64s", id);
	bool none = c->n == 0;

	if (runs)
		wants &= ~(unsigned int)CG_MEMORY;
	if (wants && !none && c->way != CGROUP_V1)
		place_v2_more(&c->dirs[0], wants); /* where all are already */
	else if (wants && none && place_v2(c, name, wants, PLACE_ANYWHERE) == 0)
		c->way = CGROUP_V2;
	else if (wants && place_v1(c, name, wants) == 0)
		c->way = CGROUP_V1;
	c->late = c->late || (none && runs);
}

bool cgroup_settle(struct cgroup *c, int had, pid_t first)
{
	struct err unused;

	for (int i = had; i < c->n; i++)
		if (enter_dir(c, &c->dirs[i], first, &unused) < 0)
			drop_from(c, i);
	if (c->n == 0)
		c->way = CGROUP_NONE;
	return c->n > had;
}

static bool is_inside(const struct cgroup *c, pid_t pid)
{
	const char *name = strrchr(c->dirs[0].path, '/');
	auto_free char *path = xasprintf("/proc/%d/cgroup", (int)pid), *text = sys_text(path);
	int found = 0;

	for (const char *at = text; at && (at = strstr(at, name)) != NULL; at++)
		found++;
	return found >= c->n; /* a line for each hierarchy */
}

bool cgroup_fetch(const struct cgroup *c, pid_t pid)
{
	struct err unused; /* it may have ended; and who is dead, but not waited for, stays outside */

	return c->n > 0 && !is_inside(c, pid) && cgroup_enter(c, pid, &unused) == 0 && is_inside(c, pid);
}

/* ---- what it says --------------------------------------------------------------------- */

static const struct cgroup_dir *dir_of(const struct cgroup *c, unsigned int controller)
{
	for (int i = 0; i < c->n; i++)
		if (c->dirs[i].controllers & controller)
			return &c->dirs[i];
	return NULL;
}

static int64_t number(const struct cgroup_dir *d, const char *name)
{
	char text[64], *end;
	long long n;

	if (!d || sys_get(d->fd, name, text, sizeof(text)) <= 0)
		return -1;
	n = strtoll(text, &end, 10);
	return end == text ? -1 : n; /* "max" */
}

/* The number behind "key " at the beginning of a line. */
static int64_t keyed(const struct cgroup_dir *d, const char *name, const char *key)
{
	char text[4096];
	size_t n = strlen(key);

	if (!d || sys_get(d->fd, name, text, sizeof(text)) <= 0)
		return -1;
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (strncmp(line, key, n) == 0 && line[n] == ' ')
			return strtoll(line + n, NULL, 10);
	return -1;
}

static void stats_v2(const struct cgroup *c, struct cgroup_stats *out)
{
	const struct cgroup_dir *memory = dir_of(c, CG_MEMORY), *pids = dir_of(c, CG_PIDS);
	int64_t user = keyed(&c->dirs[0], "cpu.stat", "user_usec");
	int64_t system = keyed(&c->dirs[0], "cpu.stat", "system_usec");

	out->memory = number(memory, "memory.current");
	out->memory_peak = number(memory, "memory.peak");
	out->ooms = keyed(memory, "memory.events", "oom_kill");
	out->pids = number(pids, "pids.current");
	out->pids_peak = number(pids, "pids.peak");
	out->pids_refused = keyed(pids, "pids.events", "max");
	out->user_ns = user < 0 ? -1 : user * 1000;
	out->system_ns = system < 0 ? -1 : system * 1000;
}

static void stats_v1(const struct cgroup *c, struct cgroup_stats *out)
{
	const struct cgroup_dir *memory = dir_of(c, CG_MEMORY), *pids = dir_of(c, CG_PIDS);

	out->memory = number(memory, "memory.usage_in_bytes");
	out->memory_peak = number(memory, "memory.max_usage_in_bytes");
	out->ooms = keyed(memory, "memory.oom_control", "oom_kill");
	out->pids = number(pids, "pids.current");
	out->pids_refused = keyed(pids, "pids.events", "max");
}

void cgroup_stats(const struct cgroup *c, struct cgroup_stats *out)
{
	*out = (struct cgroup_stats){-1, -1, -1, -1, -1, -1, -1, -1};
	if (c->n == 0)
		return;
	if (c->way == CGROUP_V1)
		stats_v1(c, out);
	else
		stats_v2(c, out);
	if (c->late)
		out->user_ns = out->system_ns = out->pids_peak = -1;
}

/* ---- freeze, kill --------------------------------------------------------------------- */

int cgroup_freeze(const struct cgroup *c, bool freeze, struct err *e)
{
	if (c->n == 0 || c->way == CGROUP_V1)
		return err_set(e, ERR_UNSUPPORTED, "no control group which can freeze");
	if (sys_put(c->dirs[0].fd, "cgroup.freeze", freeze ? "1" : "0") < 0)
		return err_sys(e, "%s %s", freeze ? "freeze" : "thaw", c->dirs[0].path);
	/* A process inside a system call freezes only when that is over. */
	for (int i = 0; freeze && i < 100 && keyed(&c->dirs[0], "cgroup.events", "frozen") != 1; i++)
		rest();
	return 0;
}

static bool signal_all(const struct cgroup_dir *d)
{
	char text[65536], *at = text, *end;
	bool any = false;

	if (sys_get_numbers(d->fd, "cgroup.procs", text, sizeof(text)) <= 0)
		return false;
	for (pid_t pid; (pid = (pid_t)strtol(at, &end, 10)) > 0 && end != at; at = end)
		any = kill(pid, SIGKILL) == 0 || any; /* one which has ended is fine */
	return any;
}

void cgroup_kill(const struct cgroup *c)
{
	struct err e;

	if (c->n == 0 || (c->way != CGROUP_V1 && sys_put(c->dirs[0].fd, "cgroup.kill", "1") == 0))
		return;
	/* Kernels before 5.14, and v1: frozen processes cannot fork while the list is read; without a freezer, repeats
	 * until none is left. */
	(void)cgroup_freeze(c, true, &e);
	for (int i = 0; i < 100 && signal_all(&c->dirs[0]); i++)
		rest();
	(void)cgroup_freeze(c, false, &e); /* it was not frozen */
}

/* ---- the end -------------------------------------------------------------------------- */

void cgroup_remove(struct cgroup *c)
{
	for (int i = 0; i < c->n; i++)
		remove_dir(c->dirs[i].path);
	cgroup_done(c);
}

void cgroup_done(struct cgroup *c)
{
	for (int i = 0; i < c->n; i++) {
		(void)close(c->dirs[i].fd); /* a directory */
		free(c->dirs[i].path);
	}
	free(take(c->scope));
	c->n = 0;
}

/* ---- for others ----------------------------------------------------------------------- */

json_t *cgroup_to_json(const struct cgroup *c)
{
	json_t *j, *dirs;

	if (c->n == 0)
		return NULL;
	j = json_object();
	dirs = json_array();
	for (int i = 0; i < c->n; i++)
		(void)json_array_append_new(dirs,
			json_pack("{s:s, s:i}", "path", c->dirs[i].path, "controllers",
				(int)c->dirs[i].controllers)); /* only memory can fail, here and below */
	(void)json_object_set_new(j, "way", json_integer(c->way));
	(void)json_object_set_new(j, "holds", json_integer(c->holds));
	(void)json_object_set_new(j, "dirs", dirs);
	(void)json_object_set_new(j, "late", json_boolean(c->late));
	if (c->scope)
		(void)json_object_set_new(j, "scope", json_string(c->scope));
	return j;
}

bool cgroup_from_json(struct cgroup *c, const json_t *j)
{
	const json_t *one;
	const char *scope = json_str(j, "scope", NULL);
	size_t i;

	*c = (struct cgroup){.way = (enum cgroup_way)json_int(j, "way", CGROUP_NONE)};
	if (c->way <= CGROUP_NONE || c->way >= CGROUP_WAYS)
		return false;
	json_array_foreach(json_object_get(j, "dirs"), i, one)
	{
		const char *path = json_str(one, "path", "");
		int fd;

		/* Takes nothing but what cgroup_open() can have made, whatever the file says. */
		if (c->n == CGROUP_DIRS || path[0] != '/' ||
			!str_starts(strrchr(path, '/'), "/" CGROUP_PREFIX))
			continue;
		fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (fd < 0)
			continue; /* it is gone already */
		c->dirs[c->n++] = (struct cgroup_dir){
			xstrdup(path), fd, (unsigned int)json_int(one, "controllers", 0)};
	}
	c->holds = (unsigned int)json_int(j, "holds", 0);
	c->scope = scope ? xstrdup(scope) : NULL;
	c->late = json_is_true(json_object_get(j, "late"));
	return c->n > 0;
}

enum cgroup_way cgroup_probe(unsigned int *holds)
{
	static const enum cgroup_way order[] = {CGROUP_V2, CGROUP_SYSTEMD, CGROUP_V1};

	*holds = 0;
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		unsigned int have = order[i] == CGROUP_V1 ? place_v1_has()
		                                          : place_v2_has(order[i] == CGROUP_V2);

		if (order[i] == CGROUP_SYSTEMD && (!have || !scope_there(scope_ms())))
			continue;
		for (size_t k = 0; k < ARRAY_LEN(needs); k++)
			if (have & needs[k].controller)
				*holds |= needs[k].limit;
		if (order[i] != CGROUP_V1 || !place_v1_swappiness())
			*holds &= ~(unsigned int)HOLDS_SWAPPINESS;
		if (*holds)
			return order[i];
	}
	return CGROUP_NONE;
}
