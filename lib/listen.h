/* SPDX-License-Identifier: Apache-2.0 */
/* listen: makes a unix socket for a server to listen on, with mode 600 from its first moment. */
#pragma once

#include "err.h"

#include <stdbool.h>
#include <sys/types.h>

/* Returns the non-blocking socket. Replaces a socket at `path` on which nobody listens any more; anything else there is an
 * error. */
int listen_unix(const char *path, struct err *e);
/* The number of the file that `path` is now, for listen_forget(); 0: there is none. */
ino_t listen_file(const char *path);
/* Unlinks the socket, if the path is still that file. To be called before it is closed: another server may take over a path at
 * which nobody listens, and must keep it. */
void listen_forget(const char *path, ino_t file);
/* Whether a socket of listen_unix() is there, whose server is not any more. */
bool listen_is_dead(const char *path);
