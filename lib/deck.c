/* SPDX-License-Identifier: Apache-2.0 */
#include "deck.h"

#include "card.h"
#include "statedir.h"
#include "sys.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define NAME      "cards"
#define NAME_NEW  "cards.new"
#define DECK_MAX  (64 << 20)
#define SETTLED_S 2 /* the coarsest clock that a file system has */
#define LOST_S    60

/* In front of the records. Another byte order's is none, by its form. */
struct front {
	uint64_t form, sum, len; /* of what follows */
};
#define FORM 0x7362786465636b31ULL

/* A card's text follows, with a 0 behind it, filled up to a multiple of 8 bytes. */
struct record {
	char id[ID_LEN];
	uint64_t inode;
	int64_t sec;
	uint32_t nsec, len; /* len: of the text, 0 once it was drawn */
};

static_assert(sizeof(struct front) % 8 == 0 && sizeof(struct record) % 8 == 0, "all are aligned");

void deck_sign(const struct store *s, const char *id, struct sign *out)
{
	path_text path;

	statedir_path(path, "", id, "");
	if (sys_changed(s->root, path, &out->inode, &out->changed) < 0)
		out->inode = 0;
}

bool deck_settled(const struct sign *sign, const struct timespec *now)
{
	return sign->inode && sign->changed.tv_sec < now->tv_sec - SETTLED_S;
}

static uint64_t sum_of(const char *p, size_t n)
{
	uint64_t sum = n, word;

	for (size_t i = 0; i + sizeof(word) <= n; i += sizeof(word)) {
		memcpy(&word, p + i, sizeof(word));
		sum = (sum ^ word) * 0x9e3779b97f4a7c15ULL;
		sum ^= sum >> 32;
	}
	return sum;
}

/* ---- reading ---- */

static size_t filled_up(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

static char *read_file(const struct store *s, size_t *len)
{
	auto_close int fd = openat(s->root, NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	auto_free char *text = NULL;
	struct front f;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > DECK_MAX ||
		sys_read(fd, &f, sizeof(f)) != (ssize_t)sizeof(f) || f.form != FORM ||
		f.len != (uint64_t)st.st_size - sizeof(f) || f.len % 8)
		return NULL;
	text = xcalloc(1, f.len + 1);
	if (sys_read(fd, text, f.len) != (ssize_t)f.len || sum_of(text, f.len) != f.sum)
		return NULL;
	*len = f.len;
	return take(text);
}

/* As memcmp() would; two ids seldom begin alike. */
static int compare(const char *a, const char *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	if (x == y)
		return memcmp(a, b, ID_LEN);
	return be64toh(x) < be64toh(y) ? -1 : 1;
}

void deck_open(const struct store *s, struct deck *d)
{
	size_t len = 0, room;

	*d = (struct deck){.text = read_file(s, &len)};
	room = len / (sizeof(struct record) + 8);
	d->v = xcalloc(room + 1, sizeof(struct record *));
	/* What the sum is right for we have written; that it leads nowhere else is looked at all the same. */
	for (size_t at = 0; len - at >= sizeof(struct record) + 8 && d->n < room;) {
		struct record *r = (struct record *)(void *)(d->text + at);

		at += sizeof(*r);
		if (r->len == 0 || r->len >= len - at ||
			(d->n && compare(d->v[d->n - 1]->id, r->id) >= 0))
			break;
		at += filled_up((size_t)r->len + 1);
		d->v[d->n++] = r;
	}
}

bool deck_draw(struct deck *d, const char *id, const struct sign *sign, struct state *out)
{
	size_t from = 0, to = d->n;
	struct err damaged;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		struct record *r = d->v[middle];
		int way = compare(id, r->id);

		if (way == 0) {
			size_t len = r->len;

			r->len = 0;
			return len && sign->inode && r->inode == sign->inode &&
			       r->sec == sign->changed.tv_sec && r->nsec == sign->changed.tv_nsec &&
			       card_parse((char *)(r + 1), len, false, out, &damaged) == 0;
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
	size_t at = out->len, text = at + sizeof(r);

	memcpy(r.id, c->st->id, ID_LEN);
	buf_add(out, &r, sizeof(r));
	card_print(c->st, out);
	r.len = (uint32_t)(out->len - text);
	memcpy(out->s + at, &r, sizeof(r));
	do
		buf_putc(out, '\0');
	while (out->len % 8);
}

/* Made by one at a time. What a killed one left is in the way until it is old. */
static int make_file(const struct store *s, struct stat *st)
{
	static const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	auto_close int fd = openat(s->root, NAME_NEW, flags, 0600);

	if (fd < 0 && errno == EEXIST && fstatat(s->root, NAME_NEW, st, AT_SYMLINK_NOFOLLOW) == 0 &&
		st->st_mtime < time(NULL) - LOST_S && unlinkat(s->root, NAME_NEW, 0) == 0)
		fd = openat(s->root, NAME_NEW, flags, 0600);
	return fd < 0 || fstat(fd, st) < 0 ? -1 : take_fd(&fd);
}

/* Not by renaming over the one before: ext4 would write the new one to the disk at once (see state.c). In
 * between there is none, which is as good. */
static bool put_in_place(const struct store *s)
{
	deck_remove(s);
	return renameat(s->root, NAME_NEW, s->root, NAME) == 0;
}

void deck_write(const struct store *s, struct deck_card *cards, size_t n, int64_t began_ns)
{
	auto_buf struct buf out = {0};
	struct front f = {.form = FORM};
	auto_close int fd = -1;
	struct timespec now;
	struct stat st;

	fd = make_file(s, &st);
	if (fd < 0)
		return;
	/* The file system's own clock, which may be another machine's, at the moment of the first sign. */
	now = st.st_ctim;
	now.tv_sec -= (sys_now_ns() - began_ns) / 1000000000 + 1;
	buf_add(&out, &f, sizeof(f));
	if (n)
		qsort(cards, n, sizeof(*cards), by_id);
	for (size_t i = 0; i < n; i++)
		if (deck_settled(cards[i].sign, &now))
			add_record(&out, &cards[i]);
	f.len = out.len - sizeof(f);
	f.sum = sum_of(out.s + sizeof(f), f.len);
	memcpy(out.s, &f, sizeof(f));
	if (out.len > DECK_MAX || sys_write_all(fd, out.s, out.len) < 0 || !put_in_place(s))
		(void)unlinkat(s->root, NAME_NEW, 0); /* best effort */
}

void deck_remove(const struct store *s)
{
	(void)unlinkat(s->root, NAME, 0); /* nearly always there is none */
}
