/* SPDX-License-Identifier: Apache-2.0 */
/* first_names: the first name in an archive of each file with several hard links; its other names become links to it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct first_names {
	struct first_name *slots; /* a hash, at most half full */
	size_t n, size;
};

/* The name under which the file is in the archive already; NULL: there was none, and from now on it is `path`. */
const char *first_names_get(struct first_names *f, uint64_t dev, uint64_t ino, const char *path);
void first_names_done(struct first_names *f);
