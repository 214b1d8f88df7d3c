/* SPDX-License-Identifier: Apache-2.0 */
/* squash_dir: directories are runs of up to 256 entries, each behind a header, sorted by name. */
#include "squash_parts.h"

#include "auto.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define IN_RUN_BITS 9
#define LISTING_MAX \
	(256u << 20) /* bytes of one directory, walked over while a process waits that cannot even be killed */

static int dir_bytes(struct squash_dir *d, void *buf, size_t n)
{
	if (n > d->total - d->pos)
		return -EIO;
	d->pos += n;
	return squash_meta_on(d->sq, &d->at, &d->held, buf, n);
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
	if (out->len >= sizeof(out->name) || squash_type(type) == 0)
		return -EIO;
	if (dir_bytes(d, out->name, out->len) < 0 || !good_name(out->name, out->len))
		return -EIO;
	out->name[out->len] = '\0';
	out->type = squash_type(type);
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
	if (i->size > LISTING_MAX)
		return -EFBIG;
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

static uint64_t *place_of(const struct squash_walked *w, uint64_t ref)
{
	size_t at = (size_t)((ref ^ ref >> 16) * 0x9e3779b97f4a7c15ull >> 20) & (w->room - 1);

	while (w->refs[at] && w->refs[at] != ref + 1)
		at = (at + 1) & (w->room - 1);
	return &w->refs[at];
}

bool squash_walk_into(struct squash_walked *w, uint64_t ref)
{
	uint64_t *place;

	if (2 * w->n >= w->room) {
		struct squash_walked more = {.room = w->room ? 2 * w->room : 64};

		more.refs = xcalloc(more.room, sizeof(*more.refs));
		for (size_t i = 0; i < w->room; i++)
			if (w->refs[i])
				*place_of(&more, w->refs[i] - 1) = w->refs[i];
		more.n = w->n;
		free(w->refs);
		*w = more;
	}
	place = place_of(w, ref);
	if (*place)
		return false;
	*place = ref + 1;
	w->n++;
	return true;
}

void squash_walked_done(struct squash_walked *w)
{
	free(w->refs);
	*w = (struct squash_walked){0};
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

		r = squash_meta_on(d->sq, &at, &held, raw, sizeof(raw));
		n = (size_t)get32(raw + 8) + 1;
		if (r == 0 && (n > sizeof(first) || get32(raw) > d->total))
			r = -EIO;
		if (r == 0)
			r = squash_meta_on(d->sq, &at, &held, first, n);
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
