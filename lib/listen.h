/* SPDX-License-Identifier: Apache-2.0 */
/* listen: makes a unix socket for a server to listen on, with mode 600 from its first moment. */
#pragma once

#include "err.h"

/* Returns the non-blocking socket. Replaces a socket at `path` on which nobody listens any more; anything else there is an
 * error. */
int listen_unix(const char *path, struct err *e);
