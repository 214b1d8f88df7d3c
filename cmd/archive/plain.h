/* SPDX-License-Identifier: Apache-2.0 */
/* plain: decompresses a stream. */
#pragma once

#include "err.h"

#include <stddef.h>
#include <stdint.h>

#define PLAIN_HEAD 16

struct plain_ask {
	int in, out;
	unsigned char head[PLAIN_HEAD]; /* the beginning, which was already read from `in` */
	size_t n_head;
	uint64_t most; /* the largest number of bytes that may come out */
};

/* If the reader of `out` is gone, e->sys is EPIPE. */
int plain_copy(const struct plain_ask *ask, struct err *e);
