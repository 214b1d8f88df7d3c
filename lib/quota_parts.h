/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quota_parts: what the files of quota share: its process (quota.c), the files that the kernel knows (quota_nodes.c),
 * what they take up (quota_room.c), what each request is answered (quota_answer.c, quota_names.c). Nobody else includes this.
 *
 * One thread serves one request after the other: what a write may still take is looked up and taken without a lock, and
 * what an unlink gave back is there for the write behind it.
 */
#pragma once

#include "ledger.h"

#include <linux/fuse.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#define QUOTA_WRITE_MAX (1u << 20)
#define QUOTA_ROOM      (QUOTA_WRITE_MAX + 65536) /* of a request, and of an answer */
#define QUOTA_FOREVER \
	(365ull * 24 * 3600) /* for the kernel's cache: nobody else changes anything */

/* One of a file's names: all that the kernel has looked up, so that it can be found without a descriptor of its own. */
struct name {
	struct name *next;  /* of the same file */
	struct name *chain; /* of those with the same hash */
	struct node *file, *parent;
	char text[];
};

/* A file that the kernel knows. Its number there is its address. */
struct node {
	struct node *chain; /* of those with the same hash of `real` */
	struct name *names;
	struct stat *last; /* of one that is gone, for those who still ask */
	uint64_t real; /* its inode in the writable layer; 0: it is not there, or nobody looked */
	uint64_t lookups;
	int fd; /* of a directory: until there are too many; of a file: while it is open; or -1 */
	bool writes;       /* the file's fd can be written to */
	bool stray;        /* it has names, none of which the kernel has looked up */
	unsigned opens;    /* how often */
	unsigned children; /* names whose parent it is */
	mode_t type;
};

struct quota {
	int dev;
	int upper; /* the writable layer itself: there is counted */
	struct ledger ledger;
	uint64_t block; /* of the file system below: what is allocated at once */
	struct node *root;
	struct node **by_real;
	struct name **by_name;
	size_t n_names, room, strays;
	unsigned dirs; /* open ones */
	unsigned dirs_max;
	int fd_max; /* of files that are open inside; what is above is for us, or nothing could be counted any more */
};

struct request {
	struct quota *q;
	const struct fuse_in_header *h;
	const void *arg; /* behind h */
	size_t arg_len;
	void *to; /* where the answer goes */
	size_t room;
};

/* ---- quota.c ---- */
/* The next request, if one comes that is whole: read into `in`, its answer made in `out`. False: the mount is gone. */
bool quota_serve_one(struct quota *q, void *in, void *out);

/* ---- quota_nodes.c: functions that can fail return -1 with errno ---- */
void quota_root(struct quota *q, int dir);
struct node *quota_node(const struct quota *q, uint64_t id); /* by the kernel's number */
struct node *quota_find(const struct quota *q, const struct node *parent, const char *name); /* or NULL */
/* The file is there under this name; once more looked up. real: if others may be its names, too; or 0. */
struct node *quota_found(
	struct quota *q, struct node *parent, const char *name, mode_t mode, uint64_t real);
void quota_is(struct quota *q, struct node *n, uint64_t real);
void quota_forget(struct quota *q, struct node *n, uint64_t lookups);
void quota_named(struct quota *q, struct node *n, struct node *parent, const char *name);
void quota_unnamed(struct quota *q, struct node *n, const struct node *parent, const char *name);
/* The last name that the kernel knows is gone, and there are others. */
void quota_strays(struct quota *q, struct node *n);
/* Its last name and its last user are gone. */
void quota_gone(struct quota *q, struct node *n, const struct stat *last);
/* The way down to a file, the first below the root: an array that the caller frees; NULL: it has no name any more. */
struct node **quota_way(const struct quota *q, struct node *n, size_t *depth);
/* A descriptor of the directory, which stays the node's, until quota_close_dirs(). */
int quota_dir(struct quota *q, struct node *n);
/* Where it lies: the descriptor of a directory, and its name there. */
int quota_at(struct quota *q, struct node *n, const char **name);
int quota_stat(struct quota *q, struct node *n, struct stat *st);
/* A descriptor of a file or directory: the node's own, or one that is returned in *temporary as well. flags: O_RDONLY
 * or O_RDWR, and O_TRUNC. */
int quota_fd(struct quota *q, struct node *n, int flags, int *temporary);
void quota_close_dirs(struct quota *q); /* between requests, when they are many */

/* ---- quota_room.c ---- */
/* Everything below the directory is counted. 0, or -1 with errno. */
int quota_count(struct quota *q, int dir);
/* How many directories on the way to this one are not yet in the writable layer; those that are, are counted. */
unsigned quota_missing(struct quota *q, struct node *dir);
/* The file in the writable layer, which is counted; false: it is not there. */
bool quota_upper(struct quota *q, struct node *parent, const char *name, struct stat *st);
/* It is going to be changed: there is room for the copy that overlay makes of it, `whole` or without what it holds.
 * 0, or -1 with errno. */
int quota_lift(struct quota *q, struct node *n, bool whole);
/* It was changed: it is in the writable layer, and counted. */
void quota_lifted(struct quota *q, struct node *n);
/* What was to change it failed, with errno: overlay may have copied it before. Returns -errno. */
ssize_t quota_failed(struct quota *q, struct node *n);
/* How many of these bytes may be written there, so that the file does not grow beyond the limit. */
size_t quota_fits(const struct quota *q, int fd, uint64_t from, uint64_t size);
/* More than allowed is taken up, and that has become more since `before`. */
bool quota_over(const struct quota *q, uint64_t before);

/* ---- each answer: fills r->to and returns how many bytes, or a negative errno ---- */
#define QUOTA_SILENT (-4096) /* nothing is to be answered */

/* quota_answer.c: all of them, by a table; those about one file */
ssize_t quota_answer(const struct request *r);
void quota_attr(const struct quota *q, const struct stat *st, struct fuse_attr *a);
ssize_t quota_open(struct quota *q, struct node *n, uint32_t flags, struct fuse_open_out *o);

/* quota_names.c: those about names */
ssize_t quota_lookup(const struct request *r);
ssize_t quota_readlink(const struct request *r);
ssize_t quota_symlink(const struct request *r);
ssize_t quota_mknod(const struct request *r);
ssize_t quota_mkdir(const struct request *r);
ssize_t quota_create(const struct request *r);
ssize_t quota_link(const struct request *r);
ssize_t quota_unlink(const struct request *r); /* a directory, too */
ssize_t quota_rename(const struct request *r);
