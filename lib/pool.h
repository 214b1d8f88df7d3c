/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool: runs requests of many clients on a few workers, in one loop.
 *
 * Each client sends requests, one a line (eval_request.h), and gets a line for each (eval_result.h), in the order of its
 * requests or as they finish. No more is read from a client than the workers will need soon, so a client that sends faster
 * has to wait. When a client disconnects its requests are dropped.
 *
 * A worker runs each request either in a container of its own (fresh), or in a child of the template (template.h). A template
 * that dies is replaced, and what it was running is run once more. On a machine where the template's children cannot be
 * isolated, each request gets a container.
 */
#pragma once

#include "err.h"
#include "eval.h"

#define POOL_LINE_MAX    (64UL << 20) /* bytes of a request */
#define POOL_WORKERS_MAX 1024

struct pool_ask {
	const struct eval_place *place;
	const struct eval_request *defaults; /* for what a request does not say */
	const struct strv *preload;
	int workers;
	bool fresh, unordered;
	/* Called with a sentence that no client gets. */
	void (*warn)(const char *text, void *arg);
	/* Called after each answer, or NULL; bytes: the size of all requests answered so far. */
	void (*progress)(uint64_t answered, uint64_t bytes, void *arg);
	void *arg;
};

/* Serves one client, with requests from `in` and answers to `out`. 0: all that were read are answered, and lost tells if they
 * could not be read to their end ("read /dev/stdin") or an answer not be written ("write /dev/stdout"); else it is ERR_NONE.
 * A signal's number: it came, and requests may be unanswered. */
int pool_run(const struct pool_ask *ask, int in, int out, struct err *lost, struct err *e);
/* Serves every client of our own uid that connects to `listener`, until SIGTERM or SIGINT. ready() is called when the first
 * request could be run. */
int pool_serve(const struct pool_ask *ask, int listener, void (*ready)(void *arg), struct err *e);
