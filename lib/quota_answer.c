/* SPDX-License-Identifier: Apache-2.0 */
/* quota_answer: answers the kernel's requests about one file: its attributes and content. */
#include "quota_parts.h"

#include "auto.h"
#include "sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

static ssize_t failed(void)
{
	return -errno;
}

/* The node of the request's file. */
static struct node *node_of(const struct request *r)
{
	return quota_node(r->q, r->h->nodeid);
}

/* Files of two layers may have the same number, and are on one device here, where programs would take them for one file.
 * 32 bits wherever they do, as old programs know no more. */
static uint64_t number_of(struct quota *q, const struct stat *st)
{
	uint64_t i = 0, ino = st->st_ino;

	while (i < q->n_devices && q->devices[i] != st->st_dev)
		i++;
	if (i == q->n_devices && i < QUOTA_DEVICES)
		q->devices[q->n_devices++] = st->st_dev;
	return ino >> 24 == 0 && i < 256 ? i << 24 | ino : ino ^ (i + 1) << 48;
}

void quota_attr(struct quota *q, const struct stat *st, struct fuse_attr *a)
{
	*a = (struct fuse_attr){.ino = number_of(q, st),
		.size = (uint64_t)st->st_size,
		.blocks = (uint64_t)st->st_blocks,
		.atime = (uint64_t)st->st_atim.tv_sec,
		.mtime = (uint64_t)st->st_mtim.tv_sec,
		.ctime = (uint64_t)st->st_ctim.tv_sec,
		.atimensec = (uint32_t)st->st_atim.tv_nsec,
		.mtimensec = (uint32_t)st->st_mtim.tv_nsec,
		.ctimensec = (uint32_t)st->st_ctim.tv_nsec,
		.mode = st->st_mode,
		.nlink = (uint32_t)st->st_nlink,
		.uid = st->st_uid,
		.gid = st->st_gid,
		.rdev = 0, /* no process here can make a device; a whiteout is 0/0 */
		.blksize = (uint32_t)q->block};
}

static ssize_t do_init(const struct request *r)
{
	static const uint32_t wanted = FUSE_ASYNC_READ | FUSE_BIG_WRITES | FUSE_PARALLEL_DIROPS |
	                               FUSE_MAX_PAGES | FUSE_CACHE_SYMLINKS |
	                               FUSE_HANDLE_KILLPRIV_V2 | FUSE_ATOMIC_O_TRUNC;
	const struct fuse_init_in *in = r->arg;
	struct fuse_init_out *o = r->to;

	if (r->arg_len < 16 || in->major < 7) /* 16: all there was before 7.36 */
		return -EPROTO;
	*o = (struct fuse_init_out){.major = 7,
		.minor = 31,
		.max_readahead = in->max_readahead,
		.flags = in->flags & wanted,
		.max_background = 64,
		.congestion_threshold = 48,
		.max_write = QUOTA_WRITE_MAX,
		.time_gran = 1,
		.max_pages = (uint16_t)(QUOTA_WRITE_MAX / (unsigned long)sysconf(_SC_PAGESIZE))};
	return sizeof(*o);
}

static ssize_t do_forget(const struct request *r)
{
	const struct fuse_forget_in *in = r->arg;

	quota_forget(r->q, node_of(r), in->nlookup);
	return QUOTA_SILENT;
}

static ssize_t do_batch_forget(const struct request *r)
{
	const struct fuse_batch_forget_in *in = r->arg;
	const struct fuse_forget_one *one = (const void *)(in + 1);

	if (in->count > (r->arg_len - sizeof(*in)) / sizeof(*one))
		return QUOTA_SILENT;
	for (uint32_t i = 0; i < in->count; i++)
		quota_forget(r->q, quota_node(r->q, one[i].nodeid), one[i].nlookup);
	return QUOTA_SILENT;
}

static ssize_t put_attr(const struct request *r, const struct stat *st)
{
	struct fuse_attr_out *o = r->to;

	*o = (struct fuse_attr_out){.attr_valid = QUOTA_FOREVER};
	quota_attr(r->q, st, &o->attr);
	return sizeof(*o);
}

static ssize_t do_getattr(const struct request *r)
{
	struct stat st;

	return quota_stat(r->q, node_of(r), &st) < 0 ? failed() : put_attr(r, &st);
}

/* ---- attributes ------------------------------------------------------------------------ */

/* A set-group-id bit without the right to execute is another thing. */
static int kill_privileges(int fd)
{
	struct stat st;
	mode_t kill;

	if (fstat(fd, &st) < 0)
		return -1;
	kill = S_ISUID | (st.st_mode & S_IXGRP ? S_ISGID : 0);
	return st.st_mode & kill ? fchmod(fd, st.st_mode & 07777 & ~kill) : 0;
}

static int set_size(struct quota *q, struct node *n, const struct fuse_setattr_in *in)
{
	auto_close int temporary = -1;
	int fd = quota_fd(q, n, O_RDWR | (in->size ? 0 : O_TRUNC), &temporary);

	if (fd < 0 || ftruncate(fd, (off_t)in->size) < 0)
		return -1;
	if (in->valid & FATTR_KILL_SUIDGID)
		(void)kill_privileges(fd); /* what else: the size is changed */
	return 0;
}

static struct timespec time_for(uint32_t valid, uint32_t set, uint32_t now, uint64_t s, uint32_t ns)
{
	if (!(valid & set))
		return (struct timespec){.tv_nsec = UTIME_OMIT};
	if (valid & now)
		return (struct timespec){.tv_nsec = UTIME_NOW};
	return (struct timespec){.tv_sec = (time_t)s, .tv_nsec = ns};
}

/* In the kernel's order: an owner's change takes the bits away that the mode may set. */
static int set_attr(struct quota *q, struct node *n, const struct fuse_setattr_in *in)
{
	uid_t uid = in->valid & FATTR_UID ? in->uid : (uid_t)-1;
	gid_t gid = in->valid & FATTR_GID ? in->gid : (gid_t)-1;
	struct timespec times[] = {
		time_for(in->valid, FATTR_ATIME, FATTR_ATIME_NOW, in->atime, in->atimensec),
		time_for(in->valid, FATTR_MTIME, FATTR_MTIME_NOW, in->mtime, in->mtimensec),
	};
	bool owner = in->valid & (FATTR_UID | FATTR_GID), mode = in->valid & FATTR_MODE;
	bool time = in->valid & (FATTR_ATIME | FATTR_MTIME);
	const char *name = NULL;
	int at = n->names || n == q->root ? quota_at(q, n, &name) : n->fd;

	if (at < 0)
		return -1;
	if (!name)
		return (owner && fchown(at, uid, gid) < 0) ||
		                       (mode && fchmod(at, in->mode & 07777) < 0) ||
		                       (time && futimens(at, times) < 0)
		               ? -1
		               : 0;
	/* of a link there is no mode, and the kernel does not ask for it */
	return (owner && fchownat(at, name, uid, gid, AT_SYMLINK_NOFOLLOW) < 0) ||
	                       (mode && (S_ISLNK(n->type) || fchmodat(at, name, in->mode & 07777, 0) < 0)) ||
	                       (time && utimensat(at, name, times, AT_SYMLINK_NOFOLLOW) < 0)
	               ? -1
	               : 0;
}

static ssize_t do_setattr(const struct request *r)
{
	const struct fuse_setattr_in *in = r->arg;
	struct node *n = node_of(r);
	struct stat st;

	if (n->last)
		return -ESTALE;
	if (quota_lift(r->q, n, !(in->valid & FATTR_SIZE) || in->size > 0) < 0 ||
		((in->valid & FATTR_SIZE) && set_size(r->q, n, in) < 0) || set_attr(r->q, n, in) < 0)
		return quota_failed(r->q, n);
	quota_lifted(r->q, n);
	return quota_stat(r->q, n, &st) < 0 ? failed() : put_attr(r, &st);
}

static ssize_t do_getxattr(const struct request *r)
{
	const struct fuse_getxattr_in *in = r->arg;
	const char *name = (const char *)(in + 1);
	size_t room = in->size < r->room ? in->size : r->room;
	auto_close int temporary = -1;
	int fd = quota_fd(r->q, node_of(r), O_RDONLY, &temporary);
	ssize_t n;

	if (fd < 0)
		return failed();
	n = r->h->opcode == FUSE_GETXATTR ? fgetxattr(fd, name, room ? r->to : NULL, room)
	                                  : flistxattr(fd, room ? r->to : NULL, room);
	if (n < 0 || in->size)
		return n < 0 ? failed() : n;
	*(struct fuse_getxattr_out *)r->to = (struct fuse_getxattr_out){.size = (uint32_t)n};
	return sizeof(struct fuse_getxattr_out);
}

static ssize_t do_listxattr(const struct request *r)
{
	const struct fuse_getxattr_in *in = r->arg;

	if (S_ISREG(node_of(r)->type) || S_ISDIR(node_of(r)->type))
		return do_getxattr(r);
	if (in->size)
		return 0;
	*(struct fuse_getxattr_out *)r->to = (struct fuse_getxattr_out){.size = 0};
	return sizeof(struct fuse_getxattr_out);
}

/* One that takes up too much becomes again what it was. */
static ssize_t set_xattr(const struct request *r, int fd, const char *name, const void *value,
	size_t size, int flags)
{
	struct quota *q = r->q;
	struct node *node = node_of(r);
	auto_free char *was =
		ledger_left(&q->ledger) > size + q->block ? NULL : xcalloc(1, XATTR_SIZE_MAX);
	ssize_t n = was ? fgetxattr(fd, name, was, XATTR_SIZE_MAX) : -1;
	uint64_t before = q->ledger.used;

	if (quota_lift(q, node, true) < 0 || fsetxattr(fd, name, value, size, flags) < 0)
		return quota_failed(q, node);
	quota_lifted(q, node);
	if (!was || !quota_over(q, before))
		return 0;
	(void)(n < 0 ? fremovexattr(fd, name) : fsetxattr(fd, name, was, (size_t)n, 0)); /* it was so before */
	quota_lifted(q, node);
	return -ENOSPC;
}

static ssize_t do_setxattr(const struct request *r)
{
	const struct fuse_setxattr_in *in = r->arg;
	const char *name = (const char *)in + FUSE_COMPAT_SETXATTR_IN_SIZE;
	const char *value = name + strlen(name) + 1;
	auto_close int temporary = -1;
	int fd;

	if (in->size > r->arg_len - (size_t)(value - (const char *)in))
		return -EIO;
	fd = quota_fd(r->q, node_of(r), O_RDONLY, &temporary);
	if (fd < 0)
		return errno == ENODATA ? -EPERM : failed();
	return set_xattr(r, fd, name, value, in->size, (int)in->flags);
}

static ssize_t do_removexattr(const struct request *r)
{
	struct node *n = node_of(r);
	auto_close int temporary = -1;
	int fd = quota_fd(r->q, n, O_RDONLY, &temporary);

	if (fd < 0 || fgetxattr(fd, r->arg, NULL, 0) < 0)
		return failed();
	if (quota_lift(r->q, n, true) < 0 || fremovexattr(fd, r->arg) < 0)
		return quota_failed(r->q, n);
	quota_lifted(r->q, n);
	return 0;
}

/* ---- what files hold ------------------------------------------------------------------- */

/* A file in the writable layer is always opened for writing as well, as it may be written to when it has no name any
 * more. */
ssize_t quota_open(struct quota *q, struct node *n, uint32_t flags, struct fuse_open_out *o)
{
	int trunc = (int)flags & O_TRUNC, temporary = -1;
	bool write = (flags & O_ACCMODE) != O_RDONLY || trunc;
	struct stat st;

	if (!S_ISREG(n->type))
		return -EINVAL;
	if (write && quota_lift(q, n, !trunc) < 0)
		return failed();
	if (!write && !n->real && n->names && quota_upper(q, n->names->parent, n->names->text, &st))
		quota_is(q, n, st.st_ino);
	if (quota_fd(q, n, (write || n->real ? O_RDWR : O_RDONLY) | trunc, &temporary) < 0)
		return write ? quota_failed(q, n) : failed();
	if (temporary >= q->fd_max) {
		(void)close(temporary);
		errno = ENFILE;
		return write ? quota_failed(q, n) : failed();
	}
	if (temporary >= 0) {
		auto_close_(&n->fd);
		n->fd = temporary;
		n->writes = write || n->real;
	}
	n->opens++;
	if (write)
		quota_lifted(q, n);
	*o = (struct fuse_open_out){.open_flags = FOPEN_KEEP_CACHE};
	return sizeof(*o);
}

static ssize_t do_open(const struct request *r)
{
	const struct fuse_open_in *in = r->arg;
	ssize_t n = quota_open(r->q, node_of(r), in->flags, r->to);

	if (n > 0 && (in->open_flags & FUSE_OPEN_KILL_SUIDGID))
		(void)kill_privileges(node_of(r)->fd); /* it is opened all the same */
	return n;
}

/* Blocks that the file system kept allocated for the open file are counted correctly only now; and if it has no name
 * any more all of it is free. */
static ssize_t do_release(const struct request *r)
{
	struct node *n = node_of(r);
	struct stat st;

	if (n->opens == 0 || --n->opens > 0)
		return 0;
	if (fstat(n->fd, &st) < 0)
		return failed();
	if (!n->names && (!n->real || st.st_nlink == 0)) {
		ledger_drop(&r->q->ledger, n->real);
		quota_gone(r->q, n, &st);
		return 0;
	}
	(void)close(take_fd(&n->fd));
	if (n->writes)
		quota_lifted(r->q, n);
	n->writes = false;
	return 0;
}

static ssize_t do_read(const struct request *r)
{
	const struct fuse_read_in *in = r->arg;
	size_t size = in->size < r->room ? in->size : r->room;
	ssize_t n = pread(node_of(r)->fd, r->to, size, (off_t)in->offset);

	return n < 0 ? failed() : n;
}

static ssize_t do_write(const struct request *r)
{
	const struct fuse_write_in *in = r->arg;
	struct node *node = node_of(r);
	int fd = node->fd;
	size_t size = r->arg_len - sizeof(*in) < in->size ? r->arg_len - sizeof(*in) : in->size;
	size_t fits = quota_fits(r->q, fd, in->offset, size);
	ssize_t n = fits ? pwrite(fd, in + 1, fits, (off_t)in->offset) : 0;

	if (n < 0)
		return failed();
	if (in->write_flags & FUSE_WRITE_KILL_SUIDGID)
		(void)kill_privileges(fd); /* it is written all the same */
	if (n > 0)
		quota_lifted(r->q, node);
	/* If pages written through a mapping do not all fit, no process can be told. */
	if (size > 0 && (n == 0 || ((in->write_flags & FUSE_WRITE_CACHE) && (size_t)n < size)))
		return -ENOSPC;
	*(struct fuse_write_out *)r->to = (struct fuse_write_out){.size = (uint32_t)n};
	return sizeof(struct fuse_write_out);
}

static ssize_t do_fallocate(const struct request *r)
{
	const struct fuse_fallocate_in *in = r->arg;
	const uint32_t known = FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE |
	                       FALLOC_FL_COLLAPSE_RANGE;
	int fd = node_of(r)->fd;
	bool grows = !(in->mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_COLLAPSE_RANGE));

	if (in->mode & ~known)
		return -EOPNOTSUPP;
	if (grows && quota_fits(r->q, fd, in->offset, in->length) < in->length)
		return -ENOSPC;
	if (fallocate(fd, (int)in->mode, (off_t)in->offset, (off_t)in->length) < 0)
		return failed();
	quota_lifted(r->q, node_of(r));
	return 0;
}

static ssize_t do_lseek(const struct request *r)
{
	const struct fuse_lseek_in *in = r->arg;
	off_t at = lseek(node_of(r)->fd, (off_t)in->offset, (int)in->whence);

	if (at < 0)
		return failed();
	*(struct fuse_lseek_out *)r->to = (struct fuse_lseek_out){.offset = (uint64_t)at};
	return sizeof(struct fuse_lseek_out);
}

static ssize_t do_fsync(const struct request *r)
{
	const struct fuse_fsync_in *in = r->arg;
	auto_close int temporary = -1;
	int fd = quota_fd(r->q, node_of(r), O_RDONLY, &temporary);

	if (fd < 0 || (in->fsync_flags & FUSE_FSYNC_FDATASYNC ? fdatasync(fd) : fsync(fd)) < 0)
		return failed();
	return 0;
}

/* ---- directories ----------------------------------------------------------------------- */

#define EMPTY UINT64_MAX /* instead of a descriptor: of a directory that was removed */

/* Each reader gets a descriptor of its own, which keeps its position. */
static ssize_t do_opendir(const struct request *r)
{
	struct fuse_open_out *o = r->to;
	struct node *n = node_of(r);
	int dir = n->last ? -1 : quota_dir(r->q, n);
	int fd = dir < 0 ? -1 : openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (n->last) {
		*o = (struct fuse_open_out){.fh = EMPTY};
		return sizeof(*o);
	}
	if (fd < 0)
		return failed();
	if (fd >= r->q->fd_max) {
		(void)close(fd);
		return -ENFILE;
	}
	*o = (struct fuse_open_out){.fh = (uint64_t)fd};
	return sizeof(*o);
}

static ssize_t do_releasedir(const struct request *r)
{
	const struct fuse_release_in *in = r->arg;

	if (in->fh != EMPTY)
		(void)close((int)in->fh);
	return 0;
}

static ssize_t do_readdir(const struct request *r)
{
	const struct fuse_read_in *in = r->arg;
	char entries[8192] __attribute__((aligned(8)));
	size_t size = in->size < r->room ? in->size : r->room, done = 0;
	ssize_t n;

	if (in->fh == EMPTY)
		return 0;
	if (lseek((int)in->fh, (off_t)in->offset, SEEK_SET) < 0)
		return failed();
	n = sys_getdents((int)in->fh, entries, sizeof(entries));
	if (n < 0)
		return failed();
	for (ssize_t at = 0; at < n;) {
		const struct dirent *d = (const struct dirent *)(entries + at);
		size_t len = strlen(d->d_name), need = FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + len);
		struct fuse_dirent *o = (struct fuse_dirent *)((char *)r->to + done);

		if (done + need > size)
			break; /* the next call begins behind the last that fit */
		memset(o, 0, need);
		o->ino = d->d_ino;
		o->off = (uint64_t)d->d_off;
		o->namelen = (uint32_t)len;
		o->type = d->d_type;
		memcpy(o->name, d->d_name, len);
		done += need;
		at += d->d_reclen;
	}
	return (ssize_t)done;
}

static ssize_t do_statfs(const struct request *r)
{
	struct fuse_statfs_out *o = r->to;
	const struct quota *q = r->q;
	struct statvfs v;
	uint64_t left = ledger_left(&q->ledger) / q->block;

	if (fstatvfs(q->upper, &v) < 0)
		return failed();
	left = left < v.f_bavail * v.f_frsize / q->block ? left : v.f_bavail * v.f_frsize / q->block;
	*o = (struct fuse_statfs_out){.st = {.blocks = q->ledger.limit / q->block,
					      .bfree = left,
					      .bavail = left,
					      .files = v.f_files,
					      .ffree = v.f_favail,
					      .bsize = (uint32_t)q->block,
					      .namelen = (uint32_t)v.f_namemax,
					      .frsize = (uint32_t)q->block}};
	return sizeof(*o);
}

static ssize_t do_nothing(const struct request *r)
{
	(void)r;
	return 0;
}

static ssize_t do_interrupt(const struct request *r)
{
	(void)r; /* what it is about has been answered, or will be soon */
	return QUOTA_SILENT;
}

/* What is not here the kernel does without: ENOSYS, and it never asks again. */
static const struct {
	ssize_t (*answer)(const struct request *r);
	size_t arg;     /* at least so long is what comes with it */
	unsigned texts; /* behind which so many texts end within the request */
} requests[] = {
	[FUSE_INIT] = {do_init, 16},
	[FUSE_DESTROY] = {do_nothing, 0},
	[FUSE_INTERRUPT] = {do_interrupt, 0},
	[FUSE_FORGET] = {do_forget, sizeof(struct fuse_forget_in)},
	[FUSE_BATCH_FORGET] = {do_batch_forget, sizeof(struct fuse_batch_forget_in)},
	[FUSE_LOOKUP] = {quota_lookup, 0, 1},
	[FUSE_GETATTR] = {do_getattr, 0},
	[FUSE_SETATTR] = {do_setattr, sizeof(struct fuse_setattr_in)},
	[FUSE_READLINK] = {quota_readlink, 0},
	[FUSE_SYMLINK] = {quota_symlink, 0, 2},
	[FUSE_MKNOD] = {quota_mknod, sizeof(struct fuse_mknod_in), 1},
	[FUSE_MKDIR] = {quota_mkdir, sizeof(struct fuse_mkdir_in), 1},
	[FUSE_CREATE] = {quota_create, sizeof(struct fuse_create_in), 1},
	[FUSE_LINK] = {quota_link, sizeof(struct fuse_link_in), 1},
	[FUSE_UNLINK] = {quota_unlink, 0, 1},
	[FUSE_RMDIR] = {quota_unlink, 0, 1},
	[FUSE_RENAME] = {quota_rename, sizeof(struct fuse_rename_in), 2},
	[FUSE_RENAME2] = {quota_rename, sizeof(struct fuse_rename2_in), 2},
	[FUSE_OPEN] = {do_open, sizeof(struct fuse_open_in)},
	[FUSE_RELEASE] = {do_release, sizeof(struct fuse_release_in)},
	[FUSE_READ] = {do_read, sizeof(struct fuse_read_in)},
	[FUSE_WRITE] = {do_write, sizeof(struct fuse_write_in)},
	[FUSE_FALLOCATE] = {do_fallocate, sizeof(struct fuse_fallocate_in)},
	[FUSE_LSEEK] = {do_lseek, sizeof(struct fuse_lseek_in)},
	[FUSE_FSYNC] = {do_fsync, sizeof(struct fuse_fsync_in)},
	[FUSE_FSYNCDIR] = {do_fsync, sizeof(struct fuse_fsync_in)},
	[FUSE_OPENDIR] = {do_opendir, 0},
	[FUSE_READDIR] = {do_readdir, sizeof(struct fuse_read_in)},
	[FUSE_RELEASEDIR] = {do_releasedir, sizeof(struct fuse_release_in)},
	[FUSE_STATFS] = {do_statfs, 0},
	[FUSE_GETXATTR] = {do_getxattr, sizeof(struct fuse_getxattr_in), 1},
	[FUSE_LISTXATTR] = {do_listxattr, sizeof(struct fuse_getxattr_in)},
	[FUSE_SETXATTR] = {do_setxattr, FUSE_COMPAT_SETXATTR_IN_SIZE, 1},
	[FUSE_REMOVEXATTR] = {do_removexattr, 0, 1},
};

/* Whether the request is complete: it comes from the kernel, but if a length in it were wrong this process would read
 * beyond its end. */
static bool is_whole(const struct request *r, size_t arg, unsigned texts)
{
	if (r->arg_len < arg)
		return false;
	for (; texts > 0; texts--) {
		const char *text = (const char *)r->arg + arg, *end = memchr(text, 0, r->arg_len - arg);

		if (!end)
			return false;
		arg += (size_t)(end - text) + 1;
	}
	return true;
}

ssize_t quota_answer(const struct request *r)
{
	uint32_t op = r->h->opcode;

	if (op >= ARRAY_LEN(requests) || !requests[op].answer)
		return -ENOSYS;
	return is_whole(r, requests[op].arg, requests[op].texts) ? requests[op].answer(r) : -EIO;
}
