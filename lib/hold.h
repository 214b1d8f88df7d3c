/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold: stops all processes of a pid namespace while some of them are killed.
 *
 * Killing a crowd of processes one by one does not get ahead while the crowd forks. One kill(-1) from inside the namespace stops
 * them all, and others too. Processes that were stopped before must stay so afterwards; they can be told apart, because the
 * kernel leaves a second SIGSTOP pending for a process that is stopped already, which `status` tells.
 *
 * Two callers take turns, by a lock on a directory of the machine's procfs, which nobody inside can open. If the caller is
 * killed, the process inside lets all go on.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct hold {
	int proc; /* a procfs of that namespace; -1 */
	int lock; /* one holder at a time: a second one would take all processes for stopped by their users */
	int talk; /* to a child inside, which stops them, and lets them go on even if the holder is killed */
	int inside; /* pidfd of that child; -1: nobody is held */
	pid_t pid;  /* of that child */
};

/* To be called by a process whose children are born in that pid namespace. */
struct hold_whom {
	int machine_proc; /* shows everything */
	int proc; /* the namespace's; -1: none, then processes that were stopped before go on as well */
	int init; /* pidfd of the namespace's first process */
	int self; /* pidfd of the caller */
};

/* False: another holder is at work, or it failed; hold_end() is right even then. */
bool hold_begin(struct hold *h, const struct hold_whom *whom);
void hold_end(struct hold *h);
