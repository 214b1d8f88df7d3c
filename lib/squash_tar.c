/* SPDX-License-Identifier: Apache-2.0 */
#include "squash_tar.h"

#include "auto.h"
#include "first_names.h"
#include "squash.h"
#include "str.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#define CACHE_BYTES (16u << 20)
#define CHUNK       (1u << 20)
#define VALUE_MAX   65536

struct walk {
	struct squash *sq;
	struct tar_writer w;
	char path[PATH_MAX]; /* of the entry; of a directory with a slash behind it */
	size_t len;
	uint64_t content;
	struct squash_walked walked;
	struct first_names links;
	char *chunk, *names;
};

static int damaged(const struct walk *w, struct err *e)
{
	return err_set(e, ERR_CORRUPT, "/%s: the squashfs image is damaged", w->path);
}

/* ---- an entry -------------------------------------------------------------------------- */

/* *opaque: a mark of overlayfs's, which an archive has as an entry. */
static void add_xattrs(struct walk *w, const struct squash_inode *i, struct tar_entry *t, bool *opaque)
{
	auto_free char *value = NULL;
	ssize_t len, n;

	*opaque = false;
	if (!squash_has_xattrs(w->sq, true))
		return;
	value = xcalloc(VALUE_MAX, 1);
	len = squash_listxattr(w->sq, i, true, w->names, VALUE_MAX);
	for (char *name = w->names; len > 0 && name < w->names + len; name += strlen(name) + 1) {
		n = squash_getxattr(w->sq, i, name, value, VALUE_MAX);
		if (n >= 0 && !str_starts(name, "user.overlay."))
			tar_entry_xattr(t, name, value, (size_t)n);
		else if (n == 1 && value[0] == 'y' && str_eq(name, "user.overlay.opaque"))
			*opaque = true;
	}
}

static void fill(const struct walk *w, const struct squash_inode *i, struct tar_entry *t)
{
	t->path = xstrdup(w->path);
	t->mode = i->mode & 07777;
	t->uid = i->uid;
	t->gid = i->gid;
	t->mtime = i->mtime;
	t->dev_major = i->rdev_major;
	t->dev_minor = i->rdev_minor;
}

static int add_content(struct walk *w, const struct squash_inode *i, struct err *e)
{
	for (uint64_t at = 0; at < i->size;) {
		ssize_t n = squash_read(w->sq, i, at, w->chunk, CHUNK);

		if (n <= 0)
			return damaged(w, e);
		if (tar_data(&w->w, w->chunk, (size_t)n, e) < 0)
			return -1;
		at += (uint64_t)n;
	}
	return 0;
}

static int add_file(struct walk *w, const struct squash_inode *i, struct err *e)
{
	auto_tar_entry struct tar_entry t = {.type = TAR_FILE};
	const char *first = i->nlink < 2 ? NULL : first_names_get(&w->links, 0, i->number, w->path);
	bool unused;

	fill(w, i, &t);
	if (first) {
		t.type = TAR_HARD;
		t.link = xstrdup(first);
		return tar_add(&w->w, &t, e);
	}
	if (i->size > SQUASH_TAR_MAX - w->content)
		return err_set(e, ERR_UNSUPPORTED, "its files hold more than %llu GiB",
			SQUASH_TAR_MAX >> 30);
	w->content += i->size;
	t.size = (int64_t)i->size;
	add_xattrs(w, i, &t, &unused);
	if (tar_add(&w->w, &t, e) < 0)
		return -1;
	return add_content(w, i, e);
}

static int add_link(struct walk *w, const struct squash_inode *i, struct err *e)
{
	auto_tar_entry struct tar_entry t = {.type = TAR_LINK};
	auto_free char *target = xcalloc(VALUE_MAX, 1);
	ssize_t n = squash_readlink(w->sq, i, target, VALUE_MAX - 1);

	if (n <= 0 || strlen(target) != (size_t)n)
		return damaged(w, e);
	fill(w, i, &t);
	t.mode = 0777;
	t.link = take(target);
	return tar_add(&w->w, &t, e);
}

/* Adds a whiteout: an empty file which says that `hidden` of the layers below is deleted. */
static int add_mark(struct walk *w, size_t dir_len, const char *hidden, struct err *e)
{
	auto_free char *path = xasprintf("%.*s.wh.%s", (int)dir_len, w->path, hidden);
	struct tar_entry t = {.type = TAR_FILE, .path = path};

	return tar_add(&w->w, &t, e);
}

static int add_special(struct walk *w, const struct squash_inode *i, size_t dir_len, struct err *e)
{
	auto_tar_entry struct tar_entry t = {.type = TAR_FIFO};

	if (S_ISCHR(i->mode) && i->rdev_major == 0 && i->rdev_minor == 0)
		return add_mark(w, dir_len, w->path + dir_len, e);
	if (S_ISCHR(i->mode))
		t.type = TAR_CHAR;
	else if (S_ISBLK(i->mode))
		t.type = TAR_BLOCKDEV;
	fill(w, i, &t);
	return tar_add(&w->w, &t, e);
}

/* ---- the walk -------------------------------------------------------------------------- */

static int add_children(struct walk *w, const struct squash_inode *dir, struct err *e);

static int add_dir(struct walk *w, const struct squash_inode *i, struct err *e)
{
	auto_tar_entry struct tar_entry t = {.type = TAR_DIR};
	bool opaque;

	if (!squash_walk_into(&w->walked, i->ref) || w->len + 1 >= sizeof(w->path))
		return damaged(w, e);
	if (w->len > 0) {
		w->path[w->len++] = '/';
		w->path[w->len] = '\0';
	}
	fill(w, i, &t);
	if (w->len == 0) {
		free(t.path);
		t.path = xstrdup("./");
	}
	add_xattrs(w, i, &t, &opaque);
	if (tar_add(&w->w, &t, e) < 0 || (opaque && add_mark(w, w->len, ".wh..opq", e) < 0))
		return -1;
	return add_children(w, i, e);
}

static int add_entry(struct walk *w, const struct squash_entry *entry, size_t dir_len, struct err *e)
{
	struct squash_inode i;

	if (str_starts(w->path + dir_len, ".wh."))
		return 0; /* an archive would mean something else by it */
	if (squash_inode(w->sq, entry->ref, &i) < 0)
		return damaged(w, e);
	switch (i.mode & S_IFMT) {
	case S_IFDIR:
		return add_dir(w, &i, e);
	case S_IFREG:
		return add_file(w, &i, e);
	case S_IFLNK:
		return add_link(w, &i, e);
	case S_IFSOCK:
		return 0;
	default:
		return add_special(w, &i, dir_len, e);
	}
}

static bool is_name(const char *name, size_t len)
{
	return len > 0 && !memchr(name, '/', len) && !memchr(name, '\0', len) &&
	       !(name[0] == '.' && (len == 1 || (name[1] == '.' && len == 2)));
}

static int add_children(struct walk *w, const struct squash_inode *dir, struct err *e)
{
	struct squash_entry entry;
	struct squash_dir d;
	size_t len = w->len;
	int more = 0, result = 0;

	if (squash_dir_open(w->sq, dir, 0, &d) < 0)
		return damaged(w, e);
	while (result == 0 && (more = squash_dir_next(&d, &entry)) > 0) {
		if (!is_name(entry.name, entry.len) || len + entry.len >= sizeof(w->path)) {
			result = damaged(w, e);
			break;
		}
		memcpy(w->path + len, entry.name, entry.len);
		w->len = len + entry.len;
		w->path[w->len] = '\0';
		result = add_entry(w, &entry, len, e);
		w->len = len;
		w->path[len] = '\0';
	}
	squash_dir_done(&d);
	return result == 0 && more < 0 ? damaged(w, e) : result;
}

static int add_all(struct walk *w, struct err *e)
{
	struct squash_inode root;

	if (squash_inode(w->sq, squash_info(w->sq)->root, &root) < 0 || !S_ISDIR(root.mode))
		return damaged(w, e);
	return add_dir(w, &root, e) < 0 ? -1 : tar_finish(&w->w, e);
}

int squash_tar(int fd, tar_sink *sink, void *context, int64_t *content, struct err *e)
{
	struct blocks *cache = blocks_new(CACHE_BYTES, -1);
	struct walk w = {.w = {.sink = sink, .context = context}};
	int result = -1;

	w.sq = squash_open(fd, "layer", cache, e);
	if (w.sq) {
		w.chunk = xcalloc(CHUNK, 1);
		w.names = xcalloc(VALUE_MAX, 1);
		result = add_all(&w, e);
	} else {
		(void)close(fd); /* it was not taken */
	}
	if (result == 0 && content)
		*content = (int64_t)w.content;
	first_names_done(&w.links);
	squash_walked_done(&w.walked);
	free(w.chunk);
	free(w.names);
	squash_free(w.sq);
	blocks_free(cache);
	return result;
}
