/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quota: a limit to what a container's writable layer may take up, for who has no right to set one.
 *
 * A process of ours mounts the overlay for itself and serves it to the container by FUSE, so everything that is written
 * goes through it: it counts the blocks of the writable layer as a quota does, and answers ENOSPC beyond. Nothing is kept
 * anywhere: what is there is counted at each start, and nothing is asked twice after that. Near the limit the kernel's map of
 * a file (FIEMAP) tells which bytes need new blocks: what is there can be written over when nothing is left. A file counts
 * with 256 bytes beside its blocks, since empty ones would fill this process's memory.
 *
 * One thread, so that what `rm` gave back is there for the write behind it, and nobody gets past the limit between two
 * looks. It is the supervisor's child, in its control group and not in the container's: what it takes itself (1.3 MB, 3.0 with
 * 3000 files) counts to no --memory.
 *
 * The process ends when the mount is gone everywhere, and with its parent. If it is killed, whoever uses the mount
 * gets errors: nothing is ever written beyond the limit.
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

/* The root as a detached mount, of the user namespace that the caller is in: that of the files' ids. ERR_UNSUPPORTED,
 * ERR_NO_OVERLAY: this cannot be had here. */
int quota_start(const struct quota_ask *ask, struct quota_server *out, struct err *e);
/* Ends it, if there is one: after the mount is of no use to anybody. */
void quota_end(struct quota_server *q);
/* Whether it may be tried at all; else why not. */
int quota_possible(struct err *e);
