/* SPDX-License-Identifier: Apache-2.0 */
/* skeleton_form: what the two halves of skeleton share; nobody else includes it. */
#pragma once

#include <stdint.h>

#define SKELETON_MAGIC                                 \
	{                                              \
		's', 'b', 'x', '-', 't', 'a', 'r', '1' \
	}

/* The end of the file; in this machine's order of bytes: the store is not carried to another one. */
struct skeleton_foot {
	char magic[8];
	uint64_t offset, size;
};
