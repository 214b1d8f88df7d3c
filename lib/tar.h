/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tar: entries in and out of a stream. Pure: the bytes come and go by callbacks.
 *
 * Read are ustar, pax, GNU's and the oldest form; written is ustar, with pax records where a value does not
 * fit, as docker writes it. No byte that is read is trusted, but names are handed on as they are: who
 * makes files of them looks at them (untar.h). Sparse files of GNU's are read as what they are, zeros and all.
 */
#pragma once

#include "err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TAR_BLOCK   512
#define TAR_PAX_MAX (1u << 20) /* bytes of pax records, or of a long name */

enum tar_type {
	TAR_FILE = '0',
	TAR_HARD = '1', /* another name of an entry before */
	TAR_LINK = '2',
	TAR_CHAR = '3',
	TAR_BLOCKDEV = '4',
	TAR_DIR = '5',
	TAR_FIFO = '6',
};

struct tar_xattr {
	char *name;
	void *value;
	size_t size;
};

struct tar_entry {
	enum tar_type type; /* others are passed over in reading */
	char *path;         /* of a directory with a slash at its end, when it is written */
	char *link;         /* what TAR_LINK says or TAR_HARD names; else NULL */
	mode_t mode;        /* permission bits alone */
	int64_t uid, gid, mtime, size;
	bool sparse; /* has holes, of which no bytes need be there: its size says nothing of the archive's */
	uint32_t dev_major, dev_minor;
	struct tar_xattr *xattrs;
	size_t n_xattrs;
};

void tar_entry_done(struct tar_entry *t);
#define auto_tar_entry __attribute__((cleanup(tar_entry_done)))
void tar_entry_xattr(struct tar_entry *t, const char *name, const void *value, size_t size);
/* Attributes that a file may bring along. overlayfs's own would let an archive redirect its names anywhere, and trusted
 * ones are the host's. */
bool tar_xattr_may_be(const char *name);

/* Up to n bytes; 0 at the end, -1 with errno. */
typedef ssize_t tar_source(void *context, void *to, size_t n);
/* All of it; 0, or -1 with errno. */
typedef int tar_sink(void *context, const void *bytes, size_t n);

/* Up to n bytes of it into a file; 0: it ends, or it cannot be done so; -1 with errno: the file took them not. */
typedef ssize_t tar_give(void *context, int fd, size_t n);

/* Where the data of a sparse file is, in order; none is empty. */
struct tar_extent {
	int64_t at, n;
};
struct tar_map {
	struct tar_extent *v;
	size_t n, next;    /* v[next] is where `pos` is in, or before */
	int64_t pos, size; /* 0: not sparse, or with nothing in it */
};

struct tar_reader {
	tar_source *source;
	tar_give *give; /* or NULL */
	void *context;
	int64_t left; /* bytes of the entry's content not yet read, without holes */
	unsigned pad; /* and what fills its last block */
	struct tar_map map;
	bool ended;
	struct tar_entry global; /* pax records which hold for all that follows */
	unsigned global_has;
};

void tar_reader_done(struct tar_reader *r);
#define auto_tar_reader __attribute__((cleanup(tar_reader_done)))
/* 1 and the next entry, 0 at the end, -1. What was not read of the entry before is passed over. */
int tar_next(struct tar_reader *r, struct tar_entry *out, struct err *e);
/* The content of the entry: how many bytes, 0 at its end, -1. */
ssize_t tar_read(struct tar_reader *r, void *to, size_t n, struct err *e);
/* As much of it into a file as can be without being looked at: how many bytes, 0 if none can. */
ssize_t tar_read_into(struct tar_reader *r, int fd, struct err *e);
/* How many bytes of a hole begin here: they count as read. */
int64_t tar_hole(struct tar_reader *r);
/* What stands behind the end: the writer at the other end of a pipe wants to be rid of it. */
int tar_drain(struct tar_reader *r, struct err *e);

/* What a header says by itself, without the records before it: its type ('0' for all that stand for a file, or for a
 * directory by a slash at the end of the name), whether its own name ends so, and how many bytes follow it. False: it is none. */
struct tar_peek {
	char type;
	bool slash;
	int64_t size;
};
bool tar_peek(const unsigned char *block, struct tar_peek *out);

/* Up to n bytes of a file from where it stands, without their coming by here: how many; 0: it
 * cannot be done so, or it ends; -1 with errno: what came before it could not be written. */
typedef ssize_t tar_pass(void *context, int fd, size_t n);

struct tar_writer {
	tar_sink *sink;
	tar_pass *pass; /* or NULL */
	void *context;
	int64_t left;
	unsigned pad;
};

int tar_add(struct tar_writer *w, const struct tar_entry *t, struct err *e);
/* In all as many as the entry's size says; the last byte ends it. */
int tar_data(struct tar_writer *w, const void *bytes, size_t n, struct err *e);
/* As much of them out of a file as can be passed on without being looked at: how many bytes, 0 if none can. */
ssize_t tar_data_from(struct tar_writer *w, int fd, struct err *e);
int tar_finish(struct tar_writer *w, struct err *e);
