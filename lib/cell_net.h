/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cell_net: network namespaces of cells that have ended, for the next ones.
 *
 * Making one and taking it apart is half of what a cell costs, and few snippets ever use theirs. One in which no packet
 * was ever sent, and nothing is left that could be named, is as good as new: sockets have gone with their processes,
 * its settings were read-only, and who was in it had no right to anything else.
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

/* One of them, or {-1}. */
struct cell_net cell_net_take(struct cell_nets *nets);
/* That of a process. */
int cell_net_open(pid_t pid, struct cell_net *out, struct err *e);
/* All that were in it have ended. It is kept when it is as good as new, and fewer than `enough` are free. */
void cell_net_give(struct cell_nets *nets, struct cell_net *net, size_t enough);
