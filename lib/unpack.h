/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpack: the files of a layer in a directory, where there is no /dev/fuse to show them by.
 *
 * Done once for each layer, by a thread for each processor. Modes, times, user.* attributes and whiteouts are
 * kept, so that the directory serves as overlayfs's lower one; other devices are left out, which no user may
 * make. With owners and without are two directories: who uses the one cannot use the other.
 */
#pragma once

#include "err.h"
#include "store.h"

/* sqsh: absolute path of the layer's file. *dir: the directory in the store, the caller frees. owners: files
 * belong to whom the layer says, which takes one who is root over a range of ids (he joined such a user
 * namespace, or is root) unless it was done before; without, they are the caller's. */
int image_unpack_layer(const struct store *s, const char *sqsh, bool owners, char **dir, struct err *e);

/* The files of the squashfs image `fd` (taken over) into the empty directory `top`. */
int unpack_squashfs(int fd, const char *name, int top, bool owners, struct err *e);
