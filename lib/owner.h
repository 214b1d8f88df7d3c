/* SPDX-License-Identifier: Apache-2.0 */
/* owner: what a range of ids wrote can only be removed by one who holds that range. */
#pragma once

#include "err.h"
#include "store.h"

/* work runs in a child which has joined a user namespace with all of the user's ids. */
int owner_do(const struct store *s, int (*work)(const struct store *s, const void *arg, struct err *e),
	const void *arg, struct err *e);
