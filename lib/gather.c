/* SPDX-License-Identifier: Apache-2.0 */
#include "gather.h"

#include "auto.h"
#include "procs.h"
#include "sys.h"

bool gather_is_paused(const struct store *s, const char *id)
{
	auto_state struct state now = {0};
	struct err e;

	return state_load(s, id, &now, &e) < 0 || now.status == ST_PAUSED;
}

/* Rounds in a row in which no process was new: one round misses a process that forks and ends meanwhile. */
#define CLEAN  3
#define ROUNDS 200

/* A process that is forked meanwhile is in its parent's group. */
void gather_all(const struct store *s, const struct state *st, const struct cgroup *c)
{
	struct err e;

	for (int i = 0, clean = 0; i < ROUNDS && clean < CLEAN && !gather_is_paused(s, st->id); i++) {
		auto_free struct proc *list = NULL;
		size_t n = 0, moved = 0;

		if (procs_list(st, &list, &n, &e) < 0)
			return; /* it has ended */
		for (size_t k = 0; k < n; k++)
			if (sys_start_time(list[k].pid) == list[k].start)
				moved += cgroup_fetch(c, list[k].pid);
		clean = moved ? 0 : clean + 1;
	}
}

/* An update writes down what it changes before the supervisor makes a group, and that records the group before it moves a
 * process: whoever sees no change, or no group, has started early enough to be moved with the others. */
void gather_late(const struct store *s, const struct state *st, const struct cgroup *had)
{
	auto_state struct state now = {0};
	auto_cgroup struct cgroup c = {0};
	struct err unused;

	if (state_was_changed(s, st->id) && state_load(s, st->id, &now, &unused) == 0 &&
		now.pid == st->pid && now.pid_start == st->pid_start &&
		cgroup_from_json(&c, json_object_get(now.extra, "cgroup")) && c.n > had->n)
		gather_all(s, &now, &c);
}
