/* SPDX-License-Identifier: Apache-2.0 */
/*
 * size: how many bytes the files in writable layers take. Adding them up means looking into every directory; of thousands of
 * containers that do not run the sums are kept in one file, root/sizes (deck_file.h), each with the container's directory as
 * it was described then. What may write into the layer of one that does not run touches that directory first and
 * holds its lock meanwhile; a start and an end replace the state file in it.
 */
#pragma once

#include "state.h"

/* -1 with errno where it cannot be known. */
int64_t container_size(const struct store *s, const char *id);

struct sized {
	const struct state *st;
	int64_t bytes; /* -1: it cannot be known */
};

/* Of containers as state_list() told them. began_ns: before they were listed. */
void container_sizes(const struct store *s, struct sized *list, size_t n, int64_t began_ns);
/* There is nothing to keep any more. */
void container_sizes_forget(const struct store *s);
