/* SPDX-License-Identifier: Apache-2.0 */
/*
 * squash_parts: shared by the files of squash: the image, its metadata and inodes (squash.c), the content of files
 * (squash_data.c), directories (squash_dir.c), extended attributes (squash_xattr.c). Nobody else includes this.
 */
#pragma once

#include "squash.h"

#include <endian.h>
#include <pthread.h>
#include <string.h>

#undef _POSIX_C_SOURCE /* squashfuse's config.h states its own */
#include <decompress.h>
#include <squashfs_fs.h>

#define META         SQUASHFS_METADATA_SIZE
#define NONE         0xffffffffu /* no fragment, no extended attributes */
#define NO_TABLE     UINT64_MAX
#define STORED_PLAIN (1u << 24) /* in the size of a data block */
#define HINTS        64
#define UNPACKERS    4 /* zstd contexts to keep */
#define AHEADS       32

/* Where block `index` of a file was found last: as the image only lists sizes, finding a block means adding up those before. */
struct hint {
	uint64_t ref, index, pos;
	struct squash_at at;
};

struct squash {
	int fd;
	struct blocks *cache;
	struct squash_info info;
	sqfs_decompressor unpack;
	bool zstd;     /* which we unpack ourselves */
	uint64_t used; /* the image's size; the file may be longer */
	uint64_t inodes_at, dirs_at, frags_at, xattr_ids_at, xattrs_at;
	uint32_t n_frags, n_ids, n_xattrs;
	uint32_t *ids;
	pthread_mutex_t lock; /* of what is below */
	struct hint hints[HINTS];
	struct ZSTD_DCtx_s *idle[UNPACKERS];
	uint64_t ahead[AHEADS]; /* files decoded ahead since blocks_trimmed() was ahead_in */
	unsigned n_ahead, ahead_in;
	enum { XATTR_USER = 1, XATTR_CAPS = 2, XATTR_LOOKED = 4 } xattrs;
};

static inline uint16_t get16(const unsigned char *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static inline uint32_t get32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static inline uint64_t get64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

/* squash.c */
ssize_t squash_read_at(const struct squash *sq, void *buf, size_t n, uint64_t pos);
/* Unpacks n packed bytes to at most *size bytes; false: they are damaged. */
bool squash_unpack(struct squash *sq, void *packed, size_t n, void *out, size_t *size);
bool squash_inside(const struct squash *sq, uint64_t pos, uint64_t n);
/* Copies n bytes of metadata (buf NULL: skips them) and moves `at` behind them. */
int squash_meta(struct squash *sq, struct squash_at *at, void *buf, size_t n);
/* The same for many calls in a row: *held is the block at `at`, or NULL, and stays held for the next call. */
int squash_meta_on(struct squash *sq, struct squash_at *at, struct block **held, void *buf, size_t n);
/* Reads row `i` of a table whose list of blocks begins at `table`. */
int squash_row(struct squash *sq, uint64_t table, uint64_t i, void *row, size_t size);
mode_t squash_type(unsigned type); /* S_IFDIR, ...; 0: there is no such type */
