/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pids: lists the processes of a procfs in the order of their numbers. It reads few entries at a time, since those read ahead
 * may have ended by the time they are looked at: a chain of processes that each fork and exit would never be seen.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct pids {
	int dir;       /* stays the caller's, but its position changes */
	ssize_t at, n; /* n < 0: reading failed, with errno */
	char entries[64] __attribute__((aligned(8)));
};

void pids_begin(struct pids *p, int procfs);
/* The next process's number as text, valid until the next call; NULL: there are no more, or p->n < 0. */
const char *pids_next(struct pids *p);
