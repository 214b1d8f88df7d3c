/* SPDX-License-Identifier: Apache-2.0 */
/* plain: takes the compression off a stream. */
#pragma once

#include "err.h"

#include <stddef.h>
#include <stdint.h>

#define PLAIN_HEAD 16

struct plain_ask {
	int in, out;
	unsigned char head[PLAIN_HEAD]; /* stands before what comes from `in` */
	size_t n_head;
	uint64_t most; /* bytes that may come out */
};

/* Where nobody reads any more: e->sys is EPIPE. */
int plain_copy(const struct plain_ask *ask, struct err *e);
