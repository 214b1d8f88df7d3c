/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apart: work on a stranger's bytes in a child process that can write below the store's two directories and nowhere
 * else, has no network, and starts nothing but the helper program (confine.h).
 */
#pragma once

#include "err.h"
#include "store.h"
#include "str.h"

/* work runs in the child: what it adds to the answer comes back, also when it fails. It ends with its parent. */
int apart(const struct store *s, int (*work)(void *arg, struct buf *answer, struct err *e),
	void *arg, struct buf *answer, struct err *e);
