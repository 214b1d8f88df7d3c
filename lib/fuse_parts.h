/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuse_parts: shared by the files of fuse: the connection with its journal and threads (fuse.c), and the answers to
 * requests (fuse_answer.c). Nobody else includes this.
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
	const void *arg; /* what follows h */
	size_t arg_len;
	void *to; /* where the answer goes */
	size_t room;
};

/* The room for the answer: as much as the request asks for, within bounds, and SMALL_REPLY at least. */
size_t fuse_room(const struct fuse_in_header *h);
/* Writes the answer to q->to; returns its length, or a negative errno. */
ssize_t fuse_answer(const struct request *q);
/* The same for FUSE_READ, without a copy: *out points into decoded blocks. -EOVERFLOW: too many pieces, use fuse_answer(). */
ssize_t fuse_answer_in_place(const struct request *q, struct squash_pieces *out);
/* Whether the bytes read are the beginning of a program or library, which is then about to be run. */
bool fuse_began_program(const struct request *q, const struct squash_pieces *p);
void fuse_read_ahead(struct squash *sq, uint64_t node);
