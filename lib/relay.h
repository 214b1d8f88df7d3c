/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relay: passes streams, signals and terminal sizes between a client and a running program.
 *
 * Over a ctl socket to a container's supervisor, or over plain pipes to an exec, whose client holds the pipes
 * itself. Ends when the program ends or the user detaches.
 */
#pragma once

#include "engine.h"
#include "err.h"
#include "str.h"

struct relay {
	const struct attach *attach;
	const struct store *store;
	const char *id;        /* the container's */
	int ctl;               /* socket to its supervisor; -1: the members below count */
	int in, out, err;      /* the program's pipes, or its terminal as in and out; -1: none */
	int pty;               /* that terminal, for its size; -1: none or behind ctl */
	int pidfd;             /* the program's, to pass signals on to */
	int end;               /* readable when the program has ended */
	uint64_t output_limit; /* without ctl: the most bytes to pass on; 0: no limit */
	bool output_limit_kills;
	uint64_t bytes[2], dropped; /* results: bytes of both streams that were passed on, and that were not */
};

/* How long after its end a command's streams are read, unless they end before: by a pipeline, say, that outlives the shell
 * which began it by a moment. A child that stays behind with them could keep the client for ever. docker's time. */
#define RELAY_LATE_NS 2000000000LL

/* The size of the caller's terminal; false: there is none. */
bool relay_size(const struct attach *a, uint16_t *rows, uint16_t *cols);

enum relay_end {
	RELAY_ENDED,
	RELAY_DETACHED,
	RELAY_OUTPUT /* beyond output_limit, and output_limit_kills */,
	RELAY_KILLED, /* a signal is to end the caller, which will first tell how the program ended */
	RELAY_LOST
};

/* To be called before the program starts: blocks the signals that are to be passed on, which come by this descriptor until after
 * its end; -1: none are. */
int relay_begin(const struct attach *a);
/* Whether one of them has come that mostly is to end somebody. It is still to be read. */
bool relay_is_told(void);
/* code, result: from CTL_EXIT, so only with ctl. Descriptors stay the caller's. */
enum relay_end relay_run(struct relay *r, int signals, int *code, struct buf *result);
