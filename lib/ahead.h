/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ahead: files are found by one thread and written by another, so that neither looking them up nor, where they are
 * not in memory yet, reading them holds up the writing. Who finds them goes ahead by a bounded number. A few files
 * are written by the thread which found them, and all where there can be no other.
 */
#pragma once

#include "err.h"
#include "tar.h"

struct found {
	struct tar_entry entry;
	int fd; /* its content, or -1 */
};

struct ahead;
typedef int ahead_find(struct ahead *a, void *context, struct err *e); /* calls ahead_give() */
typedef int ahead_use(struct found *f, void *context, struct err *e);  /* leaves f as it is */

/* All that `find` gives, in its order, to `use`. */
int ahead(ahead_find *find, ahead_use *use, void *context, struct err *e);
/* Takes what f holds. Without success `use` has failed, and no more is wanted. */
int ahead_give(struct ahead *a, struct found *f, struct err *e);
/* Waits until all that was given is used: no descriptor of it is open any more. */
int ahead_settle(struct ahead *a, struct err *e);
