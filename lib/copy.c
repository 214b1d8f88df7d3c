/* SPDX-License-Identifier: Apache-2.0 */
#include "copy.h"

#include "auto.h"
#include "deep.h"
#include "first_names.h"
#include "overlay.h"
#include "state.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#define FICLONE _IOW(0x94, 9, int)

struct copy {
	int top;
	struct first_names links;
	struct buf path; /* of what is being copied, below `top` */
};

static int copy_dir(struct copy *c, int *from, int *to, int depth, struct err *e);

int copy_is_empty(int dir)
{
	auto_strv struct strv names = {0};

	return sys_names(dir, &names) < 0 ? -1 : names.n == 0;
}

static int copy_bytes(int from, int to, const char *name, struct err *e)
{
	char data[65536];
	ssize_t n;

	if (ioctl(to, FICLONE, from) == 0)
		return 0;
	while ((n = copy_file_range(from, NULL, to, NULL, 1 << 30, 0)) > 0)
		;
	if (n == 0)
		return 0;
	while ((n = sys_read(from, data, sizeof(data))) > 0)
		if (sys_write_all(to, data, (size_t)n) < 0)
			return err_sys(e, "write %s", name);
	return n < 0 ? err_sys(e, "read %s", name) : 0;
}

/* Only user.*: others are not ours to set, and overlay's own mean nothing in a copy. */
static void copy_xattrs(int from, int to)
{
	auto_free char *names = NULL, *value = NULL;
	ssize_t n = flistxattr(from, NULL, 0);

	if (n <= 0)
		return;
	names = xcalloc(XATTR_LIST_MAX, 1);
	value = xcalloc(XATTR_SIZE_MAX, 1);
	n = flistxattr(from, names, XATTR_LIST_MAX);

	for (const char *at = names; n > 0 && at < names + n; at += strlen(at) + 1) {
		ssize_t len;

		if (!str_starts(at, "user.") || str_starts(at, "user.overlay."))
			continue;
		len = fgetxattr(from, at, value, XATTR_SIZE_MAX);
		if (len >= 0)
			(void)fsetxattr(to, at, value, (size_t)len, 0); /* the file system has none */
	}
}

static void copy_meta(int to, const struct stat *st)
{
	struct timespec times[2] = {st->st_atim, st->st_mtim};

	/* Before the mode, as a change of owner clears set-id bits. Fails without a range of ids: then all files are
	 * ours. */
	(void)fchown(to, st->st_uid, st->st_gid);
	(void)fchmod(to, st->st_mode & 07777);
	(void)futimens(to, times);
}

/* Removes a lower layer's file or directory of that name, if there is one. */
static int make_room(int to, const char *name, struct err *e)
{
	if (unlinkat(to, name, 0) == 0 || errno == ENOENT)
		return 0;
	return errno == EISDIR ? state_remove_tree(to, name, e) : err_sys(e, "replace %s", name);
}

/* Gives a file that was copied already one more name. Somebody may use the copy meanwhile: no link of his is followed. False: it
 * cannot be done, and a copy of its own is as good. */
static bool link_first(const struct copy *c, const char *first, int to, const char *name)
{
	const char *slash = strrchr(first, '/');
	auto_free char *above = slash ? xstrndup(first, (size_t)(slash - first)) : xstrdup(".");
	auto_close int dir = sys_openat2(c->top, above, O_PATH | O_DIRECTORY | O_CLOEXEC,
		RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);

	return dir >= 0 && linkat(dir, slash ? slash + 1 : first, to, name, 0) == 0;
}

/* 1: it is a further name of what was copied already, and a link to that. */
static int link_again(struct copy *c, int to, const char *name, const struct stat *st, struct err *e)
{
	const char *first = st->st_nlink < 2
	                            ? NULL
	                            : first_names_get(&c->links, st->st_dev, st->st_ino, c->path.s);

	if (!first)
		return 0;
	return make_room(to, name, e) < 0 ? -1 : link_first(c, first, to, name);
}

static int copy_file(int from, int to, const char *name, const struct stat *st, struct err *e)
{
	auto_close int in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	auto_close int out = -1;

	if (in < 0)
		return err_sys(e, "open %s", name);
	if (make_room(to, name, e) < 0)
		return -1;
	out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (out < 0)
		return err_sys(e, "create %s", name);
	if (copy_bytes(in, out, name, e) < 0)
		return -1;
	copy_xattrs(in, out);
	copy_meta(out, st);
	return 0;
}

static int copy_link(int from, int to, const char *name, const struct stat *st, struct err *e)
{
	struct timespec times[2] = {st->st_atim, st->st_mtim};
	char target[4096];
	ssize_t n = readlinkat(from, name, target, sizeof(target) - 1);

	if (n < 0)
		return err_sys(e, "read link %s", name);
	target[n] = '\0';
	if (make_room(to, name, e) < 0)
		return -1;
	if (symlinkat(target, to, name) < 0)
		return err_sys(e, "link %s", name);
	/* as copy_meta() */
	(void)fchownat(to, name, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW);
	(void)utimensat(to, name, times, AT_SYMLINK_NOFOLLOW);
	return 0;
}

/* Opened for reading: so it does not wait for a writer, and is the FIFO that was just made. */
static int copy_fifo(int to, const char *name, const struct stat *st, struct err *e)
{
	auto_close int out = -1;

	if (make_room(to, name, e) < 0)
		return -1;
	if (mkfifoat(to, name, 0600) < 0)
		return err_sys(e, "mkfifo %s", name);
	out = openat(to, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (out < 0)
		return err_sys(e, "open %s", name);
	copy_meta(out, st);
	return 0;
}

/* What is in *in, which lies in *from, into *out in *to. */
static int copy_below(struct copy *c, int *from, int *to, int *in, int *out, int depth, struct err *e)
{
	struct deep above, above_copy;

	deep_leave(&above, depth, from);
	deep_leave(&above_copy, depth, to);
	if (copy_dir(c, in, out, depth + 1, e) < 0)
		return -1;
	if (deep_back(&above, *in, from) < 0 || deep_back(&above_copy, *out, to) < 0)
		return err_sys(e, "leave");
	return 0;
}

static int copy_subdir(struct copy *c, int *from, int *to, const char *name, const struct stat *st,
	int depth, struct err *e)
{
	auto_close int in = openat(*from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	auto_close int out = -1;

	if (in < 0)
		return err_sys(e, "open %s", name);
	if (overlay_is_opaque(in) && state_remove_tree(*to, name, e) < 0 && e->sys != ENOENT)
		return -1;
	if (mkdirat(*to, name, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "mkdir %s", name);
	out = openat(*to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (out < 0 && errno == ENOTDIR && unlinkat(*to, name, 0) == 0 && mkdirat(*to, name, 0700) == 0)
		out = openat(*to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (out < 0)
		return err_sys(e, "open %s", name);
	if (copy_below(c, from, to, &in, &out, depth, e) < 0)
		return err_ctx(e, "%s", name);
	copy_xattrs(in, out);
	copy_meta(out, st);
	return 0;
}

static int copy_entry(struct copy *c, int *from, int *to, const char *name, int depth, struct err *e)
{
	struct stat st;
	int linked;

	if (fstatat(*from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_sys(e, "stat %s", name);
	if (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode) || S_ISFIFO(st.st_mode)) {
		linked = link_again(c, *to, name, &st, e);
		if (linked != 0)
			return linked < 0 ? -1 : 0;
	}
	switch (st.st_mode & S_IFMT) {
	case S_IFDIR:
		return copy_subdir(c, from, to, name, &st, depth, e);
	case S_IFREG:
		return copy_file(*from, *to, name, &st, e);
	case S_IFLNK:
		return copy_link(*from, *to, name, &st, e);
	case S_IFIFO:
		return copy_fifo(*to, name, &st, e);
	case S_IFCHR:
		if (st.st_rdev == makedev(0, 0))
			return state_remove_tree(*to, name, e) < 0 && e->sys != ENOENT ? -1 : 0;
		return 0;
	default:
		return 0; /* devices and sockets are not for users to make */
	}
}

static int copy_dir(struct copy *c, int *from, int *to, int depth, struct err *e)
{
	auto_strv struct strv names = {0};
	int result = 0;

	if (depth > DEEP_MAX)
		return err_set(e, ERR_UNSUPPORTED, "directories more than %d deep", DEEP_MAX);
	if (sys_names(*from, &names) < 0)
		return err_sys(e, "read a directory");
	for (size_t i = 0; i < names.n && result == 0; i++) {
		size_t before = c->path.len;

		buf_printf(&c->path, "%s%s", before ? "/" : "", names.v[i]);
		result = copy_entry(c, from, to, names.v[i], depth, e);
		c->path.s[c->path.len = before] = '\0';
	}
	return result;
}

int copy_tree(int from, int to, struct err *e)
{
	struct copy c = {.top = to};
	int result = copy_dir(&c, &from, &to, 0, e);

	first_names_done(&c.links);
	buf_done(&c.path);
	return result;
}

void copy_top(int from, int to)
{
	auto_close int dir = openat(to, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (dir < 0 || fstat(from, &st) < 0)
		return;
	copy_xattrs(from, dir);
	copy_meta(dir, &st);
}
