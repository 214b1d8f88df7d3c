/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expand: a stream that may be compressed (gzip, bzip2, xz, zstd), as who reads it wants it. The compression is
 * taken off by the helper program, which is confined; the stream may come from a pipe, and passes by as it comes.
 *
 *	auto_expand struct expand x = EXPAND_NONE;
 *	if (expand_open(s, fd, &x, e) == 0) ... what is in x.head, then what comes from x.fd ...
 *	result = expand_end(&x, result, e)
 */
#pragma once

#include "err.h"
#include "store.h"

#include <sys/types.h>

#define EXPAND_HEAD 10 /* what any compression can be told by */

struct expand {
	int fd;
	pid_t pid;     /* of the helper, or -1: fd is the caller's, else ours */
	int answer;    /* what it says about it, or -1 */
	size_t n_head; /* what was read already, when it is not compressed */
	char head[EXPAND_HEAD];
};
#define EXPAND_NONE ((struct expand){.fd = -1, .pid = -1, .answer = -1})

/* Reads as much as is needed to tell. What comes out is bounded by what the disk of the store could hold. */
int expand_open(const struct store *s, int in, struct expand *x, struct err *e);
/* Another process has x->fd, and reads. */
void expand_handed(struct expand *x);
/* Nobody reads it any more. `result` is how reading to its end went, and *e why it failed: so it stays, unless the
 * archive is what was wrong. */
int expand_end(struct expand *x, int result, struct err *e);
void expand_abort(struct expand *x); /* nothing, after expand_end() */
#define auto_expand __attribute__((cleanup(expand_abort)))
