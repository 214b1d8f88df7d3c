/* SPDX-License-Identifier: Apache-2.0 */
/* The program's lzma_crc64(), whichever libc it is linked with. */
#include "tap.h"

#include <stddef.h>
#include <stdint.h>

uint64_t lzma_crc64(const uint8_t *from, size_t n, uint64_t crc);

int main(void)
{
	static const uint8_t digits[] = "123456789";
	const uint64_t all = 0x995dc9bbdf1939fa; /* as the specification of .xz files has it */

	is_int((int64_t)lzma_crc64(digits, 0, 0), 0, "of nothing");
	is_int((int64_t)lzma_crc64(digits, 9, 0), (int64_t)all, "of nine digits");
	is_int((int64_t)lzma_crc64(digits + 4, 5, lzma_crc64(digits, 4, 0)), (int64_t)all, "in two parts");
	return done_testing();
}
