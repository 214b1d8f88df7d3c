/* SPDX-License-Identifier: Apache-2.0 */
/* watch_parts: what the files of watch share. */
#pragma once

#include "watch.h"

#include <stdio.h>

/* What all processes use together. */
struct watch_sum {
	struct spent *spent; /* NULL, or where their processor time is added */
	int64_t bytes;       /* of processes that were not killed */
	uint64_t ticks, faults;
	int64_t tasks; /* threads, where this look counts them, else processes */
	int64_t processes;
	int64_t dying;    /* bytes of processes that were killed and have not given them back */
	int64_t largest;  /* bytes of the largest process, with its shared memory */
	char process[16]; /* its number in the container's pid namespace */
};

typedef void watch_each_fn(struct watch *w, const char *process, void *arg);

/* Calls `call` for each process, by the name of its directory in proc: its number. */
void watch_each(struct watch *w, watch_each_fn *call, void *arg);
/* Adds the memory of all processes. exact: by a walk over their page tables, so that a page which several processes share
 * after a fork counts once; else it counts for each of them. */
void watch_add_processes(struct watch *w, bool exact, struct watch_sum *sum);
/* Adds page faults only: of all processes, and of children they have waited for. */
void watch_add_faults(struct watch *w, struct watch_sum *sum);
void watch_forget_known(struct watch *w);
struct watch_known *watch_known(struct watch *w, const char *process); /* NULL: none */
/* Whether a process belongs to the container, where proc shows other processes too. */
bool watch_is_ours(const struct watch *w, int dir);

/* The number of kB behind "Name:" in a file of /proc, in bytes; 0: there is none. */
int64_t watch_field(const char *text, const char *name);

struct watch_quick { /* in bytes, from a statm; own: anonymous pages */
	int64_t mapped, resident, own;
};

/* false: the process has ended. */
bool watch_quick(int statm, struct watch_quick *out);
int64_t watch_mapped(int dir); /* by the process of that directory; 0: it has ended */
/* The directory of a process or, if its first thread has ended, of a thread that has not; O_PATH, or -1. */
int watch_open(const struct watch *w, const char *process);
/* Opens a file of /proc that walks over a process's memory, or NULL. It may be a copy: where somebody may hold up the walk
 * (watch.wary), a child of ours makes it, and w->blind is set when that takes too long. */
FILE *watch_walk_over(struct watch *w, int dir, const char *name);
/* The proportional share of a process, which the kernel walks over its page tables for: so it is asked for only when the
 * cheap sum is over the limit. */
int64_t watch_exact(struct watch *w, int dir);
#define WATCH_TABLES_EACH 3 /* pages of page tables that one mapped page needs at most */
/* The page tables of a process, in bytes. */
int64_t watch_tables(int dir);
/* What the kernel allocates for all threads of a process but the first, in bytes. */
int64_t watch_threads(const struct watch *w, const char *process);
/* Whether the child runs in its parent's memory (vfork), so that it has none of its own. */
bool watch_borrows(struct watch *w, struct watch_known *child, const char *parent);

/* A walk over the memory of all processes begins, which may take so long, and not beyond w->end. */
void watch_begin_walk(struct watch *w, int64_t most_ns);
/* To be asked all the time meanwhile: whether it has taken too long. */
bool watch_is_late(struct watch *w);
/* Whether w->end has come. */
bool watch_is_over(const struct watch *w);

void watch_shm_begin(struct watch *w);
/* Counts the container's shared memory, even if the machine's has not changed. */
void watch_count_shm(struct watch *w);
/* The machine's shared memory, in bytes. */
int64_t watch_all_shared(void);
/* Asks by one system call for the machine's swap, shared memory and tasks, and only for what has changed there, how much of it
 * is the container's. */
void watch_look_at_machine(struct watch *w);
/* Sets and adds up w->files and w->objects, which no process's end gives back. */
int64_t watch_files(struct watch *w);

/* Before a look at a container that was idle: takes note of how long its processes have run. */
void watch_note_times(struct watch *w);
/* Whether none of them has run since then, and that is not too long ago: others may write to the container's files. */
bool watch_slept(const struct watch *w);
/* Whether none of them has run since then, however long ago that is. */
bool watch_still_sleeps(const struct watch *w);
void watch_forget_times(struct watch *w);

/* After an idle look: has the kernel wake us when one of them runs. watch_waking.sure: at once, whoever it is. */
void watch_arm(struct watch *w);
void watch_disarm(struct watch *w);
#define WATCH_SLEEPS 512 /* idle looks in a row, after which it is worth any effort */

/* Makes the process a victim: kills it, and stops all others until its memory is free. */
void watch_kill(struct watch *w, const char *process);
bool watch_is_victim(const struct watch *w, const char *process);
/* Forgets victims that have given their memory back; false: one of them takes too long for it. */
bool watch_await(struct watch *w);
void watch_forget_victims(struct watch *w);

/* Stops the processes that grew since the last look, or all, until watch_go_on(); or kills those that grew. False: a pause is under
 * way, so nobody is stopped. */
enum watch_hold { WATCH_HOLD_GROWING, WATCH_HOLD_ALL, WATCH_KILL_GROWING };
bool watch_hold(struct watch *w, enum watch_hold how);
/* To be called all the time meanwhile. Who was let go on from inside, by another process or a timer, is stopped again, and killed
 * if that happens too often. */
void watch_keep_still(struct watch *w);
void watch_go_on(struct watch *w);

struct watch_standing {
	int64_t resident; /* in bytes */
	bool alone;       /* it has one thread */
	bool asleep;
};

/* Whether a process has stopped, or will when it returns from the kernel; or has ended. By its directory in /proc. Else
 * *s is how it is. */
bool watch_stands(int dir, struct watch_standing *s);
/* Whether it waits for children, and to be told when one stops. */
bool watch_heeds_stops(int dir);
/* Waits until it has stopped, but no longer than that moment. */
void watch_await_stop(int dir, int64_t until);
/* Whether it does not, and has taken memory or processor time since it was told to. */
bool watch_takes_more(struct watch_held *h);

/* Called when all are stopped. WATCH_FILLING: some process does not stand still, because it fills memory inside of one
 * system call; if that is too much already it was killed. Then look again at once, and walk over no page tables. */
enum watch_filling { WATCH_STILL, WATCH_FILLING };
#define WATCH_FILLS \
	(256 << 10) /* growth below this is not filling: a stopped process may finish its page fault */
enum watch_filling watch_kill_fillers(struct watch *w, int64_t cheap);

/* Takes note of a peak after a look has added up `bytes`, with what dying processes hold. */
enum watch_note { WATCH_NOTE_CHEAP, WATCH_NOTE_EXACT };
void watch_note_peak(struct watch *w, int64_t bytes, enum watch_note how);
