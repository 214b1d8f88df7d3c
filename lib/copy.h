/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy: what is in one directory into another, by descriptors, links never followed: files (sharing blocks
 * where the file system can), directories, links, FIFOs, modes, times, owners and user attributes as far as
 * we may set them. Whiteouts of a layer (0:0 devices) take away what a lower layer had, an opaque
 * directory all of it. Hard links become files of their own.
 */
#pragma once

#include "err.h"

int copy_tree(int from, int to, struct err *e);
/* Of the two directories themselves: mode, times, owner, attributes. */
void copy_top(int from, int to);
/* No entry but . and ..; -1 when it cannot be read. */
int copy_is_empty(int dir);
