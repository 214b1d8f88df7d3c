/* SPDX-License-Identifier: Apache-2.0 */
/*
 * toll: what all processes of a pid namespace have used until now.
 *
 * When its pid 1 is killed, the kernel ends the others and forgets what they used: nobody has waited for them. Whoever
 * kills it asks here first.
 */
#pragma once

#include <stdint.h>
#include <sys/resource.h>

struct spent;

struct toll {
	int64_t user_us, system_us; /* with that of children which were waited for */
	int64_t peak;               /* the most that one of them held, in bytes */
};

/* proc: a procfs of that namespace. */
void toll_take(int proc, struct toll *out);
/* The usage becomes at least that. */
void toll_add(const struct toll *t, struct rusage *usage);
/* Likewise, and what nobody waited for is added. */
void toll_add_spent(const struct spent *s, struct rusage *usage);
