/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage: runtime/stage, where a container's root is put together: mount points (root, c, l0, l1, ...), an
 * empty file and directory that masks are made of, and the base.
 *
 * The base is a directory which lies below all layers of each overlay: what docker puts into every
 * container and an image need not have (mount points, /.dockerenv, /etc/mtab). Lowest of all it hides nothing
 * of the image, and no container has to make these in a layer of its own. There is a second one for images with apt in
 * containers of one id: a word to apt more, which is half a millisecond where a container writes it in its own layer.
 */
#pragma once

#include "err.h"
#include "store.h"

#define STAGE_EMPTY     "empty"
#define STAGE_EMPTY_DIR "empty.d"

/* With one id apt cannot become its _apt user, and looks whether it did. */
#define STAGE_APT_DIR  "etc/apt/apt.conf.d"
#define STAGE_APT_NAME "90sbx-one-id"
#define STAGE_APT_FILE STAGE_APT_DIR "/" STAGE_APT_NAME
#define STAGE_APT_TEXT "APT::Sandbox::User \"root\";\n"

int stage_make(const struct store *s, struct err *e);
/* The base's name in the stage, where it is made when it is not there; NULL and the error. */
const char *stage_base(int stage, bool apt, struct err *e);
