/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch: limits on memory, processor time and processes where no control group can set them. It reads the container's
 * procfs from outside, and tells its caller when to look again: before the container could pass its limit even if
 * every processor did nothing but write to new memory.
 *
 * What counts as memory:
 * - of each process: its anonymous pages (proportionally where forks share them), its pages in swap, its page tables, and
 *   what the kernel allocates for each of its threads;
 * - what the container's memory file systems hold, plus a kilobyte or so of the kernel's for each file in them;
 * - shared memory that is in none of these file systems: memfds, anonymous shared mappings, System V segments;
 * - System V's messages and semaphores.
 *
 * Over the limit, the process that holds most is killed, as the kernel's OOM killer would do. Unlike the kernel we cannot
 * make an allocation wait until the victim's memory is free; so processes that grow meanwhile are stopped (SIGSTOP) until it
 * is. While page tables are walked, which takes milliseconds, all processes are stopped.
 */
#pragma once

#include "plan.h"
#include "spent.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#define WATCH_VICTIMS_MAX  32
#define WATCH_KNOWN_MAX    64
#define WATCH_HELD_MAX     256
#define WATCH_SLEEPERS_MAX 32
#define WATCH_BELLS_MAX    64

/* Tables of a namespace's System V objects, in the order of their descriptors. */
enum { WATCH_SHM, WATCH_MSG, WATCH_SEM, WATCH_TABLES };

/* A process that was there at the last look. Amounts are in bytes. */
struct watch_known {
	char process[16];
	int statm; /* open as long as the process is known: reading it takes a tenth of the time that opening it takes */
	int stat, status; /* likewise; -1 until they are needed */
	bool seen;        /* at this look */
	bool empty;       /* a zombie, or no thread was found that has not ended */
	int64_t own, swapped, shm, tables, threads;
	int64_t resident, grew; /* grew: since the last look */
	int64_t filled;         /* how much it grew while it was to stand still */
	int64_t exact;          /* its proportional share, when that was asked for last */
	int lent;               /* children found to run in its memory (vfork) */
};

/* Shared memory that is a file in none of the container's memory file systems. Amounts are in bytes. */
struct watch_shm {
	dev_t dev; /* the kernel's own tmpfs, where this memory is; 0: not known, and it is not counted */
	int64_t bytes;
	int64_t sysv; /* the part of it in System V segments, which no process's end gives back */
	int64_t machine, files; /* the machine's shared memory and the container's files when `bytes` was counted */
	int64_t dying;      /* what killed processes hold of it in addition */
	int64_t base;       /* the machine's shared memory that was not the container's */
	bool stale;         /* a process was killed or has ended since it was counted */
	int64_t seen;       /* the machine's shared memory at the last look */
	int64_t not_before; /* when it may be counted again, as counting may take long */
};

/* A process that was killed and may not have given its memory back yet. */
struct watch_victim {
	int dir;
	int64_t since;
	char process[16];
};

struct watch {
	/* What is watched. */
	int proc; /* the container's procfs; -1: nothing can be seen, and every look is fine */
	int list; /* the same directory, to read the numbers of processes from */
	const char *ns; /* NULL: every process in proc counts; else those alone whose "ns/..." of this name is `in` */
	struct stat in;    /* (for proc may show other processes, too) */
	char spare[2][16]; /* processes that do not count; "": none */
	int *tmpfs;        /* the container's memory file systems, see watch_add_tmpfs() */
	size_t n_tmpfs;
	int sysv[WATCH_TABLES]; /* or -1 */

	/* Limits; 0: none. */
	int64_t memory, cpu_ns, pids;
	int64_t end; /* the caller ends all then, or asks them to: no look goes on for longer; 0: never. He sets it before each */
	bool each_id; /* the kernel holds each single user id to `pids` already: what is left to watch is their sum */
	int64_t per_ns; /* bytes that all processors together can write in a nanosecond */

	/* What the caller asks for afterwards. */
	int64_t peak;      /* the most memory that was seen, in bytes */
	int64_t peak_pids; /* the most tasks at once */
	struct spent spent; /* filled if processor time is limited; watch_end() leaves it to the caller */
	bool killed;        /* a process was killed for memory */
	bool wary; /* somebody inside may mount a FUSE of his own, and hold up who looks at memory that is mapped from it */
	bool blind; /* somebody did */
	void (*on_kill)(void *arg); /* called before such a kill, unless an earlier victim is still dying; or NULL */
	void *arg;

	int turns; /* see turns.h; set after watch_begin() and taken over, or -1 */

	/* The last look, in bytes. */
	int64_t last;    /* all that counts as memory */
	int64_t own;     /* the processes' part of that */
	int64_t files;   /* what the memory file systems hold */
	int64_t objects; /* what the kernel holds for their files, for messages and semaphores */
	struct watch_shm shm;
	uint64_t ticks;    /* of processor time */
	bool idle;         /* nothing changed from one look to the next */
	int idle_for;      /* for how many looks */
	int64_t processes; /* how many there were in the last look that counted them */
	int64_t until;     /* of a walk over memory: when it has taken too long; 0: never */
	bool late;         /* it has */
	int64_t unasked;   /* how much of this look's page tables may still be left out */
	struct watch_known known[WATCH_KNOWN_MAX];
	int n_known;

	/* How much of the container's swap and how many of its tasks are known, so that they are asked for only when the
	 * machine's number has moved. */
	struct {
		int64_t used; /* by the machine, when processes were asked */
		bool moved;   /* so ask in this look */
	} swap;
	struct {
		unsigned short at_threads,
			at_pids; /* the machine's tasks when threads, and when tasks, were counted */
		int64_t pids;    /* the container's tasks then */
		bool count_threads, count_pids; /* in this look */
		unsigned int looks;
	} tasks;

	struct watch_sleep {   /* what watch_slept() goes by */
		pid_t first;   /* pid 1 by its number here; 0: not known */
		int n;         /* 0: not all processes were found */
		int64_t noted; /* when */
		struct watch_sleeper {
			pid_t pid;
			clockid_t clock;
			struct timespec ran;
		} of[WATCH_SLEEPERS_MAX];
	} sleep;
	struct watch_waking {  /* of these sleepers */
		bool on;       /* watch_begin_waking() was called */
		bool tried;    /* to have a bell for each thread */
		bool sure;     /* there is one, and all sleep */
		bool hasty;    /* the last time they rang too soon */
		int64_t since; /* when they were made */
		struct watch_bell {
			int fd;
			void *ring;
		} bells[WATCH_BELLS_MAX];
		timer_t timers[WATCH_SLEEPERS_MAX];
		int n_bells, n_timers;
	} waking;

	struct watch_exact { /* the last walk over page tables because the limit seemed to be passed */
		int64_t bytes, cheap, at; /* the exact sum, the cheap sum, when */
		uint64_t faults;
	} exact;
	struct watch_walk { /* the last walk to make sure of a new peak, where forks share memory */
		int64_t not_before, held;
		uint64_t faults;
		bool owed; /* one is due, but it was too early */
	} walk;

	struct watch_victim victims[WATCH_VICTIMS_MAX];
	int n_victims;
	struct watch_held { /* processes that are stopped meanwhile */
		int dir;
		char process[16];
		int64_t resident; /* of it in bytes, when it was told to stop */
		uint64_t ticks; /* of processor time, when it was first seen to run nevertheless */
		int woken;      /* how often it took more while it was to stand still */
	} held[WATCH_HELD_MAX];
	int n_held;
	int64_t check_at; /* when to see whether they stand still */
	bool in_turn;     /* so it may stop more */
	int fillings;     /* looks in a row at which memory grew although all were stopped */
};

enum verdict { WATCH_FINE, WATCH_OOM, WATCH_CPU, WATCH_PIDS };

/* Which of a plan's limits are to be watched, as no control group holds them. */
struct watch_for {
	bool memory, pids;
	bool pids_each_id; /* see each_id above */
};

/* Descriptors of the container, opened before anything ran in it: its processes may unshare or mount. The caller closes them. */
struct watch_where {
	int proc;
	pid_t first; /* its pid 1, by its number here; 0: not known, or it is not the first of its namespace */
	int root;   /* below which its memory file systems are */
	int mounts; /* its mount namespace; only used where proc shows other processes too */
	const int *sysv; /* the tables in /proc/sysvipc, WATCH_TABLES of them; NULL: its IPC namespace is not its own */
};

void watch_begin(struct watch *w, const struct plan *p, const struct watch_for *what,
	const struct watch_where *where);
/* The plan's limits have changed. What was opened at the beginning stays open: by now a path may lead elsewhere. */
void watch_again(struct watch *w, const struct plan *p, const struct watch_for *what);
/* Counts one more memory file system; fd is taken over. */
void watch_add_tmpfs(struct watch *w, int fd);
/* Looks once. *next_ns: how soon to look again, 0: never. Over the limit on memory it kills processes itself and returns
 * WATCH_FINE, or WATCH_OOM if that cannot help; then, as after WATCH_CPU and WATCH_PIDS, the caller is to end them all. */
enum verdict watch_look(struct watch *w, int64_t *next_ns);
/* watch_begin() for an exec: watches the processes whose namespace `ns` is `in`, except those in `spare`, against the plan's
 * own_memory and own_pids. The container's memory file systems do not count. */
void watch_begin_some(struct watch *w, const struct plan *p, int proc, const char *ns,
	const struct stat *in, char spare[2][16]);
/* From now on somebody who sleeps is noticed when he runs, not only at the next look. The caller waits with the mask `waiting`; if
 * watch_woken() is true then, he calls watch_stir() and looks at once. */
void watch_begin_waking(struct watch *w, sigset_t *waiting);
bool watch_woken(void);
/* Something is about to start: the pace of looks no longer counts on the container being idle. */
void watch_stir(struct watch *w);
void watch_end(struct watch *w);
