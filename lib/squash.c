/* SPDX-License-Identifier: Apache-2.0 */
#include "squash.h"

#include "auto.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#undef _POSIX_C_SOURCE /* squashfuse's config.h states its own */
#include <decompress.h>
#include <squashfs_fs.h>

#define META         SQUASHFS_METADATA_SIZE
#define NONE         0xffffffffu /* no fragment, no extended attributes */
#define NO_TABLE     UINT64_MAX
#define STORED_PLAIN (1u << 24) /* in the size of a data block */
#define HINTS        64

/* Where block `index` of a file is, found the last time: block lists are chains of sizes. */
struct hint {
	uint64_t ref, index, pos;
	struct squash_at at;
};

struct squash {
	int fd;
	struct blocks *cache;
	struct squash_info info;
	sqfs_decompressor unpack;
	uint64_t used; /* bytes of the file which are the image */
	uint64_t inodes_at, dirs_at, frags_at, xattr_ids_at, xattrs_at;
	uint32_t n_frags, n_ids, n_xattrs;
	uint32_t *ids;
	pthread_mutex_t lock; /* of what is below */
	struct hint hints[HINTS];
	enum { XATTR_USER = 1, XATTR_CAPS = 2, XATTR_LOOKED = 4 } xattrs;
};

static uint16_t get16(const unsigned char *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static uint32_t get32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static uint64_t get64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

static ssize_t read_at(const struct squash *sq, void *buf, size_t n, uint64_t pos)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(sq->fd, (char *)buf + done, n - done, (off_t)(pos + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : (ssize_t)done;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static bool inside(const struct squash *sq, uint64_t pos, uint64_t n)
{
	return pos >= sizeof(struct squashfs_super_block) && pos <= sq->used && n <= sq->used - pos;
}

/* ---- metadata: blocks of 8 KiB, each behind two bytes of length ---- */

static int meta_load(struct squash *sq, struct block *b)
{
	unsigned char raw[2 + META];
	uint64_t room = sq->used - b->pos;
	ssize_t got = read_at(sq, raw, room < sizeof(raw) ? room : sizeof(raw), b->pos);
	size_t size = META;
	uint32_t len;

	if (got < 2)
		return -EIO;
	len = get16(raw) & 0x7fff;
	if (len == 0 || len > META || len + 2 > (size_t)got)
		return -EIO;
	if (get16(raw) & SQUASHFS_COMPRESSED_BIT) /* the format's name for a bit which says: not */
		memcpy(b->data, raw + 2, size = len);
	else if (sq->unpack(raw + 2, len, b->data, &size) != SQFS_OK)
		return -EIO;
	if (size == 0 || size > META)
		return -EIO;
	blocks_ready(b, (uint32_t)size, len + 2);
	return 0;
}

static struct block *meta_block(struct squash *sq, uint64_t pos)
{
	struct block *b;
	bool mine;

	if (!inside(sq, pos, 3))
		return NULL;
	b = blocks_get(sq->cache, sq, pos, META, &mine);
	if (b && mine && meta_load(sq, b) < 0) {
		blocks_failed(b);
		return NULL;
	}
	if (b && b->size > META) { /* a block of data, which the image also calls metadata */
		block_put(b);
		return NULL;
	}
	return b;
}

/* Copies n bytes (or passes over them: buf NULL) and moves `at` behind them. *held is the block at
 * `at` or NULL; it stays held for the next call. */
static int meta_read_on(struct squash *sq, struct squash_at *at, struct block **held, void *buf, size_t n)
{
	while (n > 0) {
		struct block *b = *held;
		size_t part;

		if (!b)
			b = *held = meta_block(sq, at->block);
		if (!b || at->off >= b->size)
			return -EIO;
		part = b->size - at->off < n ? b->size - at->off : n;
		if (buf) {
			memcpy(buf, b->data + at->off, part);
			buf = (char *)buf + part;
		}
		n -= part;
		at->off += (uint32_t)part;
		if (at->off == b->size) {
			*at = (struct squash_at){at->block + b->stored, 0};
			block_put(b);
			*held = NULL;
		}
	}
	return 0;
}

static int meta_read(struct squash *sq, struct squash_at *at, void *buf, size_t n)
{
	struct block *held = NULL;
	int r = meta_read_on(sq, at, &held, buf, n);

	block_put(held);
	return r;
}

/* Row `i` of a table whose list of blocks begins at `table`. */
static int table_row(struct squash *sq, uint64_t table, uint64_t i, void *row, size_t size)
{
	uint64_t byte = i * size, list = table + byte / META * 8;
	unsigned char raw[8];
	struct squash_at at;

	if (!inside(sq, list, 8) || read_at(sq, raw, 8, list) != 8)
		return -EIO;
	at = (struct squash_at){get64(raw), byte % META};
	return meta_read(sq, &at, row, size);
}

/* ---- the image ---- */

static const char *const compressors[] = {NULL, "gzip", "lzma", "lzo", "xz", "lz4", "zstd"};

static int check_tables(struct squash *sq, const unsigned char *s, const char *name, struct err *e)
{
	uint64_t ids = get64(s + 48), xattrs = get64(s + 56), frags = get64(s + 80);
	const char *what = NULL;
	unsigned char raw[16];

	if (!inside(sq, sq->inodes_at, 3) || !inside(sq, sq->dirs_at, 0) || sq->dirs_at < sq->inodes_at)
		what = "inode and directory tables";
	else if (!inside(sq, ids, 8) || sq->n_ids == 0)
		what = "id table";
	else if (sq->n_frags && !inside(sq, frags, 8))
		what = "fragment table";
	else if (xattrs != NO_TABLE && (!inside(sq, xattrs, 16) || read_at(sq, raw, 16, xattrs) != 16))
		what = "extended attribute table";
	if (what)
		return err_set(e, ERR_CORRUPT,
			"%s: corrupt squashfs image: its %s lies outside of it", name, what);
	if (xattrs != NO_TABLE) {
		sq->xattrs_at = get64(raw);
		sq->n_xattrs = get32(raw + 8);
		sq->xattr_ids_at = xattrs + 16;
	}
	sq->ids = xcalloc(sq->n_ids, sizeof(*sq->ids));
	for (uint32_t i = 0; i < sq->n_ids; i++) {
		if (table_row(sq, ids, i, raw, 4) < 0)
			return err_set(e, ERR_CORRUPT,
				"%s: corrupt squashfs image: its id table "
				"cannot be read",
				name);
		sq->ids[i] = get32(raw);
	}
	return 0;
}

static int check_super(struct squash *sq, const char *name, struct err *e)
{
	unsigned char s[sizeof(struct squashfs_super_block)];
	struct stat st;
	unsigned packer;
	uint32_t bs;

	static_assert(sizeof(struct squashfs_super_block) == 96, "as it stands on disk");
	if (fstat(sq->fd, &st) < 0)
		return err_sys(e, "%s", name);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_CORRUPT, "%s: not a regular file", name);
	if (read_at(sq, s, sizeof(s), 0) != sizeof(s) || get32(s) != SQUASHFS_MAGIC)
		return err_set(e, ERR_CORRUPT, "%s: not a squashfs image", name);
	if (get16(s + 28) != 4 || get16(s + 30) != 0)
		return err_set(e, ERR_UNSUPPORTED, "%s: squashfs version %u.%u, only 4.0 can be read",
			name, get16(s + 28), get16(s + 30));
	sq->used = get64(s + 40);
	if (sq->used > (uint64_t)st.st_size)
		return err_set(e, ERR_CORRUPT, "%s: truncated: %llu bytes of %llu", name,
			(unsigned long long)st.st_size, (unsigned long long)sq->used);
	bs = get32(s + 12);
	if (bs < 4096 || bs > SQUASHFS_FILE_MAX_SIZE || (bs & (bs - 1)) || get16(s + 22) > 20 ||
		bs != 1u << get16(s + 22))
		return err_set(
			e, ERR_CORRUPT, "%s: corrupt squashfs image: a block size of %u", name, bs);
	packer = get16(s + 20);
	sq->unpack = sqfs_decompressor_get(packer);
	if (!sq->unpack)
		return err_set(e, ERR_UNSUPPORTED,
			"%s: compressed with %s, which cannot be read here", name,
			packer < ARRAY_LEN(compressors) && packer ? compressors[packer]
								  : "an unknown method");
	sq->info = (struct squash_info){sq->used, get32(s + 4), bs, get64(s + 32)};
	sq->n_frags = get32(s + 16);
	sq->n_ids = get16(s + 26);
	sq->inodes_at = get64(s + 64);
	sq->dirs_at = get64(s + 72);
	sq->frags_at = get64(s + 80);
	return check_tables(sq, s, name, e);
}

void squash_free(struct squash *sq)
{
	if (!sq)
		return;
	blocks_forget(sq->cache, sq);
	if (sq->fd >= 0)
		(void)close(sq->fd); /* read only */
	pthread_mutex_destroy(&sq->lock);
	free(sq->ids);
	free(sq);
}

struct squash *squash_open(int fd, const char *name, struct blocks *cache, struct err *e)
{
	struct squash *sq = xcalloc(1, sizeof(*sq));
	struct squash_inode root;

	sq->fd = fd;
	sq->cache = cache;
	pthread_mutex_init(&sq->lock, NULL);
	if (check_super(sq, name, e) < 0)
		goto fail;
	if (squash_inode(sq, sq->info.root, &root) < 0 || !S_ISDIR(root.mode)) {
		(void)err_set(e, ERR_CORRUPT, "%s: corrupt squashfs image: no root directory", name);
		goto fail;
	}
	return sq;
fail:
	sq->fd = -1; /* stays the caller's */
	squash_free(sq);
	return NULL;
}

const struct squash_info *squash_info(const struct squash *sq)
{
	return &sq->info;
}

/* ---- inodes ---- */

static const mode_t types[] = {0, S_IFDIR, S_IFREG, S_IFLNK, S_IFBLK, S_IFCHR, S_IFIFO, S_IFSOCK,
	S_IFDIR, S_IFREG, S_IFLNK, S_IFBLK, S_IFCHR, S_IFIFO, S_IFSOCK};
static const size_t sizes[] = {0, 32, 32, 24, 24, 24, 20, 20, 40, 56, 24, 28, 28, 24, 24};
static_assert(ARRAY_LEN(types) == SQUASHFS_LSOCKET_TYPE + 1, "every type of inode");
static_assert(ARRAY_LEN(sizes) == ARRAY_LEN(types), "every type of inode has its size");

static void take_reg(struct squash_inode *o, const unsigned char *p, bool large)
{
	o->start = large ? get64(p + 16) : get32(p + 16);
	o->size = large ? get64(p + 24) : get32(p + 28);
	o->nlink = large ? get32(p + 40) : 1;
	o->frag = get32(p + (large ? 44 : 20));
	o->frag_off = get32(p + (large ? 48 : 24));
	if (large)
		o->xattr = get32(p + 52);
}

static void take_dir(struct squash_inode *o, const unsigned char *p, bool large)
{
	o->nlink = get32(p + (large ? 16 : 20));
	o->size = large ? get32(p + 20) : get16(p + 24);
	o->start = get32(p + (large ? 24 : 16));
	o->listing_off = get16(p + (large ? 34 : 26));
	if (large) {
		o->n_index = get16(p + 32);
		o->xattr = get32(p + 36);
	}
}

static int take_link(struct squash *sq, struct squash_inode *o, const unsigned char *p, bool large)
{
	struct squash_at at = o->rest;
	unsigned char raw[4];

	o->nlink = get32(p + 16);
	o->size = get32(p + 20);
	if (o->size > 65535)
		return -EIO;
	if (!large)
		return 0;
	if (meta_read(sq, &at, NULL, o->size) < 0 || meta_read(sq, &at, raw, 4) < 0)
		return -EIO;
	o->xattr = get32(raw);
	return 0;
}

static void take_special(struct squash_inode *o, const unsigned char *p, bool large)
{
	bool dev = S_ISCHR(o->mode) || S_ISBLK(o->mode);
	uint32_t rdev = dev ? get32(p + 20) : 0;

	o->nlink = get32(p + 16);
	o->rdev_major = rdev >> 8 & 0xfff;
	o->rdev_minor = (rdev & 0xff) | (rdev >> 12 & 0xfff00);
	if (large)
		o->xattr = get32(p + (dev ? 24 : 20));
}

int squash_inode(struct squash *sq, uint64_t ref, struct squash_inode *out)
{
	struct squash_at at = {sq->inodes_at + (ref >> 16), ref & 0xffff};
	struct block *held = NULL;
	unsigned char p[56];
	unsigned type = 0;
	bool large;
	int r;

	if (ref >> 48)
		return -EIO;
	r = meta_read_on(sq, &at, &held, p, 16);
	if (r == 0) {
		type = get16(p);
		if (type == 0 || type >= ARRAY_LEN(types))
			r = -EIO;
		else
			r = meta_read_on(sq, &at, &held, p + 16, sizes[type] - 16);
	}
	block_put(held);
	if (r < 0 || get16(p + 4) >= sq->n_ids || get16(p + 6) >= sq->n_ids)
		return -EIO;
	*out = (struct squash_inode){.ref = ref,
		.mode = types[type] | (get16(p + 2) & 07777),
		.uid = sq->ids[get16(p + 4)],
		.gid = sq->ids[get16(p + 6)],
		.mtime = get32(p + 8),
		.number = get32(p + 12),
		.xattr = NONE,
		.frag = NONE,
		.rest = at};
	large = type >= SQUASHFS_LDIR_TYPE;
	switch (out->mode & S_IFMT) {
	case S_IFREG:
		take_reg(out, p, large);
		return out->size > INT64_MAX ? -EIO : 0;
	case S_IFDIR:
		take_dir(out, p, large);
		return 0;
	case S_IFLNK:
		return take_link(sq, out, p, large);
	default:
		take_special(out, p, large);
		return 0;
	}
}

ssize_t squash_readlink(struct squash *sq, const struct squash_inode *i, char *buf, size_t size)
{
	struct squash_at at = i->rest;
	size_t n = i->size < size ? i->size : size;

	if (!S_ISLNK(i->mode))
		return -EINVAL;
	return meta_read(sq, &at, buf, n) < 0 ? -EIO : (ssize_t)n;
}

/* ---- data ---- */

/* A block of data as the image stores it, unpacked to at most `room` bytes; how many. */
static ssize_t data_unpack(struct squash *sq, uint64_t pos, uint32_t word, void *out, size_t room)
{
	uint32_t stored = word & (STORED_PLAIN - 1);
	bool plain = word & STORED_PLAIN;
	auto_free void *packed = NULL;

	if (stored == 0 || stored > sq->info.block_size || !inside(sq, pos, stored))
		return -EIO;
	if (plain && stored > room)
		return -EIO;
	if (!plain && !(packed = malloc(stored)))
		return -ENOMEM;
	if (read_at(sq, plain ? out : packed, stored, pos) != (ssize_t)stored)
		return -EIO;
	if (plain)
		return stored;
	if (sq->unpack(packed, stored, out, &room) != SQFS_OK)
		return -EIO;
	return (ssize_t)room;
}

static struct block *data_block(struct squash *sq, uint64_t pos, uint32_t word)
{
	struct block *b;
	ssize_t size;
	bool mine;

	b = blocks_get(sq->cache, sq, pos, sq->info.block_size, &mine);
	if (!b || !mine)
		return b;
	size = data_unpack(sq, pos, word, b->data, b->cap);
	if (size < 0) {
		blocks_failed(b);
		return NULL;
	}
	blocks_ready(b, (uint32_t)size, word & (STORED_PLAIN - 1));
	return b;
}

/* n bytes at `off` of a block which holds at least `want`. */
static int copy_part(struct squash *sq, uint64_t pos, uint32_t word, uint32_t want, uint32_t off,
	void *out, uint32_t n)
{
	struct block *b;
	int r = 0;

	if (off == 0 && n == want) {
		/* All of it goes to the kernel's page cache; keeping it here too would only
		 * push out what is asked for in pieces. */
		b = blocks_peek(sq->cache, sq, pos);
		if (!b)
			return data_unpack(sq, pos, word, out, want) == want ? 0 : -EIO;
	} else {
		b = data_block(sq, pos, word);
	}
	if (!b || b->size < want)
		r = -EIO;
	else
		memcpy(out, b->data + off, n);
	block_put(b);
	return r;
}

static int copy_fragment(
	struct squash *sq, const struct squash_inode *i, uint32_t off, void *out, uint32_t n)
{
	unsigned char row[16];
	struct block *b;
	int r = 0;

	if (i->frag >= sq->n_frags || table_row(sq, sq->frags_at, i->frag, row, sizeof(row)) < 0)
		return -EIO;
	b = data_block(sq, get64(row), get32(row + 8));
	if (!b || (uint64_t)i->frag_off + off + n > b->size)
		r = -EIO;
	else
		memcpy(out, b->data + i->frag_off + off, n);
	block_put(b);
	return r;
}

struct chain { /* of a file's blocks */
	struct squash_at at;
	struct block *held;
	uint64_t pos;
};

static struct hint *hint_of(struct squash *sq, uint64_t ref)
{
	return &sq->hints[(ref ^ ref >> 16) % HINTS];
}

static int chain_next(struct squash *sq, struct chain *c, uint64_t *pos, uint32_t *word)
{
	unsigned char raw[4];

	if (meta_read_on(sq, &c->at, &c->held, raw, 4) < 0)
		return -EIO;
	*pos = c->pos;
	*word = get32(raw);
	c->pos += *word & (STORED_PLAIN - 1);
	return 0;
}

/* The chain at block k. */
static int chain_seek(struct squash *sq, const struct squash_inode *i, uint64_t k, struct chain *c)
{
	struct hint *h = hint_of(sq, i->ref);
	uint64_t at = 0, pos;
	uint32_t word;

	*c = (struct chain){.at = i->rest, .pos = i->start};
	pthread_mutex_lock(&sq->lock);
	if (h->ref == i->ref && h->index && h->index <= k) {
		at = h->index;
		c->at = h->at;
		c->pos = h->pos;
	}
	pthread_mutex_unlock(&sq->lock);
	for (; at < k; at++)
		if (chain_next(sq, c, &pos, &word) < 0)
			return -EIO;
	return 0;
}

static void chain_done(struct squash *sq, const struct squash_inode *i, uint64_t k, struct chain *c)
{
	pthread_mutex_lock(&sq->lock);
	*hint_of(sq, i->ref) = (struct hint){i->ref, k, c->pos, c->at};
	pthread_mutex_unlock(&sq->lock);
	block_put(c->held);
}

static int read_blocks(struct squash *sq, const struct squash_inode *i, uint64_t off, char *buf, size_t n)
{
	const uint32_t bs = sq->info.block_size;
	uint64_t k = off / bs;
	struct chain c;
	int r = chain_seek(sq, i, k, &c);

	while (r == 0 && n > 0) {
		uint64_t left = i->size - k * bs, pos;
		uint32_t want = left < bs ? (uint32_t)left : bs, skip = off % bs, part, word;

		part = want - skip < n ? want - skip : (uint32_t)n;
		r = chain_next(sq, &c, &pos, &word);
		if (r < 0)
			break;
		if (word == 0)
			memset(buf, 0, part); /* a hole */
		else
			r = copy_part(sq, pos, word, want, skip, buf, part);
		k++;
		off += part;
		buf += part;
		n -= part;
	}
	chain_done(sq, i, k, &c);
	return r;
}

ssize_t squash_read(struct squash *sq, const struct squash_inode *i, uint64_t off, void *buf, size_t n)
{
	const uint32_t bs = sq->info.block_size;
	uint64_t in_blocks = i->frag == NONE ? i->size : i->size - i->size % bs;
	size_t first = 0;

	if (!S_ISREG(i->mode))
		return -EINVAL;
	if (off >= i->size)
		return 0;
	if (n > i->size - off)
		n = i->size - off;
	if (off < in_blocks) {
		first = n < in_blocks - off ? n : in_blocks - off;
		if (read_blocks(sq, i, off, buf, first) < 0)
			return -EIO;
	}
	if (first < n && copy_fragment(sq, i, (uint32_t)(off + first - in_blocks),
				 (char *)buf + first, (uint32_t)(n - first)) < 0)
		return -EIO;
	return (ssize_t)n;
}

/* ---- directories: runs of up to 256 entries, each behind a header ---- */

#define IN_RUN_BITS 9

static int dir_bytes(struct squash_dir *d, void *buf, size_t n)
{
	if (n > d->total - d->pos)
		return -EIO;
	d->pos += n;
	return meta_read_on(d->sq, &d->at, &d->held, buf, n);
}

static int dir_header(struct squash_dir *d)
{
	unsigned char raw[12];

	d->header = d->pos;
	if (dir_bytes(d, raw, sizeof(raw)) < 0 || get32(raw) > 255)
		return -EIO;
	d->run = get32(raw) + 1;
	d->in_run = 0;
	d->run_block = get32(raw + 4);
	d->run_number = get32(raw + 8);
	return 0;
}

static bool good_name(const char *s, size_t len)
{
	if (memchr(s, '/', len) || memchr(s, '\0', len))
		return false;
	return !(s[0] == '.' && (len == 1 || (len == 2 && s[1] == '.')));
}

int squash_dir_next(struct squash_dir *d, struct squash_entry *out)
{
	unsigned char raw[8];
	unsigned type;

	if (d->in_run == d->run) {
		if (d->pos == d->total)
			return 0;
		if (dir_header(d) < 0)
			return -EIO;
	}
	if (dir_bytes(d, raw, sizeof(raw)) < 0)
		return -EIO;
	type = get16(raw + 4);
	out->len = (size_t)get16(raw + 6) + 1;
	if (out->len >= sizeof(out->name) || type == 0 || type >= ARRAY_LEN(types))
		return -EIO;
	if (dir_bytes(d, out->name, out->len) < 0 || !good_name(out->name, out->len))
		return -EIO;
	out->name[out->len] = '\0';
	out->type = types[type];
	out->ref = (uint64_t)d->run_block << 16 | get16(raw);
	out->number = d->run_number + (uint32_t)(int16_t)get16(raw + 2);
	out->next = d->header << IN_RUN_BITS | ++d->in_run;
	return 1;
}

static int dir_seek(struct squash_dir *d, uint64_t from)
{
	uint32_t in_run = from & ((1 << IN_RUN_BITS) - 1);
	struct squash_entry skip;

	if (dir_bytes(d, NULL, from >> IN_RUN_BITS) < 0 || dir_header(d) < 0 || in_run > d->run)
		return -EIO;
	while (d->in_run < in_run)
		if (squash_dir_next(d, &skip) < 0)
			return -EIO;
	return 0;
}

int squash_dir_open(struct squash *sq, const struct squash_inode *i, uint64_t from, struct squash_dir *out)
{
	if (!S_ISDIR(i->mode))
		return -ENOTDIR;
	*out = (struct squash_dir){.sq = sq,
		.at = {sq->dirs_at + i->start, i->listing_off},
		.total = i->size > 3 ? i->size - 3 : 0}; /* 3: for "." and "..", not stored */
	if (from && dir_seek(out, from) < 0) {
		squash_dir_done(out);
		return -EIO;
	}
	return 0;
}

void squash_dir_done(struct squash_dir *d)
{
	block_put(d->held);
	d->held = NULL;
}

static int compare(const char *a, size_t alen, const char *b, size_t blen)
{
	int r = memcmp(a, b, alen < blen ? alen : blen);

	return r ? r : (alen > blen) - (alen < blen);
}

/* Large directories have an index: the first name behind each block of metadata. */
static int dir_jump(struct squash_dir *d, const struct squash_inode *i, const char *name, size_t len)
{
	struct squash_at at = i->rest;
	struct block *held = NULL;
	unsigned char raw[12];
	char first[256];
	int r = 0;

	for (uint32_t k = 0; k < i->n_index && r == 0; k++) {
		size_t n;

		r = meta_read_on(d->sq, &at, &held, raw, sizeof(raw));
		n = (size_t)get32(raw + 8) + 1;
		if (r == 0 && (n > sizeof(first) || get32(raw) > d->total))
			r = -EIO;
		if (r == 0)
			r = meta_read_on(d->sq, &at, &held, first, n);
		if (r < 0 || compare(first, n, name, len) > 0)
			break;
		d->pos = get32(raw);
		d->at = (struct squash_at){d->sq->dirs_at + get32(raw + 4),
			(uint32_t)((i->listing_off + d->pos) % META)};
	}
	block_put(held);
	return r;
}

int squash_lookup(struct squash *sq, const struct squash_inode *dir, const char *name, size_t len,
	uint64_t *ref)
{
	struct squash_entry entry;
	struct squash_dir d;
	int r = squash_dir_open(sq, dir, 0, &d);

	if (r == 0 && dir->n_index)
		r = dir_jump(&d, dir, name, len);
	if (r < 0)
		return r;
	while ((r = squash_dir_next(&d, &entry)) > 0) {
		int order = compare(entry.name, entry.len, name, len);

		if (order >= 0) { /* sorted */
			r = order == 0;
			break;
		}
	}
	squash_dir_done(&d);
	if (r > 0)
		*ref = entry.ref;
	return r > 0 ? 0 : r < 0 ? r : -ENOENT;
}

/* ---- extended attributes ---- */

#define XATTR_NAME 256
#define XATTRS_MAX 8192 /* of one inode: more names than the 64 KiB of a list hold */
static const char *const prefixes[] = {"user.", "trusted.", "security."};

struct xattr {
	char name[16 + XATTR_NAME];
	struct squash_at value; /* behind its length */
	uint32_t size;
};

struct xattrs {
	struct squash *sq;
	struct squash_at at;
	uint32_t left;
};

static struct squash_at xattr_at(const struct squash *sq, uint64_t ref)
{
	return (struct squash_at){sq->xattrs_at + (ref >> 16), ref & 0xffff};
}

static int xattrs_open(struct squash *sq, uint32_t index, struct xattrs *out)
{
	unsigned char row[16];

	*out = (struct xattrs){.sq = sq};
	if (index == NONE || sq->n_xattrs == 0)
		return 0;
	if (index >= sq->n_xattrs || table_row(sq, sq->xattr_ids_at, index, row, sizeof(row)) < 0)
		return -EIO;
	out->at = xattr_at(sq, get64(row));
	out->left = get32(row + 8);
	return out->left > XATTRS_MAX ? -EIO : 0;
}

static int xattrs_next(struct xattrs *x, struct xattr *out)
{
	unsigned char raw[8];
	const char *prefix;
	unsigned type, n;
	size_t len;

	if (x->left == 0)
		return 0;
	x->left--;
	if (meta_read(x->sq, &x->at, raw, 4) < 0)
		return -EIO;
	type = get16(raw);
	n = get16(raw + 2);
	if ((type & SQUASHFS_XATTR_PREFIX_MASK) >= ARRAY_LEN(prefixes) || n >= XATTR_NAME)
		return -EIO;
	prefix = prefixes[type & SQUASHFS_XATTR_PREFIX_MASK];
	len = strlen(prefix);
	memcpy(out->name, prefix, len);
	if (meta_read(x->sq, &x->at, out->name + len, n) < 0)
		return -EIO;
	out->name[len + n] = '\0';
	if (meta_read(x->sq, &x->at, raw, 4) < 0)
		return -EIO;
	out->size = get32(raw);
	out->value = x->at;
	if (out->size > 65536 || meta_read(x->sq, &x->at, NULL, out->size) < 0)
		return -EIO;
	if (!(type & SQUASHFS_XATTR_VALUE_OOL))
		return 1;
	/* The value is the place of one that is shared. */
	if (out->size != 8 || meta_read(x->sq, &out->value, raw, 8) < 0)
		return -EIO;
	out->value = xattr_at(x->sq, get64(raw));
	if (meta_read(x->sq, &out->value, raw, 4) < 0 || get32(raw) > 65536)
		return -EIO;
	out->size = get32(raw);
	return 1;
}

static bool shown(const char *name, bool caps)
{
	return strncmp(name, "user.", 5) == 0 || (caps && strcmp(name, "security.capability") == 0);
}

/* Which kinds there are in the image: XATTR_USER, XATTR_CAPS. Where a set cannot be read, or there are
 * so many that looking would take long: both. */
static int xattr_kinds(struct squash *sq)
{
	int found = 0, budget = 20000;
	struct xattrs list;
	struct xattr x;

	for (uint32_t i = 0; i < sq->n_xattrs; i++) {
		int r = xattrs_open(sq, i, &list);

		while (r == 0 && budget-- > 0 && (r = xattrs_next(&list, &x)) > 0) {
			if (shown(x.name, true))
				found |= shown(x.name, false) ? XATTR_USER : XATTR_CAPS;
			r = 0;
		}
		if (r < 0 || budget-- <= 0)
			return XATTR_USER | XATTR_CAPS;
	}
	return found;
}

bool squash_has_xattrs(struct squash *sq, bool caps)
{
	int found, wanted = XATTR_USER | (caps ? XATTR_CAPS : 0);

	pthread_mutex_lock(&sq->lock);
	found = (int)sq->xattrs;
	pthread_mutex_unlock(&sq->lock);
	if (!found) {
		found = xattr_kinds(sq) | XATTR_LOOKED;
		pthread_mutex_lock(&sq->lock);
		sq->xattrs = found;
		pthread_mutex_unlock(&sq->lock);
	}
	return found & wanted;
}

ssize_t squash_getxattr(
	struct squash *sq, const struct squash_inode *i, const char *name, void *buf, size_t size)
{
	struct xattrs list;
	struct xattr x;
	int r = xattrs_open(sq, i->xattr, &list);

	while (r == 0 && (r = xattrs_next(&list, &x)) > 0) {
		if (strcmp(x.name, name) == 0) {
			if (size == 0)
				return x.size;
			if (x.size > size)
				return -ERANGE;
			return meta_read(sq, &x.value, buf, x.size) < 0 ? -EIO : (ssize_t)x.size;
		}
		r = 0;
	}
	return r < 0 ? r : -ENODATA;
}

ssize_t squash_listxattr(struct squash *sq, const struct squash_inode *i, bool caps, char *buf, size_t size)
{
	struct xattrs list;
	struct xattr x;
	size_t len = 0;
	int r = xattrs_open(sq, i->xattr, &list);

	while (r == 0 && (r = xattrs_next(&list, &x)) > 0) {
		size_t n = strlen(x.name) + 1;

		r = 0;
		if (!shown(x.name, caps))
			continue;
		if (size && len + n > size)
			return -ERANGE;
		if (size)
			memcpy(buf + len, x.name, n);
		len += n;
	}
	return r < 0 ? r : (ssize_t)len;
}
