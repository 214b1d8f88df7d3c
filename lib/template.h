/* SPDX-License-Identifier: Apache-2.0 */
/*
 * template: the manager's side of a pool's container. In that there are, for each lane, a keeper (keeper.h) and a python that
 * has imported the modules, from which each request is forked into a cell of its own.
 *
 *	template_start(&t, &ask, &e)
 *	poll each lane's keeper and python; when one is readable: template_hear(&t, lane, &news) until it says TEMPLATE_QUIET
 *	template_child(&t, lane, &child, std) -> TEMPLATE_CELL or TEMPLATE_NO_CELL, later TEMPLATE_ENDED
 *	template_stop(&t)                     ends the container
 *
 * Where the 1.5 ms of one request go, traced: the manager reads and sends 0.03; the child runs 0.53, of it 25 faults 0.1; its
 * end 0.1 (0.55 before python/hold.c); the template's wait4 and word 0.03; the manager reads the streams and answers 0.1;
 * the client's two threads 0.25. Beside that, or before: the namespaces 0.55, their mounts 0.45, the fork 0.64 (half of it
 * copies pinned pages), the end of a cell 0.6.
 */
#pragma once

#include "err.h"
#include "eval.h"
#include "keeper.h"
#include "state.h"
#include "str.h"

#include <stdint.h>
#include <sys/resource.h>

struct template
{
	int engine; /* from engine_open(); closing it ends the container */
	size_t n_lanes;
	struct template_lane {
		int keeper, python;
		bool ready;
	} lanes[KEEPER_LANES];
	id_text id;
};

#define TEMPLATE_NONE ((struct template){.engine = -1})

struct template_ask {
	const struct eval_place *place;
	const struct strv *preload;
	int64_t memory; /* the size of a cell's file system */
	int workers;
	size_t lanes; /* 1 to KEEPER_LANES */
};

/* A child of the template that is to be made. */
struct template_child {
	uint32_t number;
	int cpu; /* the processor to begin on; -1: any */
	bool haste; /* a request waits already: skip preparations that only pay before a request comes */
};

struct template_news {
	enum {
		TEMPLATE_QUIET,
		TEMPLATE_READY, /* a lane is. text: modules that could not be imported, a line each; or "" */
		TEMPLATE_CELL,    /* number, and the descriptors, which are the caller's */
		TEMPLATE_NO_CELL, /* number; text: why */
		TEMPLATE_ENDED,   /* number, status (from waitpid()), usage */
		TEMPLATE_GONE,    /* text: why. Nothing more will come */
		TEMPLATE_UNABLE, /* text: what this python lacks, so that starting it again is of no use */
	} what;
	uint32_t number;
	int pidfd, proc, files;
	int status;
	struct rusage usage;
	char text[4096];
};

/* Returns before it is ready. */
int template_start(struct template *t, const struct template_ask *ask, struct err *e);
/* std: the child's ends of eval_io_open(). */
int template_child(
	struct template *t, size_t lane, const struct template_child *child, const int std[3]);
void template_hear(struct template *t, size_t lane, struct template_news *out);
/* Returns when the container is gone. */
void template_stop(struct template *t);
