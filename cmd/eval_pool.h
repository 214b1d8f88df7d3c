/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "pool.h"

struct eval_pool_args {
	bool jsonl, fresh, unordered;
	char *listen; /* "unix:PATH" */
	int64_t jobs; /* 0: one for each processor */
	struct strv preload;
};

/* eval.c: of a repeated option, "a,b" and "c", adds "a", "b" and "c"; out->set: whether the option was given. */
void eval_split_names(const struct strv *words, struct strv *out);

bool eval_pool_asked(const struct eval_pool_args *a);
/* Answers all requests. Returns the exit status. */
int eval_pool_main(const struct eval_pool_args *a, const struct eval_place *place,
	const struct eval_request *defaults);
