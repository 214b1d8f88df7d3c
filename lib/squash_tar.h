/* SPDX-License-Identifier: Apache-2.0 */
/*
 * squash_tar: a tar of what a squashfs file holds, always the same one for the same files: the tar of a layer that
 * never was one. It says what an image layer says: whiteouts by name, attributes that may be in an image, no sockets.
 */
#pragma once

#include "err.h"
#include "tar.h"

/* More content than this is not written (ERR_UNSUPPORTED): a file of 4 KiB may hold exabytes of nothing. */
#define SQUASH_TAR_MAX (64ull << 30)

/* fd: the squashfs file; taken over. *content: bytes of all its files; may be NULL. */
int squash_tar(int fd, tar_sink *sink, void *context, int64_t *content, struct err *e);
