/* SPDX-License-Identifier: Apache-2.0 */
/* quota_names: answers the kernel's requests about names: lookup, create, link, rename, unlink. */
#include "quota_parts.h"

#include "auto.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <limits.h>
#include <string.h>

/* A name in the request, which must be a single component; NULL: it is not. quota_answer() has checked that it ends
 * within the request. */
static const char *name_at(const struct request *r, size_t offset)
{
	const char *name = (const char *)r->arg + offset;

	if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return NULL;
	return name;
}

static void put_entry(struct quota *q, struct node *n, const struct stat *st, struct fuse_entry_out *o)
{
	*o = (struct fuse_entry_out){.nodeid = (uint64_t)(uintptr_t)n,
		.entry_valid = QUOTA_FOREVER,
		.attr_valid = QUOTA_FOREVER};
	quota_attr(q, st, &o->attr);
}

/* Which file of the writable layer it is, if it has more names than one there: they are one file to the kernel. It may
 * have had them, and still be open by one that was removed. */
static uint64_t shared(struct quota *q, struct node *parent, const char *name, const struct stat *st)
{
	struct stat upper;

	if (S_ISDIR(st->st_mode) || (st->st_nlink < 2 && !q->strays) ||
		!quota_upper(q, parent, name, &upper))
		return 0;
	return upper.st_ino;
}

ssize_t quota_lookup(const struct request *r)
{
	struct node *parent = quota_node(r->q, r->h->nodeid), *n;
	const char *name = name_at(r, 0);
	int dir = quota_dir(r->q, parent);
	struct stat st;

	if (dir < 0 || !name)
		return name ? -errno : -EINVAL;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			return -errno;
		/* node 0: there is none, and that for ever */
		*(struct fuse_entry_out *)r->to = (struct fuse_entry_out){.entry_valid = QUOTA_FOREVER};
		return sizeof(struct fuse_entry_out);
	}
	n = quota_found(r->q, parent, name, st.st_mode, shared(r->q, parent, name, &st));
	put_entry(r->q, n, &st, r->to);
	return sizeof(struct fuse_entry_out);
}

ssize_t quota_readlink(const struct request *r)
{
	const char *name;
	int dir = quota_at(r->q, quota_node(r->q, r->h->nodeid), &name);
	ssize_t n = dir < 0 ? -1 : readlinkat(dir, name, r->to, r->room < PATH_MAX ? r->room : PATH_MAX);

	return n < 0 ? -errno : n;
}

/* ---- new files ------------------------------------------------------------------------- */

/* Where something is going to be made. */
struct place {
	struct node *parent;
	const char *name;
	int dir;
	uint64_t before; /* what was taken up */
};

static ssize_t begin(const struct request *r, uint64_t parent, size_t name_offset, struct place *p)
{
	*p = (struct place){.parent = quota_node(r->q, parent),
		.name = name_at(r, name_offset),
		.before = r->q->ledger.used};
	if (!p->name)
		return -EINVAL;
	p->dir = quota_dir(r->q, p->parent);
	if (p->dir < 0)
		return -errno;
	/* Overlay would copy up the parent directories, which could not be undone. */
	return quota_missing(r->q, p->parent) * r->q->block > ledger_left(&r->q->ledger) ? -ENOSPC : 0;
}

/* Gives the new file to the requesting user; in a directory with set-group-id it has the right group already. chown
 * clears bits of the mode, which are set again. */
static int own(const struct request *r, const struct place *p, struct stat *st)
{
	mode_t mode = st->st_mode;
	struct stat dir;

	if (st->st_uid == r->h->uid && st->st_gid == r->h->gid)
		return 0;
	if (fstat(p->dir, &dir) < 0)
		return -1;
	if (st->st_uid == r->h->uid && dir.st_mode & S_ISGID)
		return 0;
	if (fchownat(p->dir, p->name, r->h->uid, dir.st_mode & S_ISGID ? (gid_t)-1 : r->h->gid,
		    AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	if (!S_ISLNK(mode) && mode & (S_ISUID | S_ISGID) && fchmodat(p->dir, p->name, mode & 07777, 0) < 0)
		return -1;
	return fstatat(p->dir, p->name, st, AT_SYMLINK_NOFOLLOW);
}

/* The file was made: counts it and answers, or removes it again. */
static ssize_t made(const struct request *r, const struct place *p)
{
	struct quota *q = r->q;
	struct stat st, upper = {0};
	struct node *n;
	int why;

	if (fstatat(p->dir, p->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	why = own(r, p, &st) < 0 ? errno : 0;
	/* It is there; what cannot be counted must not stay. */
	if (!quota_upper(q, p->parent, p->name, &upper) && !why)
		why = EIO;
	if (!why && !quota_over(q, p->before)) {
		n = quota_found(q, p->parent, p->name, st.st_mode, upper.st_ino);
		put_entry(q, n, &st, r->to);
		return sizeof(struct fuse_entry_out);
	}
	(void)unlinkat(p->dir, p->name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0); /* just made */
	ledger_drop(&q->ledger, upper.st_ino);
	return why ? -why : -ENOSPC;
}

ssize_t quota_symlink(const struct request *r)
{
	const char *name = r->arg, *target = name + strlen(name) + 1;
	struct place p;
	ssize_t n = begin(r, r->h->nodeid, 0, &p);

	if (n < 0)
		return n;
	return symlinkat(target, p.dir, p.name) < 0 ? -errno : made(r, &p);
}

ssize_t quota_mknod(const struct request *r)
{
	const struct fuse_mknod_in *in = r->arg;
	struct place p;
	ssize_t n = begin(r, r->h->nodeid, sizeof(*in), &p);

	if (n < 0)
		return n;
	/* A device is refused by the kernel, which knows our rights; a whiteout is none. */
	return mknodat(p.dir, p.name, in->mode, in->rdev) < 0 ? -errno : made(r, &p);
}

ssize_t quota_mkdir(const struct request *r)
{
	const struct fuse_mkdir_in *in = r->arg;
	struct place p;
	ssize_t n = begin(r, r->h->nodeid, sizeof(*in), &p);

	if (n < 0)
		return n;
	return mkdirat(p.dir, p.name, in->mode) < 0 ? -errno : made(r, &p);
}

/* Made and opened in one. */
ssize_t quota_create(const struct request *r)
{
	const struct fuse_create_in *in = r->arg;
	struct fuse_entry_out *entry = r->to;
	struct fuse_open_out *open = (void *)(entry + 1);
	auto_close int fd = -1;
	struct node *node;
	struct place p;
	ssize_t n = begin(r, r->h->nodeid, sizeof(*in), &p);

	if (n < 0)
		return n;
	fd = openat(p.dir, p.name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, in->mode & 07777);
	if (fd < 0)
		return -errno;
	n = made(r, &p);
	if (n < 0)
		return n;
	node = quota_node(r->q, entry->nodeid);
	n = quota_open(r->q, node, O_RDWR, open);
	if (n > 0)
		return (ssize_t)(sizeof(*entry) + sizeof(*open));
	/* The kernel will believe that there is none. */
	(void)unlinkat(p.dir, p.name, 0); /* just made */
	ledger_drop(&r->q->ledger, node->real);
	quota_forget(r->q, node, 1);
	return n;
}

ssize_t quota_link(const struct request *r)
{
	const struct fuse_link_in *in = r->arg;
	struct node *old = quota_node(r->q, in->oldnodeid);
	const char *old_name;
	struct place p;
	struct stat st;
	ssize_t n = begin(r, r->h->nodeid, sizeof(*in), &p);
	int at = n < 0 ? -1 : quota_at(r->q, old, &old_name);

	if (n < 0)
		return n;
	if (at < 0 || quota_lift(r->q, old, true) < 0 || linkat(at, old_name, p.dir, p.name, 0) < 0 ||
		fstatat(p.dir, p.name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return quota_failed(r->q, old);
	quota_lifted(r->q, old);
	(void)quota_missing(r->q, p.parent); /* counts */
	if (quota_over(r->q, p.before)) {
		(void)unlinkat(p.dir, p.name, 0); /* just made */
		return -ENOSPC;
	}
	put_entry(r->q, quota_found(r->q, p.parent, p.name, st.st_mode, old->real), &st, r->to);
	return sizeof(struct fuse_entry_out);
}

/* ---- old files ------------------------------------------------------------------------- */

/* What is going to lose a name. */
struct victim {
	struct stat st, upper;
	bool there, in_upper;
};

static void look(struct quota *q, const struct place *p, struct victim *v)
{
	v->there = fstatat(p->dir, p->name, &v->st, AT_SYMLINK_NOFOLLOW) == 0;
	v->in_upper = v->there && quota_upper(q, p->parent, p->name, &v->upper);
}

/* A name was removed. If it was the last one, and nothing has the file open, its blocks are free: counted now and not
 * when the kernel forgets the node, as the next write may need them. */
static void removed(struct quota *q, const struct victim *v, const struct place *p)
{
	struct node *n = quota_find(q, p->parent, p->name);
	bool last = !v->in_upper || S_ISDIR(v->upper.st_mode) || v->upper.st_nlink < 2;

	if (n && v->in_upper)
		quota_is(q, n, v->upper.st_ino);
	if (n)
		quota_unnamed(q, n, p->parent, p->name);
	if (!last && n && !n->names)
		quota_strays(q, n);
	if (!last || (n && n->opens > 0))
		return;
	if (v->in_upper)
		ledger_drop(&q->ledger, v->upper.st_ino);
	if (n)
		quota_gone(q, n, &v->st);
}

ssize_t quota_unlink(const struct request *r)
{
	int flags = r->h->opcode == FUSE_RMDIR ? AT_REMOVEDIR : 0;
	struct victim v;
	struct place p;
	ssize_t n = begin(r, r->h->nodeid, 0, &p);

	if (n < 0)
		return n;
	look(r->q, &p, &v);
	if (unlinkat(p.dir, p.name, flags) < 0)
		return -errno;
	removed(r->q, &v, &p);
	(void)quota_missing(r->q, p.parent); /* counts: a whiteout may be there instead */
	return 0;
}

static void moved(struct quota *q, struct node *n, const struct place *from, const struct place *to)
{
	if (!n)
		return;
	quota_unnamed(q, n, from->parent, from->name);
	quota_named(q, n, to->parent, to->name);
	quota_lifted(q, n);
}

/* Overlay copies an image's file that is moved; for directories it refuses that. */
static int lift(struct quota *q, struct node *n)
{
	return !n || S_ISDIR(n->type) ? 0 : quota_lift(q, n, true);
}

/* Only a name that was not there makes a directory grow; then the way back is free. */
static bool taken_back(struct quota *q, const struct place *from, const struct place *to)
{
	(void)quota_missing(q, from->parent); /* counts */
	(void)quota_missing(q, to->parent);   /* counts */
	if (!quota_over(q, from->before) || sys_renameat(to->dir, to->name, from->dir, from->name, 0) < 0)
		return false;
	return true;
}

ssize_t quota_rename(const struct request *r)
{
	bool second = r->h->opcode == FUSE_RENAME2;
	const struct fuse_rename2_in *in = r->arg;
	unsigned flags = second ? in->flags : 0;
	size_t at = second ? sizeof(*in) : sizeof(struct fuse_rename_in);
	struct quota *q = r->q;
	struct node *old, *new;
	struct place from, to;
	struct victim v;
	ssize_t n = begin(r, r->h->nodeid, at, &from);

	if (n < 0 || (n = begin(r, in->newdir, at + strlen(from.name) + 1, &to)) < 0)
		return n;
	old = quota_find(q, from.parent, from.name);
	new = quota_find(q, to.parent, to.name);
	look(q, &to, &v);
	if (lift(q, old) < 0 || (flags & RENAME_EXCHANGE && lift(q, new) < 0) ||
		sys_renameat(from.dir, from.name, to.dir, to.name, flags) < 0) {
		n = -errno;
		for (size_t i = 0; i < 2; i++)
			if (i ? new : old)
				quota_lifted(q, i ? new : old); /* overlay may have copied it */
		return n;
	}
	if (old && old == new)
		return 0; /* two names of one file: nothing happened */
	if (!v.there && taken_back(q, &from, &to))
		return -ENOSPC;
	if (v.there && !(flags & RENAME_EXCHANGE))
		removed(q, &v, &to);
	if (flags & RENAME_EXCHANGE && new)
		quota_unnamed(q, new, to.parent, to.name);
	moved(q, old, &from, &to);
	if (flags & RENAME_EXCHANGE)
		moved(q, new, &to, &from);
	(void)quota_missing(q, from.parent); /* counts */
	(void)quota_missing(q, to.parent);   /* counts */
	return 0;
}
