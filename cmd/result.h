/* SPDX-License-Identifier: Apache-2.0 */
/* result: where --result wants to have how it ended: a file's path, or "fd:N". */
#pragma once

#include "err.h"

/* Before anything runs: a file that cannot be written is refused, and one of an earlier run is emptied. NULL: none is wanted. */
int result_begin(const char *where, struct err *e);
/* json: what the supervisor said, or NULL: it never ran, and `why` tells why not, with the client's own status. */
void result_write(const char *where, const char *json, const struct err *why, int status);
