/* SPDX-License-Identifier: Apache-2.0 */
/* affinity: --cpuset-cpus where no control group can hold it: by sched_setaffinity(). */
#pragma once

#include "err.h"

#include <stdbool.h>
#include <sys/types.h>

/* Checks that this process may run on all of "0-2,4"; the error is docker's sentence. */
int affinity_check(const char *cpus, struct err *e);
/* Checks that all of `cpus` are among `those`, a container's. */
int affinity_check_within(const char *cpus, const char *those, struct err *e);
/* affinity_check() for memory nodes. */
int affinity_check_mems(const char *mems, struct err *e);
/* Changes what a running process was restricted to, with all its threads; from: NULL, it was not. Whether it was on others. */
bool affinity_move(pid_t pid, const char *from, const char *to);
/* Restricts this process and what it starts; they may lift the restriction again, as no privilege guards it. */
int affinity_set(const char *cpus, struct err *e);
