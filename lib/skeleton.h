/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skeleton: everything in a layer's tar except the content of its files, so that the tar can be reproduced byte by byte: headers,
 * maps of sparse files, padding, the end. It is appended, compressed, to the squashfs file, where no reader of squashfs looks.
 *
 *	squashfs | zstd of all bytes but the contents of plain files | "sbx-tar1", offset and size (64 bits each)
 */
#pragma once

#include "err.h"
#include "tar.h"

#include <stdint.h>

struct skeleton;

/* Making one: skeleton_feed() gets the tar in pieces of any size while it is being converted. */
struct skeleton *skeleton_new(void);
void skeleton_feed(struct skeleton *k, const void *bytes, size_t n);
/* Appends the skeleton to the finished squashfs file. */
int skeleton_write(struct skeleton *k, int fd, struct err *e);
void skeleton_free(struct skeleton *k);

/* Writes the tar from which the squashfs file `fd` (taken over) was made. ERR_UNSUPPORTED: it has no skeleton. The
 * caller must compare the digest: if a name occurred twice in the tar, only the last content can be
 * written. */
int skeleton_tar(int fd, tar_sink *sink, void *context, struct err *e);
