/* SPDX-License-Identifier: Apache-2.0 */
/* overlay: one mount of the kernel's overlay file system. */
#pragma once

#include "err.h"

#include <stdbool.h>

struct overlay {
	const char *source;       /* what /proc/PID/mountinfo tells of it */
	const char *lower;        /* directories, the uppermost first, with ':' between them */
	const char *upper, *work; /* NULL: read-only */
	unsigned int attr;        /* MOUNT_ATTR_... */
};

/* A detached mount. ERR_NO_OVERLAY, with the kernel's reason: it mounts none here. */
int overlay_mount(const struct overlay *o, struct err *e);
/* Of an upper directory: nothing of the layers below is seen in it. */
bool overlay_is_opaque(int dir);
