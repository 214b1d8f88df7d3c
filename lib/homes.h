/* SPDX-License-Identifier: Apache-2.0 */
/*
 * homes: assigns a processor to each of a few lanes of work, in which processes wait for one another.
 *
 * Waking a process on a sleeping processor takes 37 us in a virtual machine; on the processor that the waker is about to leave
 * it takes 1.4 us. The kernel prefers a sleeping processor, which is right for computations, but here most of the time goes
 * into waking. So the processes of a lane keep to one processor while nobody else uses it; if others do, and another
 * processor is idle, the lane moves there.
 */
#pragma once

#include <sched.h>
#include <stddef.h>
#include <stdint.h>

#define HOMES_MAX 64

struct homes {
	size_t n;
	int cpu[HOMES_MAX];
	cpu_set_t may;     /* be used at all */
	int64_t next_look; /* 0: not begun */
	uint64_t (*spent)[2]; /* at the last look, for each processor: its total time, and its idle time */
	size_t n_spent;
};

/* Sets h->n, the number of lanes: one for each processor that we may use, at most `most`. If the processors cannot be found out
 * it is 1, and homes_of() returns -1: any processor. */
void homes_begin(struct homes *h, size_t most);
int homes_of(const struct homes *h, size_t lane);
/* To be called now and then while there is work. */
void homes_look(struct homes *h, int64_t now);
/* What homes_look() does, with the text of /proc/stat. */
void homes_read(struct homes *h, const char *text, uint32_t random);
void homes_done(struct homes *h);
