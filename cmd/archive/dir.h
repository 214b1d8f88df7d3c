/* SPDX-License-Identifier: Apache-2.0 */
/* dir: a directory becomes a tar, in the order of names, so that the same tree gives the same tar. */
#pragma once

#include "err.h"

/* What belongs to the caller, when he is not root, belongs to root in the tar: it is his image. */
int dir_to_tar(int dir, int out, struct err *e);
