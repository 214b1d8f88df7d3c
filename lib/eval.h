/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval: runs a snippet of python in a fresh container. The engine's supervisor enforces the limits, and ends the container
 * when this process ends. For many requests at once there are pools (pool.h).
 */
#pragma once

#include "engine.h"
#include "eval_io.h"
#include "eval_request.h"
#include "eval_result.h"
#include "redact.h"

#define EVAL_PIDS 64

/* Where requests run. */
struct eval_place {
	const struct store *store;
	const char *image;
	const char *python;          /* NULL: python3 */
	int64_t pids;                /* 0: EVAL_PIDS */
	const struct redact *redact; /* patterns beside the built-in ones; NULL: none */
};

/* Never fails: an error in setting up is part of the result. */
void eval_fresh(const struct eval_place *p, const struct eval_request *r, struct eval_result *out);

/* Used by pools, too: fills the result from the streams and frames, cut to their limits and redacted. */
void eval_take_io(const struct eval_place *p, const struct eval_request *r, struct eval_io *io,
	struct eval_result *out);
size_t eval_keep(const struct eval_request *r); /* for eval_io_open() */

/* The spec of a container for snippets: no network, no capabilities, nothing writable but memory file systems. */
void eval_spec(const struct eval_place *p, int64_t memory, struct spec *out);

/* The python that is sent to a container (lib/python): what every snippet needs, and what some do. */
extern const char eval_runner[], eval_more[];
extern const size_t eval_runner_len, eval_more_len;
