/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch: limits where no control group helps. Reads the container's own procfs from outside, and says
 * how soon it must look again: never later than the container could pass its limit at the pace at which
 * memory can be written.
 *
 * What counts as memory: of each process what is its own (proportionally, where forks share it), in swap and in its page
 * tables, and what the kernel has for each of its threads; what the container's memory file systems hold, with what each file takes; shared memory that has no file in
 * them; System V's messages and semaphores.
 *
 * Over the limit the process that holds most is killed, as the kernel would. An allocation cannot be made to wait
 * until that one has given its memory back; so whoever takes more meanwhile is stopped for so long. All are, parents
 * before their children and longer, for the milliseconds in which page tables are walked.
 */
#pragma once

#include "plan.h"
#include "spent.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define WATCH_VICTIMS_MAX 32
#define WATCH_KNOWN_MAX   64
#define WATCH_HELD_MAX    256

/* Tables of a namespace's System V objects, in the order of their descriptors. */
enum { WATCH_SHM, WATCH_MSG, WATCH_SEM, WATCH_TABLES };

struct watch {
	int proc;   /* the container's procfs */
	int *tmpfs; /* its memory file systems, see watch_add_tmpfs() */
	size_t n_tmpfs;
	int64_t memory; /* limits; 0: none */
	int64_t cpu_ns, pids;
	struct spent spent; /* with a limit of processor time; kept when the watch ends */
	const char *ns;     /* NULL: all that proc shows; else those whose "ns/..." leads to */
	struct stat in;     /* this; proc shows processes of others, too */
	char spare[2][16];  /* who does not count; "" */
	int64_t peak;       /* the most memory that was seen, in bytes */
	int64_t peak_pids;  /* the most tasks at once */
	uint64_t ticks;     /* of processor time at the last look */
	bool idle;          /* nothing has changed since the last look */
	int idle_for;       /* looks in a row, before this one */
	int64_t files;      /* bytes in tmpfs */
	int64_t objects; /* bytes of the kernel's for the container's files, messages and semaphores */
	int64_t last;    /* bytes at the last look */
	int64_t own;     /* the part of it that was processes' own */
	int64_t unasked; /* bytes of page tables that may still go without being asked for, in this look */
	int64_t per_ns;         /* bytes that all processors together can write in that time */
	int list;               /* proc, for reading */
	int sysv[WATCH_TABLES]; /* or -1 */
	struct watch_known {    /* processes that were there at the last look */
		char process[16];
		int statm, stat; /* stat: -1 before it was needed */
		bool seen;
		bool empty; /* it has ended, and was not waited for */
		int64_t own, swapped, shm, tables, threads; /* bytes */
		int64_t resident, grew;                     /* since the last look */
		int64_t exact; /* proportionally, when that was asked last */
		int lent;      /* children that have its memory, and were found so */
	} known[WATCH_KNOWN_MAX];
	int n_known;
	struct watch_shm { /* shared memory without a file in tmpfs */
		dev_t dev; /* of the kernel's own tmpfs, where it is; 0: not known */
		int64_t bytes;
		int64_t sysv; /* the part of it that is System V's: no process's end gives it back */
		int64_t machine, files; /* what all shared memory, and the container's files, were when it was counted */
		int64_t dying;      /* those who were killed have so much more */
		int64_t base;       /* what the machine had that was not the container's */
		bool stale;         /* somebody was killed, or is gone, since it was counted */
		int64_t seen;       /* all shared memory at the last look */
		int64_t not_before; /* counting again, when it takes long */
	} shm;
	struct watch_exact { /* the last time when page tables were walked */
		int64_t bytes, cheap, at;
		uint64_t faults;
	} exact;
	struct watch_walk { /* the same for the peak's sake, where forks have memory in common */
		int64_t not_before, held;
		uint64_t faults;
		bool owed; /* it was too early for that */
	} walk;
	unsigned short tasks;      /* of the machine, when threads were counted */
	bool count_threads;        /* in this look */
	bool each_id;              /* of `pids`, each id is held to it by the kernel */
	bool count_pids;           /* in this look */
	unsigned short tasks_then; /* of the machine, when they were counted */
	int64_t pids_then;         /* of the container */
	unsigned int looks;
	int64_t swap; /* that the machine used when processes were asked for their part of it */
	bool swap_moved;
	bool killed;                /* for memory, once at least */
	void (*on_kill)(void *arg); /* called before each such kill; or NULL */
	void *arg;
	struct watch_victim { /* who was killed for it and may not have given it back yet */
		int dir;
		int64_t since;
		char process[16];
	} victims[WATCH_VICTIMS_MAX];
	int n_victims;
	int held[WATCH_HELD_MAX]; /* who is stopped meanwhile: their directories */
	char held_process[WATCH_HELD_MAX][16];
	int n_held, fillings; /* how often somebody grew in spite of that */
};

enum verdict { WATCH_FINE, WATCH_OOM, WATCH_CPU, WATCH_PIDS };

/* Which of a plan's limits nothing better holds. */
struct watch_for {
	bool memory, pids;
	bool pids_each_id; /* but each id is held to it already */
};

/* Descriptors of the container's, from before anything ran in it: who runs may go elsewhere. They are not taken. */
struct watch_where {
	int proc;
	int root;        /* below which its memory file systems are */
	int mounts;      /* its mount namespace, where proc shows other processes too */
	const int *sysv; /* the tables in /proc/sysvipc of its namespace; NULL: not its own */
};

void watch_begin(struct watch *w, const struct plan *p, const struct watch_for *what,
	const struct watch_where *where);
/* One memory file system more; fd is taken. */
void watch_add_tmpfs(struct watch *w, int fd);
/* Looks; *next_ns is when to look again, 0 when never. Over the limit of memory it kills the process which
 * holds most of it, as the kernel would; WATCH_OOM: that does not help, end them all. */
enum verdict watch_look(struct watch *w, int64_t *next_ns);
/* The same for all who are in one namespace, but `spare`, against the plan's own limits: an exec. The container's
 * memory file systems are not theirs. */
void watch_begin_some(struct watch *w, const struct plan *p, int proc, const char *ns,
	const struct stat *in, char spare[2][16]);
/* What was idle until now may not be from now on. */
void watch_stir(struct watch *w);
void watch_end(struct watch *w);
