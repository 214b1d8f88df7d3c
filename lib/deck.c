/* SPDX-License-Identifier: Apache-2.0 */
#include "deck.h"

#include "card.h"
#include "deck_file.h"
#include "sys.h"

#include <endian.h>
#include <string.h>

#define NAME      "cards"
#define SETTLED_S 2 /* the coarsest clock that a file system has */

#define FORM (0x7362786465636b32ULL ^ card_form())

/* Followed by a packed card and a 0, padded to a multiple of 8 bytes. */
struct record {
	char id[ID_LEN];
	uint64_t inode;
	int64_t sec;
	uint32_t nsec, len; /* len: of the card, 0 once it was drawn */
};

static_assert(sizeof(struct record) % 8 == 0, "all are aligned");

void deck_sign(int containers, const char *id, struct sign *out)
{
	if (sys_changed(containers, id, &out->inode, &out->changed) < 0)
		out->inode = 0;
}

bool deck_settled(const struct sign *sign, const struct timespec *now)
{
	return sign->inode && sign->changed.tv_sec < now->tv_sec - SETTLED_S;
}

/* ---- reading ---- */

static size_t filled_up(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

/* The beginnings of ids rarely are equal: so searching need not touch the records themselves. */
struct deck_record {
	uint64_t begin; /* of its id, which compares as the id does */
	struct record *r;
};

static uint64_t begin_of(const char *id)
{
	uint64_t begin;

	memcpy(&begin, id, sizeof(begin));
	return be64toh(begin);
}

static int compare(const char *id, uint64_t begin, const struct deck_record *to)
{
	if (begin == to->begin)
		return memcmp(id, to->r->id, ID_LEN);
	return begin < to->begin ? -1 : 1;
}

void deck_open(const struct store *s, struct deck *d)
{
	size_t len = 0, room;

	*d = (struct deck){.text = deck_file_read(s, NAME, FORM, &len)};
	room = len / (sizeof(struct record) + 8);
	d->v = xcalloc(room + 1, sizeof(*d->v));
	/* With the right checksum we have written this; its lengths are checked nevertheless. */
	for (size_t at = 0; len - at >= sizeof(struct record) + 8 && d->n < room;) {
		struct record *r = (struct record *)(void *)(d->text + at);

		at += sizeof(*r);
		if (r->len == 0 || r->len >= len - at ||
			(d->n && compare(r->id, begin_of(r->id), &d->v[d->n - 1]) <= 0))
			break;
		at += filled_up((size_t)r->len + 1);
		d->v[d->n++] = (struct deck_record){begin_of(r->id), r};
	}
}

bool deck_draw(struct deck *d, const char *id, const struct sign *sign, struct state *out)
{
	size_t from = 0, to = d->n;
	uint64_t begin = begin_of(id);

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		int way = compare(id, begin, &d->v[middle]);

		if (way == 0) {
			struct record *r = d->v[middle].r;
			size_t len = r->len;

			r->len = 0;
			if (!len || !sign->inode || r->inode != sign->inode ||
				r->sec != sign->changed.tv_sec || r->nsec != sign->changed.tv_nsec ||
				!card_unpack((const char *)(r + 1), len, out))
				return false;
			memcpy(out->id, r->id, ID_LEN);
			return true;
		}
		from = way > 0 ? middle + 1 : from;
		to = way < 0 ? middle : to;
	}
	return false;
}

void deck_done(struct deck *d)
{
	free(d->text);
	free(d->v);
	*d = (struct deck){0};
}

/* ---- writing ---- */

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct deck_card *)a)->st->id, ((const struct deck_card *)b)->st->id);
}

static void add_record(struct buf *out, const struct deck_card *c)
{
	struct record r = {.inode = c->sign->inode,
		.sec = c->sign->changed.tv_sec,
		.nsec = (uint32_t)c->sign->changed.tv_nsec};
	size_t at = out->len, card = at + sizeof(r);

	memcpy(r.id, c->st->id, ID_LEN);
	buf_add(out, &r, sizeof(r));
	card_pack(c->st, out);
	r.len = (uint32_t)(out->len - card);
	memcpy(out->s + at, &r, sizeof(r));
	deck_file_pad(out);
}

void deck_write(const struct store *s, struct deck_card *cards, size_t n, int64_t began_ns)
{
	auto_buf struct buf out = {0};
	auto_close int fd = -1;
	struct timespec now;

	fd = deck_file_begin(s, NAME, began_ns, &now);
	if (fd < 0)
		return;
	if (n)
		qsort(cards, n, sizeof(*cards), by_id);
	for (size_t i = 0; i < n; i++)
		if (deck_settled(cards[i].sign, &now))
			add_record(&out, &cards[i]);
	deck_file_end(s, NAME, FORM, fd, &out);
}

void deck_remove(const struct store *s)
{
	(void)unlinkat(s->root, NAME, 0); /* nearly always there is none */
}
