/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup: the control group of a container, where there is a way to have one.
 *
 * The ways, best first, each chosen by trying it:
 *
 *   v2       a directory of the unified hierarchy, below the control group we are in, or beside it
 *   systemd  the same below a scope that the user's systemd gives us (scope.h)
 *   v1       a directory below ours in each of the old hierarchies that is needed
 *
 * The directory is called sbx-<id of the container>. A limit that no group holds is not in `holds`: the
 * watch, a resource limit or a warning takes its place. No file is looked at unless a limit is wanted that a
 * group would hold.
 *
 * Order: cgroup_open() by the supervisor before it joins another user namespace; cgroup_enter() between
 * clone and the first step of the child, or cgroup_clone_fd() for clone itself; cgroup_remove() when all
 * processes are gone. Others find the group by what cgroup_to_json() left in the container's state.
 */
#pragma once

#include "err.h"
#include "json.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct plan;

enum cgroup_way { CGROUP_NONE, CGROUP_V2, CGROUP_SYSTEMD, CGROUP_V1, CGROUP_WAYS };
extern const char *const cgroup_way_names[CGROUP_WAYS]; /* "none", "cgroup2", "systemd", "cgroup1" */

/* Controllers, as bits. */
enum {
	CG_MEMORY = 1,
	CG_PIDS = 2,
	CG_CPU = 4,
	CG_CPUSET = 8,
};

/* What a group can hold, as bits; the first ones are also what each needs of a machine. */
enum {
	HOLDS_MEMORY = 1,
	HOLDS_SWAP = 2,
	HOLDS_RESERVATION = 4,
	HOLDS_PIDS = 8,
	HOLDS_CPUS = 16,
	HOLDS_SHARES = 32,
	HOLDS_CPUSET = 64,
	HOLDS_SWAPPINESS = 128,
};

#define CGROUP_DIRS 4

struct cgroup {
	enum cgroup_way way;
	struct cgroup_dir {
		char *path;
		int fd;
		unsigned int controllers;
	} dirs[CGROUP_DIRS]; /* v2: one */
	int n;
	unsigned int holds;
	char *scope; /* systemd: the unit */
	bool late;   /* made while the container ran: what it had used by then was not counted */
};

/* Makes the group and sets the plan's limits. Never fails: a limit that could not be set is missing in c->holds. */
void cgroup_open(struct cgroup *c, const char *id, const struct plan *p, bool root);
/* Sets the limits of an open group anew, to another plan's; updates c->holds. */
void cgroup_set(struct cgroup *c, const struct plan *p);
/* Makes the group of a container that has none, or what its group lacks for the plan's limits, as cgroup_open() would, but
 * without asking systemd. runs: not for memory, as what its processes hold by now would count nowhere. */
void cgroup_widen(struct cgroup *c, const char *id, const struct plan *p, bool root, bool runs);
/* Afterwards, for one that runs and had `had` directories: moves its first process, and gives up directories where that may
 * not be. True: the caller has to move all others, too. */
bool cgroup_settle(struct cgroup *c, int had, pid_t first);
/* Moves a process there, whatever children it has; whether it was outside, and is inside now. */
bool cgroup_fetch(const struct cgroup *c, pid_t pid);
/* v2: the descriptor for CLONE_INTO_CGROUP; else -1. */
int cgroup_clone_fd(const struct cgroup *c);
/* Moves a process that has no children yet into the group. */
int cgroup_enter(const struct cgroup *c, pid_t pid, struct err *e);

struct cgroup_stats {
	int64_t memory, memory_peak; /* bytes; -1: not known */
	int64_t pids, pids_peak;
	int64_t user_ns, system_ns;
	int64_t ooms, pids_refused; /* how often */
};
void cgroup_stats(const struct cgroup *c, struct cgroup_stats *out);

/* v2 only, else ERR_UNSUPPORTED: processes in a frozen v1 group could not even be killed. */
int cgroup_freeze(const struct cgroup *c, bool freeze, struct err *e);
void cgroup_kill(const struct cgroup *c); /* every process in it */
/* Removes the directories; c->holds stays as it was. */
void cgroup_remove(struct cgroup *c);
void cgroup_done(struct cgroup *c); /* the group itself stays */
#define auto_cgroup __attribute__((cleanup(cgroup_done)))

/* For the container's state: NULL where there is none. */
json_t *cgroup_to_json(const struct cgroup *c);
/* The group of a started container; whether it has one. Takes any JSON: users may edit their state files, and can do
 * nothing by that which they could not do anyway. */
bool cgroup_from_json(struct cgroup *c, const json_t *j);

/* Which way would be chosen on this machine, and which limits it would hold; makes nothing. */
enum cgroup_way cgroup_probe(unsigned int *holds);
