/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pause: the processes of a container stand still. A freezer of the kernel's where we may use one (a control
 * group of version 2 or the freezer of version 1, tried, not guessed): nobody inside notices. Else SIGSTOP to
 * all of the pid namespace at once, by a process of ours in there, so that nobody is forked meanwhile; where that cannot
 * be, to every process until none runs any more. The shims of execs are reached by it and go on: who waits for an exec
 * would wait for ever. SIGCONT is for those which did not stand still before.
 *
 * *how tells pause_thaw() what pause_freeze() did; it is kept with the container's state, and before that pause_begun(): who
 * is killed meanwhile leaves a container that is paused, more or less, and can be unpaused.
 */
#pragma once

/* What docker's checkpoints are refused with. */
#define NO_CHECKPOINTS "sbx cannot checkpoint containers: `sbx pause` makes one stand still"

#include "err.h"
#include "json.h"
#include "state.h"

json_t *pause_begun(void);
int pause_freeze(const struct state *st, json_t **how, struct err *e);
int pause_thaw(const struct state *st, const json_t *how, struct err *e);
