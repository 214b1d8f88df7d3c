/* SPDX-License-Identifier: Apache-2.0 */
/*
 * update: other limits and another restart policy for a container that is there. What was asked at first stays
 * as it is; changes are kept beside it and are part of the spec from then on. A running one gets at once what
 * can be changed while it runs: control groups are written, the supervisor's watch and its restart policy
 * follow, limits of processes go down (nobody but the machine's root may raise them).
 */
#pragma once

#include "err.h"
#include "json.h"
#include "store.h"
#include "str.h"

/* change: members of docker's HostConfig ("Memory", "NanoCpus", "RestartPolicy", ...), and limits of ours under "Sbx"
 * ("Timeout", "CpuTime", ...), only those that are to change; not taken. warnings: sentences for who asked. */
int update_container(const struct store *s, const char *id, const json_t *change,
	struct strv *warnings, struct err *e);
