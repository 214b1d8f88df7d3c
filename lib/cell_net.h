/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cell_net: network namespaces of cells that have ended, kept for the next cells.
 *
 * Making and destroying a network namespace is half of the cost of a cell, and few snippets use theirs. One in which no packet
 * was ever sent and no socket with a name is left is as good as new: other sockets are gone with their processes, its
 * settings were read-only, and the processes had no capability to change anything else.
 */
#pragma once

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define CELL_NETS 64

struct cell_net {
	int ns;           /* -1: none */
	int dev, sockets; /* files of /proc/net, of this one */
};

struct cell_nets {
	struct cell_net free[CELL_NETS];
	size_t n;
};

/* Takes a free one out; ns is -1 if there is none. */
struct cell_net cell_net_take(struct cell_nets *nets);
/* The network namespace of a process. */
int cell_net_open(pid_t pid, struct cell_net *out, struct err *e);
/* Called when all processes in it have ended: keeps it if it is as good as new and fewer than `enough` are free. */
void cell_net_give(struct cell_nets *nets, struct cell_net *net, size_t enough);
