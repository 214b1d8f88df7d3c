/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval_io: the manager's ends of a snippet's streams. Never blocks: its owner polls, and calls eval_io_step().
 *
 * stdout and stderr are kept up to a bound, but read on beyond it, so that a program that prints for ever runs into its time
 * limit and not into a full pipe. Over the channel the request goes to the runner and frames come back (eval_wire.h).
 */
#pragma once

#include "str.h"

#include <poll.h>
#include <stdbool.h>

struct eval_io {
	int out[2];  /* reading ends of stdout and stderr; -1: at the end */
	int channel; /* -1: at the end */
	size_t keep; /* of each stream */
	struct buf text[2];
	uint64_t seen[2];
	struct buf to;   /* for the runner; freed when it is sent */
	size_t told;     /* bytes of it sent so far */
	struct buf from; /* frames from the runner */
	bool from_pid1;  /* the channel's first byte is yet to come, with the pipe of pid 1 */
	int pid1;        /* -1: none, or it was read */
	char pid1_said[256];
	size_t pid1_len;
};

#define EVAL_IO_NONE ((struct eval_io){.out = {-1, -1}, .channel = -1, .pid1 = -1})
#define EVAL_IO_FDS  3

/* std: the snippet's ends, close-on-exec, for the caller to hand over and close: std[0] is the channel, std[1] and std[2] are
 * stdout and stderr. keep: how many bytes to keep of each stream. */
int eval_io_open(struct eval_io *io, size_t keep, int std[3]);
void eval_io_done(struct eval_io *io);
void eval_io_poll(const struct eval_io *io, struct pollfd p[EVAL_IO_FDS]);
/* Sends as much of `to` as the channel takes now; eval_io_step() sends the rest. */
void eval_io_tell(struct eval_io *io);
void eval_io_step(struct eval_io *io, const struct pollfd p[EVAL_IO_FDS]);
/* Reads what is left, without waiting: every process that could write has ended. */
void eval_io_drain(struct eval_io *io);
