/* SPDX-License-Identifier: Apache-2.0 */
/* listen: makes a unix socket for a server to listen on, with mode 600 from its first moment. */
#pragma once

#include "err.h"

#include <stdbool.h>

/* Returns the non-blocking socket. Replaces a socket at `path` on which nobody listens any more; anything else there is an
 * error. */
int listen_unix(const char *path, struct err *e);
/* Whether a socket of listen_unix() is there, whose server is not any more. */
bool listen_is_dead(const char *path);
