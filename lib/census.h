/* SPDX-License-Identifier: Apache-2.0 */
/*
 * census: records what is in a directory tree, to find out later what was modified, added or deleted.
 *
 * Files are compared by inode number and ctime, which no program can set: a write to a file, its mode or owner is seen even if
 * the old mtime is restored. (So a census does not hold for a copy of the tree.)
 */
#pragma once

#include "err.h"
#include "str.h"

enum change_kind { CHANGE_MODIFIED, CHANGE_ADDED, CHANGE_DELETED }; /* as the API numbers them */

/* Records everything below `dir` in the empty file `out`. What is changed after it returns will be seen as a change. */
int census_take(int dir, int out, struct err *e);

/* path: from the root of the tree, with a slash before it. */
typedef int census_tell(void *context, enum change_kind kind, const char *path, struct err *e);
/* Calls `tell` for each difference to the census in `was`, in no particular order. A directory counts as modified if something in
 * it changed; nothing is told of what was below a deleted directory. ours: a file below `dir` that does not count as a
 * change, nor its directory because of it; or NULL. */
int census_compare(int dir, int was, const char *ours, census_tell *tell, void *context, struct err *e);
