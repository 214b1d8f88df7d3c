/* SPDX-License-Identifier: Apache-2.0 */
/* engine_parts: what the parts of the engine have of each other. Nobody else includes this. */
#pragma once

#include "engine.h"

#include "spec.h"
#include "state.h"

/* A container as the engine handles it. */
struct made {
	struct state st;
	struct spec spec;
	char *dir; /* its own directory, absolute */
};
void made_done(struct made *m);
#define auto_made __attribute__((cleanup(made_done)))

int engine_load(const struct store *s, const char *id, struct made *m, struct err *e);
/* A pidfd of the container's pid 1, which is known to be that very process. */
int engine_pid1(const struct state *st, struct err *e);
