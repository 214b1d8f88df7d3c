/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apart: work on untrusted bytes in a child process that can write nowhere but below the store's two directories, has no
 * network, and can start no program but the helper (confine.h).
 */
#pragma once

#include "confine.h"
#include "err.h"
#include "store.h"
#include "str.h"

/* Runs work() in the child, which dies with its parent. What it adds to the answer comes back, even if it fails. */
int apart(const struct store *s, int (*work)(void *arg, struct buf *answer, struct err *e),
	void *arg, struct buf *answer, struct err *e);

/* For work that has nothing to do with the store: the child is confined as `who`, keeps no descriptors but these two, and
 * can write below dir alone. */
struct apart_fence {
	enum confine who;
	int dir, fd;
};
int apart_below(const struct apart_fence *f,
	int (*work)(void *arg, struct buf *answer, struct err *e), void *arg, struct err *e);
