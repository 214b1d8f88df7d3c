/* SPDX-License-Identifier: Apache-2.0 */
/* watch_parts: what the files of watch share. */
#pragma once

#include "watch.h"

struct watch_sum {
	struct spent *spent; /* NULL, or to whom their processor time is told */
	int64_t bytes;       /* of those that live */
	uint64_t ticks, faults;
	int64_t tasks; /* threads, where those are asked for, else processes */
	int64_t processes;
	int64_t dying;    /* bytes of those that were killed */
	int64_t largest;  /* of one process */
	char process[16]; /* that one's number, as the container has it */
};

typedef void watch_each_fn(struct watch *w, const char *process, void *arg);

/* The processes, by the names of their directories in proc. */
void watch_each(struct watch *w, watch_each_fn *call, void *arg);
/* exact: with a walk over page tables, for pages that several processes share after a fork. */
void watch_add_processes(struct watch *w, bool exact, struct watch_sum *sum);
/* Adds faults only: of all, and of those they waited for. */
void watch_add_faults(struct watch *w, struct watch_sum *sum);
void watch_forget_known(struct watch *w);
struct watch_known *watch_known(struct watch *w, const char *process); /* NULL: none */
bool watch_is_ours(const struct watch *w, int dir);                    /* where not all are */

/* The number after "Name:" in a file of /proc, in bytes; 0. */
int64_t watch_field(const char *text, const char *name);

struct watch_quick { /* bytes, from a statm; own is neither a file's nor shared memory */
	int64_t mapped, resident, own;
};

/* false: it has ended. */
bool watch_quick(int statm, struct watch_quick *out);
/* The directory of a process or, where its first thread has ended, of one that has not; O_PATH, or -1. */
int watch_open(const struct watch *w, const char *process);
/* Pages which several processes share after a fork count once: by their proportional share. It costs a
 * walk over the page tables, so it is only asked for when the cheap sum is over the limit. */
int64_t watch_exact(int dir);
#define WATCH_TABLES_EACH 3 /* at most, for each page that is mapped */
int64_t watch_tables(int dir);
/* What the kernel takes for the threads of a process but the first. */
int64_t watch_threads(const struct watch *w, const char *process);
/* The child has its parent's memory and none of its own: neither copied nor shared by halves, the same. */
bool watch_borrows(struct watch *w, struct watch_known *child, const char *parent);

void watch_shm_begin(struct watch *w);
/* Shared memory, now. */
void watch_count_shm(struct watch *w);
int64_t watch_all_shared(void); /* of the machine */
/* What the whole machine has in swap and in shared memory is asked with one call. When it has changed, it is counted
 * what of it is the container's. */
void watch_look_at_machine(struct watch *w);
/* What no process's end gives back: what the container's memory file systems hold, and its messages and semaphores. */
int64_t watch_files(struct watch *w);

void watch_kill(struct watch *w, const char *process);
bool watch_is_victim(const struct watch *w, const char *process);
/* Forgets victims which have given their memory back; false when one takes too long. */
bool watch_await(struct watch *w);
enum watch_hold { WATCH_HOLD_GROWING, WATCH_HOLD_ALL, WATCH_KILL_GROWING };

/* Stops who has taken more since the last look, or all, until watch_go_on(); or kills him. */
void watch_hold(struct watch *w, enum watch_hold how);
void watch_go_on(struct watch *w);
/* With all held, by the cheap sum: WATCH_FILLING: not all of them stand still, and who does not is dead if it is too much. There is
 * no time then for anything that takes longer. */
enum watch_filling { WATCH_STILL, WATCH_FILLING };
#define WATCH_FILLS (256 << 10) /* who is to stop may finish what he faults in */
enum watch_filling watch_kill_fillers(struct watch *w, int64_t cheap);
void watch_forget_victims(struct watch *w);
enum watch_note { WATCH_NOTE_CHEAP, WATCH_NOTE_EXACT };

/* After a look has added up so much, those who are dying included. */
void watch_note_peak(struct watch *w, int64_t bytes, enum watch_note how);
