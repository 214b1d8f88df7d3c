/* SPDX-License-Identifier: Apache-2.0 */
#include "pack.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>

#include <sqfs/block_processor.h>
#include <sqfs/block_writer.h>
#include <sqfs/compressor.h>
#include <sqfs/dir_writer.h>
#include <sqfs/error.h>
#include <sqfs/frag_table.h>
#include <sqfs/id_table.h>
#include <sqfs/inode.h>
#include <sqfs/io.h>
#include <sqfs/meta_writer.h>
#include <sqfs/super.h>
#include <sqfs/xattr_writer.h>

#define START_SIZE (8 << 20)   /* after so many bytes, writing to the disk is started */
#define BLOCK_SIZE (128 << 10) /* larger blocks compress better, but make small reads slower */

/* libsquashfs reports every failed write as "I/O error", so errno is kept here: a full disk must be called one. */
struct out {
	sqfs_file_t base;
	int fd;
	int sys;
	sqfs_u64 size;
	sqfs_u64 started; /* up to here, writing to the disk was started */
};

struct pack {
	struct out out;
	sqfs_super_t super;
	sqfs_compressor_t *cmp, *uncmp;
	sqfs_block_writer_t *blocks;
	sqfs_frag_table_t *frags;
	sqfs_block_processor_t *data;
	sqfs_id_table_t *ids;
	sqfs_xattr_writer_t *xattrs;
	sqfs_meta_writer_t *inodes, *dirs;
	sqfs_dir_writer_t *dir;
	uint32_t n_inodes;
};

/* ---- the file ---- */

static void out_destroy(sqfs_object_t *o)
{
	(void)o; /* part of struct pack */
}

static int out_read(sqfs_file_t *f, sqfs_u64 offset, void *buffer, size_t size)
{
	struct out *o = (struct out *)f;
	char *at = buffer;

	while (size > 0) {
		ssize_t n = pread(o->fd, at, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			o->sys = n < 0 ? errno : 0;
			return n < 0 ? SQFS_ERROR_IO : SQFS_ERROR_OUT_OF_BOUNDS;
		}
		at += n;
		offset += (size_t)n;
		size -= (size_t)n;
	}
	return 0;
}

/* Starts writing to the disk early, so that the fsync() at the end has little to wait for. */
static void start_writing(struct out *o)
{
	if (o->size < o->started + START_SIZE)
		return;
	(void)sync_file_range(o->fd, (off_t)o->started, (off_t)(o->size - o->started),
		SYNC_FILE_RANGE_WRITE); /* best effort */
	o->started = o->size;
}

static int out_write(sqfs_file_t *f, sqfs_u64 offset, const void *buffer, size_t size)
{
	struct out *o = (struct out *)f;
	const char *at = buffer;

	while (size > 0) {
		ssize_t n = pwrite(o->fd, at, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			o->sys = errno;
			return SQFS_ERROR_IO;
		}
		at += n;
		offset += (size_t)n;
		size -= (size_t)n;
	}
	if (offset > o->size)
		o->size = offset;
	start_writing(o);
	return 0;
}

static sqfs_u64 out_size(const sqfs_file_t *f)
{
	return ((const struct out *)f)->size;
}

static int out_truncate(sqfs_file_t *f, sqfs_u64 size)
{
	struct out *o = (struct out *)f;

	if (ftruncate(o->fd, (off_t)size) < 0) {
		o->sys = errno;
		return SQFS_ERROR_IO;
	}
	o->size = size;
	o->started = o->started < size ? o->started : size;
	return 0;
}

static int failed(struct pack *p, int code, const char *what, struct err *e)
{
	if (p->out.sys) {
		errno = p->out.sys;
		return err_sys(e, "write the squashfs image");
	}
	if (code == SQFS_ERROR_ALLOC)
		return err_set(e, ERR_SYSTEM, "%s: out of memory", what);
	return err_set(e, ERR_SYSTEM, "%s: libsquashfs error %d", what, code);
}

/* ---- data ---- */

static unsigned processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : (unsigned)CPU_COUNT(&set);
}

static int make_compressors(struct pack *p, int level, struct err *e)
{
	sqfs_compressor_config_t cfg;
	int code;

	(void)sqfs_compressor_config_init(&cfg, SQFS_COMP_ZSTD, BLOCK_SIZE, 0); /* no flags: no error */
	cfg.level = (sqfs_u32)level;
	code = sqfs_compressor_create(&cfg, &p->cmp);
	if (code == 0) {
		cfg.flags |= SQFS_COMP_FLAG_UNCOMPRESS;
		code = sqfs_compressor_create(&cfg, &p->uncmp);
	}
	return code ? failed(p, code, "zstd", e) : 0;
}

static int begin_image(struct pack *p, struct err *e)
{
	/* The time of creation is 0, so that the same content gives the same file. */
	int code = sqfs_super_init(&p->super, BLOCK_SIZE, 0, SQFS_COMP_ZSTD);

	if (code == 0)
		code = sqfs_super_write(&p->super, &p->out.base);
	if (code == 0)
		code = p->cmp->write_options(p->cmp, &p->out.base);
	if (code > 0)
		p->super.flags |= SQFS_FLAG_COMPRESSOR_OPTIONS;
	return code < 0 ? failed(p, code, "begin the squashfs image", e) : 0;
}

static int make_processor(struct pack *p, struct err *e)
{
	unsigned workers = processors();
	sqfs_block_processor_desc_t desc = {
		.size = sizeof(desc),
		.max_block_size = BLOCK_SIZE,
		.num_workers = workers,
		.max_backlog = 16 * workers,
		.cmp = p->cmp,
		.uncmp = p->uncmp,
		.file = &p->out.base,
	};
	int code;

	p->blocks = sqfs_block_writer_create(&p->out.base, SQFS_DEVBLK_SIZE, 0);
	p->frags = sqfs_frag_table_create(0);
	p->ids = sqfs_id_table_create(0);
	p->xattrs = sqfs_xattr_writer_create(0);
	p->inodes = sqfs_meta_writer_create(&p->out.base, p->cmp, 0);
	p->dirs = sqfs_meta_writer_create(&p->out.base, p->cmp, SQFS_META_WRITER_KEEP_IN_MEMORY);
	if (!p->blocks || !p->frags || !p->ids || !p->xattrs || !p->inodes || !p->dirs)
		return failed(p, SQFS_ERROR_ALLOC, "squashfs", e);
	p->dir = sqfs_dir_writer_create(p->dirs, 0);
	desc.wr = p->blocks;
	desc.tbl = p->frags;
	code = p->dir ? sqfs_block_processor_create_ex(&desc, &p->data) : SQFS_ERROR_ALLOC;
	return code ? failed(p, code, "squashfs", e) : 0;
}

struct pack *pack_open(int fd, int level, struct err *e)
{
	struct pack *p = xcalloc(1, sizeof(*p));

	p->out.base = (sqfs_file_t){
		.base = {.destroy = out_destroy},
		.read_at = out_read,
		.write_at = out_write,
		.get_size = out_size,
		.truncate = out_truncate,
	};
	p->out.fd = fd;
	if (make_compressors(p, level, e) == 0 && begin_image(p, e) == 0 && make_processor(p, e) == 0)
		return p;
	pack_close(p);
	return NULL;
}

void pack_close(struct pack *p)
{
	if (!p)
		return;
	sqfs_destroy(p->data);
	sqfs_destroy(p->dir);
	sqfs_destroy(p->dirs);
	sqfs_destroy(p->inodes);
	sqfs_destroy(p->xattrs);
	sqfs_destroy(p->ids);
	sqfs_destroy(p->frags);
	sqfs_destroy(p->blocks);
	sqfs_destroy(p->uncmp);
	sqfs_destroy(p->cmp);
	free(p);
}

int pack_begin(struct pack *p, struct node *n, struct err *e)
{
	int code = sqfs_block_processor_begin_file(p->data, (sqfs_inode_generic_t **)&n->inode, NULL, 0);

	return code ? failed(p, code, n->name, e) : 0;
}

int pack_data(struct pack *p, const void *bytes, size_t n, struct err *e)
{
	int code = sqfs_block_processor_append(p->data, bytes, n);

	return code ? failed(p, code, "data", e) : 0;
}

int pack_end(struct pack *p, struct err *e)
{
	int code = sqfs_block_processor_end_file(p->data);

	return code ? failed(p, code, "data", e) : 0;
}

/* ---- inodes and directories ---- */

static struct node *real(struct node *n)
{
	while (n->link)
		n = n->link;
	return n;
}

/* Numbers every inode, and counts its names. */
static void number(struct pack *p, struct node *dir)
{
	if (!dir->number)
		dir->number = ++p->n_inodes;
	for (struct node *n = dir->children; n; n = n->next) {
		struct node *inode = real(n);

		inode->links++;
		if (!inode->number)
			inode->number = ++p->n_inodes;
		if (S_ISDIR(n->mode) && !n->link)
			number(p, n);
	}
}

static sqfs_inode_generic_t *make_inode(const struct node *n)
{
	size_t target = S_ISLNK(n->mode) ? strlen(n->target) : 0;
	sqfs_inode_generic_t *i = xcalloc(1, sizeof(*i) + target + 1);

	switch (n->mode & S_IFMT) {
	case S_IFREG:
		i->base.type = SQFS_INODE_FILE;
		i->data.file.fragment_index = 0xffffffff;
		break;
	case S_IFLNK:
		i->base.type = SQFS_INODE_SLINK;
		i->data.slink.nlink = n->links;
		i->data.slink.target_size = (sqfs_u32)target;
		memcpy(i->extra, n->target, target);
		break;
	case S_IFIFO:
		i->base.type = SQFS_INODE_FIFO;
		i->data.ipc.nlink = n->links;
		break;
	default:
		i->base.type = S_ISCHR(n->mode) ? SQFS_INODE_CDEV : SQFS_INODE_BDEV;
		i->data.dev.nlink = n->links;
		i->data.dev.devno = n->rdev;
	}
	return i;
}

static int xattr_index(struct pack *p, const struct node *n, sqfs_u32 *out)
{
	int code = sqfs_xattr_writer_begin(p->xattrs, 0);

	for (const struct xattr *x = n->xattrs; x && code == 0; x = x->next)
		code = sqfs_xattr_writer_add(p->xattrs, x->name, x->value, x->size);
	if (n->opaque && code == 0)
		code = sqfs_xattr_writer_add(p->xattrs, "user.overlay.opaque", "y", 1);
	return code ? code : sqfs_xattr_writer_end(p->xattrs, out);
}

static sqfs_u32 squash_time(int64_t t)
{
	return t < 0 ? 0 : t > UINT32_MAX ? UINT32_MAX : (sqfs_u32)t;
}

/* A file with several names or with attributes needs squashfs's extended form of inodes. */
static int extend(struct node *n, sqfs_inode_generic_t *i, sqfs_u32 xattr)
{
	int code = 0;

	if (S_ISREG(n->mode) && (n->links > 1 || xattr != 0xffffffff)) {
		code = sqfs_inode_make_extended(i);
		if (code == 0)
			i->data.file_ext.nlink = n->links;
	}
	if (code == 0 && !S_ISDIR(n->mode) && xattr != 0xffffffff)
		code = sqfs_inode_set_xattr_index(i, xattr);
	return code;
}

static int write_inode(struct pack *p, struct node *n, sqfs_inode_generic_t *i, sqfs_u32 xattr)
{
	sqfs_u64 block;
	sqfs_u32 offset;
	int code = extend(n, i, xattr);

	if (code == 0)
		code = sqfs_id_table_id_to_index(p->ids, n->uid, &i->base.uid_idx);
	if (code == 0)
		code = sqfs_id_table_id_to_index(p->ids, n->gid, &i->base.gid_idx);
	if (code)
		return code;
	i->base.mode = (sqfs_u16)n->mode;
	i->base.mod_time = squash_time(n->mtime);
	i->base.inode_number = n->number;
	sqfs_meta_writer_get_position(p->inodes, &block, &offset);
	n->ref = block << 16 | offset;
	n->written = true;
	return sqfs_meta_writer_write_inode(p->inodes, i);
}

static int write_dir(struct pack *p, struct node *dir, uint32_t parent);

static int write_node(struct pack *p, struct node *n, uint32_t parent)
{
	sqfs_inode_generic_t *i;
	sqfs_u32 xattr;
	int code;

	if (n->written)
		return 0;
	if (S_ISDIR(n->mode))
		return write_dir(p, n, parent);
	code = xattr_index(p, n, &xattr);
	if (code)
		return code;
	i = n->inode ? n->inode : make_inode(n);
	n->inode = i;
	return write_inode(p, n, i, xattr);
}

/* Writes a directory's content before the directory, since its entries have the locations of inodes. */
static int write_dir(struct pack *p, struct node *dir, uint32_t parent)
{
	sqfs_inode_generic_t *i;
	sqfs_u32 xattr, names = 2;
	int code = 0;

	for (struct node *n = dir->children; n && code == 0; n = n->next)
		code = write_node(p, real(n), dir->number);
	if (code == 0)
		code = sqfs_dir_writer_begin(p->dir, 0);
	for (struct node *n = dir->children; n && code == 0; n = n->next) {
		struct node *inode = real(n);

		names += S_ISDIR(inode->mode);
		code = sqfs_dir_writer_add_entry(
			p->dir, n->name, inode->number, inode->ref, (sqfs_u16)inode->mode);
	}
	if (code == 0)
		code = sqfs_dir_writer_end(p->dir);
	if (code == 0)
		code = xattr_index(p, dir, &xattr);
	if (code)
		return code;
	i = sqfs_dir_writer_create_inode(p->dir, 0, xattr, parent);
	if (!i)
		return SQFS_ERROR_ALLOC;
	if (i->base.type == SQFS_INODE_EXT_DIR)
		i->data.dir_ext.nlink = names;
	else
		i->data.dir.nlink = names;
	code = write_inode(p, dir, i, xattr);
	sqfs_free(i);
	return code;
}

static void sort_all(struct node *dir)
{
	tree_sort(dir);
	for (struct node *n = dir->children; n; n = n->next)
		if (S_ISDIR(n->mode))
			sort_all(n);
}

static int write_tables(struct pack *p, const struct tree *t)
{
	sqfs_file_t *f = &p->out.base;
	int code = sqfs_meta_writer_flush(p->inodes);

	if (code == 0)
		code = sqfs_meta_writer_flush(p->dirs);
	p->super.root_inode_ref = t->root->ref;
	p->super.directory_table_start = f->get_size(f);
	if (code == 0)
		code = sqfs_meta_write_write_to_file(p->dirs);
	if (code == 0)
		code = sqfs_frag_table_write(p->frags, f, &p->super, p->cmp);
	if (code == 0)
		code = sqfs_id_table_write(p->ids, f, &p->super, p->cmp);
	if (code == 0)
		code = sqfs_xattr_writer_flush(p->xattrs, f, &p->super, p->cmp);
	p->super.inode_count = p->n_inodes;
	p->super.bytes_used = f->get_size(f);
	return code ? code : sqfs_super_write(&p->super, f);
}

/* Pads the file, as loop devices and the kernel read whole pages. */
static int pad(struct pack *p)
{
	sqfs_u64 rest = p->super.bytes_used % SQFS_DEVBLK_SIZE;

	return rest ? out_truncate(&p->out.base, p->super.bytes_used + SQFS_DEVBLK_SIZE - rest) : 0;
}

int pack_finish(struct pack *p, struct tree *t, struct err *e)
{
	int code = sqfs_block_processor_finish(p->data);

	sort_all(t->root);
	number(p, t->root);
	p->super.inode_table_start = p->out.size;
	if (code == 0)
		code = write_dir(p, t->root, p->n_inodes + 1);
	if (code == 0)
		code = write_tables(p, t);
	if (code == 0)
		code = pad(p);
	if (code == 0 && fsync(p->out.fd) < 0 && errno != EINVAL) {
		p->out.sys = errno;
		code = SQFS_ERROR_IO;
	}
	return code ? failed(p, code, "write the squashfs image", e) : 0;
}
