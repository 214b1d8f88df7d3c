/* SPDX-License-Identifier: Apache-2.0 */
/* subnet: parses IP addresses and networks like Go's net package. Pure. */
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

/* "10.9.0.1", with all bits as prefix. False: not an address. */
bool subnet_read_ip(const char *s, struct subnet *out);
/* "10.9.0.0/24"; error: "invalid CIDR address: ...". */
int subnet_read(const char *s, struct subnet *out, struct err *e);
bool subnet_contains(const struct subnet *outer, const struct subnet *inner);
