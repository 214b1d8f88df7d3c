/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isolate: what template.py loads: a shared object of its own, from memory. It is linked with nothing: `syscall`,
 * `fork` and the like are those of the libc which python runs on, glibc's or another, the rest is python's.
 *
 * What the template does for each request is here and not in python: after a fork each page of the parent that it
 * writes is copied once more, and python, which counts references, writes everywhere.
 */
#pragma once

#include <linux/filter.h>

struct isolate_range {
	unsigned long at, len;
};

/* struct Ask of template.py. */
struct isolate_ask {
	int channel; /* the number that it gets in a child */
	int pids;
	const char *workdir;
	unsigned long data; /* bytes of a child's data from the start: its limit counts them */
	struct sock_fprog program;
	long n_hot;
	const struct isolate_range *hot; /* what every child writes to */
};

long syscall(long number, ...);

/* Gives everything up. streams: channel, stdout and stderr. 0, or -1 and errno is set: then the process must end. */
int isolate(const struct isolate_ask *a, int pidfd, const int streams[3]);

/* In a child that is isolated: another process, KEEPER_HOLDER by number, keeps its memory until the cell ends. -1:
 * not here. */
int hold_memory(void);

/* Forks whenever the keeper (keeper.h) asks and tells the manager who has ended. Returns in a child that is isolated
 * and was told to begin: how many bytes its request has. SIGCHLD must be blocked. Called with python's lock held. */
long serve(const struct isolate_ask *a, int asked, int tell);
