/* SPDX-License-Identifier: Apache-2.0 */
#include "update_running.h"

#include "affinity.h"
#include "cgroup.h"
#include "enforce.h"
#include "procs.h"
#include "sys.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

/* Something that each process has for itself, and inherits. */
struct each {
	bool (*set)(const struct proc *p, struct each *of); /* whether it was another */
	struct rlimit limit;
	const char *from, *to;
	bool refused; /* for some of them */
};

/* Each round reaches the children of processes that fork as fast as they can, but not those forked meanwhile. */
#define ROUNDS 200
/* Rounds in a row in which all processes had it already: one round misses a process that forks and ends meanwhile. */
#define CLEAN 5

static int set_all(const struct state *st, struct each *of, struct err *e)
{
	for (int i = 0, clean = 0; i < ROUNDS && clean < CLEAN; i++) {
		auto_free struct proc *list = NULL;
		size_t n = 0, set = 0;

		if (procs_list(st, &list, &n, e) < 0)
			return e->kind == ERR_CONFLICT ? 0 : -1; /* it has ended */
		for (size_t k = 0; k < n; k++)
			set += of->set(&list[k], of);
		clean = set ? 0 : clean + 1;
	}
	return 0;
}

/* A limit can be set by number alone, so it is looked whose number that is just before. The kernel gives a number out again
 * only when it has gone through all others, which takes seconds. */
static bool limit_one(const struct proc *p, struct each *of)
{
	struct rlimit now;

	if (p->state == 'Z' ||
		(prlimit(p->pid, RLIMIT_NPROC, NULL, &now) == 0 && now.rlim_max == of->limit.rlim_max))
		return false;
	if (sys_start_time(p->pid) == p->start &&
		prlimit(p->pid, RLIMIT_NPROC, &of->limit, NULL) < 0 && errno == EPERM) {
		of->refused = true;
		return false;
	}
	return true; /* or it has ended, and may have left a child */
}

/* The kernel counts the tasks of a user namespace, but only root may raise the limit. A process that is forked
 * meanwhile inherits its parent's limit. */
static int set_pids(const struct state *st, int64_t pids, struct strv *warnings, struct err *e)
{
	rlim_t limit = pids > 0 ? (rlim_t)pids : RLIM_INFINITY;
	struct each of = {.set = limit_one, .limit = {limit, limit}};

	if (set_all(st, &of, e) < 0)
		return -1;
	if (of.refused)
		strv_addf(warnings,
			"The limit of processes of %.12s can only be raised by its next start.", st->id);
	return 0;
}

static bool place_one(const struct proc *p, struct each *of)
{
	return sys_start_time(p->pid) == p->start && affinity_move(p->pid, of->from, of->to);
}

/* Where a group holds it, too: what was set before there was one would stay. */
static int set_cpus(const struct store *s, const struct state *st, const char *from, const char *to,
	struct strv *warnings, struct err *e)
{
	struct each of = {.set = place_one, .from = from, .to = to};

	if (!procs_are_shared(s, st))
		return set_all(st, &of, e);
	strv_addf(warnings,
		"The processors of %.12s change with its next start: another container shares its processes.",
		st->id);
	return 0;
}

/* What the group of a running container holds by now. */
static unsigned int held(const struct store *s, const char *id)
{
	auto_cgroup struct cgroup c = {0};
	auto_state struct state now = {0};
	struct err gone;

	return state_load(s, id, &now, &gone) == 0 &&
	                       cgroup_from_json(&c, json_object_get(now.extra, "cgroup"))
	               ? c.holds
	               : 0;
}

int update_running(const struct store *s, const struct state *st, const json_t *change,
	const struct spec *was, const struct spec *new, struct strv *warnings, struct err *e)
{
	int64_t pids = json_int(change, "PidsLimit", 0);
	unsigned int holds = held(s, st->id);

	if ((pids > 0 || (json_object_get(change, "PidsLimit") && was->pids_limit > 0)) &&
		set_pids(st, pids, warnings, e) < 0)
		return -1;
	if (new->cpuset_cpus &&*new->cpuset_cpus &&
		set_cpus(s, st, was->cpuset_cpus, new->cpuset_cpus, warnings, e) < 0)
		return -1;
	enforce_warn_of_late(new, holds, warnings);
	return 0;
}
