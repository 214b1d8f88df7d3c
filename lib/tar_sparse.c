/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tar_sparse: sparse files in GNU tar's formats: only the data is stored, and a map tells where it belongs. The map is in
 * the header and in blocks behind it ('S'), in pax records (0.0, 0.1), or before the data (1.0).
 */
#include "tar_parts.h"

#include "str.h"

#include <string.h>

static int bad_map(struct err *e)
{
	return err_set(e, ERR_CORRUPT, "archive/tar: invalid tar header");
}

/* ---- the map ---------------------------------------------------------------------------- */

void sparse_map_done(struct tar_map *m)
{
	free(m->v);
	*m = (struct tar_map){0};
}

/* Each piece begins where the previous one ended, or later; an empty one at the end marks the end of the last hole. */
static int add_extent(struct tar_map *m, int64_t at, int64_t n, struct err *e)
{
	int64_t end = m->n ? m->v[m->n - 1].at + m->v[m->n - 1].n : 0;

	if (at < end || n < 0 || at > m->size || n > m->size - at)
		return bad_map(e);
	if (n == 0)
		return 0;
	if ((m->n & (m->n + 1)) == 0)
		m->v = xrealloc(m->v, 2 * (m->n + 1), sizeof(*m->v));
	m->v[m->n++] = (struct tar_extent){at, n};
	return 0;
}

/* From here on reading gives the file: what is left of the entry are exactly its pieces. */
static int begin(struct tar_reader *r, struct tar_map *m, struct tar_entry *t, struct err *e)
{
	int64_t sum = 0;

	for (size_t i = 0; i < m->n; i++)
		sum += m->v[i].n; /* at most the file's size: they do not overlap */
	if (sum > r->left)
		return err_set(e, ERR_CORRUPT, "archive/tar: sparse file references non-existent data");
	if (sum < r->left)
		return err_set(e, ERR_CORRUPT, "archive/tar: sparse file contains unreferenced data");
	t->size = m->size;
	t->sparse = true;
	r->map = *m;
	*m = (struct tar_map){0};
	return 0;
}

/* ---- pax -------------------------------------------------------------------------------- */

void sparse_done(struct sparse *s)
{
	free(s->name);
	buf_done(&s->map);
	*s = (struct sparse){0};
}

/* Digits and `end`, or the text's own one. */
static bool whole(const char **at, char end, int64_t *out)
{
	const char *s = *at;
	int64_t v = 0;

	if (*s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *s - '0', &v))
			return false;
	if (*s != end && *s != '\0')
		return false;
	*out = v;
	*at = s + (*s != '\0');
	return true;
}

int sparse_record(struct sparse *s, const char *key, const char *value, size_t size, struct err *e)
{
	bool offset = str_eq(key, "offset"), ok = true;

	if (str_eq(key, "major") || str_eq(key, "minor")) {
		s->version = true;
		ok = whole(&value, '\0', key[1] == 'a' ? &s->major : &s->minor);
	} else if (str_eq(key, "size") || str_eq(key, "realsize")) {
		s->sized = true;
		ok = whole(&value, '\0', &s->size);
	} else if (str_eq(key, "numblocks")) {
		ok = whole(&value, '\0', &s->count);
	} else if (str_eq(key, "name")) {
		ok = strlen(value) == size;
		free(s->name);
		s->name = xstrdup(value);
	} else if (str_eq(key, "map")) {
		s->map.len = 0;
		buf_add(&s->map, value, strlen(value));
	} else if (offset || str_eq(key, "numbytes")) {
		/* of 0.0: one record each, in turns */
		ok = offset == (s->halves++ % 2 == 0) && !strchr(value, ',');
		if (s->map.len)
			buf_add(&s->map, ",", 1);
		buf_add(&s->map, value, strlen(value));
	}
	return ok ? 0 : err_set(e, ERR_CORRUPT, "invalid pax record GNU.sparse.%.40s", key);
}

/* "0,512,4096,512" */
static int map_of_record(const struct sparse *s, struct tar_map *m, struct err *e)
{
	const char *at = s->map.s;
	int64_t offset, n, pairs = 0;

	for (; s->map.len && *at; pairs++)
		if (!whole(&at, ',', &offset) || !whole(&at, ',', &n) || add_extent(m, offset, n, e) < 0)
			return bad_map(e);
	return pairs == s->count ? 0 : bad_map(e);
}

/* One more block of the map. */
static int more_map(struct tar_reader *r, struct buf *text, struct err *e)
{
	char block[TAR_BLOCK];

	if (r->left < TAR_BLOCK || text->len + TAR_BLOCK > TAR_PAX_MAX)
		return bad_map(e);
	for (size_t n = 0; n < sizeof(block);) {
		ssize_t got = tar_read(r, block + n, sizeof(block) - n, e);

		if (got < 0)
			return -1;
		n += (size_t)got;
	}
	buf_add(text, block, sizeof(block));
	return 0;
}

/* A number and a newline, however many blocks that takes; *at is where in the text it begins. */
static int map_number(struct tar_reader *r, struct buf *text, size_t *at, int64_t *out, struct err *e)
{
	const char *s;

	while (!text->s || !memchr(text->s + *at, '\n', text->len - *at)) {
		if (text->len - *at >= TAR_BLOCK)
			return bad_map(e);
		if (more_map(r, text, e) < 0)
			return -1;
	}
	s = text->s + *at;
	if (!whole(&s, '\n', out) || s[-1] != '\n')
		return bad_map(e);
	*at = (size_t)(s - text->s);
	return 0;
}

/* "2\n0\n512\n4096\n512\n", filled up to a whole block. */
static int map_of_data(struct tar_reader *r, struct tar_map *m, struct err *e)
{
	auto_buf struct buf text = {0};
	int64_t count, offset, n;
	size_t at = 0;

	if (map_number(r, &text, &at, &count, e) < 0)
		return -1;
	for (; count > 0; count--)
		if (map_number(r, &text, &at, &offset, e) < 0 ||
			map_number(r, &text, &at, &n, e) < 0 || add_extent(m, offset, n, e) < 0)
			return -1;
	return 0;
}

int sparse_pax(struct tar_reader *r, const struct sparse *s, struct tar_entry *t, struct err *e)
{
	auto_map struct tar_map m = {.size = s->size};

	if (!s->version && !s->map.len)
		return 0;
	if (t->type != TAR_FILE || !s->sized)
		return bad_map(e);
	if (!(s->major == 0 && s->minor <= 1) && !(s->major == 1 && s->minor == 0))
		return err_set(e, ERR_UNSUPPORTED, "sparse entries of GNU tar's version %lld.%lld",
			(long long)s->major, (long long)s->minor);
	if ((s->major ? map_of_data(r, &m, e) : map_of_record(s, &m, e)) < 0 || begin(r, &m, t, e) < 0)
		return -1;
	if (s->name && *s->name) {
		free(t->path);
		t->path = xstrdup(s->name);
	}
	return 0;
}

/* ---- GNU's own form --------------------------------------------------------------------- */

#define PAIR      24 /* offset and length, of 12 bytes each */
#define PAIRS_AT  386
#define PAIRS     4
#define MORE_AT   482
#define MORE      21 /* pairs in a block that follows */
#define MORE_MORE 504
static const struct field REAL_SIZE = {483, 12};

/* 1: another block follows. */
static int gnu_pairs(const unsigned char *block, unsigned at, unsigned pairs, unsigned more,
	struct tar_map *m, struct err *e)
{
	for (unsigned i = 0; i < pairs && block[at]; i++, at += PAIR) {
		int64_t offset, n;

		if (!tar_number(block, (struct field){at, 12}, &offset) ||
			!tar_number(block, (struct field){at + 12, 12}, &n))
			return bad_map(e);
		if (add_extent(m, offset, n, e) < 0)
			return -1;
	}
	return block[more] != 0;
}

int sparse_gnu(struct tar_reader *r, const unsigned char *block, struct tar_entry *t, struct err *e)
{
	auto_map struct tar_map m = {0};
	unsigned char next[TAR_BLOCK];
	int more;

	if (memcmp(block + MAGIC_AT, "ustar ", 6) != 0 || !tar_number(block, REAL_SIZE, &m.size) ||
		m.size < 0)
		return bad_map(e);
	more = gnu_pairs(block, PAIRS_AT, PAIRS, MORE_AT, &m, e);
	for (size_t blocks = 0; more > 0; blocks++) {
		if (blocks >= TAR_PAX_MAX / TAR_BLOCK)
			return bad_map(e);
		if (tar_block(r, next, e) < 0)
			return -1;
		more = gnu_pairs(next, 0, MORE, MORE_MORE, &m, e);
	}
	return more < 0 ? -1 : begin(r, &m, t, e);
}
