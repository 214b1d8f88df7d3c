/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha256: the digest that names images and layers. Uses the processor's SHA instructions if it has them, as whole layers are
 * hashed while they are imported.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHA256_HEX 64

struct sha256 {
	uint32_t h[8];
	uint64_t len;
	unsigned char block[64];
	/* Hashes n blocks of 64 bytes; NULL: the implementation is not chosen yet. */
	void (*blocks)(uint32_t h[8], const unsigned char *p, size_t n);
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t n);
/* 64 lower-case hex digits and a 0. */
void sha256_end_hex(struct sha256 *s, char out[SHA256_HEX + 1]);
void sha256_hex(const void *bytes, size_t n, char out[SHA256_HEX + 1]);
