/* SPDX-License-Identifier: Apache-2.0 */
#include "unpack.h"
#include "apart.h"
#include "image_files.h"
#include "owner.h"
#include "squash.h"
#include "state.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#define CACHE_BYTES (32u << 20)
#define READ_SIZE   (1u << 20)
#define THREADS_MAX 16
#define QUEUE       256

struct item {
	char *path;
	struct squash_inode inode;
};

/*
 * The walk makes directories and small files at once, and hands larger files to threads, which fill them; when all are done, a
 * second walk sets the attributes of directories. Only names that are still to be handled are in memory: 2 MB of an image can
 * have 28 million in one directory, which took 4 GB to list. Of a file with several names the first one is kept in a directory
 * beside all others. Paths are safe to use: all of them were made by us, in a directory that only we can access, and a name
 * that occurs twice is an error.
 */
struct unpack {
	struct squash *sq;
	int top;
	bool owners;
	char path[PATH_MAX];
	size_t len;
	struct squash_walked walked;
	int links; /* -1: no file had two names yet */
	char links_name[48];
	char *buf; /* the walk's own */

	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t more;
	struct item queue[QUEUE];
	size_t first, n;
	bool closed, failed;
	struct err why;
};

static int damaged(struct unpack *u, struct err *e)
{
	return err_set(e, ERR_CORRUPT, "/%s: the squashfs image is damaged", u->path);
}

/* ---- attributes ---- */

/* Opaque marks must be set, or overlay would show what the layer hides; other attributes may be missing if the file
 * system has none. */
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

/* Keeps the first error. */
static void fail(struct unpack *u, const struct err *e)
{
	(void)pthread_mutex_lock(&u->lock); /* cannot fail: never locked twice */
	if (!u->failed)
		u->why = *e;
	u->failed = true;
	(void)pthread_cond_broadcast(&u->more);
	(void)pthread_mutex_unlock(&u->lock);
}

/* false: there is nothing more to do. */
static bool next_file(struct unpack *u, struct item *out)
{
	bool found;

	(void)pthread_mutex_lock(&u->lock); /* as above */
	while (u->n == 0 && !u->closed && !u->failed)
		(void)pthread_cond_wait(&u->more, &u->lock);
	found = u->n > 0 && !u->failed;
	if (found) {
		*out = u->queue[u->first];
		u->first = (u->first + 1) % QUEUE;
		u->n--;
	}
	(void)pthread_mutex_unlock(&u->lock);
	return found;
}

static void *worker(void *arg)
{
	auto_free char *buf = xcalloc(READ_SIZE, 1);
	struct unpack *u = arg;
	struct item it;
	struct err e;

	while (next_file(u, &it)) {
		if (make_file(u, &it, buf, &e) < 0)
			fail(u, &e);
		free(it.path);
	}
	return NULL;
}

/* Where the threads have enough to do it is filled at once. */
static int give_file(struct unpack *u, const struct squash_inode *i, struct err *e)
{
	struct item it = {.path = u->path, .inode = *i};
	bool full, failed;

	(void)pthread_mutex_lock(&u->lock); /* as above */
	failed = u->failed;
	full = u->n == QUEUE;
	if (!full) {
		it.path = xstrdup(u->path);
		u->queue[(u->first + u->n++) % QUEUE] = it;
		(void)pthread_cond_signal(&u->more);
	}
	(void)pthread_mutex_unlock(&u->lock);
	if (failed)
		return err_set(e, ERR_SYSTEM, "stopped"); /* the error reported is the other thread's */
	return full ? make_file(u, &it, u->buf, e) : 0;
}

static int open_links(struct unpack *u, struct err *e)
{
	if (u->links >= 0)
		return 0;
	(void)snprintf(u->links_name, sizeof(u->links_name), ".sbx-%d-%llx~", (int)getpid(), /* fits */
		(unsigned long long)sys_now_ns());
	if (mkdirat(u->top, u->links_name, 0700) < 0)
		return err_sys(e, "create %s", u->links_name);
	u->links = openat(u->top, u->links_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return u->links < 0 ? err_sys(e, "open %s", u->links_name) : 0;
}

static int forget_links(struct unpack *u, struct err *e)
{
	if (u->links < 0)
		return 0;
	(void)close(take_fd(&u->links)); /* only read */
	return state_remove_tree(u->top, u->links_name, e);
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

/* Any user may make a whiteout (since Linux 5.8), but only the host's root other devices. */
static int make_special(struct unpack *u, const struct squash_inode *i, struct err *e)
{
	struct timespec times[2] = {{.tv_sec = i->mtime}, {.tv_sec = i->mtime}};

	if (mknodat(u->top, u->path, i->mode, makedev(i->rdev_major, i->rdev_minor)) == 0) {
		/* as in finish(); the umask has had its way with the mode above */
		if (u->owners)
			(void)fchownat(u->top, u->path, i->uid, i->gid, AT_SYMLINK_NOFOLLOW);
		(void)fchmodat(u->top, u->path, i->mode & 07777, 0);
		(void)utimensat(u->top, u->path, times, AT_SYMLINK_NOFOLLOW); /* of no consequence */
		return 0;
	}
	if (errno == EPERM && (i->rdev_major || i->rdev_minor))
		return 0;
	return err_sys(e, "create /%s", u->path);
}

static int make_one(struct unpack *u, const struct squash_inode *i, struct err *e)
{
	const struct item it = {.path = u->path, .inode = *i};

	if (S_ISREG(i->mode))
		return make_file(u, &it, u->buf, e);
	return S_ISLNK(i->mode) ? make_symlink(u, i, e) : make_special(u, i, e);
}

/* A file of several names: its first is a file, the others are links to that. */
static int make_name(struct unpack *u, const struct squash_inode *i, struct err *e)
{
	char name[24];

	(void)snprintf(name, sizeof(name), "%llx", (unsigned long long)i->ref); /* fits */
	if (open_links(u, e) < 0)
		return -1;
	if (linkat(u->links, name, u->top, u->path, 0) == 0)
		return 0;
	if (errno != ENOENT)
		return err_sys(e, "link /%s", u->path);
	if (make_one(u, i, e) < 0)
		return -1;
	return linkat(u->top, u->path, u->links, name, 0) < 0 ? err_sys(e, "link /%s", u->path) : 0;
}

typedef int each_entry(struct unpack *u, const struct squash_entry *entry, struct err *e);
static int walk(struct unpack *u, const struct squash_inode *dir, each_entry *each, struct err *e);
static each_entry make_entry;

static int make_dir(struct unpack *u, const struct squash_inode *i, struct err *e)
{
	if (!squash_walk_into(&u->walked, i->ref))
		return damaged(u, e);
	if (mkdirat(u->top, u->path, 0700) < 0)
		return err_sys(e, "create /%s", u->path);
	return walk(u, i, make_entry, e);
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
		return i.nlink > 1 ? make_name(u, &i, e) : give_file(u, &i, e);
	case S_IFSOCK:
		return 0;
	case S_IFLNK:
	case S_IFIFO:
		return i.nlink > 1 ? make_name(u, &i, e) : make_one(u, &i, e);
	default: /* which may be one that a user cannot make */
		return make_one(u, &i, e);
	}
}

static bool is_name(const char *name, size_t len)
{
	return len > 0 && !memchr(name, '/', len) && !memchr(name, '\0', len) &&
	       !(name[0] == '.' && len == 1) && !(name[0] == '.' && name[1] == '.' && len == 2);
}

static int walk(struct unpack *u, const struct squash_inode *dir, each_entry *each, struct err *e)
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
		result = each(u, &entry, e);
		u->len = len;
		u->path[len] = '\0';
	}
	squash_dir_done(&d);
	return result == 0 && more < 0 ? damaged(u, e) : result;
}

/* ---- the rest ---- */

static int finish_dir(struct unpack *u, const struct squash_inode *i, struct err *e)
{
	const struct item it = {.path = u->len ? u->path : (char[]){"."}, .inode = *i};
	auto_close int fd = openat(u->top, it.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? err_sys(e, "open /%s", it.path) : finish(u, &it, fd, e);
}

/* What is in a directory comes before it, since that may take our rights away. */
static int finish_entry(struct unpack *u, const struct squash_entry *entry, struct err *e)
{
	struct squash_inode i;

	if (entry->type != S_IFDIR)
		return 0;
	if (squash_inode(u->sq, entry->ref, &i) < 0)
		return damaged(u, e);
	if (!S_ISDIR(i.mode))
		return 0;
	return walk(u, &i, finish_entry, e) < 0 ? -1 : finish_dir(u, &i, e);
}

/* Whether files can get different owners: whether we are root over more ids than our own. */
static bool has_range(void)
{
	auto_fclose FILE *f = fopen("/proc/self/uid_map", "re");
	unsigned inside, outside, count = 0, more;

	if (geteuid() != 0 || !f || fscanf(f, "%u %u %u", &inside, &outside, &count) != 3)
		return false;
	return count > 1 || fscanf(f, "%u %u %u", &inside, &outside, &more) == 3;
}

static int make_all(struct unpack *u, const struct squash_inode *root, struct err *e)
{
	pthread_t threads[THREADS_MAX];
	cpu_set_t set;
	int want = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1, n = 0;

	while (n < want - 1 && n < THREADS_MAX && pthread_create(&threads[n], NULL, worker, u) == 0)
		n++;
	if (walk(u, root, make_entry, e) < 0)
		fail(u, e);
	(void)pthread_mutex_lock(&u->lock); /* as above */
	u->closed = true;
	(void)pthread_cond_broadcast(&u->more);
	(void)pthread_mutex_unlock(&u->lock);
	(void)worker(u); /* this thread is one of them */
	while (n > 0)
		(void)pthread_join(threads[--n], NULL); /* they are joined once, here */
	if (u->failed)
		*e = u->why;
	return u->failed ? -1 : forget_links(u, e);
}

static int unpack_all(struct unpack *u, struct err *e)
{
	struct squash_inode root;

	if (squash_inode(u->sq, squash_info(u->sq)->root, &root) < 0 || !S_ISDIR(root.mode))
		return damaged(u, e);
	(void)squash_walk_into(&u->walked, root.ref); /* the first */
	if (make_all(u, &root, e) < 0)
		return -1;
	return walk(u, &root, finish_entry, e) < 0 ? -1 : finish_dir(u, &root, e);
}

struct ask {
	int fd, top;
	const char *name;
	bool owners;
};

/* It ends with its process, and all that it holds. */
static int unpack_apart(void *arg, struct buf *unused, struct err *e)
{
	const struct ask *a = arg;
	struct unpack *u = xcalloc(1, sizeof(*u));

	(void)unused;
	u->top = a->top;
	u->owners = a->owners;
	u->links = -1;
	u->buf = xcalloc(READ_SIZE, 1);
	(void)pthread_mutex_init(&u->lock, NULL); /* cannot fail; likewise */
	(void)pthread_cond_init(&u->more, NULL);
	u->sq = squash_open(a->fd, a->name, blocks_new(CACHE_BYTES, -1), e);
	return u->sq ? unpack_all(u, e) : -1;
}

int unpack_squashfs(int fd, const char *name, int top, bool owners, struct err *e)
{
	struct ask a = {fd, top, name, owners};
	const struct apart_fence fence = {CONFINE_UNPACK, top, fd};
	int result = apart_below(&fence, unpack_apart, &a, e);

	(void)close(fd); /* only read */
	if (result == 0 && syncfs(top) < 0)
		return err_sys(e, "write");
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
	/* left by a process that was killed, as nobody else has the lock */
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

struct unpacked {
	int layers;
	const char *name;
};

static int remove_as_owner(const struct store *s, const void *arg, struct err *e)
{
	const struct unpacked *u = arg;

	(void)s;
	return state_remove_tree(u->layers, u->name, e);
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
		const struct unpacked u = {layers, name};

		/* Only root of their user namespace can remove files of other ids. What stays does no harm. */
		if (state_remove_tree(layers, name, &unused) < 0 && unused.kind == ERR_DENIED)
			(void)owner_do(s, remove_as_owner, &u, &unused);
	}
}
