/* SPDX-License-Identifier: Apache-2.0 */
#include "unpack.h"
#include "image_files.h"
#include "squash.h"
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#define CACHE_BYTES (32u << 20)
#define READ_SIZE   (1u << 20)
#define THREADS_MAX 16

struct item {
	char *path;
	struct squash_inode inode;
};

struct items {
	struct item *v;
	size_t n;
};

/*
 * The walk makes directories and small things, and lists files; threads then fill the files; then come
 * further names of files, and last, when nothing more is put into them, what directories shall be. Paths
 * are safe to use: all of them were made by us in a directory which is ours alone, and a name that comes
 * twice ends the work.
 */
struct unpack {
	struct squash *sq;
	int top;
	bool owners;
	struct items files, dirs, links;
	char path[PATH_MAX];
	size_t len;
	struct squash_walked walked;
	atomic_size_t next;
	pthread_mutex_t lock; /* of e */
	atomic_bool failed;
	struct err *e;
};

static void add_item(struct items *list, const char *path, const struct squash_inode *i)
{
	if ((list->n & (list->n + 1)) == 0)
		list->v = xrealloc(list->v, 2 * (list->n + 1), sizeof(*list->v));
	list->v[list->n++] = (struct item){.path = xstrdup(path), .inode = *i};
}

static void items_done(struct items *list)
{
	for (size_t k = 0; k < list->n; k++)
		free(list->v[k].path);
	free(list->v);
}

static int damaged(struct unpack *u, struct err *e)
{
	return err_set(e, ERR_CORRUPT, "/%s: the squashfs image is damaged", u->path);
}

/* ---- attributes ---- */

/* Without opaque marks the overlay would show what the layer hides; the rest is ornament where the file
 * system has none of it. */
static int copy_xattrs(struct unpack *u, const struct item *it, int fd, struct err *e)
{
	char names[65536], value[65536];
	ssize_t len, n;

	if (!squash_has_xattrs(u->sq, true))
		return 0;
	len = squash_listxattr(u->sq, &it->inode, true, names, sizeof(names));
	for (char *name = names; len > 0 && name < names + len; name += strlen(name) + 1) {
		n = squash_getxattr(u->sq, &it->inode, name, value, sizeof(value));
		if (n < 0 || fsetxattr(fd, name, value, (size_t)n, 0) == 0)
			continue;
		if (str_starts(name, "user.overlay."))
			return err_sys(e, "/%s: attribute %s", it->path, name);
	}
	return 0;
}

/* The owner first: changing it takes the set-id bits off. */
static int finish(struct unpack *u, const struct item *it, int fd, struct err *e)
{
	struct timespec times[2] = {{.tv_sec = it->inode.mtime}, {.tv_sec = it->inode.mtime}};

	if (u->owners && fchown(fd, it->inode.uid, it->inode.gid) < 0 && errno != EINVAL && errno != EPERM)
		return err_sys(e, "/%s: owner", it->path);
	if (copy_xattrs(u, it, fd, e) < 0)
		return -1;
	if (fchmod(fd, it->inode.mode & 07777) < 0 || futimens(fd, times) < 0)
		return err_sys(e, "/%s: mode", it->path);
	return 0;
}

/* ---- the walk ---- */

static int make_symlink(struct unpack *u, const struct squash_inode *i, struct err *e)
{
	struct timespec times[2] = {{.tv_sec = i->mtime}, {.tv_sec = i->mtime}};
	char target[PATH_MAX];
	ssize_t n = squash_readlink(u->sq, i, target, sizeof(target) - 1);

	if (n <= 0)
		return damaged(u, e);
	target[n] = '\0';
	if (symlinkat(target, u->top, u->path) < 0)
		return err_sys(e, "create /%s", u->path);
	if (u->owners)
		(void)fchownat(u->top, u->path, i->uid, i->gid, AT_SYMLINK_NOFOLLOW); /* as in finish() */
	(void)utimensat(u->top, u->path, times, AT_SYMLINK_NOFOLLOW); /* of no consequence */
	return 0;
}

/* A whiteout may be made by anybody (kernel 5.8); other devices by none but the host's root. */
static int make_special(struct unpack *u, const struct squash_inode *i, struct err *e)
{
	if (mknodat(u->top, u->path, i->mode, makedev(i->rdev_major, i->rdev_minor)) == 0) {
		/* as in finish(); the umask has had its way with the mode above */
		if (u->owners)
			(void)fchownat(u->top, u->path, i->uid, i->gid, AT_SYMLINK_NOFOLLOW);
		(void)fchmodat(u->top, u->path, i->mode & 07777, 0);
		return 0;
	}
	if (errno == EPERM && (i->rdev_major || i->rdev_minor))
		return 0;
	return err_sys(e, "create /%s", u->path);
}

static int walk(struct unpack *u, const struct squash_inode *dir, struct err *e);

static int make_dir(struct unpack *u, const struct squash_inode *i, struct err *e)
{
	if (!squash_walk_into(&u->walked, i->ref))
		return damaged(u, e);
	if (mkdirat(u->top, u->path, 0700) < 0)
		return err_sys(e, "create /%s", u->path);
	add_item(&u->dirs, u->path, i);
	return walk(u, i, e);
}

static int make_entry(struct unpack *u, const struct squash_entry *entry, struct err *e)
{
	struct squash_inode i;

	if (squash_inode(u->sq, entry->ref, &i) < 0)
		return damaged(u, e);
	switch (i.mode & S_IFMT) {
	case S_IFDIR:
		return make_dir(u, &i, e);
	case S_IFREG:
		add_item(i.nlink > 1 ? &u->links : &u->files, u->path, &i);
		return 0;
	case S_IFLNK:
		return make_symlink(u, &i, e);
	case S_IFSOCK:
		return 0;
	default:
		return make_special(u, &i, e);
	}
}

static bool is_name(const char *name, size_t len)
{
	return len > 0 && !memchr(name, '/', len) && !memchr(name, '\0', len) &&
	       !(name[0] == '.' && len == 1) && !(name[0] == '.' && name[1] == '.' && len == 2);
}

static int walk(struct unpack *u, const struct squash_inode *dir, struct err *e)
{
	struct squash_entry entry;
	struct squash_dir d;
	size_t len = u->len;
	int more, result = 0;

	if (squash_dir_open(u->sq, dir, 0, &d) < 0)
		return damaged(u, e);
	while (result == 0 && (more = squash_dir_next(&d, &entry)) > 0) {
		size_t slash = len > 0;

		if (!is_name(entry.name, entry.len) || len + slash + entry.len >= sizeof(u->path)) {
			result = damaged(u, e);
			break;
		}
		u->path[len] = '/';
		memcpy(u->path + len + slash, entry.name, entry.len);
		u->len = len + slash + entry.len;
		u->path[u->len] = '\0';
		result = make_entry(u, &entry, e);
		u->len = len;
		u->path[len] = '\0';
	}
	squash_dir_done(&d);
	return result == 0 && more < 0 ? damaged(u, e) : result;
}

/* ---- files ---- */

static bool is_hole(const char *bytes, size_t n)
{
	return *bytes == '\0' && memcmp(bytes, bytes + 1, n - 1) == 0;
}

/* Where there is nothing but zeros nothing is written: a sparse file may be larger than the disk. */
static int fill(struct unpack *u, const struct item *it, int fd, char *buf, struct err *e)
{
	for (uint64_t at = 0; at < it->inode.size;) {
		ssize_t n = squash_read(u->sq, &it->inode, at, buf, READ_SIZE);

		if (n <= 0)
			return err_set(e, ERR_CORRUPT, "/%s: the squashfs image is damaged", it->path);
		for (ssize_t done = is_hole(buf, (size_t)n) ? n : 0, m; done < n; done += m)
			if ((m = pwrite(fd, buf + done, (size_t)(n - done), (off_t)at + done)) < 0)
				return err_sys(e, "write /%s", it->path);
		at += (uint64_t)n;
	}
	return ftruncate(fd, (off_t)it->inode.size) < 0 ? err_sys(e, "write /%s", it->path) : 0;
}

static int make_file(struct unpack *u, const struct item *it, char *buf, struct err *e)
{
	auto_close int fd =
		openat(u->top, it->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_sys(e, "create /%s", it->path);
	if (fill(u, it, fd, buf, e) < 0)
		return -1;
	return finish(u, it, fd, e);
}

static void *worker(void *arg)
{
	auto_free char *buf = xcalloc(READ_SIZE, 1);
	struct unpack *u = arg;
	struct err e = {0};
	size_t k;

	while (!atomic_load(&u->failed) && (k = atomic_fetch_add(&u->next, 1)) < u->files.n) {
		if (make_file(u, &u->files.v[k], buf, &e) == 0)
			continue;
		(void)pthread_mutex_lock(&u->lock); /* cannot fail: never locked twice */
		if (!atomic_exchange(&u->failed, true))
			*u->e = e;
		(void)pthread_mutex_unlock(&u->lock);
	}
	return NULL;
}

static int fill_files(struct unpack *u, struct err *e)
{
	pthread_t threads[THREADS_MAX];
	cpu_set_t set;
	int want = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1, n = 0;

	u->e = e;
	while (n < want - 1 && n < THREADS_MAX && pthread_create(&threads[n], NULL, worker, u) == 0)
		n++;
	(void)worker(u); /* this thread is one of them */
	while (n > 0)
		(void)pthread_join(threads[--n], NULL); /* they are joined once, here */
	return atomic_load(&u->failed) ? -1 : 0;
}

/* ---- the rest ---- */

static int by_number(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return (x->inode.number > y->inode.number) - (x->inode.number < y->inode.number);
}

/* Of the names of one file the first becomes a file, the others wait for it. */
static void sort_links(struct unpack *u)
{
	if (u->links.n)
		qsort(u->links.v, u->links.n, sizeof(*u->links.v), by_number);
	for (size_t k = 0; k < u->links.n; k++)
		if (k == 0 || u->links.v[k].inode.number != u->links.v[k - 1].inode.number)
			add_item(&u->files, u->links.v[k].path, &u->links.v[k].inode);
}

static int make_links(struct unpack *u, struct err *e)
{
	const char *first = NULL;

	for (size_t k = 0; k < u->links.n; k++) {
		const struct item *it = &u->links.v[k];

		if (k == 0 || it->inode.number != it[-1].inode.number)
			first = it->path;
		else if (linkat(u->top, first, u->top, it->path, 0) < 0)
			return err_sys(e, "link /%s", it->path);
	}
	return 0;
}

/* From the last to the first: a directory comes before what is in it, and may take our rights away. */
static int finish_dirs(struct unpack *u, struct err *e)
{
	for (size_t k = u->dirs.n; k-- > 0;) {
		const struct item *it = &u->dirs.v[k];
		auto_close int fd =
			openat(u->top, it->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (fd < 0)
			return err_sys(e, "open /%s", it->path);
		if (finish(u, it, fd, e) < 0)
			return -1;
	}
	return 0;
}

/* Whether owners can be told apart: root over more than himself. */
static bool has_range(void)
{
	auto_fclose FILE *f = fopen("/proc/self/uid_map", "re");
	unsigned inside, outside, count = 0, more;

	if (geteuid() != 0 || !f || fscanf(f, "%u %u %u", &inside, &outside, &count) != 3)
		return false;
	return count > 1 || fscanf(f, "%u %u %u", &inside, &outside, &more) == 3;
}

static int unpack_all(struct unpack *u, struct err *e)
{
	struct squash_inode root;

	if (squash_inode(u->sq, squash_info(u->sq)->root, &root) < 0 || !S_ISDIR(root.mode))
		return damaged(u, e);
	add_item(&u->dirs, ".", &root);
	(void)squash_walk_into(&u->walked, root.ref); /* the first */
	if (walk(u, &root, e) < 0)
		return -1;
	sort_links(u);
	if (fill_files(u, e) < 0 || make_links(u, e) < 0 || finish_dirs(u, e) < 0)
		return -1;
	return syncfs(u->top) < 0 ? err_sys(e, "write") : 0;
}

int unpack_squashfs(int fd, const char *name, int top, bool owners, struct err *e)
{
	struct blocks *cache = blocks_new(CACHE_BYTES, -1);
	struct unpack u = {.top = top, .owners = owners, .lock = PTHREAD_MUTEX_INITIALIZER};
	int result = -1;

	u.sq = squash_open(fd, name, cache, e);
	if (u.sq)
		result = unpack_all(&u, e);
	else
		(void)close(fd); /* only read */
	items_done(&u.files);
	items_done(&u.dirs);
	items_done(&u.links);
	squash_walked_done(&u.walked);
	squash_free(u.sq);
	blocks_free(cache);
	return result;
}

/* ---- in the store ---- */

/* The digest of a stored layer, else one of the file's identity; what has its owners is another thing. */
static int key_of(const struct store *s, const char *sqsh, bool owners, int fd, char **out, struct err *e)
{
	auto_free char *layers = xasprintf("%s/layers/", s->root_path), *identity = NULL;
	const char *kind = owners ? "-ids" : "";
	char hex[SHA256_HEX + 1];
	struct stat st;

	if (str_starts(sqsh, layers) && strlen(sqsh + strlen(layers)) == SHA256_HEX + 5) {
		*out = xasprintf("%.64s%s", sqsh + strlen(layers), kind);
		return 0;
	}
	if (fstat(fd, &st) < 0)
		return err_sys(e, "stat %s", sqsh);
	identity = image_file_key(&st);
	sha256_hex(identity, strlen(identity), hex);
	*out = xasprintf("%s%s", hex, kind);
	return 0;
}

static int unpack_locked(
	int layers, const char *key, const char *sqsh, bool owners, int *fd, struct err *e)
{
	auto_free char *done = xasprintf("%s.d", key), *part = xasprintf("%s.part", key);
	auto_close int top = -1;

	if (faccessat(layers, done, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	if (owners && !has_range())
		return err_set(e, ERR_DENIED, "owners can only be set by root over a range of ids");
	/* left by one that was killed: nobody else has the lock */
	if (state_remove_tree(layers, part, e) < 0 && e->sys != ENOENT)
		return -1;
	if (mkdirat(layers, part, 0700) < 0)
		return err_sys(e, "create %s", part);
	top = openat(layers, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (top < 0)
		return err_sys(e, "open %s", part);
	if (unpack_squashfs(take_fd(fd), sqsh, top, owners, e) < 0) {
		struct err unused;

		(void)state_remove_tree(layers, part, &unused); /* the next one tries again */
		return -1;
	}
	return renameat(layers, part, layers, done) < 0 ? err_sys(e, "rename %s", part) : 0;
}

int image_unpack_layer(const struct store *s, const char *sqsh, bool owners, char **dir, struct err *e)
{
	auto_close int fd = open(sqsh, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	auto_close int layers = -1, lock = -1;
	auto_free char *key = NULL, *file = NULL;

	if (fd < 0)
		return err_sys(e, "open %s", sqsh);
	layers = store_dir(s, "layers", e);
	if (layers < 0 || key_of(s, sqsh, owners, fd, &key, e) < 0)
		return -1;
	file = xasprintf("%s.lock", key);
	lock = openat(layers, file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (lock < 0)
		return err_sys(e, "create %s", file);
	while (flock(lock, LOCK_EX) < 0)
		if (errno != EINTR)
			return err_sys(e, "lock %s", file);
	if (unpack_locked(layers, key, sqsh, owners, &fd, e) < 0)
		return err_ctx(e, "unpack %s", sqsh);
	*dir = xasprintf("%s/layers/%s.d", s->root_path, key);
	return 0;
}

void image_unpacked_remove(const struct store *s, const char *hex)
{
	static const char *const ends[] = {".d", "-ids.d", ".lock", "-ids.lock"};
	auto_close int layers =
		openat(s->root, "layers", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	struct err unused;

	if (layers < 0)
		return;
	for (size_t k = 0; k < ARRAY_LEN(ends); k++) {
		auto_free char *name = xasprintf("%s%s", hex, ends[k]);

		/* files of other ids can be removed by root of their user namespace alone */
		(void)state_remove_tree(layers, name, &unused);
	}
}
