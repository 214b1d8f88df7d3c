/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces liblzma's lzma_crc64() in the program that is linked with musl. The original executes CPUID before main(), which is
 * slow in a virtual machine and would delay every start; but hardly any image compressed with xz has such checksums.
 */
#ifndef __GLIBC__
#include <stddef.h>
#include <stdint.h>

uint64_t lzma_crc64(const uint8_t *from, size_t n,
	uint64_t crc); /* the other libc has lzma.h, musl-gcc does not see it */

/* Of each half of a byte. */
static const uint64_t halves[16] = {
	0x0000000000000000,
	0x7d9ba13851336649,
	0xfb374270a266cc92,
	0x86ace348f355aadb,
	0x64b62bcaebc387a1,
	0x192d8af2baf0e1e8,
	0x9f8169ba49a54b33,
	0xe21ac88218962d7a,
	0xc96c5795d7870f42,
	0xb4f7f6ad86b4690b,
	0x325b15e575e1c3d0,
	0x4fc0b4dd24d2a599,
	0xadda7c5f3c4488e3,
	0xd041dd676d77eeaa,
	0x56ed3e2f9e224471,
	0x2b769f17cf112238,
};

uint64_t lzma_crc64(const uint8_t *from, size_t n, uint64_t crc)
{
	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= from[i];
		crc = crc >> 4 ^ halves[crc & 15];
		crc = crc >> 4 ^ halves[crc & 15];
	}
	return ~crc;
}
#endif
