/* SPDX-License-Identifier: Apache-2.0 */
/* squash_xattr: extended attributes, which the image stores as sets that inodes refer to by number. */
#include "squash_parts.h"

#include "auto.h"

#include <errno.h>

#define XATTR_NAME 256
#define XATTRS_MAX 8192        /* of one inode: more names than the 64 KiB of a list hold */
#define VALUES_MAX (16u << 20) /* bytes of all of them */
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
	uint32_t bytes; /* of values, until now */
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
	if (index >= sq->n_xattrs || squash_row(sq, sq->xattr_ids_at, index, row, sizeof(row)) < 0)
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
	if (squash_meta(x->sq, &x->at, raw, 4) < 0)
		return -EIO;
	type = get16(raw);
	n = get16(raw + 2);
	if ((type & SQUASHFS_XATTR_PREFIX_MASK) >= ARRAY_LEN(prefixes) || n >= XATTR_NAME)
		return -EIO;
	prefix = prefixes[type & SQUASHFS_XATTR_PREFIX_MASK];
	len = strlen(prefix);
	memcpy(out->name, prefix, len);
	if (squash_meta(x->sq, &x->at, out->name + len, n) < 0)
		return -EIO;
	out->name[len + n] = '\0';
	if (squash_meta(x->sq, &x->at, raw, 4) < 0)
		return -EIO;
	out->size = get32(raw);
	out->value = x->at;
	x->bytes += out->size <= 65536 ? out->size : VALUES_MAX;
	if (x->bytes >= VALUES_MAX || squash_meta(x->sq, &x->at, NULL, out->size) < 0)
		return -EIO;
	if (!(type & SQUASHFS_XATTR_VALUE_OOL))
		return 1;
	/* The value is the place of one that is shared. */
	if (out->size != 8 || squash_meta(x->sq, &out->value, raw, 8) < 0)
		return -EIO;
	out->value = xattr_at(x->sq, get64(raw));
	if (squash_meta(x->sq, &out->value, raw, 4) < 0 || get32(raw) > 65536)
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
			return squash_meta(sq, &x.value, buf, x.size) < 0 ? -EIO : (ssize_t)x.size;
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
