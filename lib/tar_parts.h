/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tar_parts: shared by reading (tar.c, tar_sparse.c) and writing (tar_write.c): the fields of a header, and the formats of
 * sparse files. Nobody else includes this.
 */
#pragma once

#include "str.h"
#include "tar.h"

/* The fields of a header by offset and size, as in POSIX. */
struct field {
	unsigned at, size;
};
static const struct field NAME = {0, 100}, MODE = {100, 8}, UID = {108, 8}, GID = {116, 8},
			  SIZE = {124, 12}, MTIME = {136, 12}, SUM = {148, 8}, LINK = {157, 100},
			  UNAME = {265, 32}, GNAME = {297, 32}, MAJOR = {329, 8}, MINOR = {337, 8},
			  PREFIX = {345, 155};
#define TYPE_AT  156
#define MAGIC_AT 257

#define XATTR "SCHILY.xattr." /* with the attribute's name: the key of a pax record */

/* Reads a number in octal, or in GNU's base 256, which is for large and negative ones. */
bool tar_number(const unsigned char *block, struct field f, int64_t *out);
/* Reads the next block; an error at the end of the stream. */
int tar_block(struct tar_reader *r, unsigned char *block, struct err *e);

/* What pax records say about the next entry, if that is a sparse file. */
struct sparse {
	bool version, sized;
	int64_t major, minor, size, count;
	char *name; /* the real name, as that in the header is another */
	struct buf map;
	size_t halves; /* numbers that came in single records, two of which make a pair */
};
void sparse_done(struct sparse *s);
void sparse_map_done(struct tar_map *m);
#define auto_map __attribute__((cleanup(sparse_map_done)))

#define SPARSE "GNU.sparse." /* followed by `key` */
int sparse_record(struct sparse *s, const char *key, const char *value, size_t size, struct err *e);
/* To be called when the header is read but not what follows: if the entry is a sparse file, sets up the reader and the entry for
 * it. */
int sparse_pax(struct tar_reader *r, const struct sparse *s, struct tar_entry *t, struct err *e);
int sparse_gnu(struct tar_reader *r, const unsigned char *block, struct tar_entry *t, struct err *e);
