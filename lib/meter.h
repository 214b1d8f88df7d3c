/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter: counts the progress of work: written by the processes that do the work, read by the one that shows it. It is in
 * memory that forked children share; an exec'ed program gets it as a descriptor. A NULL meter counts nothing.
 */
#pragma once

#include "err.h"

#include <stdatomic.h>
#include <stdint.h>

struct meter {
	_Atomic uint64_t done, total; /* bytes; total 0: not known */
	_Atomic uint32_t shown;       /* the progress is being shown */
	int fd;                       /* the shared memory's, to hand to an exec'ed program */
};

struct meter *meter_new(struct err *e);
struct meter *meter_open(int fd); /* NULL: fd is not a meter */
void meter_free(struct meter *m);

static inline void meter_add(struct meter *m, uint64_t n)
{
	if (m)
		(void)atomic_fetch_add(&m->done, n);
}

static inline void meter_expect(struct meter *m, uint64_t total)
{
	if (m)
		m->total = total;
}
