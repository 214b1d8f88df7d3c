/* SPDX-License-Identifier: Apache-2.0 */
/*
 * each: what docker does alike to every container named: the ones that succeed are printed as they were
 * named, errors follow, and one error makes the status 1.
 */
#pragma once

#include "state.h"

/* One container. Not 0: `e` tells why. */
typedef int each_op(const struct store *s, const char *name, const void *arg, struct err *e);

enum {
	EACH_AT_ONCE = 1, /* several containers at the same time: stopping may take 10 seconds for each */
	EACH_MISSING_OK = 2, /* a container that does not exist is told, but no failure */
	EACH_QUIET = 4,      /* op prints */
};

int each_container(char **names, int n, each_op *op, const void *arg, unsigned how);
