/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relay: a client's side of a running program: its terminal, its streams, its signals.
 *
 * Over a ctl socket (a container and its supervisor) or over plain pipes (an exec, whose client
 * holds the pipes itself). Ends with the program, or when the user detaches.
 */
#pragma once

#include "engine.h"
#include "err.h"
#include "str.h"

struct relay {
	const struct attach *attach;
	const struct store *store;
	const char *id;        /* of the container whose supervisor has the other end of */
	int ctl;               /* this socket; or -1, and: */
	int in, out, err;      /* the program's pipes, or its terminal as in and out; -1: none */
	int pty;               /* that terminal, for its size; -1: none or behind ctl */
	int pidfd;             /* the program, which signals are passed on to */
	int end;               /* readable when it has ended */
	uint64_t output_limit; /* without ctl: bytes which are passed on; 0: all */
	bool output_limit_kills;
	uint64_t bytes[2], dropped; /* out: what was passed on of both streams, and what was not */
};

/* The window of the caller's terminal, if there is one. */
bool relay_size(const struct attach *a, uint16_t *rows, uint16_t *cols);

enum relay_end {
	RELAY_ENDED,
	RELAY_DETACHED,
	RELAY_OUTPUT /* too much of it, and that ends it */,
	RELAY_KILLED, /* a signal ends the caller, and it wants to tell how that ended the program first */
	RELAY_LOST
};

/* From before the program starts to after it ends: the signals that are passed on are blocked, and come by this
 * descriptor; -1: none are. */
int relay_begin(const struct attach *a);
/* code and result only with ctl: what CTL_EXIT said. Descriptors stay the caller's. */
enum relay_end relay_run(struct relay *r, int signals, int *code, struct buf *result);
