/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ahead: one thread finds files and another writes them, so that neither looking files up nor reading them into memory
 * holds up the writing. The finder is ahead by a bounded number of files. If there are only a few files, or if no second
 * thread can be started, the finder writes them itself.
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

/* Runs `find`, and hands each file that it gives to `use`, in the same order. */
int ahead(ahead_find *find, ahead_use *use, void *context, struct err *e);
/* Called by `find`; takes over what f holds. -1: `use` has failed, and `find` is to return. */
int ahead_give(struct ahead *a, struct found *f, struct err *e);
/* Waits until every file given so far is used, and its descriptor closed. */
int ahead_settle(struct ahead *a, struct err *e);
