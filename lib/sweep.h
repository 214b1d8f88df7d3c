/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep: kills all processes that live in a namespace.
 *
 * A namespace is what a process without privileges inherits and cannot leave: no double fork, new session,
 * changed user or stopped process helps against it.
 */
#pragma once

#include <sys/stat.h>

/* proc: a procfs which shows them. ns: "ns/cgroup"; what that link of theirs leads to. Returns
 * when none is left that is not dying. */
void sweep(int proc, const char *ns, const struct stat *what);
