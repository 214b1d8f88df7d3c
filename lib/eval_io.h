/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval_io: the manager's ends of a snippet's streams. Never blocks: its owner polls, and calls eval_io_step().
 *
 * stdout and stderr are kept up to a bound and read to their end beyond it, so that a program which prints for ever
 * meets its time limit and not a full pipe. The channel takes what is to be said, and brings frames
 * (eval_wire.h).
 */
#pragma once

#include "str.h"

#include <poll.h>

struct eval_io {
	int out[2];  /* reading ends of stdout and stderr; -1: at the end */
	int channel; /* -1: at the end */
	size_t keep; /* of each stream */
	struct buf text[2];
	uint64_t seen[2];
	struct buf to; /* what the runner is to be told; freed when it has it */
	size_t told;
	struct buf from; /* its frames */
};

#define EVAL_IO_FDS 3

/* The snippet's ends (close-on-exec, to be given away and closed): std[0] is the channel, std[1] and std[2] its
 * stdout and stderr. keep: how much of each is wanted. */
int eval_io_open(struct eval_io *io, size_t keep, int std[3]);
void eval_io_done(struct eval_io *io);
void eval_io_poll(const struct eval_io *io, struct pollfd p[EVAL_IO_FDS]);
/* As much of `to` as the channel takes now; the rest goes with the steps. */
void eval_io_tell(struct eval_io *io);
void eval_io_step(struct eval_io *io, const struct pollfd p[EVAL_IO_FDS]);
/* Everybody who could write is dead: what is there is all. */
void eval_io_drain(struct eval_io *io);
