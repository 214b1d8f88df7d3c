/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool: many requests, a few workers, one loop.
 *
 * Requests come line by line from clients (eval_request.h) and are answered by a line each (eval_result.h), in the order
 * of each client's requests or as they finish. No more is read from a client than the workers will need soon: who
 * sends faster waits. A client that vanishes takes its requests with it.
 *
 * A worker is either a container for each request (fresh), or a child of the template (template.h). A template that
 * dies is replaced; what it was running is run again, once. On a machine which allows no child of it to be isolated,
 * each request gets a container after all.
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
	/* Something that no client is told: a sentence. */
	void (*warn)(const char *text, void *arg);
	/* After each answer; bytes: of the requests which were answered. Or NULL. */
	void (*progress)(uint64_t answered, uint64_t bytes, void *arg);
	void *arg;
};

/* One client: requests from `in`, answers to `out`; 0 when all that came was answered. */
int pool_run(const struct pool_ask *ask, int in, int out, struct err *e);
/* Whoever connects to `listener`, as long as his uid is ours; until SIGTERM or SIGINT. ready() is called once
 * the first request could run. */
int pool_serve(const struct pool_ask *ask, int listener, void (*ready)(void *arg), struct err *e);
