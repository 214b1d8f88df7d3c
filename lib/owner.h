/* SPDX-License-Identifier: Apache-2.0 */
/* owner: work in a user namespace with all of the user's ids, without which files of a range of ids cannot be removed. */
#pragma once

#include "err.h"
#include "store.h"

/* Runs work() in a child that has joined such a namespace. */
int owner_do(const struct store *s, int (*work)(const struct store *s, const void *arg, struct err *e),
	const void *arg, struct err *e);
