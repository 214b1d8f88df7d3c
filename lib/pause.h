/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pause: the processes of a container stand still. A freezer of the kernel's where we may use one (a control
 * group of version 2 or the freezer of version 1, tried, not guessed): nobody inside notices. Else SIGSTOP to
 * every process until none runs any more, and SIGCONT to those which did not stand still before.
 *
 * *how tells pause_thaw() what pause_freeze() did; it is kept with the container's state.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "state.h"

int pause_freeze(const struct state *st, json_t **how, struct err *e);
int pause_thaw(const struct state *st, const json_t *how, struct err *e);
