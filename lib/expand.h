/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expand: decompresses a stream if it is compressed (gzip, bzip2, xz, zstd), by the helper program, which is confined. The
 * stream may be a pipe, and is decompressed as it comes.
 *
 *	auto_expand struct expand x = EXPAND_NONE;
 *	if (expand_open(s, fd, &x, e) == 0) ... what is in x.head, then what comes from x.fd ...
 *	result = expand_end(&x, result, e)
 */
#pragma once

#include "err.h"
#include "store.h"

#include <sys/types.h>

#define EXPAND_HEAD 10 /* bytes that are enough to recognise any compression */

struct expand {
	int fd;
	pid_t pid;     /* the helper's; -1: not compressed, and fd is the caller's, else ours */
	int answer;    /* where the helper's answer comes from, or -1 */
	size_t n_head; /* bytes read already of a stream that is not compressed */
	char head[EXPAND_HEAD];
};
#define EXPAND_NONE ((struct expand){.fd = -1, .pid = -1, .answer = -1})

/* Reads the head of the stream and starts the helper if needed. Its output is bounded by what the store's disk could hold. */
int expand_open(const struct store *s, int in, struct expand *x, struct err *e);
/* Another process has taken x->fd over and reads it. */
void expand_handed(struct expand *x);
/* To be called after reading. Returns `result`, how reading went, with its error in *e; unless decompressing failed: then -1 and
 * that error, which is the cause. */
int expand_end(struct expand *x, int result, struct err *e);
void expand_abort(struct expand *x); /* does nothing after expand_end() */
#define auto_expand __attribute__((cleanup(expand_abort)))
