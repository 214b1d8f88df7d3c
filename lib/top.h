/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top: the processes of a container as ps would show them, in docker's object: {"Titles": ["UID", ...],
 * "Processes": [["root", ...], ...]}. Common options (-ef, aux, ax, -o with a list) are implemented here; others are
 * passed to the machine's ps, as docker does, or if there is none, handled here as far as they are known (-x, o, --sort,
 * ...). Users are shown as the container sees them.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "state.h"

/* args: ps's, NULL at the end; without any: -ef. ERR_USAGE: an error in ps's words. */
json_t *top_list(const struct state *st, char *const *args, struct err *e);
/* The keys of the columns that the options select; for tests. */
int top_columns(char *const *args, struct strv *keys, struct err *e);
