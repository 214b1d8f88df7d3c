/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <string.h>
#include <sys/stat.h>

static size_t hash_of(const struct node *parent, const char *name, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u ^ (uintptr_t)parent;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)name[i]) * 0x100000001b3u;
	return (size_t)(h ^ h >> 32);
}

static void grow(struct tree *t)
{
	size_t size = t->hash_size ? 2 * t->hash_size : 4096;
	struct node **hash = xcalloc(size, sizeof(struct node *));

	for (size_t i = 0; i < t->hash_size; i++)
		for (struct node *n = t->hash[i], *next; n; n = next) {
			struct node **slot =
				&hash[hash_of(n->parent, n->name, strlen(n->name)) & (size - 1)];

			next = n->same_hash;
			n->same_hash = *slot;
			*slot = n;
		}
	free(t->hash);
	t->hash = hash;
	t->hash_size = size;
}

void tree_init(struct tree *t)
{
	*t = (struct tree){0};
	grow(t);
	t->root = xcalloc(1, sizeof(*t->root));
	t->root->name = xstrdup("");
	t->root->mode = S_IFDIR | 0755;
	t->root->implied = true;
	t->latest = t->root;
}

static void drop_xattrs(struct node *n)
{
	for (struct xattr *x = n->xattrs, *next; x; x = next) {
		next = x->next;
		free(x->name);
		free(x->value);
		free(x);
	}
	n->xattrs = NULL;
}

void tree_done(struct tree *t)
{
	for (struct node *n = t->latest, *before; n; n = before) {
		before = n->before;
		drop_xattrs(n);
		free(n->name);
		free(n->target);
		free(n->inode);
		free(n);
	}
	free(t->hash);
	*t = (struct tree){0};
}

static struct node *lookup(const struct tree *t, const struct node *parent, const char *name, size_t len)
{
	struct node *n = t->hash[hash_of(parent, name, len) & (t->hash_size - 1)];

	for (; n; n = n->same_hash)
		if (n->parent == parent && strncmp(n->name, name, len) == 0 && n->name[len] == '\0')
			return n;
	return NULL;
}

/* NULL: the name would be too long; by links that may be although the archive's own is not. */
static struct node *add(struct tree *t, struct node *parent, const char *name, size_t len,
	mode_t mode, struct err *e)
{
	size_t path_len = parent->path_len + 1 + len;
	struct node *n, **slot;

	if (path_len > TREE_MAX_PATH) {
		(void)err_set(e, ERR_CORRUPT, "a name of more than %d bytes", TREE_MAX_PATH);
		return NULL;
	}
	n = xcalloc(1, sizeof(*n));
	if (++t->n > t->hash_size)
		grow(t);
	slot = &t->hash[hash_of(parent, name, len) & (t->hash_size - 1)];
	n->before = t->latest;
	t->latest = n;
	n->parent = parent;
	n->name = xstrndup(name, len);
	n->path_len = path_len;
	n->mode = mode;
	n->next = parent->children;
	parent->children = n;
	n->same_hash = *slot;
	*slot = n;
	return n;
}

static void unhash(struct tree *t, struct node *n)
{
	struct node **at = &t->hash[hash_of(n->parent, n->name, strlen(n->name)) & (t->hash_size - 1)];

	while (*at != n)
		at = &(*at)->same_hash;
	*at = n->same_hash;
}

/* Removes the name, with all below it. It stays in the list of its siblings until they are sorted: a hostile archive could make
 * looking for it there take any time. */
static void forget(struct tree *t, struct node *n)
{
	if (n->gone)
		return;
	for (struct node *c = n->children; c; c = c->next)
		forget(t, c);
	unhash(t, n);
	n->gone = true;
}

/*
 * The next component of a name, or NULL at its end. "." and empty ones are skipped; ".." is left to
 * the caller, since its meaning depends on what was before.
 */
static const char *component(const char **at, size_t *len)
{
	const char *name;

	do {
		*at += strspn(*at, "/");
		name = *at;
		*len = strcspn(name, "/");
		*at += *len;
	} while (*len == 1 && name[0] == '.');
	return *len ? name : NULL;
}

static bool is_dotdot(const char *name, size_t len)
{
	return len == 2 && name[0] == '.' && name[1] == '.';
}

/* "a/./b//../c" to "a/c"; false if the path leads out. */
static bool clean(const char *path, char out[TREE_MAX_PATH])
{
	size_t n = 0, len;
	const char *name;

	while ((name = component(&path, &len))) {
		if (is_dotdot(name, len)) {
			if (n == 0)
				return false;
			while (n > 0 && out[--n] != '/')
				;
			continue;
		}
		if (n)
			out[n++] = '/';
		memcpy(out + n, name, len);
		n += len;
	}
	out[n] = '\0';
	return true;
}

#define HOPS_MAX 40 /* links followed for one name, as in Linux */

/* The directory to which a symbolic link leads, as it would with the tree as root; or NULL. */
static struct node *follow(struct tree *t, const struct node *link, int *hops)
{
	struct node *dir = link->parent;
	const char *at, *name;
	size_t len;

	while (link->link)
		link = link->link;
	at = link->target;
	if (++*hops > HOPS_MAX || strlen(at) >= TREE_MAX_PATH)
		return NULL;
	if (at[0] == '/')
		dir = t->root;
	while (dir && (name = component(&at, &len))) {
		struct node *n = is_dotdot(name, len) ? dir->parent ? dir->parent : dir
		                                      : lookup(t, dir, name, len);

		if (++t->steps > TREE_MAX_STEPS)
			return NULL;
		if (n && S_ISLNK(n->mode))
			n = follow(t, n, hops);
		dir = n && S_ISDIR(n->mode) ? n : NULL;
	}
	return dir;
}

static struct node *add_implied(
	struct tree *t, struct node *dir, const char *name, size_t len, struct err *e)
{
	struct node *n = add(t, dir, name, len, S_IFDIR | 0755, e);

	if (n)
		n->implied = true;
	return n;
}

/* A name's next directory. */
struct way {
	const char *path; /* the whole name */
	int hops;
};

static struct node *enter(struct tree *t, struct node *dir, const char *name, size_t len,
	struct way *w, struct err *e)
{
	struct node *n = lookup(t, dir, name, len), *to;

	if (!n)
		return add_implied(t, dir, name, len, e);
	if (S_ISLNK(n->mode)) {
		to = follow(t, n, &w->hops);
		if (!to)
			(void)err_set(e, ERR_CORRUPT,
				"\"%.200s\" lies below the symbolic link \"%s\", which leads to no directory",
				w->path, n->name);
		return to;
	}
	if (S_ISDIR(n->mode))
		return n;
	/* as in docker, the directory that the entry needs replaces the file */
	forget(t, n);
	return add_implied(t, dir, name, len, e);
}

static struct node *place(
	struct tree *t, struct node *dir, const char *name, size_t len, mode_t mode, struct err *e)
{
	struct node *n = lookup(t, dir, name, len);

	if (n && S_ISDIR(n->mode) && S_ISDIR(mode)) {
		drop_xattrs(n);
		n->implied = false;
		n->mode = mode;
		return n;
	}
	if (n)
		forget(t, n);
	return add(t, dir, name, len, mode, e);
}

struct node *tree_at(struct tree *t, const char *path, mode_t mode, struct err *e)
{
	char name[TREE_MAX_PATH];
	struct node *dir = t->root;
	struct way way = {.path = path};
	const char *at = name;
	size_t len;

	if (strlen(path) >= TREE_MAX_PATH || t->n >= TREE_MAX_NODES) {
		(void)err_set(e, ERR_CORRUPT,
			strlen(path) >= TREE_MAX_PATH ? "a name of more than %d bytes" : "more than %d files",
			strlen(path) >= TREE_MAX_PATH ? TREE_MAX_PATH : (int)TREE_MAX_NODES);
		return NULL;
	}
	if (!clean(path, name)) {
		(void)err_set(e, ERR_CORRUPT, "\"%.200s\" leads out of the image", path);
		return NULL;
	}
	if (!*name && !S_ISDIR(mode)) {
		(void)err_set(e, ERR_CORRUPT, "\"%.200s\" is no name for a file", path);
		return NULL;
	}
	if (!*name) {
		t->root->implied = false;
		t->root->mode = mode;
		return t->root;
	}
	for (;;) {
		const char *part = component(&at, &len);

		if (len > TREE_MAX_NAME) {
			(void)err_set(e, ERR_CORRUPT, "\"%.60s...\" is longer than a name can be", part);
			return NULL;
		}
		if (!*at)
			return place(t, dir, part, len, mode, e);
		dir = enter(t, dir, part, len, &way, e);
		if (!dir)
			return NULL;
	}
}

struct node *tree_find(struct tree *t, const char *path)
{
	char name[TREE_MAX_PATH];
	struct node *n = t->root;
	const char *at = name, *part;
	int hops = 0;
	size_t len;

	if (strlen(path) >= TREE_MAX_PATH || !clean(path, name))
		return NULL;
	while (n && (part = component(&at, &len))) {
		n = lookup(t, n, part, len);
		if (n && *at && S_ISLNK(n->mode))
			n = follow(t, n, &hops);
	}
	return n;
}

void tree_xattr(struct node *n, const char *name, const void *value, size_t size)
{
	struct xattr *x = xcalloc(1, sizeof(*x));

	x->name = xstrdup(name);
	x->value = xcalloc(size, 1);
	memcpy(x->value, value, size);
	x->size = size;
	x->next = n->xattrs;
	n->xattrs = x;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct node *const *)a)->name, (*(struct node *const *)b)->name);
}

void tree_sort(struct node *dir)
{
	struct node **all, *n;
	size_t count = 0, i = 0;

	for (n = dir->children; n; n = n->next)
		count += !n->gone;
	all = xcalloc(count, sizeof(struct node *));
	for (n = dir->children; n; n = n->next)
		if (!n->gone)
			all[i++] = n;
	qsort(all, count, sizeof(struct node *), by_name);
	for (i = 0; i < count; i++)
		all[i]->next = i + 1 < count ? all[i + 1] : NULL;
	dir->children = count ? all[0] : NULL;
	free(all);
}
