/* SPDX-License-Identifier: Apache-2.0 */
/* update_running: what an update does to a container's running processes, beside what its supervisor does. */
#pragma once

#include "err.h"
#include "json.h"
#include "spec.h"
#include "state.h"
#include "str.h"

/* change: what is changed, as state_apply_change() takes it; new: the same alone, as a spec. Adds a sentence for what holds
 * only from the next start on. */
int update_running(const struct store *s, const struct state *st, const json_t *change,
	const struct spec *was, const struct spec *new, struct strv *warnings, struct err *e);
