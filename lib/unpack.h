/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpack: unpacks the files of a layer into a directory, for machines without /dev/fuse.
 *
 * Done once for each layer, by a thread for each processor. Modes, times, user.* attributes and whiteouts are kept, so that
 * the directory can be a lower one of overlayfs; other devices are left out, as no user may make them. A layer unpacked with
 * owners is in another directory than the same layer without, as neither can be used in place of the other.
 */
#pragma once

#include "err.h"
#include "store.h"

/* sqsh: the absolute path of the layer's file. *dir: the directory in the store, the caller frees. owners: files belong to whom
 * the layer says; for this the caller must be root, or have joined a user namespace with a range of ids, unless the layer
 * was unpacked before. Otherwise they belong to the caller. */
int image_unpack_layer(const struct store *s, const char *sqsh, bool owners, char **dir, struct err *e);

/* Unpacks the squashfs image `fd` (taken over) into the empty directory `top`. */
int unpack_squashfs(int fd, const char *name, int top, bool owners, struct err *e);
