/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy: copies the contents of one directory into another, by descriptors, never following links: files (sharing blocks
 * where the file system can), directories, symbolic links, FIFOs, modes, times, and owners and user attributes as far as we may
 * set them. A layer's whiteout (a 0:0 device) removes the file that a lower layer put there, an opaque directory everything
 * in it. Names of one file below `from` are names of one file in the copy, too.
 */
#pragma once

#include "err.h"

int copy_tree(int from, int to, struct err *e);
/* Copies the mode, times, owner and attributes of the directory itself. */
void copy_top(int from, int to);
/* 1: empty, 0: not, -1: the directory cannot be read. */
int copy_is_empty(int dir);
