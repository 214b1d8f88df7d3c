/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deep: walks that go deeper than descriptors may be open. Below a certain depth a directory is closed while the walk is in one
 * of its own, and opened again by that one's "..", which keeps it in the kernel's memory meanwhile. Somebody may have moved it:
 * then ".." is another directory, and the walk fails.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* As deep as a path of PATH_MAX bytes may be; the C stack holds it. */
#define DEEP_MAX 2048

struct deep {
	dev_t dev;
	ino_t ino;
	bool left;
};

/* Before the walk goes into a directory of *dir, which may be closed. */
void deep_leave(struct deep *d, int depth, int *dir);
/* When it is through with that one, which is still open. -1: *dir could not be opened again. */
int deep_back(const struct deep *d, int below, int *dir);
