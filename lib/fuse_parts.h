/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuse_parts: what the files of fuse share: the connection, its journal and threads (fuse.c), what each request is
 * answered (fuse_answer.c). Nobody else includes this.
 */
#pragma once

#include "fuse.h"

#include <linux/fuse.h>
#include <stddef.h>
#include <sys/types.h>

#define MAX_WRITE   4096
#define SMALL_REPLY 4096u

struct request {
	struct squash *sq;
	const struct fuse_ids *ids;
	const struct fuse_in_header *h;
	const void *arg; /* behind h */
	size_t arg_len;
	void *to; /* where the answer goes */
	size_t room;
};

/* How much room the answer wants: as much as was asked for, within bounds, and SMALL_REPLY in any case. */
size_t fuse_room(const struct fuse_in_header *h);
/* Fills q->to and returns how many bytes, or a negative errno. */
ssize_t fuse_answer(const struct request *q);
/* The same for FUSE_READ, where the answer lies as it is decoded; -EOVERFLOW: fuse_answer() it. */
ssize_t fuse_answer_in_place(const struct request *q, struct squash_pieces *out);
/* Whether what was read is the beginning of a program or library: it is about to be run. */
bool fuse_began_program(const struct request *q, const struct squash_pieces *p);
void fuse_read_ahead(struct squash *sq, uint64_t node);
