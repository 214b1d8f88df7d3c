/* SPDX-License-Identifier: Apache-2.0 */
/* affinity: --cpuset-cpus where no control group holds it: by the processors which a process asks for itself. */
#pragma once

#include "err.h"

/* Checks that the machine lets us use all of "0-2,4"; docker's sentence if not. */
int affinity_check(const char *cpus, struct err *e);
/* The same of a container that has no others than `those`. */
int affinity_check_within(const char *cpus, const char *those, struct err *e);
/* The same of memory nodes. */
int affinity_check_mems(const char *mems, struct err *e);
/* This process and all that it starts, which could change it again. */
int affinity_set(const char *cpus, struct err *e);
