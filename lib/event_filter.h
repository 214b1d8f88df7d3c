/* SPDX-License-Identifier: Apache-2.0 */
/* event_filter: which events the filters of `events` let through. Pure. */
#pragma once

#include "filter.h"
#include "json.h"

#include <time.h>

/* Unknown keys are ignored, as docker's daemon does. */
bool event_passes(const struct filters *f, const json_t *event);
struct timespec event_time(const json_t *event);
