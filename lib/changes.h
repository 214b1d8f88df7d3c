/* SPDX-License-Identifier: Apache-2.0 */
/* changes: how a container's files differ from its image's, read from its writable layer or, where that is
 * a private copy of the image, by the list of what was copied. */
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

/* what: the container as the user named it. In the order of paths; a directory whose content changed is
 * modified. */
int changes_list(const struct store *s, const char *what, struct changes *out, struct err *e);
