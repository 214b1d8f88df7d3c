/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval: a snippet of python in a fresh container of its own, and how it ended.
 *
 *	struct eval_run run;
 *	if (eval_begin(&place, &request, &run, &e) < 0) ...
 *	while (!run.ended) {
 *		struct pollfd p[EVAL_FDS];
 *		eval_poll(&run, p);
 *		poll(p, EVAL_FDS, -1);
 *		eval_step(&run, p);
 *	}
 *	eval_end(&run, &request, &result);
 *
 * so that one loop can hold many of them; eval_fresh() is that loop for one. Limits are the engine's: its
 * supervisor ends the container, and the container ends with us.
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

struct eval_run {
	id_text id;
	int sock; /* of the supervisor */
	bool ended;
	int status;    /* what a client of docker would exit with */
	char *outcome; /* as outcome.h has it; NULL: the supervisor was killed */
	struct eval_io io;
};

#define EVAL_FDS (EVAL_IO_FDS + 1)

int eval_begin(const struct eval_place *p, const struct eval_request *r, struct eval_run *run,
	struct err *e);
void eval_poll(const struct eval_run *run, struct pollfd p[EVAL_FDS]);
void eval_step(struct eval_run *run, const struct pollfd p[EVAL_FDS]);
/* Frees what is in run. */
void eval_end(const struct eval_place *p, struct eval_run *run, const struct eval_request *r,
	struct eval_result *out);
void eval_run_done(struct eval_run *run); /* ends it, when it lives */

/* All of it. Never fails: what could not be set up is in the result. */
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
