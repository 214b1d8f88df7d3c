/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_ps: the machine's own ps about some processes, as docker's daemon runs it: the options nobody has to
 * repeat here, in its words.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "procs.h"
#include "str.h"

/* What `ps -qPIDS ARGS` prints, or `ps ARGS` where -q does not go with them. ERR_NOT_FOUND: there is no ps;
 * otherwise the first line that ps complained with. */
int host_ps(const char *args, const struct proc *list, size_t n, struct buf *out, struct err *e);
/* Its lines as docker reads them: {"Titles", "Processes"}; of lines about other processes nothing. */
json_t *host_ps_rows(const char *text, const struct proc *list, size_t n, struct err *e);
