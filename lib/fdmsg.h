/* SPDX-License-Identifier: Apache-2.0 */
/* fdmsg: sends and receives a message with descriptors over a SOCK_SEQPACKET socket, completely or not at all. */
#pragma once

#include "err.h"

#include <stddef.h>

#define FDMSG_MAX 250 /* the kernel takes 253 in one message */

/* 0, or -1 with errno. Never raises SIGPIPE. */
int fdmsg_send(int sock, const void *data, size_t len, const int *fds, int n);
/* Returns the length; 0: end of file; -1 with errno, EMSGSIZE if the message or its descriptors do not fit. *n is the room in
 * fds before, the number of descriptors after; they are close-on-exec and the caller's. flags: as for recvmsg(). */
long fdmsg_recv(int sock, void *data, size_t len, int *fds, int *n, int flags);
