/* SPDX-License-Identifier: Apache-2.0 */
/* overlay: mounts the kernel's overlay file system. */
#pragma once

#include "err.h"

#include <stdbool.h>

struct overlay {
	const char *source;       /* the mount's source, as /proc/PID/mountinfo shows it */
	const char *lower;        /* directories, the uppermost first, separated by ':' */
	const char *upper, *work; /* NULL: read-only */
	unsigned int attr;        /* MOUNT_ATTR_... */
};

/* Returns a detached mount. ERR_NO_OVERLAY: the kernel refuses, with its reason. */
int overlay_mount(const struct overlay *o, struct err *e);
/* Whether a directory of the upper layer hides what the lower layers have in it. */
bool overlay_is_opaque(int dir);
