/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top: the processes of a container as ps would show them, in docker's object: {"Titles": ["UID", ...],
 * "Processes": [["root", ...], ...]}. What people ask of it (-ef, aux, ax, -o with a list) is told without
 * one; all else is passed to the machine's ps, as docker does it, and where there is none what is known of it here
 * (-x, o, --sort, ...) must do. Users are those whom the container sees.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "state.h"

/* args: of ps, NULL at the end; none: -ef. ERR_USAGE in ps's words. */
json_t *top_list(const struct state *st, char *const *args, struct err *e);
/* The options alone, for tests: the keys of the columns. */
int top_columns(char *const *args, struct strv *keys, struct err *e);
