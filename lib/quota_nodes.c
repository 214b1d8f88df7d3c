/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quota_nodes: the files that the kernel knows, and how to find them again: by their names, and not by a descriptor each, since
 * the kernel remembers far more files than a process may have descriptors. Only the server renames files there, so the
 * names stay right.
 */
#include "quota_parts.h"

#include "auto.h"
#include "str.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static struct node **real_bucket(const struct quota *q, uint64_t real)
{
	return &q->by_real[(real * 0x9e3779b97f4a7c15ull >> 20) & (q->room - 1)];
}

static struct name **name_bucket(const struct quota *q, const struct node *parent, const char *name)
{
	uint64_t h = (uint64_t)(uintptr_t)parent;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3ull;
	return &q->by_name[(h * 0x9e3779b97f4a7c15ull >> 20) & (q->room - 1)];
}

static void grow(struct quota *q)
{
	struct quota old = *q;

	q->room = old.room ? 2 * old.room : 256;
	q->by_real = xcalloc(q->room, sizeof(struct node *));
	q->by_name = xcalloc(q->room, sizeof(struct name *));
	for (size_t i = 0; i < old.room; i++) {
		for (struct node *n = old.by_real[i], *next; n; n = next) {
			struct node **at = real_bucket(q, n->real);

			next = n->chain;
			n->chain = *at;
			*at = n;
		}
		for (struct name *n = old.by_name[i], *next; n; n = next) {
			struct name **at = name_bucket(q, n->parent, n->text);

			next = n->chain;
			n->chain = *at;
			*at = n;
		}
	}
	free(old.by_real);
	free(old.by_name);
}

void quota_is(struct quota *q, struct node *n, uint64_t real)
{
	struct node **at;

	if (n->real == real)
		return;
	if (n->real) {
		for (at = real_bucket(q, n->real); *at != n; at = &(*at)->chain)
			;
		*at = n->chain;
	}
	n->real = real;
	if (!real)
		return;
	at = real_bucket(q, real);
	n->chain = *at;
	*at = n;
}

static struct node *by_real(const struct quota *q, uint64_t real)
{
	struct node *n = *real_bucket(q, real);

	while (n && n->real != real)
		n = n->chain;
	return n;
}

struct node *quota_find(const struct quota *q, const struct node *parent, const char *name)
{
	struct name *at = *name_bucket(q, parent, name);

	for (; at; at = at->chain)
		if (at->parent == parent && strcmp(at->text, name) == 0)
			break;
	if (!at)
		return NULL;
	return at->file;
}

static struct node *new_node(mode_t mode)
{
	struct node *n = xcalloc(1, sizeof(*n));

	*n = (struct node){.type = mode & S_IFMT, .fd = -1};
	return n;
}

void quota_root(struct quota *q, int dir)
{
	grow(q);
	q->root = new_node(S_IFDIR);
	q->root->fd = dir;
	q->root->lookups = 1;
}

struct node *quota_node(const struct quota *q, uint64_t id)
{
	return id == FUSE_ROOT_ID ? q->root : (struct node *)(uintptr_t)id; /* the kernel has it from us */
}

void quota_strays(struct quota *q, struct node *n)
{
	q->strays += !n->stray;
	n->stray = true;
}

static void found_again(struct quota *q, struct node *n)
{
	q->strays -= n->stray;
	n->stray = false;
}

/* Nobody asks for it any more. Its parent may have stayed only for it. */
static void let_go(struct quota *q, struct node *n)
{
	while (n && n != q->root && n->lookups == 0 && n->children == 0) {
		struct node *parent = NULL;

		/* Only files have several; the parents of these are directories, which have one. */
		while (n->names) {
			if (parent)
				let_go(q, parent);
			parent = n->names->parent;
			quota_unnamed(q, n, parent, n->names->text);
		}
		quota_is(q, n, 0);
		found_again(q, n);
		if (n->fd >= 0) {
			(void)close(n->fd); /* the kernel forgets no file that is open */
			q->dirs -= S_ISDIR(n->type);
		}
		free(n->last);
		free(n);
		n = parent;
	}
}

void quota_forget(struct quota *q, struct node *n, uint64_t lookups)
{
	n->lookups -= lookups < n->lookups ? lookups : n->lookups;
	let_go(q, n);
}

void quota_named(struct quota *q, struct node *n, struct node *parent, const char *name)
{
	size_t len = strlen(name);
	struct name *new, **at;

	if (quota_find(q, parent, name) == n)
		return;
	if (q->n_names >= q->room)
		grow(q);
	new = xcalloc(1, sizeof(*new) + len + 1);
	new->parent = parent;
	new->file = n;
	memcpy(new->text, name, len);
	new->next = n->names;
	n->names = new;
	at = name_bucket(q, parent, name);
	new->chain = *at;
	*at = new;
	q->n_names++;
	parent->children++;
	found_again(q, n);
}

void quota_unnamed(struct quota *q, struct node *n, const struct node *parent, const char *name)
{
	struct name **at = &n->names, **chain, *old;

	while ((old = *at) && (old->parent != parent || strcmp(old->text, name) != 0))
		at = &old->next;
	if (!old)
		return;
	*at = old->next;
	for (chain = name_bucket(q, parent, name); *chain != old; chain = &(*chain)->chain)
		;
	*chain = old->chain;
	q->n_names--;
	old->parent->children--;
	free(old);
}

struct node *quota_found(struct quota *q, struct node *parent, const char *name, mode_t mode, uint64_t real)
{
	struct node *n = quota_find(q, parent, name);

	if (!n && real)
		n = by_real(q, real);
	if (!n)
		n = new_node(mode);
	quota_named(q, n, parent, name);
	if (real)
		quota_is(q, n, real);
	n->lookups++;
	return n;
}

void quota_gone(struct quota *q, struct node *n, const struct stat *last)
{
	quota_is(q, n, 0); /* another file may get its number */
	found_again(q, n);
	n->last = xcalloc(1, sizeof(*n->last));
	*n->last = *last;
	n->last->st_nlink = 0;
	if (n->fd < 0)
		return;
	(void)close(take_fd(&n->fd)); /* a file's blocks are free then */
	q->dirs -= S_ISDIR(n->type);
}

struct node **quota_way(const struct quota *q, struct node *n, size_t *depth)
{
	struct node **way = NULL, *swap;
	size_t room = 0, d = 0;

	for (; n != q->root; n = n->names->parent) {
		if (!n->names) {
			free(way);
			errno = ENOENT;
			return NULL;
		}
		if (d == room)
			way = xrealloc(way, room = room ? 2 * room : 16, sizeof(struct node *));
		way[d++] = n;
	}
	for (size_t i = 0; i < d / 2; i++) {
		swap = way[i];
		way[i] = way[d - 1 - i];
		way[d - 1 - i] = swap;
	}
	*depth = d;
	return way ? way : xcalloc(1, sizeof(struct node *));
}

/* A tree may be deeper than there are descriptors: only the last one is kept. */
int quota_dir(struct quota *q, struct node *n)
{
	auto_free struct node **way = NULL;
	size_t depth, from;
	int fd;

	if (n->fd >= 0)
		return n->fd;
	way = quota_way(q, n, &depth);
	if (!way)
		return -1;
	for (from = depth; from > 0 && way[from - 1]->fd < 0; from--)
		;
	fd = from ? way[from - 1]->fd : q->root->fd;
	for (size_t i = from; i < depth; i++) {
		int next = openat(
			fd, way[i]->names->text, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int why = errno;

		if (i > from)
			(void)close(fd);
		errno = why;
		if (next < 0)
			return -1;
		fd = next;
	}
	q->dirs++;
	return n->fd = fd;
}

void quota_close_dirs(struct quota *q)
{
	for (size_t i = 0; i < q->room; i++)
		for (struct name *n = q->by_name[i]; n; n = n->chain)
			if (S_ISDIR(n->file->type) && n->file->fd >= 0)
				(void)close(take_fd(&n->file->fd));
	q->dirs = 0;
}

int quota_at(struct quota *q, struct node *n, const char **name)
{
	if (n == q->root) {
		*name = ".";
		return n->fd;
	}
	if (!n->names) {
		errno = n->last ? ESTALE : ENOENT;
		return -1;
	}
	*name = n->names->text;
	return quota_dir(q, n->names->parent);
}

int quota_stat(struct quota *q, struct node *n, struct stat *st)
{
	const char *name;
	int dir;

	if (n->last) {
		*st = *n->last;
		return 0;
	}
	if (n->fd >= 0)
		return fstat(n->fd, st);
	dir = quota_at(q, n, &name);
	return dir < 0 ? -1 : fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW);
}

int quota_fd(struct quota *q, struct node *n, int flags, int *temporary)
{
	bool write = flags & O_RDWR;
	const char *name;
	int dir;

	if (S_ISDIR(n->type))
		return quota_dir(q, n);
	if (n->fd >= 0 && (n->writes || !write))
		return flags & O_TRUNC && ftruncate(n->fd, 0) < 0 ? -1 : n->fd;
	if (!S_ISREG(n->type)) {
		errno = ENODATA;
		return -1;
	}
	dir = quota_at(q, n, &name);
	return *temporary =
	               dir < 0 ? -1 : openat(dir, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}
