/* SPDX-License-Identifier: Apache-2.0 */
/* changes: how a container's files differ from its image's: found in its writable layer or, if the container has a private copy
 * of the image instead, by the census of that copy. */
#pragma once

#include "census.h"
#include "err.h"
#include "store.h"

#include <stddef.h>

struct changes {
	struct file_change {
		enum change_kind kind;
		char *path; /* from the root, with a slash before it */
	} * v;
	size_t n;
};

void changes_done(struct changes *c);
#define auto_changes __attribute__((cleanup(changes_done)))

/* what: the container as the user named it. Sorted by path; a directory counts as modified if something in it
 * changed. */
int changes_list(const struct store *s, const char *what, struct changes *out, struct err *e);
