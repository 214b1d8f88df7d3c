/* SPDX-License-Identifier: Apache-2.0 */
/* child: work in a process of its own, which may enter namespaces, and what it has to say. */
#pragma once

#include "err.h"

/* What work returns in the child, and its error; -1 too when the child dies before it could tell. It ends with its
 * parent. */
int child_do(int (*work)(void *arg, struct err *e), void *arg, struct err *e);
