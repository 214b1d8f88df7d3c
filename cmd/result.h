/* SPDX-License-Identifier: Apache-2.0 */
/* result: --result, a file's path or "fd:N" to which is written how a command ended. `where` NULL: the option was not given. */
#pragma once

#include "err.h"
#include "opt.h"

/* To be called before anything else: refuses a file that cannot be written, and empties one of an earlier run. */
int result_begin(const char *where, struct err *e);
/* json: from the supervisor; NULL: the command never ran, because of `why`, and the client's exit status is `status`. */
void result_write(const char *where, const char *json, const struct err *why, int status);
/* The command never ran, because of `why`. Returns status. */
int result_refuse(const char *where, const struct err *why, int status);
/* The same if a command line is wrong: `where` is --result in target, if it was parsed before the mistake was met. */
int result_refuse_call(const struct command *c, const void *target, const struct err *why, int status);
