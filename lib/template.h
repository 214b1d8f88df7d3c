/* SPDX-License-Identifier: Apache-2.0 */
/*
 * template: the manager's side of a pool's container: one keeper (keeper.h) and one python which has imported the
 * modules once, from which each request is forked into a cell of its own.
 *
 *	template_start(&t, place, memory, workers, preload, &e)
 *	poll t.keeper and t.python; when one is readable: template_hear(&t, &news) until it says TEMPLATE_QUIET
 *	template_ask(&t, number, haste, std)      -> TEMPLATE_CELL or TEMPLATE_NO_CELL, later TEMPLATE_ENDED
 *	template_stop(&t)                     ends all that is in it
 */
#pragma once

#include "err.h"
#include "eval.h"
#include "state.h"
#include "str.h"

#include <stdint.h>
#include <sys/resource.h>

struct template
{
	int engine; /* of engine_open(); when it is closed the container ends */
	int keeper, python;
	bool ready;
	id_text id;
};

/* All -1: nothing to poll. */
#define TEMPLATE_NONE ((struct template){.engine = -1, .keeper = -1, .python = -1})

struct template_news {
	enum {
		TEMPLATE_QUIET,
		TEMPLATE_READY, /* text: modules which could not be imported, a line each; or "" */
		TEMPLATE_CELL,  /* number, and the descriptors, which are the caller's */
		TEMPLATE_NO_CELL, /* number; text: why */
		TEMPLATE_ENDED,   /* number, status (as waitpid() gives it), usage */
		TEMPLATE_GONE,    /* text: why. Nothing more will come */
	} what;
	uint32_t number;
	int pidfd, proc, files;
	int status;
	struct rusage usage;
	char text[4096];
};

/* memory: of the files of a cell. Returns before it is ready. */
int template_start(struct template *t, const struct eval_place *place, int64_t memory, int workers,
	const struct strv *preload, struct err *e);
/* std: the child's ends of eval_io_open(). haste: it is not to do ahead of its request what only makes that one's
 * answer come sooner. */
int template_ask(struct template *t, uint32_t number, bool haste, const int std[3]);
void template_hear(struct template *t, struct template_news *out);
/* Returns when the container is gone. */
void template_stop(struct template *t);
