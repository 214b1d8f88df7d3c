/* SPDX-License-Identifier: Apache-2.0 */
/*
 * homes: a processor for each of a few lanes of work, in which processes wait for one another.
 *
 * To wake a process on a processor that sleeps takes 37 us in a virtual machine, on the one that the caller is about to leave
 * 1.4. The kernel prefers the sleeping one, rightly for what computes; here it is most of what is to be saved. So
 * what belongs to one lane is to keep to one processor, as long as it has that one to itself: where others are
 * busy there, and some processor is idle, the lane moves.
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
	uint64_t (*spent)[2]; /* of each processor until the last look: all its time, and what it was idle of it */
	size_t n_spent;
};

/* So many lanes as there are processors to use, but no more than `most`; one where that cannot be told, and
 * homes_of() says -1 then: anywhere. */
void homes_begin(struct homes *h, size_t most);
int homes_of(const struct homes *h, size_t lane);
/* To be called now and then while there is work. */
void homes_look(struct homes *h, int64_t now);
/* text: of /proc/stat. What homes_look() does. */
void homes_read(struct homes *h, const char *text, uint32_t random);
void homes_done(struct homes *h);
