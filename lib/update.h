/* SPDX-License-Identifier: Apache-2.0 */
/*
 * update: changes limits and the restart policy of a container. The original spec is kept; changes are stored beside it and
 * belong to the spec from then on. What can be changed in a running container changes at once: its control group, the
 * supervisor's watch and restart policy, and resource limits of processes, which only the machine's root may raise.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "store.h"
#include "str.h"

/* change: only the members to be changed, of docker's HostConfig ("Memory", "NanoCpus", "RestartPolicy", ...) and of our limits
 * under "Sbx" ("Timeout", "CpuTime", ...); stays the caller's. warnings: gets sentences for the user. */
int update_container(const struct store *s, const char *id, const json_t *change,
	struct strv *warnings, struct err *e);

/* The supervisor reads the spec again, and answers when it has done what it can: of a paused container less. */
void update_tell_supervisor(const struct store *s, const char *id);
