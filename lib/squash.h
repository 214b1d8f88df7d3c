/* SPDX-License-Identifier: Apache-2.0 */
/*
 * squash: reads a squashfs image without trusting any byte of it.
 *
 * Only libsquashfuse's five decompressors are used. Its 0.1.105 (Debian 12) takes names, offsets and
 * indexes as the image states them, up to writing a name of 64 KiB into 257 bytes, and is not
 * thread-safe; and its other functions changed with 0.2. So all structures are read here, every number is
 * checked where it is read, and one handle serves all threads.
 *
 * Functions return a negative errno on failure: -EIO if the image is damaged.
 */
#pragma once

#include "blocks.h"
#include "err.h"

#include <sys/types.h>
#include <sys/uio.h>

struct squash;

/* Takes fd over, on success only. name is for the error's text. */
struct squash *squash_open(int fd, const char *name, struct blocks *cache, struct err *e);
void squash_free(struct squash *sq);

struct squash_info {
	uint64_t bytes, inodes;
	uint32_t block_size;
	uint64_t root; /* reference of the root directory's inode */
};
const struct squash_info *squash_info(const struct squash *sq);

/* A place in the metadata. */
struct squash_at {
	uint64_t block;
	uint32_t off;
};

struct squash_inode {
	uint64_t ref;    /* the inode's place in the image, which identifies it */
	uint32_t number; /* st_ino */
	mode_t mode;
	uint32_t uid, gid, mtime, nlink, xattr;
	uint32_t rdev_major, rdev_minor;
	uint64_t size;
	struct squash_at rest; /* what follows the fixed part */
	uint64_t start;        /* of data, or of the directory's listing */
	uint32_t frag, frag_off;
	uint32_t listing_off, n_index;
};

int squash_inode(struct squash *sq, uint64_t ref, struct squash_inode *out);
/* Up to `size` bytes of the link's target, without a 0; returns how many. */
ssize_t squash_readlink(struct squash *sq, const struct squash_inode *i, char *buf, size_t size);
/* Reads less than n bytes only at the end of the file. */
ssize_t squash_read(struct squash *sq, const struct squash_inode *i, uint64_t off, void *buf, size_t n);
/* The same without copying: pieces of decoded blocks. */
#define SQUASH_PIECES 40
struct squash_pieces {
	int n;
	struct iovec at[SQUASH_PIECES];
	struct block *held[SQUASH_PIECES]; /* until squash_pieces_done() */
};
/* -EOVERFLOW: too many pieces, or a hole: use squash_read(). On failure nothing is held. */
ssize_t squash_pieces(struct squash *sq, const struct squash_inode *i, uint64_t off, size_t n,
	struct squash_pieces *out);
void squash_pieces_done(struct squash_pieces *p);
/* Decodes a file, within bounds, into the cache, as it will be read soon. Does not repeat it while some of it may still be in the
 * cache. */
void squash_ahead(struct squash *sq, const struct squash_inode *i);
/* The same for a program, the first one of these paths, and for the interpreter and libraries that it starts with; in two parts,
 * for two threads, as the program alone takes half as long as the rest. */
enum squash_part { SQUASH_PROGRAM, SQUASH_BESIDE };
void squash_foresee(struct squash *sq, const char *paths, size_t len, enum squash_part part);

struct squash_entry {
	uint64_t ref;
	uint32_t number;
	mode_t type; /* S_IFDIR, ... */
	size_t len;
	char name[256];
	uint64_t next; /* for squash_dir_open(), to go on behind this entry; never 0 */
};

struct squash_dir {
	struct squash *sq;
	struct squash_at at;
	struct block *held;
	uint64_t pos, total;  /* in the listing */
	uint64_t header;      /* where the current run of entries began */
	uint32_t in_run, run; /* entries of the run read so far, and in all */
	uint32_t run_block, run_number;
};

/* from: 0, or `next` of an entry. */
int squash_dir_open(
	struct squash *sq, const struct squash_inode *i, uint64_t from, struct squash_dir *out);
int squash_dir_next(struct squash_dir *d, struct squash_entry *out); /* 1: an entry, 0: the end */
void squash_dir_done(struct squash_dir *d);

/* The directories that a walk has entered. A hostile image may give a directory several names, so that there are exponentially many
 * paths, or put it into itself. {0}: none yet. */
struct squash_walked {
	uint64_t *refs; /* a hash of ref + 1; 0: free */
	size_t n, room;
};
bool squash_walk_into(struct squash_walked *w, uint64_t ref); /* false: it was entered before */
void squash_walked_done(struct squash_walked *w);
int squash_lookup(struct squash *sq, const struct squash_inode *dir, const char *name, size_t len,
	uint64_t *ref); /* -ENOENT */

/* Whether any inode has attributes that a container can see: user.* and, with `caps`, security.capability. Found out at the first
 * call. */
bool squash_has_xattrs(struct squash *sq, bool caps);
/* Like the system calls: size 0 asks for the length; -ERANGE, -ENODATA. */
ssize_t squash_getxattr(
	struct squash *sq, const struct squash_inode *i, const char *name, void *buf, size_t size);
ssize_t squash_listxattr(
	struct squash *sq, const struct squash_inode *i, bool caps, char *buf, size_t size);
