/* SPDX-License-Identifier: Apache-2.0 */
/* outcome: how a program ended, as the JSON object of --result, of inspect and of sbx-result(5). */
#pragma once

#include "cgroup.h"
#include "json.h"
#include "plan.h"

#include <sys/resource.h>

struct outcome {
	const char *id;     /* of the container */
	const char *reason; /* a word of sbx-result(5) */
	int code, signal;   /* signal 0: none */
	bool timed_out, oom_killed;
	int64_t wall_ns;
	struct rusage usage;            /* of the process and those it waited for */
	struct cgroup_stats group;      /* of all of them, where there is a control group */
	int64_t peak_memory, peak_pids; /* as the watch saw it; 0: it did not look */
	uint64_t bytes[2], dropped;
};

/* Never NULL. c: the container's; root: we are the machine's root. */
json_t *outcome_json(const struct outcome *o, const struct plan *p, const struct cgroup *c, bool root);
/* The same of what never ran: why, and with which code that is told. */
json_t *outcome_never_ran(const char *why, int code);
