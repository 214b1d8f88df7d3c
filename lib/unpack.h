/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpack: the files of a layer in a directory, where there is no /dev/fuse to show them by.
 *
 * Done once for each layer, by a thread for each processor. Owners are set where the caller is root over a
 * range of ids (he joined such a user namespace, or is root); else all files are the caller's. Modes, times,
 * user.* attributes and whiteouts are kept, so that the directory serves as overlayfs's lower one; other
 * devices are left out, which no user may make.
 */
#pragma once

#include "err.h"
#include "store.h"

/* sqsh: absolute path of the layer's file. *dir: the directory in the store, the caller frees. */
int image_unpack_layer(const struct store *s, const char *sqsh, char **dir, struct err *e);

/* The files of the squashfs image `fd` (taken over) into the empty directory `top`. */
int unpack_squashfs(int fd, const char *name, int top, struct err *e);
