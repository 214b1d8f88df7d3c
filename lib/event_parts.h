/* SPDX-License-Identifier: Apache-2.0 */
/* event_parts: lines of the log of events, as its files make them. Nobody else includes this. */
#pragma once

#include "event.h"

/* In docker's order of members, old names of some before the new ones. */
void event_print(const char *type, const char *action, const char *id, const json_t *attributes,
	struct buf *out);
void event_append(const struct store *s, const struct buf *lines);
/* Image, name and labels of a container; the caller's. */
json_t *event_attributes(const struct state *st);
