/* SPDX-License-Identifier: Apache-2.0 */
#include "squash_parts.h"

#include "auto.h"

#include <errno.h>
#include <sys/stat.h>
#include <zstd.h>

ssize_t squash_read_at(const struct squash *sq, void *buf, size_t n, uint64_t pos)
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

bool squash_inside(const struct squash *sq, uint64_t pos, uint64_t n)
{
	return pos >= sizeof(struct squashfs_super_block) && pos <= sq->used && n <= sq->used - pos;
}

/* A context of zstd's asks the processor what it can as it is made, which costs 11 us a question in a virtual
 * machine, and takes 160 KiB: so one serves many blocks. */
static bool unpack_zstd(struct squash *sq, const void *packed, size_t n, void *out, size_t *size)
{
	ZSTD_DCtx *one = NULL;
	size_t r;

	pthread_mutex_lock(&sq->lock);
	for (int i = 0; i < UNPACKERS && !one; i++) {
		one = sq->idle[i];
		sq->idle[i] = NULL;
	}
	pthread_mutex_unlock(&sq->lock);
	if (!one && !(one = ZSTD_createDCtx()))
		return false;
	r = ZSTD_decompressDCtx(one, out, *size, packed, n);
	pthread_mutex_lock(&sq->lock);
	for (int i = 0; i < UNPACKERS && one; i++) {
		if (sq->idle[i])
			continue;
		sq->idle[i] = one;
		one = NULL;
	}
	pthread_mutex_unlock(&sq->lock);
	(void)ZSTD_freeDCtx(one); /* cannot fail; takes NULL */
	if (ZSTD_isError(r))
		return false;
	*size = r;
	return true;
}

bool squash_unpack(struct squash *sq, void *packed, size_t n, void *out, size_t *size)
{
	if (sq->zstd)
		return unpack_zstd(sq, packed, n, out, size);
	return sq->unpack(packed, n, out, size) == SQFS_OK;
}

/* ---- metadata: blocks of 8 KiB, each behind two bytes of length ---- */

static int meta_load(struct squash *sq, struct block *b)
{
	unsigned char raw[2 + META];
	uint64_t room = sq->used - b->pos;
	ssize_t got = squash_read_at(sq, raw, room < sizeof(raw) ? room : sizeof(raw), b->pos);
	size_t size = META;
	uint32_t len;

	if (got < 2)
		return -EIO;
	len = get16(raw) & 0x7fff;
	if (len == 0 || len > META || len + 2 > (size_t)got)
		return -EIO;
	if (get16(raw) & SQUASHFS_COMPRESSED_BIT) /* despite its name, the bit says: not compressed */
		memcpy(b->data, raw + 2, size = len);
	else if (!squash_unpack(sq, raw + 2, len, b->data, &size))
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

	if (!squash_inside(sq, pos, 3))
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

int squash_meta_on(struct squash *sq, struct squash_at *at, struct block **held, void *buf, size_t n)
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

int squash_meta(struct squash *sq, struct squash_at *at, void *buf, size_t n)
{
	struct block *held = NULL;
	int r = squash_meta_on(sq, at, &held, buf, n);

	block_put(held);
	return r;
}

int squash_row(struct squash *sq, uint64_t table, uint64_t i, void *row, size_t size)
{
	uint64_t byte = i * size, list = table + byte / META * 8;
	unsigned char raw[8];
	struct squash_at at;

	if (!squash_inside(sq, list, 8) || squash_read_at(sq, raw, 8, list) != 8)
		return -EIO;
	at = (struct squash_at){get64(raw), byte % META};
	return squash_meta(sq, &at, row, size);
}

/* ---- the image ---- */

static const char *const compressors[] = {NULL, "gzip", "lzma", "lzo", "xz", "lz4", "zstd"};

static int check_tables(struct squash *sq, const unsigned char *s, const char *name, struct err *e)
{
	uint64_t ids = get64(s + 48), xattrs = get64(s + 56), frags = get64(s + 80);
	const char *what = NULL;
	unsigned char raw[16];

	if (!squash_inside(sq, sq->inodes_at, 3) || !squash_inside(sq, sq->dirs_at, 0) ||
		sq->dirs_at < sq->inodes_at)
		what = "inode and directory tables";
	else if (!squash_inside(sq, ids, 8) || sq->n_ids == 0)
		what = "id table";
	else if (sq->n_frags && !squash_inside(sq, frags, 8))
		what = "fragment table";
	else if (xattrs != NO_TABLE &&
		 (!squash_inside(sq, xattrs, 16) || squash_read_at(sq, raw, 16, xattrs) != 16))
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
		if (squash_row(sq, ids, i, raw, 4) < 0)
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
	if (squash_read_at(sq, s, sizeof(s), 0) != sizeof(s) || get32(s) != SQUASHFS_MAGIC)
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
	sq->zstd = packer == ZSTD_COMPRESSION;
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
	for (int i = 0; i < UNPACKERS; i++)
		(void)ZSTD_freeDCtx(sq->idle[i]); /* as above */
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

mode_t squash_type(unsigned type)
{
	return type < ARRAY_LEN(types) ? types[type] : 0;
}

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
	if (squash_meta(sq, &at, NULL, o->size) < 0 || squash_meta(sq, &at, raw, 4) < 0)
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
	r = squash_meta_on(sq, &at, &held, p, 16);
	if (r == 0) {
		type = get16(p);
		if (squash_type(type) == 0)
			r = -EIO;
		else
			r = squash_meta_on(sq, &at, &held, p + 16, sizes[type] - 16);
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
	return squash_meta(sq, &at, buf, n) < 0 ? -EIO : (ssize_t)n;
}
