/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tar: reads and writes entries of a tar stream. Pure: the bytes come and go by callbacks.
 *
 * It reads ustar, pax, GNU's and the oldest format, and writes ustar, with pax records for values that do not fit, as docker
 * does. Bytes that are read are not trusted; but names are handed on unchecked, to be checked by the code that makes files
 * of them (untar.h). GNU's sparse files are read with their holes.
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
	TAR_HARD = '1', /* another name of an earlier entry */
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
	enum tar_type type; /* entries of other types are skipped when reading */
	char *path;         /* a directory's must end with a slash when writing */
	char *link;         /* the target of TAR_LINK and TAR_HARD; else NULL */
	mode_t mode;        /* permission bits; may have the file's type beside them when writing */
	int64_t uid, gid, mtime, size;
	bool sparse; /* has holes, which are not stored: size may be larger than the archive */
	uint32_t dev_major, dev_minor;
	struct tar_xattr *xattrs;
	size_t n_xattrs;
};

void tar_entry_done(struct tar_entry *t);
#define auto_tar_entry __attribute__((cleanup(tar_entry_done)))
void tar_entry_xattr(struct tar_entry *t, const char *name, const void *value, size_t size);
/* Whether a file of an archive may have this attribute. Those of overlayfs would let it redirect names anywhere, and trusted.* ones
 * are the host's. */
bool tar_xattr_may_be(const char *name);

/* Reads up to n bytes; 0: the end; -1 with errno. */
typedef ssize_t tar_source(void *context, void *to, size_t n);
/* Writes all n bytes; 0, or -1 with errno. */
typedef int tar_sink(void *context, const void *bytes, size_t n);

/* Moves up to n bytes of the source into a file; 0: the end, or not possible; -1 with errno: writing the file failed. */
typedef ssize_t tar_give(void *context, int fd, size_t n);

/* A piece of a sparse file that has data; pieces are in order, and not empty. */
struct tar_extent {
	int64_t at, n;
};
struct tar_map {
	struct tar_extent *v;
	size_t n, next;    /* v[next] is the piece that `pos` is in or before */
	int64_t pos, size; /* 0: not sparse, or with nothing in it */
};

struct tar_reader {
	tar_source *source;
	tar_give *give; /* or NULL */
	void *context;
	int64_t left; /* bytes of the entry's content that are not read yet, without holes */
	unsigned pad; /* the padding behind them */
	struct tar_map map;
	bool ended;
	struct tar_entry global; /* from pax records that hold for all entries that follow */
	unsigned global_has;
};

void tar_reader_done(struct tar_reader *r);
#define auto_tar_reader __attribute__((cleanup(tar_reader_done)))
/* 1: the next entry; 0: the end; -1: an error. Skips what was not read of the previous entry. */
int tar_next(struct tar_reader *r, struct tar_entry *out, struct err *e);
/* Reads the entry's content: how many bytes; 0: its end; -1: an error. */
ssize_t tar_read(struct tar_reader *r, void *to, size_t n, struct err *e);
/* Moves content into a file without copying it through memory, as far as possible: how many bytes; 0: not possible. */
ssize_t tar_read_into(struct tar_reader *r, int fd, struct err *e);
/* The length of a hole that begins here, which counts as read then; 0: there is none. */
int64_t tar_hole(struct tar_reader *r);
/* Reads what follows the end of the archive, since the writer at the other end of a pipe has to get rid of it. */
int tar_drain(struct tar_reader *r, struct err *e);

/* What a header alone says, without pax records before it. False: it is not a header. */
struct tar_peek {
	char type;    /* '0' for every type that means a file */
	bool slash;   /* its name ends with a slash: '0' means a directory then */
	int64_t size; /* bytes that follow the header */
};
bool tar_peek(const unsigned char *block, struct tar_peek *out);

/* Passes on up to n bytes of a file from its current position, without copying them through memory: how many; 0: not
 * possible, or the end; -1 with errno: what was buffered before could not be written. */
typedef ssize_t tar_pass(void *context, int fd, size_t n);

struct tar_writer {
	tar_sink *sink;
	tar_pass *pass; /* or NULL */
	void *context;
	int64_t left;
	unsigned pad;
};

int tar_add(struct tar_writer *w, const struct tar_entry *t, struct err *e);
/* Writes content of the entry, which is complete with as many bytes as its size says. */
int tar_data(struct tar_writer *w, const void *bytes, size_t n, struct err *e);
/* Passes content on from a file without copying it through memory, as far as possible: how many bytes; 0: not possible. */
ssize_t tar_data_from(struct tar_writer *w, int fd, struct err *e);
int tar_finish(struct tar_writer *w, struct err *e);
