/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_ps: runs the machine's own ps about some processes, as docker's daemon does for `top`; so ps's options need not be
 * implemented here.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "procs.h"
#include "str.h"

/* The output of `ps -qPIDS ARGS`, or of `ps ARGS` if -q does not go with ARGS. ERR_NOT_FOUND: there is no ps; other errors are
 * the first line of ps's complaint. */
int host_ps(const char *args, const struct proc *list, size_t n, struct buf *out, struct err *e);
/* ps's output as docker parses it: {"Titles", "Processes"}, with only the lines about processes of the list. */
json_t *host_ps_rows(const char *text, const struct proc *list, size_t n, struct err *e);
