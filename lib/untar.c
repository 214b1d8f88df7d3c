/* SPDX-License-Identifier: Apache-2.0 */
#include "untar.h"

#include "opt.h"
#include "parse.h"
#include "state.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define CHUNK     (256u << 10)
#define LATER_MAX 16384
#define MADE_MAX  16384
#define MADE_ROOM (8u << 20) /* bytes of their names */

/* A directory's attributes, which are set when nothing more is put into it. */
struct later {
	char *path;
	mode_t mode;
	int64_t mtime;
};

/* A directory that was not there before. */
struct made {
	char *path;
	dev_t dev;
	ino_t ino;
};

struct work {
	const struct untar *u;
	struct tar_reader *r;
	int parent; /* the directory of the last entry, as mostly the next one is in it, too */
	char *parent_path;
	struct later *later;
	size_t n_later;
	struct made *made;
	size_t n_made, made_bytes;
	char *chunk;
	char part[48]; /* what an entry is called until it is whole; others may be copying to the same place */
};

/* ---- names ----------------------------------------------------------------------------- */

bool untar_clean(const char *path, char *out, size_t size)
{
	size_t n = 0;

	while (*path) {
		size_t len = strcspn(path, "/");

		if (len == 2 && path[0] == '.' && path[1] == '.') {
			if (n == 0)
				return false;
			while (n > 0 && out[--n] != '/')
				;
		} else if (len > 0 && !(len == 1 && path[0] == '.')) {
			if (n + len + 2 > size)
				return false;
			if (n)
				out[n++] = '/';
			memcpy(out + n, path, len);
			n += len;
		}
		path += len + (path[len] == '/');
	}
	out[n] = '\0';
	return true;
}

/* The name after renaming its first component as the caller asked. */
static char *rebase(const struct untar *u, const char *path)
{
	size_t n;

	if (!u->from || str_eq(u->from, u->to))
		return xstrdup(path);
	n = strlen(u->from);
	if (n == 0)
		return xasprintf("%s/%s", u->to, path);
	if (strncmp(path, u->from, n) != 0 || (path[n] && path[n] != '/'))
		return xstrdup(path);
	return xasprintf("%s%s", u->to, path + n);
}

static int outside(const struct work *w, const char *path, struct err *e)
{
	auto_free char *clean = parse_clean_path(path);

	if (w->u->where)
		return err_set(e, ERR_CORRUPT, "\"%.200s\" is outside of \"%s\"", clean, w->u->where);
	return err_set(e, ERR_CORRUPT, "\"%.200s\" is outside of the destination", clean);
}

static int place(const struct work *w, const char *path, char out[PATH_MAX], struct err *e)
{
	auto_free char *name = rebase(w->u, path), *top = NULL;

	if (w->u->where && str_eq(w->u->where, "/")) { /* nothing is above the root */
		auto_free char *rooted = xasprintf("/%s", name);

		top = parse_clean_path(rooted);
	}
	return untar_clean(top ? top : name, out, PATH_MAX) ? 0 : outside(w, path, e);
}

/* A path below the destination as the user would write it. */
static char *full_path(const struct work *w, const char *path)
{
	const char *where = w->u->where ? w->u->where : "";

	return xasprintf("%s%s%s", where, !*where || str_ends(where, "/") ? "" : "/", path);
}

static int resolve(const struct work *w, const char *path, uint64_t flags)
{
	return sys_openat2(w->u->dir, *path ? path : ".", flags,
		RESOLVE_NO_MAGICLINKS | (w->u->beneath ? RESOLVE_BENEATH : 0));
}

static int place_err(const struct work *w, const char *path, struct err *e)
{
	if (errno == EXDEV || errno == ELOOP)
		return outside(w, path, e);
	return err_sys(e, "%s", path);
}

/* "open /etc/x: no space left on device" */
static int fault(const struct work *w, const char *call, const struct tar_entry *t, struct err *e)
{
	auto_free char *full = NULL;
	int sys = errno;
	char path[PATH_MAX];

	if (place(w, t->path, path, e) < 0)
		return -1;
	full = full_path(w, path);
	errno = sys;
	return err_go(e, "%s %s", call, full);
}

static void forget_made(struct work *w, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		w->made_bytes -= strlen(w->made[i].path);
		free(w->made[i].path);
	}
}

/* Of very many the first ones would stay. */
static void note_made(struct work *w, const char *path, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return;
	if (!w->made)
		w->made = xcalloc(MADE_MAX, sizeof(*w->made));
	if (w->n_made == MADE_MAX || (w->n_made && w->made_bytes + strlen(path) > MADE_ROOM)) {
		size_t first = (w->n_made + 1) / 2;

		forget_made(w, 0, first);
		w->n_made -= first;
		memmove(w->made, w->made + first, w->n_made * sizeof(*w->made));
	}
	w->made_bytes += strlen(path);
	w->made[w->n_made++] = (struct made){xstrdup(path), st.st_dev, st.st_ino};
}

/* After a failure, removes the empty directories that were made for entries that did not come. */
static void remove_made(struct work *w)
{
	for (size_t i = w->n_made; i-- > 0;) {
		const struct made *m = &w->made[i];
		const char *slash = strrchr(m->path, '/'), *name = slash ? slash + 1 : m->path;
		auto_free char *above = xstrndup(m->path, slash ? (size_t)(slash - m->path) : 0);
		auto_close int parent = resolve(w, above, O_PATH | O_DIRECTORY);
		struct stat st;

		/* Somebody else's may be called so by now. */
		if (parent >= 0 && fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			st.st_ino == m->ino && st.st_dev == m->dev)
			(void)unlinkat(parent, name, AT_REMOVEDIR); /* see above */
	}
}

/* Opens the directory, making it and its parents if they are missing. */
static int make_dirs(struct work *w, const char *path, struct err *e)
{
	int fd = resolve(w, path, O_PATH | O_DIRECTORY);
	auto_free char *above = NULL;
	auto_close int parent = -1;
	const char *name = path;
	char *slash;
	bool made;

	if (fd >= 0)
		return fd;
	if (errno != ENOENT)
		return place_err(w, path, e);
	above = xstrdup(path);
	slash = strrchr(above, '/');
	if (slash) {
		*slash = '\0';
		name = slash + 1;
	}
	parent = slash ? make_dirs(w, above, e) : resolve(w, ".", O_PATH | O_DIRECTORY);
	if (parent < 0)
		return slash ? -1 : place_err(w, path, e);
	made = mkdirat(parent, name, 0755) == 0;
	if (!made && errno != EEXIST)
		return err_sys(e, "mkdir %s", path);
	/* Only a link needs to be resolved from the top, which of each level of a deep path takes long. */
	fd = openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && made)
		note_made(w, path, fd);
	if (fd < 0)
		fd = resolve(w, path, O_PATH | O_DIRECTORY);
	return fd < 0 ? place_err(w, path, e) : fd;
}

static void forget_parent(struct work *w)
{
	if (w->parent >= 0)
		(void)close(take_fd(&w->parent)); /* a name only */
	free(take(w->parent_path));
}

/* The directory in which `path` lies, open until the next call; *name is its last component. */
static int enter(struct work *w, const char *path, const char **name, struct err *e)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	auto_free char *dir = NULL;

	*name = slash ? slash + 1 : path;
	if (w->parent >= 0 && strlen(w->parent_path) == n && memcmp(w->parent_path, path, n) == 0)
		return 0;
	forget_parent(w);
	dir = xstrndup(path, n);
	w->parent = make_dirs(w, dir, e);
	if (w->parent < 0)
		return -1;
	w->parent_path = take(dir);
	return 0;
}

/* ---- attributes ------------------------------------------------------------------------ */

/* What cannot be is left: an id that does not exist here, a file system that knows none. */
static void own(const struct work *w, int dir, const char *name, const struct tar_entry *t)
{
	const struct untar *u = w->u;

	if (u->owners)
		(void)fchownat(dir, name, (uid_t)(u->uid >= 0 ? u->uid : t->uid),
			(gid_t)(u->gid >= 0 ? u->gid : t->gid), AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH);
}

static void set_xattrs(int fd, const struct tar_entry *t)
{
	for (size_t i = 0; i < t->n_xattrs; i++) {
		const struct tar_xattr *x = &t->xattrs[i];

		if (tar_xattr_may_be(x->name))
			(void)fsetxattr(fd, x->name, x->value, x->size, 0); /* as above */
	}
}

/* The owner first: changing it takes the set-id bits off. */
static int finish_file(const struct work *w, int fd, const struct tar_entry *t, struct err *e)
{
	struct timespec times[2] = {{.tv_sec = t->mtime}, {.tv_sec = t->mtime}};

	own(w, fd, "", t);
	set_xattrs(fd, t);
	if (fchmod(fd, t->mode) < 0 || futimens(fd, times) < 0)
		return err_sys(e, "%s", t->path);
	return 0;
}

static void finish_special(const struct work *w, const char *name, const struct tar_entry *t)
{
	struct timespec times[2] = {{.tv_sec = t->mtime}, {.tv_sec = t->mtime}};

	own(w, w->parent, name, t);
	(void)utimensat(w->parent, name, times, AT_SYMLINK_NOFOLLOW); /* of no consequence */
}

static void finish_dir(struct work *w, struct later *d)
{
	struct timespec times[2] = {{.tv_sec = d->mtime}, {.tv_sec = d->mtime}};
	auto_close int fd = resolve(w, d->path, O_RDONLY | O_DIRECTORY);

	/* Those that were there before may be another's. */
	if (fd >= 0) {
		(void)fchmod(fd, d->mode);
		(void)futimens(fd, times);
	}
	free(d->path);
}

/* Sets the attributes of all finished directories, except `path` and its parents; of all, if path is NULL. */
static void finish_dirs(struct work *w, const char *path)
{
	size_t kept = w->n_later;

	/* What lies deepest came last. */
	for (size_t i = w->n_later; i-- > 0;) {
		struct later d = w->later[i];
		size_t n = strlen(d.path);

		if (path && strncmp(path, d.path, n) == 0 && (path[n] == '/' || !path[n]))
			w->later[--kept] = d;
		else
			finish_dir(w, &d);
	}
	if (w->n_later > kept)
		memmove(w->later, w->later + kept, (w->n_later - kept) * sizeof(*w->later));
	w->n_later -= kept;
}

/* ---- entries --------------------------------------------------------------------------- */

static int other_kind(const struct work *w, const struct tar_entry *t, struct err *e)
{
	const char *kept = t->type == TAR_DIR ? "non-directory" : "directory";
	const char *comes = t->type == TAR_DIR ? "directory" : "non-directory";
	auto_free char *full = NULL;
	char path[PATH_MAX];

	if (place(w, t->path, path, e) < 0)
		return -1;
	full = full_path(w, path);
	return err_set(e, ERR_USAGE, "cannot overwrite %s \"%s\" with %s \"%s\"", kept, full, comes,
		w->u->where ? w->u->where : t->path);
}

/* Whether something is there (1; SAME_DIR: a directory, for one) that the entry may take the place of. */
enum { SAME_DIR = 2 };
static int look(struct work *w, const char *name, const struct tar_entry *t, struct err *e)
{
	struct stat st;

	if (fstatat(w->parent, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : fault(w, "lstat", t, e);
	if (S_ISDIR(st.st_mode) && t->type == TAR_DIR)
		return SAME_DIR;
	return w->u->keep_kind && S_ISDIR(st.st_mode) != (t->type == TAR_DIR) ? other_kind(w, t, e) : 1;
}

static int rename_over(struct work *w, const char *name, const struct tar_entry *t, struct err *e)
{
	if (renameat(w->parent, w->part, w->parent, name) == 0)
		return 0;
	if (errno == EISDIR) { /* not our parent, which is its own parent's child */
		if (state_remove_tree(w->parent, name, e) < 0)
			return -1;
		if (renameat(w->parent, w->part, w->parent, name) == 0)
			return 0;
	}
	return fault(w, "unlinkat", t, e);
}

/* What takes the place of something is made under another name, so that a failure, or a death, leaves what was
 * there. */
static int put_in_place(struct work *w, const char *name, const struct tar_entry *t, struct err *e)
{
	struct err unused;

	if (rename_over(w, name, t, e) < 0) {
		(void)state_remove_tree(w->parent, w->part, &unused); /* the first error is the one to tell */
		return -1;
	}
	(void)unlinkat(w->parent, w->part, 0); /* of two names of one file both stay */
	return 0;
}

/* Holes stay holes: the size is set first, which shows whether the file is too large for the file system. */
static int fill_file(struct work *w, int fd, const struct tar_entry *t, struct err *e)
{
	bool give = true;
	ssize_t n;

	if (t->sparse && ftruncate(fd, t->size) < 0)
		return fault(w, "write", t, e);
	do {
		int64_t hole = tar_hole(w->r);

		if (hole > 0 && lseek(fd, hole, SEEK_CUR) < 0)
			return fault(w, "write", t, e);
		n = give || hole > 0 ? tar_read_into(w->r, fd, e) : 0;
		if (n < 0)
			return fault(w, "write", t, e);
		give = n > 0;
		if (n == 0)
			n = tar_read(w->r, w->chunk, CHUNK, e);
		if (n > 0 && !give && sys_write_all(fd, w->chunk, (size_t)n) < 0)
			return fault(w, "write", t, e);
	} while (n > 0);
	return n < 0 ? -1 : finish_file(w, fd, t, e);
}

/* Under another name until it is whole, or without a name where the caller wants that and the file system knows of such files. */
static int open_part(const struct work *w, bool *nameless)
{
	int fd = w->u->nameless ? openat(w->parent, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1;

	*nameless = fd >= 0;
	return fd >= 0 ? fd
	               : openat(w->parent, w->part,
				 O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

static int give_name(const struct work *w, int fd, const struct tar_entry *t, struct err *e)
{
	char here[32];

	(void)snprintf(here, sizeof(here), "/proc/self/fd/%d", fd); /* always fits */
	return linkat(AT_FDCWD, here, w->parent, w->part, AT_SYMLINK_FOLLOW) < 0
	               ? fault(w, "open", t, e)
	               : 0;
}

/* A file that takes the place of something, or is so large that it is not there at once. */
static int add_whole(struct work *w, const char *name, const struct tar_entry *t, struct err *e)
{
	auto_close int fd = -1;
	bool nameless;

	if (look(w, name, t, e) < 0)
		return -1;
	fd = open_part(w, &nameless);
	if (fd < 0)
		return fault(w, "open", t, e);
	if (fill_file(w, fd, t, e) < 0) {
		if (!nameless)
			(void)unlinkat(w->parent, w->part, 0); /* the first error is the one to tell */
		return -1;
	}
	if (nameless && give_name(w, fd, t, e) < 0)
		return -1;
	return put_in_place(w, name, t, e);
}

/* A small new file is there with one call, and needs no other name before. */
static int add_file(struct work *w, const char *name, const struct tar_entry *t, struct err *e)
{
	auto_close int fd = -1;

	if (t->size > (int64_t)CHUNK)
		return add_whole(w, name, t, e);
	fd = openat(w->parent, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return errno == EEXIST ? add_whole(w, name, t, e) : fault(w, "open", t, e);
	if (fill_file(w, fd, t, e) < 0) {
		(void)unlinkat(w->parent, name, 0); /* the first error is the one to tell */
		return -1;
	}
	return 0;
}

static int add_dir(struct work *w, const char *path, const char *name, const struct tar_entry *t,
	struct err *e)
{
	int there = look(w, name, t, e);
	auto_close int fd = -1;

	if (there < 0)
		return -1;
	if (there == 1 && unlinkat(w->parent, name, 0) < 0)
		return fault(w, "unlinkat", t, e);
	if (there != SAME_DIR && mkdirat(w->parent, name, 0700) < 0)
		return fault(w, "mkdir", t, e);
	own(w, w->parent, name, t);
	fd = openat(w->parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0 && there != SAME_DIR)
		note_made(w, path, fd);
	if (fd >= 0)
		set_xattrs(fd, t);
	/* Its mode may not let us put anything into it, and its time changes as we do. */
	if ((w->n_later & (w->n_later + 1)) == 0)
		w->later = xrealloc(w->later, 2 * (w->n_later + 1), sizeof(*w->later));
	w->later[w->n_later++] = (struct later){xstrdup(path), t->mode, t->mtime};
	/* An archive normally does not return to a directory that it has left; if it does, only so many can be open at
	 * once, or get other times at the end. */
	if (w->n_later >= LATER_MAX)
		finish_dirs(w, path);
	return 0;
}

static int add_hard_link(struct work *w, const char *name, const struct tar_entry *t, struct err *e)
{
	char target[PATH_MAX], *slash;
	const char *last;
	auto_close int dir = -1;
	int there;

	if (place(w, t->link ? t->link : "", target, e) < 0)
		return -1;
	slash = strrchr(target, '/');
	last = slash ? slash + 1 : target;
	if (slash)
		*slash = '\0';
	dir = resolve(w, slash ? target : ".", O_PATH | O_DIRECTORY);
	if (dir < 0)
		return place_err(w, t->link, e);
	there = look(w, name, t, e);
	if (there < 0)
		return -1;
	if (linkat(dir, last, w->parent, there ? w->part : name, 0) < 0)
		return err_sys(e, "link %s to %s", t->path, t->link);
	return there ? put_in_place(w, name, t, e) : 0;
}

/* As with docker, a link's target must not lead out of the destination, whether it exists or not; an absolute target
 * counts from the destination. */
static int check_link(const struct work *w, const struct tar_entry *t, struct err *e)
{
	const char *says = t->link ? t->link : "", *where = w->u->where;
	auto_free char *full = NULL, *leads = NULL, *clean = NULL;
	auto_buf struct buf words = {0};
	char path[PATH_MAX];

	if (!where)
		return 0;
	if (place(w, t->path, path, e) < 0)
		return -1;
	full = full_path(w, path);
	leads = xasprintf("%.*s/%s", (int)(strrchr(full, '/') - full), full, says);
	clean = parse_clean_path(leads);
	if (str_starts(clean, where))
		return 0;
	buf_quote(&words, says);
	return err_set(e, ERR_CORRUPT, "invalid symlink \"%s\" -> %s", full, words.s);
}

/* Whatever the umask. Opened for reading: so it does not wait for a writer. */
static int make_fifo(const struct work *w, const char *name, mode_t mode)
{
	auto_close int fd = -1;

	if (mkfifoat(w->parent, name, 0600) < 0)
		return -1;
	fd = openat(w->parent, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -1 : fchmod(fd, mode);
}

static int add_special(struct work *w, const char *name, const struct tar_entry *t, struct err *e)
{
	const char *as = name;
	int there;

	if (t->type == TAR_CHAR || t->type == TAR_BLOCKDEV)
		return 0;
	there = look(w, name, t, e);
	if (there < 0 || (t->type == TAR_LINK && check_link(w, t, e) < 0))
		return -1;
	if (there)
		as = w->part;
	if (t->type == TAR_LINK && symlinkat(t->link ? t->link : "", w->parent, as) < 0)
		return fault(w, "symlink", t, e);
	if (t->type == TAR_FIFO && make_fifo(w, as, t->mode) < 0)
		return fault(w, "mkfifo", t, e);
	finish_special(w, as, t);
	return there ? put_in_place(w, name, t, e) : 0;
}

static int add_entry(struct work *w, const struct tar_entry *t, struct err *e)
{
	char path[PATH_MAX];
	const char *name;

	if (place(w, t->path, path, e) < 0)
		return -1;
	if (!*path) /* the directory itself, which is there and stays as it is */
		return t->type == TAR_DIR
		               ? 0
		               : err_set(e, ERR_CORRUPT, "\"%.200s\" is no name for a file", t->path);
	if (enter(w, path, &name, e) < 0)
		return -1;
	switch (t->type) {
	case TAR_FILE:
		return add_file(w, name, t, e);
	case TAR_DIR:
		return add_dir(w, path, name, t, e);
	case TAR_HARD:
		return add_hard_link(w, name, t, e);
	default:
		return add_special(w, name, t, e);
	}
}

int untar(struct tar_reader *r, const struct untar *u, struct err *e)
{
	struct work w = {.u = u, .r = r, .parent = -1, .chunk = xcalloc(CHUNK, 1)};
	int more = 1, result = 0;

	(void)snprintf(w.part, sizeof(w.part), ".sbx-%d-%llx~", (int)getpid(), /* always fits */
		(unsigned long long)sys_now_ns());
	while (result == 0 && more > 0) {
		auto_tar_entry struct tar_entry t = {0};

		more = tar_next(r, &t, e);
		if (more > 0)
			result = add_entry(&w, &t, e);
	}
	if (more < 0 || result < 0)
		remove_made(&w);
	finish_dirs(&w, NULL);
	free(w.later);
	forget_made(&w, 0, w.n_made);
	free(w.made);
	forget_parent(&w);
	free(w.chunk);
	return more < 0 ? -1 : result;
}
