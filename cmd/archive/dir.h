/* SPDX-License-Identifier: Apache-2.0 */
/* dir: makes a tar of a directory, sorted by name, so that the same tree gives the same tar. */
#pragma once

#include "err.h"

/* Files that the caller owns, unless that is root, belong to root in the tar, as the caller is root in containers. */
int dir_to_tar(int dir, int out, struct err *e);
