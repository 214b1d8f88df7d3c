/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deck_file: a file in the store's root that only repeats what other files say, so that a listing need not open
 * thousands. Who deletes it loses nothing, and a damaged one is as good as none.
 */
#pragma once

#include "store.h"
#include "str.h"

#include <stdint.h>
#include <time.h>

/* What stands in it, with a 0 behind, a multiple of 8 bytes; NULL: it is not there, damaged, or of another form. */
char *deck_file_read(const struct store *s, const char *name, uint64_t form, size_t *len);
/* One makes a new one at a time: else -1. *now: what the file system's clock, which may be another machine's, said no
 * later than at began_ns. */
int deck_file_begin(const struct store *s, const char *name, int64_t began_ns, struct timespec *now);
/* Instead of the end: there is nothing to keep. */
void deck_file_drop(const struct store *s, const char *name);
/* A 0 behind a part of the body, and as many more as let the next one be aligned. */
void deck_file_pad(struct buf *body);
/* body: a multiple of 8 bytes. What fails is only slower the next time. */
void deck_file_end(
	const struct store *s, const char *name, uint64_t form, int fd, const struct buf *body);
