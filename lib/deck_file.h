/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deck_file: a cache file in the store's root that repeats what thousands of other files say, so that a listing need not
 * open them. Deleting it loses nothing, and a damaged one is ignored.
 */
#pragma once

#include "store.h"
#include "str.h"

#include <stdint.h>
#include <time.h>

/* Its body, a multiple of 8 bytes, with a 0 behind. NULL: it does not exist, is damaged, or is of another form. */
char *deck_file_read(const struct store *s, const char *name, uint64_t form, size_t *len);
/* Begins a new file; -1: another process is making one. *now: a time of the file system's clock, which may be another
 * machine's, no later than began_ns. */
int deck_file_begin(const struct store *s, const char *name, int64_t began_ns, struct timespec *now);
/* Instead of deck_file_end(), if there is nothing to keep. */
void deck_file_drop(const struct store *s, const char *name);
/* Ends a part of the body with a 0 and pads it, so that the next part is aligned. */
void deck_file_pad(struct buf *body);
/* body: a multiple of 8 bytes. If it fails the next listing is slower. */
void deck_file_end(
	const struct store *s, const char *name, uint64_t form, int fd, const struct buf *body);
