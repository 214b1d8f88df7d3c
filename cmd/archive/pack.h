/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack: a tree to a squashfs file, on libsquashfs with a thread for each processor.
 *
 * Files' data goes in as it is read, with pack_begin, pack_data and pack_end; pack_finish then
 * writes inodes and directories. The same input gives the same file, to the byte.
 */
#pragma once

#include "err.h"
#include "tree.h"

struct pack;

struct pack *pack_open(int fd, int level, struct err *e);
int pack_begin(struct pack *p, struct node *n, struct err *e);
int pack_data(struct pack *p, const void *bytes, size_t n, struct err *e);
int pack_end(struct pack *p, struct err *e);
int pack_finish(struct pack *p, struct tree *t, struct err *e);
void pack_close(struct pack *p);
