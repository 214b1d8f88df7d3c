/* SPDX-License-Identifier: Apache-2.0 */
/* subnet: addresses and nets in words, as Go's net package reads them. Pure. */
#pragma once

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct subnet {
	unsigned char address[16];
	size_t len; /* 4, 16; 0: none */
	unsigned bits;
};

/* "10.9.0.1", of which all bits count. False: no address. */
bool subnet_read_ip(const char *s, struct subnet *out);
/* "10.9.0.0/24"; else "invalid CIDR address: ...". */
int subnet_read(const char *s, struct subnet *out, struct err *e);
bool subnet_contains(const struct subnet *outer, const struct subnet *inner);
