/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source: the bytes of a descriptor, gzip decompressed. It is read here because libarchive looks neither at the checksum
 * of a gzip nor at its length, so that a damaged one would be taken for a whole one. Other bytes pass as they are.
 */
#pragma once

#include "meter.h"

#include <stddef.h>
#include <sys/types.h>

struct source;

/* `head` is what was read already, at most some bytes; `meter` counts bytes as they are read, or is NULL. Never fails. */
struct source *source_new(int in, const void *head, size_t n_head, struct meter *meter);
/* The next bytes, 0 at the end; -1 with *why, a sentence. They stay until the next call. */
ssize_t source_read(struct source *s, const void **out, const char **why);
void source_free(struct source *s);
