/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_set: writes the limits of a plan to the files of a control group. */
#include "cgroup.h"

#include "auto.h"
#include "limit.h"
#include "plan.h"
#include "sys.h"

#include <string.h>

#define PERIOD_US 100000 /* the kernel's and docker's */

static bool put(const struct cgroup_dir *d, const char *name, const char *value)
{
	return sys_put(d->fd, name, value) == 0;
}

/* Values of 0 and below mean no limit. */
static bool put_number(const struct cgroup_dir *d, const char *name, int64_t value, const char *none)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%lld", (long long)value); /* fits */
	return put(d, name, value > 0 ? text : none);
}

/* ---- v2 ------------------------------------------------------------------------------- */

static unsigned int memory_v2(const struct cgroup_dir *d, const struct plan *p)
{
	unsigned int holds = 0;

	if (p->memory && put_number(d, "memory.max", p->memory, "max"))
		holds |= HOLDS_MEMORY;
	/* docker's limit includes both swap and memory, and is twice the memory by default. */
	if (p->memory && p->memory_swap == p->memory) {
		if (put(d, "memory.swap.max", "0"))
			holds |= HOLDS_SWAP;
	} else if (p->memory && put_number(d, "memory.swap.max",
					p->memory_swap > 0   ? p->memory_swap - p->memory
					: p->memory_swap < 0 ? 0
							     : p->memory,
					"max")) {
		holds |= HOLDS_SWAP;
	}
	if (p->memory_reservation && put_number(d, "memory.low", p->memory_reservation, "0"))
		holds |= HOLDS_RESERVATION;
	return holds;
}

/* 2 to 262144 become 1 to 10000. Beyond these a group of version 1 takes the nearest, one of version 2 none. */
static int64_t weight_of(int64_t shares)
{
	shares = shares < 2 ? 2 : shares > 262144 ? 262144 : shares;
	return 1 + (shares - 2) * 9999 / 262142;
}

static unsigned int cpu_v2(const struct cgroup_dir *d, const struct plan *p, bool was_limited)
{
	int64_t period = p->cpu_period_us ? p->cpu_period_us : PERIOD_US;
	unsigned int holds = 0;
	char text[64];

	(void)snprintf(text, sizeof(text), "%lld %lld", (long long)p->cpu_quota_us,
		(long long)period); /* fits */
	if (p->cpu_quota_us && put(d, "cpu.max", text))
		holds |= HOLDS_CPUS;
	else if (was_limited)
		(void)put(d, "cpu.max", "max"); /* or it stays limited, as docker's would */
	if (p->cpu_shares && put_number(d, "cpu.weight", weight_of(p->cpu_shares), "100"))
		holds |= HOLDS_SHARES;
	return holds;
}

/* ---- v1 ------------------------------------------------------------------------------- */

static unsigned int memory_v1(const struct cgroup_dir *d, const struct plan *p)
{
	int64_t both = p->memory_swap ? p->memory_swap : limit_with_swap(p->memory);
	unsigned int holds = 0;
	bool swap = false;

	if (p->memory) {
		/* memory may never be above memory+swap: which one can be written first depends on their old
		 * values. */
		bool memory = put_number(d, "memory.limit_in_bytes", p->memory, "-1");

		swap = put_number(d, "memory.memsw.limit_in_bytes", both, "-1");
		if (!memory)
			memory = put_number(d, "memory.limit_in_bytes", p->memory, "-1");
		holds |= (memory ? HOLDS_MEMORY : 0) | (swap ? HOLDS_SWAP : 0);
	}
	if (p->memory_reservation &&
		put_number(d, "memory.soft_limit_in_bytes", p->memory_reservation, "-1"))
		holds |= HOLDS_RESERVATION;
	if (p->memory_swappiness >= 0 && put_number(d, "memory.swappiness", p->memory_swappiness, "0"))
		holds |= HOLDS_SWAPPINESS;
	return holds;
}

static unsigned int cpu_v1(const struct cgroup_dir *d, const struct plan *p, bool was_limited)
{
	unsigned int holds = 0;

	if (p->cpu_quota_us &&
		(!p->cpu_period_us || put_number(d, "cpu.cfs_period_us", p->cpu_period_us, "100000")) &&
		put_number(d, "cpu.cfs_quota_us", p->cpu_quota_us, "-1"))
		holds |= HOLDS_CPUS;
	else if (was_limited)
		(void)put(d, "cpu.cfs_quota_us", "-1"); /* or it stays limited, as docker's would */
	if (p->cpu_shares && put_number(d, "cpu.shares", p->cpu_shares, "1024"))
		holds |= HOLDS_SHARES;
	return holds;
}

/* ---- both ----------------------------------------------------------------------------- */

static unsigned int cpuset(const struct cgroup_dir *d, const struct plan *p)
{
	bool fine = (!p->cpuset_cpus || put(d, "cpuset.cpus", p->cpuset_cpus)) &&
	            (!p->cpuset_mems || put(d, "cpuset.mems", p->cpuset_mems));

	return fine && (p->cpuset_cpus || p->cpuset_mems) ? HOLDS_CPUSET : 0;
}

void cgroup_set(struct cgroup *c, const struct plan *p)
{
	bool v1 = c->way == CGROUP_V1, was_limited = c->holds & HOLDS_CPUS;

	c->holds = 0;
	for (int i = 0; i < c->n; i++) {
		const struct cgroup_dir *d = &c->dirs[i];

		if (d->controllers & CG_MEMORY)
			c->holds |= v1 ? memory_v1(d, p) : memory_v2(d, p);
		if (d->controllers & CG_CPU)
			c->holds |= v1 ? cpu_v1(d, p, was_limited) : cpu_v2(d, p, was_limited);
		if (d->controllers & CG_CPUSET)
			c->holds |= cpuset(d, p);
		if ((d->controllers & CG_PIDS) && put_number(d, "pids.max", p->pids, "max") && p->pids)
			c->holds |= HOLDS_PIDS;
	}
}
