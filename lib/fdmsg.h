/* SPDX-License-Identifier: Apache-2.0 */
/* fdmsg: one message with descriptors over a SOCK_SEQPACKET socket, whole or not at all. */
#pragma once

#include "err.h"

#include <stddef.h>

#define FDMSG_MAX 250 /* the kernel takes 253 in one message */

/* 0, or -1 with errno. Never raises SIGPIPE. */
int fdmsg_send(int sock, const void *data, size_t len, const int *fds, int n);
/* The length; 0: end of file; -1 with errno. EMSGSIZE when it or its descriptors do not fit. fds are
 * CLOEXEC and the caller's; *n is room before and count after. flags as recvmsg has them. */
long fdmsg_recv(int sock, void *data, size_t len, int *fds, int *n, int flags);
