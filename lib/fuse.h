/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuse: serve one squashfs image over one /dev/fuse descriptor, by threads of our own.
 *
 * An image never changes, so every answer may be kept for ever: after the first touch the kernel
 * does not ask again. Node ids are the image's inode references, so nothing is remembered
 * here, and a process which gets the descriptor goes on where another died.
 *
 * The journal is how no question is lost with the one who died: every thread reads its requests
 * right into a slot of a shared memory file and clears the slot when it has answered. Whoever holds the
 * descriptor holds the journal, too; who serves next answers first what stands in it, or, if several
 * died of it, an I/O error. (The kernel can ask again by itself only since 6.9. A descriptor cloned for each thread, by
 * FUSE_DEV_IOC_CLONE, would take its unanswered requests with it.)
 */
#pragma once

#include "err.h"
#include "squash.h"

#include <stdbool.h>
#include <stdint.h>

/* The user namespace's ids: 0 .. n-1 are mapped. 1: all files belong to 0. */
struct fuse_ids {
	uint32_t uids, gids;
};

/* An empty journal for a new connection. */
int fuse_journal_new(struct err *e);
/* Which connection it belongs to, whoever sent it; 0: this is no journal. */
uint64_t fuse_journal_id(int journal);

struct fuse_serving;

/* Serves until the file system is unmounted everywhere; then calls ended(arg) from one of its threads,
 * last of all. `dev` is mounted already. Takes over sq, dev and journal, on success only. *out is there before the
 * first thread is, and until ended() returns. */
int fuse_serve(struct squash *sq, int dev, int journal, struct fuse_ids ids, void (*ended)(void *),
	void *arg, struct fuse_serving **out, struct err *e);
/* While held it does not end; false: it is about to. */
bool fuse_hold(struct fuse_serving *s);
/* A program is going to be started: squash_foresee() by two threads of their own, which take the hold over. A hint: what
 * fails is not told. */
void fuse_foresee(struct fuse_serving *s, const char *paths, size_t len);
