/* SPDX-License-Identifier: Apache-2.0 */
/* weigh: the size of the files in a tree, as docker adds it up. */
#pragma once

#include <stdint.h>

/* Adds up files, those with several names once, and the targets' lengths of symbolic links. Directories that we may not read (of
 * other ids) and files that disappear meanwhile do not count, since the sum is only for people to look at. -1 with errno on
 * other failures. */
int64_t weigh(const char *path);
