/* SPDX-License-Identifier: Apache-2.0 */
/* skeleton_form: shared by the two files of skeleton. Nobody else includes this. */
#pragma once

#include <stdint.h>

#define SKELETON_MAGIC                                 \
	{                                              \
		's', 'b', 'x', '-', 't', 'a', 'r', '1' \
	}

/* The end of the file, in this machine's byte order, as stores are not moved to other architectures. */
struct skeleton_foot {
	char magic[8];
	uint64_t offset, size;
};
