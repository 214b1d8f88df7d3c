/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval: a snippet of python in a fresh container of its own, and how it ended. Limits are the engine's: its
 * supervisor ends the container, and the container ends with us. Many requests at once are a pool's (pool.h).
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

/* Never fails: what could not be set up is in the result. */
void eval_fresh(const struct eval_place *p, const struct eval_request *r, struct eval_result *out);

/* What both ways of running share: streams, frames, cuts and redaction into the result. */
void eval_take_io(const struct eval_place *p, const struct eval_request *r, struct eval_io *io,
	struct eval_result *out, int *wait_status);
size_t eval_keep(const struct eval_request *r); /* for eval_io_open() */

/* The spec of a container in which snippets run: no network, nothing writable but memory, no rights. */
void eval_spec(const struct eval_place *p, int64_t memory, struct spec *out);

/* The python that is sent to a container (lib/python): what every snippet needs, and what some do. */
extern const char eval_runner[], eval_more[];
extern const size_t eval_runner_len, eval_more_len;
