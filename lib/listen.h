/* SPDX-License-Identifier: Apache-2.0 */
/* listen: a unix socket that a server of ours listens on: mode 600 from its first moment. */
#pragma once

#include "err.h"

/* The socket, without blocking. What is at `path` is replaced when it is a socket on which nobody listens any
 * more; anything else there is an error. */
int listen_unix(const char *path, struct err *e);
