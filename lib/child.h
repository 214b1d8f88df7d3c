/* SPDX-License-Identifier: Apache-2.0 */
/* child: runs work in a child process, which may enter namespaces, and brings its error back. */
#pragma once

#include "err.h"

/* Returns what work() returned in the child, and its error; -1 also if the child died before it could tell. The child dies
 * with its parent. */
int child_do(int (*work)(void *arg, struct err *e), void *arg, struct err *e);
