/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pids: the processes that a procfs shows, in the order of their numbers. The kernel is asked for few at a time, since names
 * read ahead are of those who have ended meanwhile: a chain of processes that fork and leave would never be seen.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct pids {
	int dir;       /* stays the caller's; where it stands in the directory changes */
	ssize_t at, n; /* n < 0: it could not be read on, errno says why */
	char entries[64] __attribute__((aligned(8)));
};

void pids_begin(struct pids *p, int procfs);
/* The next one, its number as text: until the next call; NULL: there is none, or n says that nobody knows. */
const char *pids_next(struct pids *p);
