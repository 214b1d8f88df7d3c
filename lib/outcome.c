/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome.h"

#include "auto.h"
#include "str.h"

#include <signal.h>
#include <string.h>

/* Only memory can fail in here, and then the process has ended. */
static json_t *micros(int64_t us)
{
	return json_real((double)us / 1e6);
}

static int64_t us_of(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static json_t *by_group(const struct cgroup *c, unsigned int limit, const char *otherwise)
{
	return json_string(c->holds & limit ? cgroup_way_names[c->way] : otherwise);
}

static bool has_own_shm(const struct plan *p)
{
	for (size_t i = 0; i < p->n_steps; i++)
		if (p->steps[i].kind == STEP_FS && str_eq(p->steps[i].dst, "/dev/shm"))
			return true;
	return false;
}

static bool limits_tmpfs(const struct spec *s)
{
	for (size_t i = 0; i < s->n_mounts; i++) {
		const struct spec_mount *m = &s->mounts[i];
		const char *options = m->tmpfs_options ? m->tmpfs_options : m->tmpfs_volume;

		if ((m->kind == MOUNT_TMPFS && m->tmpfs_size > 0) ||
			(options && (str_starts(options, "size=") || strstr(options, ",size="))))
			return true;
	}
	return false;
}

/* By the kernel alone, which needs nothing for that. */
static void add_kernels(json_t *by, const struct spec *s, const struct plan *p)
{
	if (s->n_ulimits)
		json_set(by, "ulimit", json_string("rlimit"));
	if (s->shm_size > 0 && s->shm_size != SPEC_SHM_SIZE)
		json_set(by, "shm_size", json_string(has_own_shm(p) ? "tmpfs" : "none"));
	if (limits_tmpfs(s))
		json_set(by, "tmpfs_size", json_string("tmpfs"));
}

/* What holds each limit that was given. */
static json_t *enforced_by(const struct spec *s, const struct plan *p, const struct cgroup *c, bool root)
{
	json_t *by = json_object();

	if (p->own_memory)
		json_set(by, "memory", json_string("watch"));
	else if (p->memory)
		json_set(by, "memory", by_group(c, HOLDS_MEMORY, "watch"));
	if (p->memory && p->memory_swap)
		json_set(by, "memory_swap", by_group(c, HOLDS_SWAP, "watch"));
	if (p->memory_reservation)
		json_set(by, "memory_reservation", by_group(c, HOLDS_RESERVATION, "none"));
	if (p->own_pids)
		json_set(by, "pids", json_string("watch"));
	else if (p->pids)
		json_set(by, "pids", by_group(c, HOLDS_PIDS, root ? "watch" : "rlimit"));
	if (p->cpu_quota_us)
		json_set(by, "cpus", by_group(c, HOLDS_CPUS, "none"));
	if (p->cpu_shares)
		json_set(by, "cpu_shares", by_group(c, HOLDS_SHARES, "none"));
	if (p->cpuset_cpus)
		json_set(by, "cpuset_cpus",
			p->own_cpuset ? json_string("affinity") : by_group(c, HOLDS_CPUSET, "affinity"));
	if (p->cpuset_mems)
		json_set(by, "cpuset_mems", by_group(c, HOLDS_CPUSET, "none"));
	if (p->storage)
		json_set(by, "storage", json_string("fuse"));
	if (p->timeout_ns)
		json_set(by, "timeout", json_string("timer"));
	if (p->cpu_time_ns)
		json_set(by, "cpu_time", json_string("watch"));
	if (p->output_limit)
		json_set(by, "output_limit", json_string("pipe"));
	add_kernels(by, s, p);
	return by;
}

json_t *outcome_json(const struct outcome *o, const struct spec *s, const struct plan *p,
	const struct cgroup *c, bool root)
{
	const struct cgroup_stats *g = &o->group;
	json_t *r = json_object();

	json_set(r, "id", json_string(o->id));
	json_set(r, "exit_code", json_integer(o->code));
	json_set(r, "signal", o->signal ? json_integer(o->signal) : json_null());
	json_set(r, "reason", json_string(o->reason));
	json_set(r, "timed_out", json_boolean(o->timed_out));
	json_set(r, "oom_killed", json_boolean(o->oom_killed));
	json_set(r, "wall", micros(o->wall_ns / 1000));
	json_set(r, "user", micros(g->user_ns > 0 ? g->user_ns / 1000 : us_of(o->usage.ru_utime)));
	json_set(r, "system", micros(g->system_ns > 0 ? g->system_ns / 1000 : us_of(o->usage.ru_stime)));
	json_set(r, "peak_memory",
		json_integer(g->memory_peak > 0 ? g->memory_peak
						: most(o->peak_memory, o->usage.ru_maxrss * 1024)));
	json_set(r, "peak_processes",
		most(g->pids_peak, o->peak_pids) > 0 ? json_integer(most(g->pids_peak, o->peak_pids))
						     : json_null());
	json_set(r, "pids_refused", g->pids_refused >= 0 ? json_integer(g->pids_refused) : json_null());
	json_set(r, "stdout_bytes", json_integer((json_int_t)o->bytes[0]));
	json_set(r, "stderr_bytes", json_integer((json_int_t)o->bytes[1]));
	json_set(r, "truncated", json_boolean(o->dropped > 0));
	json_set(r, "enforced_by", enforced_by(s, p, c, root));
	return r;
}

static json_t *in_short(const char *reason, const char *why, int code, int signal)
{
	json_t *r = json_object();

	json_set(r, "exit_code", json_integer(code));
	json_set(r, "signal", signal ? json_integer(signal) : json_null());
	json_set(r, "reason", json_string(reason));
	json_set(r, "error", json_string(why));
	return r;
}

json_t *outcome_never_ran(const char *why, int code)
{
	return in_short("setup-error", why, code, 0);
}

json_t *outcome_lost(const char *id, bool rebooted, int code)
{
	json_t *r = in_short("supervisor-lost",
		rebooted ? "the machine was restarted, or went down"
			 : "the process that supervised it was killed",
		code, code == 128 + SIGKILL ? SIGKILL : 0);

	json_set(r, "id", json_string(id));
	return r;
}
