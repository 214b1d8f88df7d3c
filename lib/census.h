/* SPDX-License-Identifier: Apache-2.0 */
/*
 * census: what stands in a tree is written down, and found out later what of it is other, new or gone.
 *
 * By inode and time of the last change of each, which nobody can set: whoever writes to a file, or to its mode or
 * owner, is seen even when he puts the old times back. A census is of no use on a copy of the tree.
 */
#pragma once

#include "err.h"
#include "str.h"

enum change_kind { CHANGE_MODIFIED, CHANGE_ADDED, CHANGE_DELETED }; /* as the API numbers them */

/* Of all below `dir` into the empty file `out`; whatever is changed after it returns is seen as a change. */
int census_take(int dir, int out, struct err *e);

/* path: from the root of the tree, with a slash before it. */
typedef int census_tell(void *context, enum change_kind kind, const char *path, struct err *e);
/* Each difference to what `was` says, in no order. A directory in which something changed is modified; below one
 * that is gone nothing is told. `ours` (a path below `dir`, or NULL): a file that is no change, and neither is its
 * directory because of it. */
int census_compare(int dir, int was, const char *ours, census_tell *tell, void *context, struct err *e);
