/* SPDX-License-Identifier: Apache-2.0 */
/* event_parts: how the files of event write lines of the log. Nobody else includes this. */
#pragma once

#include "event.h"

/* Appends the line, with members in docker's order, deprecated names before the new ones. */
void event_print(const char *type, const char *action, const char *id, const json_t *attributes,
	struct buf *out);
void event_append(const struct store *s, const struct buf *lines);
/* Image, name and labels of a container. The caller's. */
json_t *event_attributes(const struct state *st);
