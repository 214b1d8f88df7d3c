/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch: limits where no control group helps. Reads the container's own procfs from outside, and says
 * how soon it must look again: never later than the container could pass its limit at the pace at which
 * memory can be written, and rarely while nothing in it runs.
 */
#pragma once

#include "plan.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define WATCH_TMPFS_MAX   16
#define WATCH_VICTIMS_MAX 32
#define WATCH_KNOWN_MAX   32

struct watch {
	int proc;                   /* the container's procfs */
	int tmpfs[WATCH_TMPFS_MAX]; /* its memory file systems */
	int n_tmpfs;
	int64_t memory; /* limits; 0: none */
	int64_t cpu_ns, pids;
	bool shares_pids;    /* proc shows processes of others, too: */
	struct stat mounts;  /* those of the container are the ones in its mount namespace */
	int64_t peak;        /* the most memory that was seen, in bytes */
	int64_t peak_pids;   /* the most tasks at once */
	uint64_t ticks;      /* of processor time at the last look */
	int idle_for;        /* looks in a row */
	bool idle;           /* nothing has changed since then */
	int64_t last;        /* bytes at the last look */
	int list;            /* proc, for reading */
	struct watch_known { /* processes that were there at the last look */
		char process[16];
		int statm;
		bool seen;
	} known[WATCH_KNOWN_MAX];
	int n_known;
	bool killed;                /* for memory, once at least */
	void (*on_kill)(void *arg); /* called before each such kill; or NULL */
	void *arg;
	struct watch_victim { /* who was killed for it and may not have given it back yet */
		int dir;
		int64_t since;
		char process[16];
	} victims[WATCH_VICTIMS_MAX];
	int n_victims;
};

enum verdict { WATCH_FINE, WATCH_OOM, WATCH_CPU, WATCH_PIDS };

/* Which of a plan's limits nothing better holds. */
struct watch_for {
	bool memory, pids;
};

/* proc is not taken; pid is pid 1's, as we see it, to find its memory file systems. */
void watch_begin(
	struct watch *w, const struct plan *p, const struct watch_for *what, int proc, pid_t pid);
/* Looks; *next_ns is when to look again, 0 when never. Over the limit of memory it kills the process which
 * holds most of it, as the kernel would; WATCH_OOM: that does not help, end them all. */
enum verdict watch_look(struct watch *w, int64_t *next_ns);
void watch_end(struct watch *w);
