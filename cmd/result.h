/* SPDX-License-Identifier: Apache-2.0 */
/* result: where --result wants to have how it ended: a file's path, or "fd:N". */
#pragma once

#include "err.h"
#include "opt.h"

/* Before anything is looked at: a file that cannot be written is refused, and one of an earlier run is emptied. NULL: none is
 * wanted. */
int result_begin(const char *where, struct err *e);
/* json: what the supervisor said, or NULL: it never ran, and `why` tells why not, with the client's own status. */
void result_write(const char *where, const char *json, const struct err *why, int status);
/* It never ran; returns the status. NULL: none is wanted. */
int result_refuse(const char *where, const struct err *why, int status);
/* The same of a command whose words make no sense: where they wanted it as far as they were read into target. */
int result_refuse_call(const struct command *c, const void *target, const struct err *why, int status);
