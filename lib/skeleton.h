/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skeleton: what a layer's tar had beside the content of its files, so that it can be written again to the byte:
 * headers, maps of sparse files, padding and end, compressed, behind the end of the squashfs file where no reader of squashfs looks.
 *
 *	squashfs | zstd of all bytes but the contents of plain files | "sbx-tar1", offset and size (64 bits each)
 */
#pragma once

#include "err.h"
#include "tar.h"

#include <stdint.h>

struct skeleton;

/* Making one: fed with the tar in pieces of any size, while its files go elsewhere. */
struct skeleton *skeleton_new(void);
void skeleton_feed(struct skeleton *k, const void *bytes, size_t n);
/* Appends it to the finished squashfs file. */
int skeleton_write(struct skeleton *k, int fd, struct err *e);
void skeleton_free(struct skeleton *k);

/* Writes the tar which the file `fd` (a squashfs file; taken over) was made of. No skeleton: ERR_UNSUPPORTED.
 * Whether it is that tar is for the caller to see by its digest: of a name that came twice only the last
 * content is there. */
int skeleton_tar(int fd, tar_sink *sink, void *context, struct err *e);
