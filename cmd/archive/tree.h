/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree: the files of a layer while they are collected from an archive, before they are written. Pure.
 *
 * Names from archives are hostile: tree_at() cleans them and lets nothing out of the tree or past its
 * bounds; a symbolic link among a name's directories leads to where it would with the tree as root. Nothing is
 * freed before tree_done: the writer's threads fill in inodes of files even after another entry took their place.
 */
#pragma once

#include "err.h"
#include "str.h"

#include <stdint.h>
#include <sys/types.h>

struct node {
	struct node *parent, *children, *next; /* next: sibling */
	struct node *same_hash;
	struct node *before; /* the node created before this one */
	struct node *link;   /* a hard link: the node of which this is another name */
	char *name;          /* "" for the root */
	size_t path_len;     /* of all names down to it, with slashes */
	char *target;        /* of a symbolic link */
	mode_t mode;
	uid_t uid;
	gid_t gid;
	int64_t mtime;
	uint32_t rdev; /* as squashfs encodes it */
	bool implied;  /* a directory without an entry of its own so far */
	bool opaque;   /* hides what lower layers have here */
	bool gone;     /* another entry replaced it */
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
	size_t steps; /* names looked up to follow links, in all */
};

#define TREE_MAX_NODES (16u << 20)
#define TREE_MAX_PATH  4096
#define TREE_MAX_NAME  255
#define TREE_MAX_STEPS \
	(64u << 20) /* an archive could have links that lead far for each of its files */

void tree_init(struct tree *t);
void tree_done(struct tree *t); /* after pack_close(), whose threads use the nodes */
/*
 * The node for an entry of this name, which is created, or replaced if there is one; but a directory
 * that comes again keeps its content. Missing parents are implied. NULL: refused, or a name that
 * means the root although mode is no directory - see *e.
 */
struct node *tree_at(struct tree *t, const char *path, mode_t mode, struct err *e);
/* The node to which a hard link refers, links among its directories followed; or NULL. */
struct node *tree_find(struct tree *t, const char *path);
void tree_xattr(struct node *n, const char *name, const void *value, size_t size);
/* Orders the children of a directory by name, as squashfs wants them, and drops those that are gone. */
void tree_sort(struct node *dir);
