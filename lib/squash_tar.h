/* SPDX-License-Identifier: Apache-2.0 */
/*
 * squash_tar: makes a tar of a squashfs file, always the same one for the same files: the tar of a layer that did not come as
 * one. It has what an image layer has: whiteouts by name, only attributes that an image may have, no sockets.
 */
#pragma once

#include "err.h"
#include "tar.h"

/* The most content (beyond: ERR_UNSUPPORTED), as a squashfs file of 4 KiB may contain exabytes of holes. */
#define SQUASH_TAR_MAX (64ull << 30)

/* fd: the squashfs file; taken over. *content: the sum of its files' sizes; may be NULL. */
int squash_tar(int fd, tar_sink *sink, void *context, int64_t *content, struct err *e);
