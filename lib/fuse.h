/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuse: serves one squashfs image over one /dev/fuse descriptor, by threads of our own.
 *
 * An image never changes, so the kernel may cache every answer for ever. Node ids are the image's inode references, so
 * the server has no state, and a process that is given the descriptor can go on where another one died.
 *
 * The journal keeps requests from getting lost with a server that dies: each thread reads a request directly into a slot
 * of a shared memory file, and clears the slot when it has answered. The journal is handed on with the descriptor; the
 * next server first answers the requests left in it, or gives an I/O error to those that several servers died of. (Only
 * since 6.9 can the kernel itself be made to ask again. A descriptor cloned for each thread, by FUSE_DEV_IOC_CLONE, would
 * take its unanswered requests with it.)
 */
#pragma once

#include "err.h"
#include "squash.h"

#include <stdbool.h>
#include <stdint.h>

/* Ids 0 .. n-1 are mapped in the user namespace. 1: all files are shown as root's. */
struct fuse_ids {
	uint32_t uids, gids;
};

/* An empty journal for a new connection. */
int fuse_journal_new(struct err *e);
/* Which connection the journal belongs to; 0: the descriptor, which may come from anybody, is not a journal. */
uint64_t fuse_journal_id(int journal);

struct fuse_serving;

/* Serves the already mounted `dev` until the file system is unmounted everywhere; then calls ended(arg) from one of its threads,
 * which is the last thing it does. Takes over sq, dev and journal, on success only. *out is set before the first thread
 * starts, and valid until ended() returns. */
int fuse_serve(struct squash *sq, int dev, int journal, struct fuse_ids ids, void (*ended)(void *),
	void *arg, struct fuse_serving **out, struct err *e);
/* Keeps the serving from ending; false: it is ending already. */
bool fuse_hold(struct fuse_serving *s);
/* A hint that a program is about to be started: runs squash_foresee() in two threads, which take over a fuse_hold(). Errors are
 * ignored. */
void fuse_foresee(struct fuse_serving *s, const char *paths, size_t len);
