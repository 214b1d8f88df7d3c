/* SPDX-License-Identifier: Apache-2.0 */
/*
 * size: how many bytes the files in containers' writable layers take. Adding them up means walking the whole layer. So the sums
 * of containers that do not run are cached in one file, root/sizes (deck_file.h), each with the sign (inode, ctime) of the
 * container's directory. The sign changes when a container starts or ends, since that replaces its state file; and
 * everything else that may write into such a layer touches the directory first, and holds its lock meanwhile.
 */
#pragma once

#include "state.h"

/* -1 with errno if it cannot be found out. */
int64_t container_size(const struct store *s, const char *id);

struct sized {
	const struct state *st;
	int64_t bytes; /* -1: it cannot be found out */
};

/* Fills in `bytes` of containers from state_list(). began_ns: a time before they were listed. */
void container_sizes(const struct store *s, struct sized *list, size_t n, int64_t began_ns);
/* Removes the cache. */
void container_sizes_forget(const struct store *s);
