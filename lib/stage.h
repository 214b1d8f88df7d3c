/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage: runtime/stage, the directory in which a container's root is put together: mount points (root, c, l0, l1, ...), an
 * empty file and directory that masks are made of, and the base.
 *
 * The base is a directory that is the lowest layer of each overlay, with what docker puts into every container but an
 * image may lack (mount points, /.dockerenv, /etc/mtab). As the lowest layer it hides nothing of the image, and no container
 * has to make these files in its own layer. A second base, for images with apt in containers of one id, also configures
 * apt, which would take half a millisecond in the container's own layer.
 */
#pragma once

#include "err.h"
#include "store.h"

#define STAGE_EMPTY     "empty"
#define STAGE_EMPTY_DIR "empty.d"

/* With one id apt cannot become its user _apt, and it checks that it has. */
#define STAGE_APT_DIR  "etc/apt/apt.conf.d"
#define STAGE_APT_NAME "90sbx-one-id"
#define STAGE_APT_FILE STAGE_APT_DIR "/" STAGE_APT_NAME
#define STAGE_APT_TEXT "APT::Sandbox::User \"root\";\n"

int stage_make(const struct store *s, struct err *e);
/* The base's name in the stage; makes it if it does not exist. NULL: an error. */
const char *stage_base(int stage, bool apt, struct err *e);
