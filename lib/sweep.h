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

struct sweep {
	int proc;                /* a procfs which shows them */
	const char *ns;          /* "ns/cgroup"; NULL: whatever it shows */
	const struct stat *what; /* what that link of theirs leads to */
	const pid_t *spare; /* two numbers, 0: nobody; NULL: none but the caller, who always is */
};

/* Returns when none is left that is not dying. */
void sweep(const struct sweep *of);
/* Calls for each, by his directory in that procfs. */
void sweep_each(const struct sweep *of, void (*call)(int dir, void *arg), void *arg);
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
void sweep_signal(const struct sweep *of, pid_t pid, int signo);
/* The processor time of those, of their children which they waited for, and of others that were seen by the same `spent`
 * and are gone. */
int64_t sweep_cpu_ns(const struct sweep *of, struct spent *spent);
/* As spent_look() asks; arg: the descriptor of a procfs. */
bool sweep_still_there(struct spent_process *p, void *arg);
