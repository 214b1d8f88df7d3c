/* SPDX-License-Identifier: Apache-2.0 */
/* usage: what a container's processes use, for `stats`, added up from the machine's /proc. */
#pragma once

#include "err.h"
#include "state.h"

#include <stdint.h>

struct usage {
	int64_t at_ns;          /* monotonic, when it was read */
	double cpu;             /* seconds of processor time so far, with that of ended children */
	int64_t memory;         /* bytes; a page that processes share counts once */
	int64_t received, sent; /* bytes through its network, not its loopback */
	int64_t read, written;  /* bytes from and to disks */
	int64_t tasks;
};

/* All 0 if it does not run. -1: an error. */
int usage_read(const struct state *st, struct usage *out, struct err *e);
/* How much memory a container may use: its limit, or all of the machine's. */
int usage_limit(const struct store *s, const char *id, int64_t *out, struct err *e);
/* Processor time between two readings, in per cent of one processor. */
double usage_cpu_percent(const struct usage *before, const struct usage *now);
/* The text of /proc/PID/net/dev. */
void usage_parse_net(const char *text, int64_t *received, int64_t *sent);
