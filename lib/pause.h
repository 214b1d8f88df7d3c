/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pause: stops all processes of a container, by a freezer of the kernel's if we may use one (cgroup v2, or v1's freezer; tried,
 * not guessed), which no process notices. Else by SIGSTOP to the whole pid namespace at once, sent by a process of ours in it,
 * so that none is forked meanwhile; if that is not possible, to each process until none runs any more. Shims of execs are
 * stopped by this as well and get SIGCONT at once, or clients waiting for an exec would hang. pause_thaw() sends SIGCONT only
 * to processes that were not stopped before; a watch over memory, which stops processes for a moment, gives way (turns.h).
 *
 * *how tells pause_thaw() what pause_freeze() did, and is kept in the container's state. Before freezing, pause_begun() is
 * stored there: if this process is killed in between, the container counts as paused and can be unpaused.
 */
#pragma once

/* What docker's checkpoints are refused with. */
#define NO_CHECKPOINTS "sbx cannot checkpoint containers: `sbx pause` makes one stand still"

#include "err.h"
#include "json.h"
#include "state.h"

json_t *pause_begun(void);
/* On failure *how is NULL, if all goes on as before. */
int pause_freeze(const struct store *s, const struct state *st, json_t **how, struct err *e);
int pause_thaw(const struct state *st, const json_t *how, struct err *e);
