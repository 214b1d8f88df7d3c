/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep: kills all processes that live in a namespace, or counts what they used.
 *
 * A namespace is what a process without privileges inherits and cannot leave: no double fork, new session,
 * changed user or stopped process helps against it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct spent;
struct spent_process;

/* proc: a procfs which shows them. ns: "ns/cgroup"; what that link of theirs leads to. Returns
 * when none is left that is not dying. The caller is spared, and `spare` if it is not 0. */
void sweep(int proc, const char *ns, const struct stat *what, pid_t spare);
/* Whatever a procfs shows, once: a pid namespace whose first process is killed kills the others only when that one has
 * got a processor to die on. */
void sweep_once(int proc);
/* All of a pid namespace, by its first process, at once and by one call, except that one itself. It needs a process more,
 * inside, and so do those who are to be killed: false, where there is none to be had. The first is being killed already: what
 * is done to ours in there lasts no longer than it does. */
bool sweep_namespace(int pidfd);
/* Whether a process, by its directory, has such a link that leads there, or one of its threads when the first has ended. */
bool sweep_is_in(int dir, const char *ns, const struct stat *what);
/* One process, if it is in that namespace. */
void sweep_signal(int proc, pid_t pid, const char *ns, const struct stat *what, int signo);
/* The processor time of those, of their children which they waited for, and of others that were seen by the same `spent`
 * and are gone. */
int64_t sweep_cpu_ns(int proc, const char *ns, const struct stat *what, struct spent *spent);
/* As spent_look() asks; arg: the descriptor of a procfs. */
bool sweep_still_there(struct spent_process *p, void *arg);
