/* SPDX-License-Identifier: Apache-2.0 */
/* mask: applies the caller's umask to files made for the caller, and to no others. */
#pragma once

#include <sys/types.h>

/* From now on the umask takes nothing from the owner, whatever the caller's is, so that we can open the files we make. */
void mask_begin(void);
/* Restores the caller's umask, before another program is run. */
void mask_end(void);
/* open() under the caller's umask, for files that belong to the caller. */
int mask_open(const char *path, int flags, mode_t mode);
