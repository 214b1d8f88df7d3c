/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tar_parts: what reading (tar.c, tar_sparse.c) and writing (tar_write.c) share: where the fields of a header are,
 * and what a sparse file's map may stand in. Nobody else includes this.
 */
#pragma once

#include "str.h"
#include "tar.h"

/* A header by place, as POSIX has it. */
struct field {
	unsigned at, size;
};
static const struct field NAME = {0, 100}, MODE = {100, 8}, UID = {108, 8}, GID = {116, 8},
			  SIZE = {124, 12}, MTIME = {136, 12}, SUM = {148, 8}, LINK = {157, 100},
			  UNAME = {265, 32}, GNAME = {297, 32}, MAJOR = {329, 8}, MINOR = {337, 8},
			  PREFIX = {345, 155};
#define TYPE_AT  156
#define MAGIC_AT 257

#define XATTR "SCHILY.xattr." /* and the name: the key of a pax record */

/* Octal, or GNU's base 256 for what is too large or negative. */
bool tar_number(const unsigned char *block, struct field f, int64_t *out);
/* One more block, which must be there. */
int tar_block(struct tar_reader *r, unsigned char *block, struct err *e);

/* What pax records say of the next entry, a sparse file. */
struct sparse {
	bool version, sized;
	int64_t major, minor, size, count;
	char *name; /* the file's own: the header has another */
	struct buf map;
	size_t halves; /* of pairs that came in records of their own */
};
void sparse_done(struct sparse *s);
void sparse_map_done(struct tar_map *m);
#define auto_map __attribute__((cleanup(sparse_map_done)))

#define SPARSE "GNU.sparse." /* and what `key` is */
int sparse_record(struct sparse *s, const char *key, const char *value, size_t size, struct err *e);
/* With the header read, and nothing of what follows it: the reader and the entry become the file's, if it is one. */
int sparse_pax(struct tar_reader *r, const struct sparse *s, struct tar_entry *t, struct err *e);
int sparse_gnu(struct tar_reader *r, const unsigned char *block, struct tar_entry *t, struct err *e);
