/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quota: limits the size of a container's writable layer, for users who may not set a disk quota.
 *
 * A process of ours mounts the overlay for itself and serves it to the container by FUSE, so that all writes go through it.
 * It counts the blocks of the writable layer as a quota does, and answers ENOSPC beyond the limit. The count is not stored
 * anywhere, but made anew at each start. Near the limit the kernel's map of a file (FIEMAP) tells which bytes need new
 * blocks, so that files can be overwritten when nothing is left. A file counts with 256 bytes beside its blocks, because
 * empty files would fill this process's memory.
 *
 * One thread, so that what `rm` gave back is there for the next write, and nobody gets past the limit between two looks. It
 * is the supervisor's child, in its control group and not in the container's: its own memory (1.3 MB, 3.0 with 3000 files)
 * does not count against --memory.
 *
 * The process ends when the mount is gone everywhere, or with its parent. If it is killed, users of the mount get errors:
 * nothing is ever written beyond the limit.
 */
#pragma once

#include "err.h"
#include "mount.h"

#include <stdint.h>
#include <sys/types.h>

struct quota_server {
	pid_t pid;
	int pidfd; /* -1: there is none */
	int mount; /* detached; the caller's */
};

#define QUOTA_NONE                                  \
	{                                           \
		.pid = -1, .pidfd = -1, .mount = -1 \
	}

struct quota_ask {
	const char *stage; /* a directory of ours where mounts are put together, see mount.h */
	const char *upper; /* the directory with its upper and work, absolute */
	struct mount_layers layers;
	uint64_t limit; /* bytes */
};

/* Starts the process; out->mount is the root as a detached mount. To be called in the user namespace of the files' ids.
 * ERR_UNSUPPORTED, ERR_NO_OVERLAY: not possible on this machine. */
int quota_start(const struct quota_ask *ask, struct quota_server *out, struct err *e);
/* Ends the process, if there is one; to be called when nobody uses the mount any more. */
void quota_end(struct quota_server *q);
/* 0: quota_start() may be tried; -1: why not. */
int quota_possible(struct err *e);
