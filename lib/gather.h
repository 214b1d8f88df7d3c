/* SPDX-License-Identifier: Apache-2.0 */
/* gather: the processes of a running container that got a control group late are moved into it. */
#pragma once

#include "cgroup.h"
#include "state.h"

/* Or cannot be asked. */
bool gather_is_paused(const struct store *s, const char *id);
/* Moves all that are outside; none of a container that is paused, as what keeps them frozen may be another group. */
void gather_all(const struct store *s, const struct state *st, const struct cgroup *c);
/* After a process was started inside by what `st` said before: an update may have made the group, or another directory of it, and
 * moved the others, meanwhile. had: the group that it was started in. */
void gather_late(const struct store *s, const struct state *st, const struct cgroup *had);
