/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep: kills all processes in a namespace, or adds up what they used.
 *
 * Unprivileged processes inherit a namespace and cannot leave it: not by forking twice, by a new session, as another user, or by
 * being stopped. Who may make user namespaces can leave the others, but no user namespace leads up again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct spent;
struct spent_process;

struct sweep {
	int proc; /* a procfs that shows them */
	const char *ns; /* the link that tells a process's namespace, "ns/cgroup"; NULL: all processes of proc */
	const struct stat *what; /* where that link leads for processes in the namespace */
	const struct stat *users; /* a user namespace: who is in it, or in one below, counts as well; NULL: none */
	const pid_t *spare; /* two processes to spare, 0: none; or NULL. The caller is always spared. */
};

/* The machine's procfs, for `proc`; -1: it cannot be opened. */
int sweep_proc(void);
/* Kills them all; returns when every process left is dying. */
void sweep(const struct sweep *of);
/* Calls call() for each, with its directory in proc. False: for lack of descriptors or memory not all could be looked at. */
bool sweep_each(const struct sweep *of, void (*call)(int dir, void *arg), void *arg);
/* Kills them all, once. (When the first process of a pid namespace is killed, the others are killed only when that one gets a
 * processor to die on.) */
void sweep_once(const struct sweep *of);
/* Kills all of a pid namespace but its first process (pidfd), by one kill(-1) of a child inside. False: no process can be forked,
 * as limits count the processes inside, too. The first process must have been killed already, so that not many more are forked. */
bool sweep_namespace(int pidfd);
/* Whether the link `ns` in a process's directory leads to `what`; of a thread, if its first one has ended. */
bool sweep_is_in(int dir, const char *ns, const struct stat *what);
/* Whether its user namespace is `users` or below; also true if that cannot be found out. */
bool sweep_may_be_below(int dir, const struct stat *users);
/* Signals one process, if it is in the namespace. */
void sweep_signal(const struct sweep *of, pid_t pid, int signo);
/* The processor time of these processes, of children that they waited for, and of processes that were seen by the same `spent`
 * and are gone. */
int64_t sweep_cpu_ns(const struct sweep *of, struct spent *spent);
/* The `there` of spent_look(); arg: points to the descriptor of a procfs. */
bool sweep_still_there(struct spent_process *p, void *arg);
