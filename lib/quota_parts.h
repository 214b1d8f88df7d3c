/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quota_parts: shared by the files of quota: the process (quota.c), the files that the kernel knows (quota_nodes.c), what
 * they take up (quota_room.c), the answers to requests (quota_answer.c, quota_names.c). Nobody else includes this.
 *
 * One thread serves one request after the other. So no lock is needed between looking at the room that is left and using
 * it, and a write finds the room that the unlink before it has freed.
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
#define QUOTA_ROOM      (QUOTA_WRITE_MAX + 65536) /* for a request, and for an answer */
#define QUOTA_FOREVER \
	(365ull * 24 * 3600) /* in seconds, for the kernel's cache: nobody else changes the files */

/* A name of a file. All names that the kernel has looked up are kept, so that files are found without a descriptor each. */
struct name {
	struct name *next;  /* of the same file */
	struct name *chain; /* the next one with the same hash */
	struct node *file, *parent;
	char text[];
};

/* A file that the kernel knows; its node id is the address of this. */
struct node {
	struct node *chain; /* the next one with the same hash of `real` */
	struct name *names;
	struct stat *last; /* the last attributes of a removed file, which may still be open or a working directory */
	uint64_t real; /* its inode in the writable layer; 0: it is not in there, or was not looked up */
	uint64_t lookups;
	int fd; /* of a directory: open until there are too many; of a file: while the kernel has it open; or -1 */
	bool writes;       /* the file's fd can be written to */
	bool stray;        /* it has names, but none that the kernel has looked up */
	unsigned opens;    /* how often the kernel has it open */
	unsigned children; /* names whose parent it is */
	mode_t type;
};

#define QUOTA_DEVICES 256

struct quota {
	int dev;
	int upper; /* the writable layer itself, where sizes are looked up */
	struct ledger ledger;
	uint64_t block; /* the block size of the file system below */
	dev_t devices[QUOTA_DEVICES]; /* of its files: overlay shows each layer as one, whose inodes have numbers of their own */
	unsigned n_devices;
	struct node *root;
	struct node **by_real;
	struct name **by_name;
	size_t n_names, room, strays;
	unsigned dirs; /* open ones */
	unsigned dirs_max;
	int fd_max; /* for files that are open inside; descriptors above are reserved, or nothing could be counted any more */
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
/* Reads the next request into `in`, makes its answer in `out` and sends it. False: the mount is gone. */
bool quota_serve_one(struct quota *q, void *in, void *out);

/* ---- quota_nodes.c: functions that can fail return -1 with errno ---- */
void quota_root(struct quota *q, int dir);
struct node *quota_node(const struct quota *q, uint64_t id); /* id: the kernel's node id */
struct node *quota_find(const struct quota *q, const struct node *parent, const char *name); /* or NULL */
/* The node of a file that was looked up under this name; adds a lookup. real: its inode if it may have other names, or 0. */
struct node *quota_found(
	struct quota *q, struct node *parent, const char *name, mode_t mode, uint64_t real);
void quota_is(struct quota *q, struct node *n, uint64_t real);
void quota_forget(struct quota *q, struct node *n, uint64_t lookups);
void quota_named(struct quota *q, struct node *n, struct node *parent, const char *name);
void quota_unnamed(struct quota *q, struct node *n, const struct node *parent, const char *name);
/* The last name that the kernel knows is removed, but the file has others. */
void quota_strays(struct quota *q, struct node *n);
/* Its last name and its last user are gone. */
void quota_gone(struct quota *q, struct node *n, const struct stat *last);
/* The nodes from the root, which is not included, down to a file: an array that the caller frees; NULL: it has no name any more. */
struct node **quota_way(const struct quota *q, struct node *n, size_t *depth);
/* A descriptor of the directory, which the node keeps until quota_close_dirs(). */
int quota_dir(struct quota *q, struct node *n);
/* Where a file is: returns the descriptor of a directory; *name: its name in there. */
int quota_at(struct quota *q, struct node *n, const char **name);
int quota_stat(struct quota *q, struct node *n, struct stat *st);
/* A descriptor of a file or directory: the node's own, or a new one, which *temporary is then, too, for the caller to close.
 * flags: O_RDONLY or O_RDWR, and O_TRUNC. */
int quota_fd(struct quota *q, struct node *n, int flags, int *temporary);
void quota_close_dirs(struct quota *q); /* between requests, if there are many */

/* ---- quota_room.c ---- */
/* Counts everything below the directory. 0, or -1 with errno. */
int quota_count(struct quota *q, int dir);
/* How many of the directories down to this one are not in the writable layer yet; updates the count of those that are. */
unsigned quota_missing(struct quota *q, struct node *dir);
/* The file's attributes in the writable layer, with which its count is updated; false: it is not in there. */
bool quota_upper(struct quota *q, struct node *parent, const char *name, struct stat *st);
/* To be called before the file is changed: checks that there is room for the copy that overlay makes of it, `whole` or without its
 * content. 0, or -1 with errno. */
int quota_lift(struct quota *q, struct node *n, bool whole);
/* To be called after it was changed: counts the copy, which is in the writable layer now. */
void quota_lifted(struct quota *q, struct node *n);
/* To be called if the change failed with errno, as overlay may have made the copy all the same. Returns -errno. */
ssize_t quota_failed(struct quota *q, struct node *n);
/* How many of `size` bytes may be written at `from` so that the file does not grow beyond the limit. */
size_t quota_fits(const struct quota *q, int fd, uint64_t from, uint64_t size);
/* Whether the limit is exceeded, and more is taken up than `before`. */
bool quota_over(const struct quota *q, uint64_t before);

/* ---- answers: each writes to r->to and returns the length, or a negative errno ---- */
#define QUOTA_SILENT (-4096) /* send no answer */

/* quota_answer.c: dispatches by a table; requests about one file */
ssize_t quota_answer(const struct request *r);
void quota_attr(struct quota *q, const struct stat *st, struct fuse_attr *a);
ssize_t quota_open(struct quota *q, struct node *n, uint32_t flags, struct fuse_open_out *o);

/* quota_names.c: requests about names */
ssize_t quota_lookup(const struct request *r);
ssize_t quota_readlink(const struct request *r);
ssize_t quota_symlink(const struct request *r);
ssize_t quota_mknod(const struct request *r);
ssize_t quota_mkdir(const struct request *r);
ssize_t quota_create(const struct request *r);
ssize_t quota_link(const struct request *r);
ssize_t quota_unlink(const struct request *r); /* of a directory, too */
ssize_t quota_rename(const struct request *r);
