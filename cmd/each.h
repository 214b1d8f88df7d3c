/* SPDX-License-Identifier: Apache-2.0 */
/*
 * each: applies an operation to every container on a command line. As with docker, the names of those that
 * succeed are printed, then the errors; any error makes the status 1.
 */
#pragma once

#include "state.h"

/* Acts on one container. Not 0: it failed, as `e` says. */
typedef int each_op(const struct store *s, const char *name, const void *arg, struct err *e);

enum {
	EACH_AT_ONCE = 1, /* several containers in parallel, as stopping one may take 10 seconds */
	EACH_MISSING_OK = 2, /* a container that does not exist is reported, but does not change the status */
	EACH_QUIET = 4,   /* print no names: op prints by itself */
	EACH_GOES_ON = 8, /* what was begun with a container is done to its end, even if we are killed, as docker's daemon does it */
};

int each_container(char **names, int n, each_op *op, const void *arg, unsigned how);
