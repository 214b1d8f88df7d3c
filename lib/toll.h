/* SPDX-License-Identifier: Apache-2.0 */
/*
 * toll: adds up what all processes of a pid namespace have used so far.
 *
 * When pid 1 is killed, the kernel kills the others, and what they used is lost, as nobody waits for them. So before killing it
 * they are asked, for at most a millisecond: processes that fork as fast as they can would become more and more meanwhile. The
 * rest is asked while they are dying.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct spent;

struct toll {
	int64_t user_us, system_us; /* with the time of children that were waited for */
	int64_t peak;               /* the most memory that one process held, in bytes */
	pid_t asked;                /* all processes up to this number were asked */
};

/* Whether there are so many processes that they should be killed first, and asked while dying: counting takes processor time, for
 * which the scheduler would make us wait later. proc: a procfs of the namespace. */
bool toll_crowd(int proc);
/* True: there was not enough time for all of them. */
bool toll_take(int proc, struct toll *t);
/* Asks the rest. */
void toll_take_rest(int proc, struct toll *t);
/* Adds what one process has used, which may have ended. proc: a procfs that shows it. */
void toll_take_one(int proc, pid_t pid, struct toll *t);
/* Raises the usage to at least the toll. */
void toll_add(const struct toll *t, struct rusage *usage);
/* Raises the usage to at least the time of the living processes, and adds that of processes that nobody waited for. */
void toll_add_spent(const struct spent *s, struct rusage *usage);
