/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree: the files of a layer as they are gathered from an archive, before they are written. Pure.
 *
 * Names from archives are hostile: tree_at() cleans them and lets nothing out of the tree, below a
 * symbolic link, or past its bounds. Nothing is freed before tree_done: the writer's threads fill in
 * inodes of files even after another entry took their place.
 */
#pragma once

#include "err.h"
#include "str.h"

#include <stdint.h>
#include <sys/types.h>

struct node {
	struct node *parent, *children, *next; /* next: sibling */
	struct node *same_hash;
	struct node *before; /* the one made before it */
	struct node *link;   /* what this is another name of */
	char *name;          /* "" for the root */
	char *target;        /* of a symbolic link */
	mode_t mode;
	uid_t uid;
	gid_t gid;
	int64_t mtime;
	uint32_t rdev; /* as squashfs has it */
	bool implied;  /* a directory that no entry named yet */
	bool opaque;   /* hides what lower layers have here */
	bool gone;     /* another entry took its place */
	struct xattr *xattrs;
	void *inode; /* the writer's, from malloc */
	uint32_t number, links;
	uint64_t ref;
	bool written;
};

struct xattr {
	struct xattr *next;
	char *name;
	void *value;
	size_t size;
};

struct tree {
	struct node *root, *latest;
	struct node **hash;
	size_t n, hash_size;
};

#define TREE_MAX_NODES (16u << 20)
#define TREE_MAX_PATH  4096
#define TREE_MAX_NAME  255

void tree_init(struct tree *t);
void tree_done(struct tree *t); /* once the writer is closed */
/*
 * The node for an entry of this name, which is created or, if there is one, replaced: a directory
 * that comes again stays with what is in it. Missing parents are implied. NULL: refused, or a
 * name that stands for the root (then mode must be a directory) - see *e.
 */
struct node *tree_at(struct tree *t, const char *path, mode_t mode, struct err *e);
/* What a hard link names, or NULL. */
struct node *tree_find(const struct tree *t, const char *path);
void tree_xattr(struct node *n, const char *name, const void *value, size_t size);
/* Orders the children of a directory by name, as squashfs wants them, and drops those that are gone. */
void tree_sort(struct node *dir);
