/* SPDX-License-Identifier: Apache-2.0 */
#include "tarpack.h"

#include "ahead.h"
#include "deep.h"
#include "first_names.h"
#include "overlay.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#define CHUNK  (256u << 10)
#define AHEAD  (128 << 10)
#define WINDOW (8 * AHEAD) /* of a file is wished for before it is read */

/* How often a file with a lease is asked for: the kernel takes it from who does not let go, after 45 s mostly. */
#define LEASE_TRIES 6000
#define LEASE_MS    20

struct walk {
	const struct tarpack *p;
	struct tar_writer *w;
	struct ahead *found;
	struct buf path; /* in the archive */
	size_t skip;     /* bytes of `path` before the part below the source */
	char *chunk;
	char *xattrs, *xattr; /* names; a value */
	struct first_names links;
};

/* ---- an entry -------------------------------------------------------------------------- */

static void fill(const struct walk *w, const struct stat *st, struct tar_entry *t)
{
	const struct tarpack *p = w->p;

	t->path = xstrdup(w->path.s);
	t->mode = st->st_mode & (p->types ? S_IFMT | 07777 : 07777);
	t->mtime = st->st_mtim.tv_sec;
	t->uid = p->one_id || st->st_uid == p->uid ? 0 : st->st_uid;
	t->gid = p->one_id || st->st_gid == p->gid ? 0 : st->st_gid;
}

static void add_xattrs(struct walk *w, int fd, struct tar_entry *t)
{
	ssize_t n = flistxattr(fd, w->xattrs, XATTR_LIST_MAX), size;

	for (const char *at = w->xattrs; n > 0 && at < w->xattrs + n; at += strlen(at) + 1)
		if (tar_xattr_may_be(at) && (size = fgetxattr(fd, at, w->xattr, XATTR_SIZE_MAX)) >= 0)
			tar_entry_xattr(t, at, w->xattr, (size_t)size);
}

static int source_err(const struct walk *w, const char *what, struct err *e)
{
	return err_sys(e, "%s %s", what, w->path.s);
}

/* Takes what t holds, and fd. */
static int give(struct walk *w, struct tar_entry *t, int fd, struct err *e)
{
	struct found f = {*t, fd};

	*t = (struct tar_entry){0};
	return ahead_give(w->found, &f, e);
}

/* Has the kernel read the beginning of a file ahead; in several calls, as it does only so much for each. */
static void read_ahead(int fd, int64_t from, int64_t to)
{
	for (; from < to; from += AHEAD)
		(void)posix_fadvise(fd, from, AHEAD, POSIX_FADV_WILLNEED); /* then it is slower */
}

/* Whether descriptors are free again after they ran out: those of files found before. */
static bool settled(struct walk *w, struct err *e)
{
	return (errno == EMFILE || errno == ENFILE) && ahead_settle(w->found, e) == 0;
}

static int open_at(struct walk *w, int dir, const char *name, int flags, struct err *e)
{
	int fd = openat(dir, name, flags);

	if (fd < 0 && settled(w, e))
		fd = openat(dir, name, flags);
	return fd;
}

/* Who has a write lease of it is told by the first open that somebody reads, and has some time to let go. Who waits in the
 * open itself would wait for ever should a FIFO be there meanwhile. */
static int open_file(struct walk *w, int dir, const char *name, struct err *e)
{
	static const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	int fd = open_at(w, dir, name, flags, e);

	for (int tries = 0; fd < 0 && errno == EWOULDBLOCK && tries < LEASE_TRIES; tries++) {
		(void)poll(NULL, 0, LEASE_MS); /* woken early it asks early */
		fd = open_at(w, dir, name, flags, e);
	}
	return fd;
}

static int names_of(struct walk *w, int fd, struct strv *names, struct err *e)
{
	int result = sys_names(fd, names); /* which opens it once more */

	return result < 0 && settled(w, e) ? sys_names(fd, names) : result;
}

/* A further name of a file of any type that is in the archive already becomes a hard link to it. */
static bool is_again(struct walk *w, const struct stat *st, struct tar_entry *t)
{
	const char *first = st->st_nlink < 2
	                            ? NULL
	                            : first_names_get(&w->links, st->st_dev, st->st_ino, w->path.s);

	if (!first)
		return false;
	t->type = TAR_HARD;
	free(t->link);
	t->link = xstrdup(first);
	return true;
}

/* What is added is something else by now: it is to be looked at once more. */
enum { CHANGED = 1 };

static int add_file(struct walk *w, int dir, const char *name, struct err *e)
{
	auto_close int fd = open_file(w, dir, name, e);
	auto_tar_entry struct tar_entry t = {.type = TAR_FILE};
	struct stat st;

	if (fd < 0 && (errno == ELOOP || errno == ENXIO)) /* a link, a socket */
		return CHANGED;
	if (fd < 0)
		return errno == ENOENT ? 0 : source_err(w, "open", e);
	if (fstat(fd, &st) < 0)
		return source_err(w, "stat", e);
	if (!S_ISREG(st.st_mode))
		return CHANGED;
	fill(w, &st, &t);
	if (is_again(w, &st, &t))
		return give(w, &t, -1, e);
	t.size = st.st_size;
	add_xattrs(w, fd, &t);
	read_ahead(fd, 0, t.size < WINDOW ? t.size : WINDOW);
	return give(w, &t, t.size > 0 ? take_fd(&fd) : -1, e);
}

static int add_link(struct walk *w, int dir, const char *name, const struct stat *st, struct err *e)
{
	auto_tar_entry struct tar_entry t = {.type = TAR_LINK};
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);

	if (n < 0 && errno == EINVAL)
		return CHANGED;
	if (n < 0)
		return errno == ENOENT ? 0 : source_err(w, "read link", e);
	target[n] = '\0';
	fill(w, st, &t);
	t.mode |= 0777;
	t.link = xstrdup(target);
	(void)is_again(w, st, &t);
	return give(w, &t, -1, e);
}

/* Adds a whiteout: an empty file which says that `hidden` of the layers below is deleted in this directory. */
static int add_mark(struct walk *w, size_t dir_len, const char *hidden, struct err *e)
{
	struct tar_entry t = {
		.type = TAR_FILE, .path = xasprintf("%.*s.wh.%s", (int)dir_len, w->path.s, hidden)};

	return give(w, &t, -1, e);
}

static int add_special(struct walk *w, const char *name, const struct stat *st, struct err *e)
{
	auto_tar_entry struct tar_entry t = {
		.dev_major = major(st->st_rdev), .dev_minor = minor(st->st_rdev)};

	if (S_ISSOCK(st->st_mode))
		return 0;
	if (S_ISCHR(st->st_mode) && st->st_rdev == 0)
		return w->p->layer ? add_mark(w, w->path.len - strlen(name), name, e) : 0;
	t.type = S_ISFIFO(st->st_mode) ? TAR_FIFO : S_ISCHR(st->st_mode) ? TAR_CHAR : TAR_BLOCKDEV;
	fill(w, st, &t);
	(void)is_again(w, st, &t);
	return give(w, &t, -1, e);
}

/* ---- the walk -------------------------------------------------------------------------- */

static int add_entry(struct walk *w, int *dir, const char *name, dev_t dev, int depth, struct err *e);

static int add_children(struct walk *w, int *fd, const struct stat *st, int depth, struct err *e)
{
	auto_strv struct strv names = {0};
	size_t len = w->path.len;
	int result = 0;

	if (depth > DEEP_MAX)
		return err_set(e, ERR_UNSUPPORTED, "directories more than %d deep", DEEP_MAX);
	if (names_of(w, *fd, &names, e) < 0)
		return source_err(w, "read", e);
	strv_sort(&names, 0);
	for (size_t i = 0; i < names.n && result == 0; i++) {
		buf_puts(&w->path, names.v[i]);
		if (!w->p->omit || !w->p->omit(w->p->context, w->path.s + w->skip))
			result = add_entry(w, fd, names.v[i], st->st_dev, depth + 1, e);
		w->path.len = len;
		w->path.s[len] = '\0';
	}
	return result;
}

/* All below fd, which lies in *dir. */
static int add_below(struct walk *w, int *dir, int *fd, const struct stat *st, int depth, struct err *e)
{
	struct deep above;
	int result;

	deep_leave(&above, depth, dir);
	result = add_children(w, fd, st, depth, e);
	if (result < 0 || deep_back(&above, *fd, dir) == 0)
		return result;
	return settled(w, e) && deep_back(&above, *fd, dir) == 0 ? 0 : source_err(w, "leave", e);
}

static int add_dir(struct walk *w, int *dir, const char *name, dev_t dev, int depth, struct err *e)
{
	static const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
	auto_close int fd = open_at(w, *dir, name, flags, e);
	auto_tar_entry struct tar_entry t = {.type = TAR_DIR};
	const char *from_source = w->path.s + w->skip;
	bool inside = true;
	struct stat st;

	if (fd < 0 && errno == ENOTDIR)
		return CHANGED;
	if (fd < 0)
		return errno == ENOENT ? 0 : source_err(w, "open", e);
	if (fstat(fd, &st) < 0)
		return source_err(w, "stat", e);
	if (depth > 0 && st.st_dev != dev && w->p->enter)
		inside = w->p->enter(w->p->context, from_source);
	if (w->path.s[w->path.len - 1] != '/')
		buf_putc(&w->path, '/');
	fill(w, &st, &t);
	add_xattrs(w, fd, &t);
	if (give(w, &t, -1, e) < 0)
		return -1;
	if (w->p->layer && overlay_is_opaque(fd) && add_mark(w, w->path.len, ".wh..opq", e) < 0)
		return -1;
	return inside ? add_below(w, dir, &fd, &st, depth, e) : 0;
}

static int add_once(struct walk *w, int *dir, const char *name, dev_t dev, int depth, struct err *e)
{
	struct stat st;

	if (fstatat(*dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : source_err(w, "stat", e);
	switch (st.st_mode & S_IFMT) {
	case S_IFDIR:
		return add_dir(w, dir, name, dev, depth, e);
	case S_IFREG:
		return add_file(w, *dir, name, e);
	case S_IFLNK:
		return add_link(w, *dir, name, &st, e);
	default:
		return add_special(w, name, &st, e);
	}
}

/* One that changes again and again, just as often as it is looked at, is left out. */
#define LOOKS 20

static int add_entry(struct walk *w, int *dir, const char *name, dev_t dev, int depth, struct err *e)
{
	int result = CHANGED;

	for (int i = 0; i < LOOKS && result == CHANGED; i++)
		result = add_once(w, dir, name, dev, depth, e);
	return result == CHANGED ? 0 : result;
}

static int find(struct ahead *found, void *walk, struct err *e)
{
	struct walk *w = walk;
	const struct tarpack *p = w->p;
	int top = p->dir; /* stays open */
	struct stat st;

	w->found = found;
	buf_puts(&w->path, p->as);
	/* "s" + "/" is what names below it begin with; the root has its slash already */
	w->skip = strlen(p->as) + (*p->as && strcmp(p->as, "/") != 0);
	if (*p->as)
		return add_entry(w, &top, p->name, 0, 0, e);
	if (fstat(p->dir, &st) < 0)
		return source_err(w, "stat", e);
	return add_children(w, &top, &st, 0, e);
}

/* ---- what was found is written --------------------------------------------------------- */

static int read_err(const struct found *f, struct err *e)
{
	return err_sys(e, "read %s", f->entry.path);
}

static int add_piece(struct walk *w, const struct found *f, int64_t left, struct err *e)
{
	ssize_t n = tar_data_from(w->w, f->fd, e);

	if (n != 0)
		return n < 0 ? -1 : (int)n;
	n = sys_read(f->fd, w->chunk, left < CHUNK ? (size_t)left : CHUNK);
	if (n < 0)
		return read_err(f, e);
	if (n == 0) { /* the header's size holds, whatever happened to the file meanwhile */
		memset(w->chunk, 0, CHUNK);
		n = left < CHUNK ? (ssize_t)left : CHUNK;
	}
	return tar_data(w->w, w->chunk, (size_t)n, e) < 0 ? -1 : (int)n;
}

static int write_found(struct found *f, void *walk, struct err *e)
{
	struct walk *w = walk;
	int64_t size = f->fd >= 0 ? f->entry.size : 0, ahead = WINDOW;
	int n;

	if (tar_add(w->w, &f->entry, e) < 0)
		return -1;
	for (int64_t at = 0; at < size; at += n) {
		if (at + WINDOW / 2 > ahead && ahead < size) {
			read_ahead(f->fd, ahead, at + WINDOW < size ? at + WINDOW : size);
			ahead = at + WINDOW;
		}
		n = add_piece(w, f, size - at, e);
		if (n < 0)
			return -1;
	}
	return 0;
}

int tarpack(struct tar_writer *w, const struct tarpack *p, struct err *e)
{
	struct walk walk = {.p = p,
		.w = w,
		.chunk = xcalloc(CHUNK, 1),
		.xattrs = xcalloc(XATTR_LIST_MAX, 1),
		.xattr = xcalloc(XATTR_SIZE_MAX, 1)};
	int result = ahead(find, write_found, &walk, e);

	first_names_done(&walk.links);
	free(walk.chunk);
	free(walk.xattrs);
	free(walk.xattr);
	buf_done(&walk.path);
	return result;
}
