/* SPDX-License-Identifier: Apache-2.0 */
#include "fuse_parts.h"

#include "auto.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define MAX_REPLY (1u << 20)
#define FOREVER   (365ull * 24 * 3600)
#define NOBODY    65534u

static uint64_t node_of(const struct squash *sq, uint64_t ref)
{
	/* node 0 means "no such file", node 1 is the root: so others are shifted by two */
	return ref == squash_info(sq)->root ? FUSE_ROOT_ID : ref + 2;
}

static int inode_at(struct squash *sq, uint64_t node, struct squash_inode *out)
{
	return squash_inode(sq, node == FUSE_ROOT_ID ? squash_info(sq)->root : node - 2, out);
}

static int inode_of(const struct request *q, struct squash_inode *out)
{
	return inode_at(q->sq, q->h->nodeid, out);
}

/* An id that the namespace does not map is shown as nobody: shown as 0, another user's set-user-id file would run as
 * root. */
static uint32_t shown_id(uint32_t id, uint32_t n)
{
	if (n <= 1)
		return 0;
	return id < n ? id : NOBODY;
}

/* squashfs has no atime. One of today, and later than mtime, leaves relatime nothing to update: otherwise each read()
 * through an overlay would try to, in vain, since only files of the writable layer have an atime. */
static uint64_t accessed(const struct squash_inode *i)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_REALTIME_COARSE, &now); /* this clock is always there */
	return (uint64_t)now.tv_sec > i->mtime ? (uint64_t)now.tv_sec : (uint64_t)i->mtime + 1;
}

static void fill_attr(const struct request *q, const struct squash_inode *i, struct fuse_attr *a)
{
	*a = (struct fuse_attr){.ino = i->number,
		.size = i->size,
		.blocks = (i->size + 511) / 512,
		.atime = accessed(i),
		.mtime = i->mtime,
		.ctime = i->mtime,
		.mode = i->mode,
		.nlink = i->nlink,
		.uid = shown_id(i->uid, q->ids->uids),
		.gid = shown_id(i->gid, q->ids->gids),
		.blksize = 4096};
	if (S_ISCHR(i->mode) || S_ISBLK(i->mode)) /* the kernel's 32 bits of a device number */
		a->rdev = (i->rdev_minor & 0xff) | i->rdev_major << 8 | (i->rdev_minor & ~0xffu) << 12;
}

static void fill_entry(const struct request *q, const struct squash_inode *i, struct fuse_entry_out *o)
{
	*o = (struct fuse_entry_out){
		.nodeid = node_of(q->sq, i->ref), .entry_valid = FOREVER, .attr_valid = FOREVER};
	fill_attr(q, i, &o->attr);
}

static ssize_t do_init(const struct request *q)
{
	static const uint32_t wanted = FUSE_ASYNC_READ | FUSE_PARALLEL_DIROPS | FUSE_MAX_PAGES |
	                               FUSE_CACHE_SYMLINKS | FUSE_DO_READDIRPLUS |
	                               FUSE_NO_OPEN_SUPPORT | FUSE_NO_OPENDIR_SUPPORT;
	const struct fuse_init_in *in = q->arg;
	struct fuse_init_out *o = q->to;

	if (q->arg_len < 16 || in->major < 7) /* 16: all there was before 7.36 */
		return -EPROTO;
	*o = (struct fuse_init_out){.major = 7,
		.minor = 31,
		.max_readahead = in->max_readahead,
		.flags = in->flags & wanted,
		.max_background = 64,
		.congestion_threshold = 48,
		.max_write = MAX_WRITE,
		.time_gran = 1000000000,
		.max_pages = (uint16_t)(MAX_REPLY / (unsigned long)sysconf(_SC_PAGESIZE))};
	return sizeof(*o);
}

static ssize_t do_lookup(const struct request *q)
{
	size_t len = strnlen(q->arg, q->arg_len);
	struct squash_inode dir, i;
	uint64_t ref;
	int r = inode_of(q, &dir);

	if (r == 0)
		r = squash_lookup(q->sq, &dir, q->arg, len, &ref);
	if (r == -ENOENT) { /* node 0: there is none, and that for ever */
		*(struct fuse_entry_out *)q->to = (struct fuse_entry_out){.entry_valid = FOREVER};
		return sizeof(struct fuse_entry_out);
	}
	if (r == 0)
		r = squash_inode(q->sq, ref, &i);
	if (r < 0)
		return r;
	fill_entry(q, &i, q->to);
	return sizeof(struct fuse_entry_out);
}

static ssize_t do_getattr(const struct request *q)
{
	struct fuse_attr_out *o = q->to;
	struct squash_inode i;
	int r = inode_of(q, &i);

	if (r < 0)
		return r;
	*o = (struct fuse_attr_out){.attr_valid = FOREVER};
	fill_attr(q, &i, &o->attr);
	return sizeof(*o);
}

static ssize_t do_readlink(const struct request *q)
{
	struct squash_inode i;
	int r = inode_of(q, &i);

	return r < 0 ? r : squash_readlink(q->sq, &i, q->to, SMALL_REPLY - 1);
}

static ssize_t do_read(const struct request *q)
{
	const struct fuse_read_in *in = q->arg;
	struct squash_inode i;
	int r;

	if (q->arg_len < sizeof(*in))
		return -EINVAL;
	r = inode_of(q, &i);
	if (r < 0)
		return r;
	return squash_read(q->sq, &i, in->offset, q->to, in->size < q->room ? in->size : q->room);
}

ssize_t fuse_answer_in_place(const struct request *q, struct squash_pieces *out)
{
	const struct fuse_read_in *in = q->arg;
	struct squash_inode i;

	out->n = 0;
	if (q->arg_len < sizeof(*in))
		return -EINVAL;
	if (inode_of(q, &i) < 0)
		return -EIO;
	return squash_pieces(q->sq, &i, in->offset, in->size < MAX_REPLY ? in->size : MAX_REPLY, out);
}

struct listing {
	const struct request *q;
	size_t len, size;
	bool plus;
};

/* Adds one name; false: it does not fit. i NULL: only its number and type are known. */
static bool list(struct listing *l, const char *name, size_t n, uint64_t number, mode_t type,
	uint64_t next, const struct squash_inode *i)
{
	size_t head = l->plus ? FUSE_NAME_OFFSET_DIRENTPLUS : FUSE_NAME_OFFSET;
	size_t need = FUSE_REC_ALIGN(head + n);
	char *at = (char *)l->q->to + l->len;
	struct fuse_dirent *d = (struct fuse_dirent *)(at + head - FUSE_NAME_OFFSET);

	if (need > l->size - l->len)
		return false;
	memset(at, 0, need);
	if (l->plus && i)
		fill_entry(l->q, i, (struct fuse_entry_out *)at);
	*d = (struct fuse_dirent){
		.ino = number, .off = next, .namelen = (uint32_t)n, .type = (type & S_IFMT) >> 12};
	memcpy(at + head, name, n);
	l->len += need;
	return true;
}

/* Offsets in a directory for the kernel: 1 is behind ".", 2 behind "..", then the image's + 2. */
static ssize_t list_dir(const struct request *q, bool plus)
{
	const struct fuse_read_in *in = q->arg;
	struct listing l = {.q = q, .plus = plus};
	struct squash_entry entry;
	struct squash_inode dir, i;
	struct squash_dir d;
	bool fits = true;
	int r;

	if (q->arg_len < sizeof(*in))
		return -EINVAL;
	l.size = in->size < q->room ? in->size : q->room;
	r = inode_of(q, &dir);
	if (r == 0)
		r = squash_dir_open(q->sq, &dir, in->offset > 2 ? in->offset - 2 : 0, &d);
	if (r < 0)
		return r;
	if (in->offset < 1)
		fits = list(&l, ".", 1, dir.number, S_IFDIR, 1, NULL);
	if (in->offset < 2 && fits)
		fits = list(&l, "..", 2, dir.number, S_IFDIR, 2, NULL);
	while (fits && (r = squash_dir_next(&d, &entry)) > 0) {
		bool whole = plus && squash_inode(q->sq, entry.ref, &i) == 0;

		fits = list(&l, entry.name, entry.len, entry.number, entry.type, entry.next + 2,
			whole ? &i : NULL);
	}
	squash_dir_done(&d);
	return r < 0 ? r : (ssize_t)l.len;
}

static ssize_t do_readdir(const struct request *q)
{
	return list_dir(q, false);
}

static ssize_t do_readdirplus(const struct request *q)
{
	return list_dir(q, true);
}

static ssize_t do_statfs(const struct request *q)
{
	const struct squash_info *n = squash_info(q->sq);
	struct fuse_statfs_out *o = q->to;

	*o = (struct fuse_statfs_out){.st = {.bsize = n->block_size,
					      .frsize = n->block_size,
					      .blocks = (n->bytes + n->block_size - 1) / n->block_size,
					      .files = n->inodes,
					      .namelen = 255}};
	return sizeof(*o);
}

/* If 0 is the only id, the kernel ignores file capabilities; as it asks for them at each exec, it is best to tell it
 * at once that there are none. */
static bool with_caps(const struct request *q)
{
	return q->ids->uids > 1;
}

static ssize_t sized(const struct request *q, uint32_t asked, ssize_t n)
{
	if (n < 0 || asked)
		return n;
	*(struct fuse_getxattr_out *)q->to = (struct fuse_getxattr_out){.size = (uint32_t)n};
	return sizeof(struct fuse_getxattr_out);
}

static ssize_t do_getxattr(const struct request *q)
{
	const struct fuse_getxattr_in *in = q->arg;
	const char *name = (const char *)(in + 1);
	struct squash_inode i;
	int r;

	if (!squash_has_xattrs(q->sq, with_caps(q)))
		return -ENOSYS;
	if (q->arg_len < sizeof(*in) || !memchr(name, '\0', q->arg_len - sizeof(*in)))
		return -EINVAL;
	if (strncmp(name, "user.", 5) != 0 && !(with_caps(q) && strcmp(name, "security.capability") == 0))
		return -ENODATA;
	r = inode_of(q, &i);
	if (r < 0)
		return r;
	return sized(q, in->size,
		squash_getxattr(q->sq, &i, name, q->to, in->size < q->room ? in->size : q->room));
}

static ssize_t do_listxattr(const struct request *q)
{
	const struct fuse_getxattr_in *in = q->arg;
	struct squash_inode i;
	int r;

	if (!squash_has_xattrs(q->sq, with_caps(q)))
		return -ENOSYS;
	if (q->arg_len < sizeof(*in))
		return -EINVAL;
	r = inode_of(q, &i);
	if (r < 0)
		return r;
	return sized(q, in->size,
		squash_listxattr(q->sq, &i, with_caps(q), q->to, in->size < q->room ? in->size : q->room));
}

static ssize_t do_nothing(const struct request *q)
{
	(void)q;
	return 0;
}

static ssize_t do_refuse(const struct request *q)
{
	(void)q;
	return -EROFS;
}

/* Requests without a row are answered ENOSYS, after which the kernel does not send them any more: above all OPEN and
 * OPENDIR (so it keeps pages and listings across opens), ACCESS, FLUSH, INTERRUPT, LSEEK, POLL. */
static ssize_t (*const handlers[])(const struct request *) = {
	[FUSE_INIT] = do_init,
	[FUSE_LOOKUP] = do_lookup,
	[FUSE_GETATTR] = do_getattr,
	[FUSE_READLINK] = do_readlink,
	[FUSE_READ] = do_read,
	[FUSE_READDIR] = do_readdir,
	[FUSE_READDIRPLUS] = do_readdirplus,
	[FUSE_STATFS] = do_statfs,
	[FUSE_GETXATTR] = do_getxattr,
	[FUSE_LISTXATTR] = do_listxattr,
	[FUSE_DESTROY] = do_nothing,
	[FUSE_SETATTR] = do_refuse,
	[FUSE_SYMLINK] = do_refuse,
	[FUSE_MKNOD] = do_refuse,
	[FUSE_MKDIR] = do_refuse,
	[FUSE_UNLINK] = do_refuse,
	[FUSE_RMDIR] = do_refuse,
	[FUSE_RENAME] = do_refuse,
	[FUSE_RENAME2] = do_refuse,
	[FUSE_LINK] = do_refuse,
	[FUSE_WRITE] = do_refuse,
	[FUSE_SETXATTR] = do_refuse,
	[FUSE_REMOVEXATTR] = do_refuse,
	[FUSE_CREATE] = do_refuse,
};

size_t fuse_room(const struct fuse_in_header *h)
{
	uint32_t size = 0;

	switch (h->opcode) {
	case FUSE_READ:
	case FUSE_READDIR:
	case FUSE_READDIRPLUS:
		if (h->len >= sizeof(*h) + sizeof(struct fuse_read_in))
			size = ((const struct fuse_read_in *)(h + 1))->size;
		break;
	case FUSE_GETXATTR:
	case FUSE_LISTXATTR:
		if (h->len >= sizeof(*h) + sizeof(struct fuse_getxattr_in))
			size = ((const struct fuse_getxattr_in *)(h + 1))->size;
		break;
	default:
		break;
	}
	return size < SMALL_REPLY ? SMALL_REPLY : size < MAX_REPLY ? size : MAX_REPLY;
}

ssize_t fuse_answer(const struct request *q)
{
	uint32_t op = q->h->opcode;

	return op < ARRAY_LEN(handlers) && handlers[op] ? handlers[op](q) : -ENOSYS;
}

bool fuse_began_program(const struct request *q, const struct squash_pieces *p)
{
	const struct fuse_read_in *in = q->arg;

	return p->n > 0 && in->offset == 0 && p->at[0].iov_len > 4 &&
	       memcmp(p->at[0].iov_base, "\177ELF", 4) == 0;
}

void fuse_read_ahead(struct squash *sq, uint64_t node)
{
	struct squash_inode i;

	if (inode_at(sq, node, &i) == 0)
		squash_ahead(sq, &i);
}
