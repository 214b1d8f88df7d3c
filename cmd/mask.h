/* SPDX-License-Identifier: Apache-2.0 */
/* mask: the caller's umask, which is for what we make for the caller. */
#pragma once

#include <sys/types.h>

/* From now on nothing that we make for ourselves is closed to us, whatever the caller's umask; what we make for the caller has
 * the mode that this gives it, and other programs get it as it came. */
void mask_begin(void);
void mask_end(void);
int mask_open(const char *path, int flags, mode_t mode); /* as open() */
