/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hold: all of a pid namespace stand still while some of them are killed.
 *
 * Who kills a crowd one by one among others has no processor for it while that crowd forks. One call from inside stops them
 * all, those others too; whoever was stopped before stays so, by a mark that the kernel keeps: it does not take a second stop
 * from a process that stands already, but leaves it pending, which `status` tells.
 *
 * Two who hold take turns, by a lock on a directory of the machine's procfs, which nobody inside can open. Should the caller
 * be killed, the process inside lets all go on.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct hold {
	int proc; /* a procfs of that namespace; -1 */
	int lock; /* of two who hold the same, the second would take all for stopped by their users */
	int talk;   /* with who stopped them, and lets them go on should the holder be killed */
	int inside; /* pidfd of that one; -1: nobody is held */
	pid_t pid;  /* of it */
};

/* The caller's children come into that pid namespace. */
struct hold_whom {
	int machine_proc; /* shows everything */
	int proc; /* that of the namespace; -1: has none, then those stopped before go on as well */
	int init; /* pidfd of its first process */
	int self; /* pidfd of the caller */
};

/* False: somebody else holds them, or it cannot be had; what `h` says is sound even then. */
bool hold_begin(struct hold *h, const struct hold_whom *whom);
void hold_end(struct hold *h);
