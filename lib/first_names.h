/* SPDX-License-Identifier: Apache-2.0 */
/* first_names: files of several names, and the one each got first in an archive: the others are links to it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct first_names {
	struct first_name *slots; /* a hash, at most half full */
	size_t n, size;
};

/* The name under which the file is in the archive already; NULL: from now on it is there as `path`. */
const char *first_names_get(struct first_names *f, uint64_t dev, uint64_t ino, const char *path);
void first_names_done(struct first_names *f);
