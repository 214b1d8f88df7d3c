/* SPDX-License-Identifier: Apache-2.0 */
/* own_store: a store of the test's own. */
#pragma once

#include "auto.h"
#include "store.h"

#include <stdio.h>
#include <stdlib.h>

static inline void own_store(struct store *s, const char *top)
{
	auto_free char *root = xasprintf("%s/root", top);
	auto_free char *runtime = xasprintf("%s/run", top);
	struct err e;

	(void)setenv("SBX_ROOT", root, 1);
	(void)setenv("SBX_RUNTIME", runtime, 1);
	if (store_open(s, &e) < 0) {
		printf("Bail out! %s\n", e.text);
		exit(1);
	}
}
