/* SPDX-License-Identifier: Apache-2.0 */
/* outcome: the JSON object about how a program ended, for --result and inspect; see sbx-result(5). */
#pragma once

#include "cgroup.h"
#include "json.h"
#include "plan.h"
#include "spec.h"

#include <sys/resource.h>

/* What --init calls itself, with a number behind it, when a signal has ended its command: it can only exit with 128 plus that. */
#define OUTCOME_SIGNALLED "signal "

struct outcome {
	const char *id;     /* of the container */
	const char *reason; /* a word of sbx-result(5) */
	int code, signal;   /* signal 0: none */
	bool timed_out, oom_killed;
	int64_t wall_ns;
	struct rusage usage;            /* of the process and its children that it waited for */
	struct cgroup_stats group;      /* of all processes, if there is a control group */
	int64_t peak_memory, peak_pids; /* from the watch; 0: there was none */
	uint64_t bytes[2], dropped;
};

/* Never NULL. s: what was asked for, of the container or the exec; c: the container's control group; root: we are the
 * machine's root. */
json_t *outcome_json(const struct outcome *o, const struct spec *s, const struct plan *p,
	const struct cgroup *c, bool root);
/* The same for a program that never ran: why, and the exit code of that. */
json_t *outcome_never_ran(const char *why, int code);
/* The same for a container whose supervisor was killed, and what it supervised with it. */
json_t *outcome_lost(const char *id, bool rebooted, int code);
