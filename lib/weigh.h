/* SPDX-License-Identifier: Apache-2.0 */
/* weigh: how many bytes lie in a tree, as docker adds them up. */
#pragma once

#include <stdint.h>

/* Files, one of several names once, and what symbolic links say. What cannot be read (ids that are not ours) is not
 * counted: the sum is for the eye. What may not be looked into, or goes meanwhile, has no bytes. -1 with errno where it
 * cannot be known. */
int64_t weigh(const char *path);
