/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter: how far some work has come: counted by the processes which do it, read by the one that shows it. It lies in
 * memory which all children share; a program that is exec'ed gets it as a descriptor. NULL counts nothing.
 */
#pragma once

#include "err.h"

#include <stdatomic.h>
#include <stdint.h>

struct meter {
	_Atomic uint64_t done, total; /* bytes; total 0: not known */
	_Atomic uint32_t shown;       /* the one who shows it has begun to */
	int fd;                       /* of itself, for who starts a program */
};

struct meter *meter_new(struct err *e);
struct meter *meter_open(int fd); /* NULL: it is none */
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
