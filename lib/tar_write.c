/* SPDX-License-Identifier: Apache-2.0 */
#include "tar_parts.h"

#include "str.h"

#include <string.h>
#include <sys/stat.h>

#define PASS_MIN (16 << 10) /* less is sooner copied than passed on */

static void put_text(unsigned char *block, struct field f, const char *s, size_t n)
{
	memcpy(block + f.at, s, n < f.size ? n : f.size);
}

/* Writes the number in octal, or if it does not fit nothing: then a pax record has it. */
static bool put_number(unsigned char *block, struct field f, int64_t v)
{
	unsigned width = f.size - 1;
	bool fits = v >= 0 && (uint64_t)v >> 3 * width == 0;

	/* stdio would be half of what a header takes */
	for (uint64_t left = fits ? (uint64_t)v : 0; width-- > 0; left >>= 3)
		block[f.at + width] = (unsigned char)('0' + (left & 7));
	return fits;
}

static void add_record(struct buf *b, const char *key, const void *value, size_t n)
{
	size_t rest = strlen(key) + n + 3, len = rest + 1;

	/* The length counts its own digits. */
	for (size_t limit = 10; len >= limit; limit *= 10)
		len++;
	buf_printf(b, "%zu %s=", len, key);
	buf_add(b, value, n);
	buf_putc(b, '\n');
}

static void add_text(struct buf *b, const char *key, const char *value)
{
	add_record(b, key, value, strlen(value));
}

static void add_number(struct buf *b, const char *key, int64_t value)
{
	char digits[24];

	(void)snprintf(digits, sizeof(digits), "%lld", (long long)value); /* fits */
	add_text(b, key, digits);
}

/* A long path in two fields, parted at a slash; false: it needs a record. */
static bool put_path(unsigned char *block, const char *path)
{
	size_t n = strlen(path);

	if (n <= NAME.size) {
		put_text(block, NAME, path, n);
		return true;
	}
	for (const char *s = path + n - NAME.size - 1; n <= NAME.size + PREFIX.size + 1 && *s; s++)
		if (*s == '/' && s > path && s[1] && (size_t)(s - path) <= PREFIX.size) {
			put_text(block, PREFIX, path, (size_t)(s - path));
			put_text(block, NAME, s + 1, strlen(s + 1));
			return true;
		}
	put_text(block, NAME, path, n);
	return false;
}

static void seal(unsigned char *block, char type)
{
	unsigned sum = 0;

	block[TYPE_AT] = (unsigned char)type;
	memcpy(block + MAGIC_AT, "ustar\00000", 8);
	memset(block + SUM.at, ' ', SUM.size);
	for (unsigned i = 0; i < TAR_BLOCK; i++)
		sum += block[i];
	(void)snprintf((char *)block + SUM.at, SUM.size, "%06o", sum); /* ends with a 0 and the blank */
}

/* The header as it is written, and the records that must go before it. */
static void make_header(const struct tar_entry *t, unsigned char *block, struct buf *pax)
{
	memset(block, 0, TAR_BLOCK);
	if (!put_path(block, t->path))
		add_text(pax, "path", t->path);
	if (t->link) {
		put_text(block, LINK, t->link, strlen(t->link));
		if (strlen(t->link) > LINK.size)
			add_text(pax, "linkpath", t->link);
	}
	(void)put_number(block, MODE, t->mode & (S_IFMT | 07777)); /* always fits */
	if (!put_number(block, UID, t->uid))
		add_number(pax, "uid", t->uid);
	if (!put_number(block, GID, t->gid))
		add_number(pax, "gid", t->gid);
	if (!put_number(block, SIZE, t->type == TAR_FILE ? t->size : 0))
		add_number(pax, "size", t->size);
	if (!put_number(block, MTIME, t->mtime))
		add_number(pax, "mtime", t->mtime);
	/* The one name that is the same in every system. */
	put_text(block, UNAME, "root", t->uid == 0 ? 4 : 0);
	put_text(block, GNAME, "root", t->gid == 0 ? 4 : 0);
	(void)put_number(block, MAJOR, t->dev_major); /* kernel's numbers fit */
	(void)put_number(block, MINOR, t->dev_minor);
	for (size_t i = 0; i < t->n_xattrs; i++) {
		auto_free char *key = xasprintf(XATTR "%s", t->xattrs[i].name);

		add_record(pax, key, t->xattrs[i].value, t->xattrs[i].size);
	}
	seal(block, (char)t->type);
}

static size_t padding(size_t n)
{
	return -n & (TAR_BLOCK - 1);
}

static void make_pax_header(const struct tar_entry *t, size_t n, unsigned char *block)
{
	const char *slash = strrchr(t->path, '/');
	auto_free char *name = xasprintf("PaxHeaders.0/%.80s", slash && slash[1] ? slash + 1 : "entry");

	memset(block, 0, TAR_BLOCK);
	put_text(block, NAME, name, strlen(name));
	(void)put_number(block, MODE, 0644);
	(void)put_number(block, UID, 0);
	(void)put_number(block, GID, 0);
	(void)put_number(block, SIZE, (int64_t)n);
	(void)put_number(block, MTIME, 0);
	(void)put_number(block, MAJOR, 0);
	(void)put_number(block, MINOR, 0);
	seal(block, 'x');
}

static void header(const struct tar_entry *t, struct buf *out)
{
	static const char zeros[TAR_BLOCK];
	unsigned char block[TAR_BLOCK], pax_block[TAR_BLOCK];
	auto_buf struct buf pax = {0};

	make_header(t, block, &pax);
	if (pax.len) {
		make_pax_header(t, pax.len, pax_block);
		buf_add(out, pax_block, TAR_BLOCK);
		buf_add(out, pax.s, pax.len);
		buf_add(out, zeros, padding(pax.len));
	}
	buf_add(out, block, TAR_BLOCK);
}

static int put(struct tar_writer *w, const void *bytes, size_t n, struct err *e)
{
	return n && w->sink(w->context, bytes, n) < 0 ? err_sys(e, "write the archive") : 0;
}

int tar_add(struct tar_writer *w, const struct tar_entry *t, struct err *e)
{
	auto_buf struct buf b = {0};

	assert(w->left == 0);
	header(t, &b);
	w->left = t->type == TAR_FILE ? t->size : 0;
	w->pad = (unsigned)padding((size_t)w->left);
	return put(w, b.s, b.len, e);
}

int tar_data(struct tar_writer *w, const void *bytes, size_t n, struct err *e)
{
	static const char zeros[TAR_BLOCK];

	assert((int64_t)n <= w->left);
	w->left -= (int64_t)n;
	if (put(w, bytes, n, e) < 0)
		return -1;
	return w->left == 0 ? put(w, zeros, w->pad, e) : 0;
}

ssize_t tar_data_from(struct tar_writer *w, int fd, struct err *e)
{
	static const char zeros[TAR_BLOCK];
	ssize_t n = w->pass && w->left >= PASS_MIN ? w->pass(w->context, fd, (size_t)w->left) : 0;

	if (n <= 0)
		return n < 0 ? err_sys(e, "write the archive") : 0;
	w->left -= n;
	return w->left == 0 && put(w, zeros, w->pad, e) < 0 ? -1 : n;
}

int tar_finish(struct tar_writer *w, struct err *e)
{
	static const char zeros[2 * TAR_BLOCK];

	return put(w, zeros, sizeof(zeros), e);
}
