/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apart: work on a stranger's bytes in a child process that can write below the store's two directories and nowhere
 * else, has no network, and starts nothing but the helper program (confine.h).
 */
#pragma once

#include "confine.h"
#include "err.h"
#include "store.h"
#include "str.h"

/* work runs in the child: what it adds to the answer comes back, also when it fails. It ends with its parent. */
int apart(const struct store *s, int (*work)(void *arg, struct buf *answer, struct err *e),
	void *arg, struct buf *answer, struct err *e);

/* Other work than the store's: it may do what is on another list, has no descriptors but these, and writes below the first. */
struct apart_fence {
	enum confine who;
	int dir, fd;
};
int apart_below(const struct apart_fence *f,
	int (*work)(void *arg, struct buf *answer, struct err *e), void *arg, struct err *e);
