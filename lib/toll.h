/* SPDX-License-Identifier: Apache-2.0 */
/*
 * toll: what all processes of a pid namespace have used until now.
 *
 * When its pid 1 is killed, the kernel ends the others and forgets what they used: nobody has waited for them. Whoever
 * kills it asks here first, for no longer than a millisecond: processes that fork as fast as they can are more each time
 * one looks, and while they are counted nobody stops them. The others are asked while they die.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct spent;

struct toll {
	int64_t user_us, system_us; /* with that of children which were waited for */
	int64_t peak;               /* the most that one of them held, in bytes */
	pid_t asked;                /* all up to this one were */
};

/* proc: a procfs of that namespace. Whether there are so many of them that they are to be killed first, and asked while they
 * die: who counts them runs, and has to wait the longer until he may run again. */
bool toll_crowd(int proc);
/* True: there are more of them than it had time for. */
bool toll_take(int proc, struct toll *t);
/* All the others. */
void toll_take_rest(int proc, struct toll *t);
/* The usage becomes at least that. */
void toll_add(const struct toll *t, struct rusage *usage);
/* Likewise, and what nobody waited for is added. */
void toll_add_spent(const struct spent *s, struct rusage *usage);
