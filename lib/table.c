/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include "human.h"

#include <string.h>

#define WIDTH_MIN 10
#define PADDING   3

/* Of thousands of lines: as small as may be. */
struct cell {
	uint32_t len, chars;
	uint32_t width; /* of its column, as far as it is known */
};

struct line {
	const char *s;
	size_t first, n; /* of the cells; the last one is behind the last tab */
	bool last;       /* a form feed ended it: its columns do not go on below */
};

struct table {
	struct line *lines;
	struct cell *cells;
	size_t n, n_cells, columns;
};

static size_t count(const char *s, const char *end, char what, char other)
{
	size_t n = 0;

	for (; s < end; s++)
		n += *s == what || *s == other;
	return n;
}

static void split_line(struct table *t, const char *s, const char *end)
{
	struct line *l = &t->lines[t->n++];

	*l = (struct line){.s = s, .first = t->n_cells};
	for (;; s++) {
		struct cell *c = &t->cells[t->n_cells++];
		const char *from = s;

		bool plain = true;

		for (; s < end && *s != '\t' && *s != '\v'; s++)
			plain = plain && *s >= ' ' && *s < 0x7f;
		c->len = (uint32_t)(s - from);
		c->chars = plain ? c->len : (uint32_t)human_columns(from, c->len);
		if (s == end)
			break;
	}
	l->n = t->n_cells - l->first;
	t->columns = l->n > t->columns ? l->n : t->columns;
}

/* As Go's tabwriter has it, a vertical tab is as good as a tab, and a form feed as a line's end. */
static void split(struct table *t, const char *s, const char *end)
{
	size_t n = count(s, end, '\n', '\f') + 1;

	t->lines = xcalloc(n, sizeof(*t->lines));
	t->cells = xcalloc(n + count(s, end, '\t', '\v'), sizeof(*t->cells));
	while (t->n < n) {
		const char *stop = memchr(s, '\n', (size_t)(end - s)), *feed;

		stop = stop ? stop : end;
		feed = memchr(s, '\f', (size_t)(stop - s));
		stop = feed ? feed : stop;
		split_line(t, s, stop);
		t->lines[t->n - 1].last = feed != NULL;
		s = stop < end ? stop + 1 : end;
	}
}

/* The column `c` of the lines from `first` on which have it, one after another. */
static size_t measure(struct table *t, size_t first, size_t c)
{
	size_t last = first;
	uint32_t width = WIDTH_MIN;

	for (; last < t->n && t->lines[last].n > c + 1 && (last == first || !t->lines[last - 1].last);
		last++) {
		uint32_t chars = t->cells[t->lines[last].first + c].chars;

		width = chars + PADDING > width ? chars + PADDING : width;
	}
	for (size_t i = first; i < last; i++)
		t->cells[t->lines[i].first + c].width = width;
	return last;
}

static void put_spaces(size_t n, struct buf *out)
{
	buf_room(out, n);
	memset(out->s + out->len, ' ', n);
	out->len += n;
	out->s[out->len] = '\0';
}

static void put_line(const struct table *t, const struct line *l, struct buf *out)
{
	const char *s = l->s;

	for (size_t i = 0; i < l->n; i++) {
		const struct cell *c = &t->cells[l->first + i];

		buf_add(out, s, c->len);
		if (i + 1 < l->n && c->width > c->chars)
			put_spaces(c->width - c->chars, out);
		s += c->len + 1;
	}
}

void table_align(const char *text, size_t len, struct buf *out)
{
	struct table t = {0};

	if (len >= UINT32_MAX - PADDING) { /* nobody can read that as a table */
		buf_add(out, text, len);
		return;
	}
	split(&t, text, text + len);
	for (size_t c = 0; c < t.columns; c++)
		for (size_t i = 0; i < t.n;)
			i = t.lines[i].n > c + 1 ? measure(&t, i, c) : i + 1;
	buf_room(out, len + len / 2);
	for (size_t i = 0; i < t.n; i++) {
		put_line(&t, &t.lines[i], out);
		if (i + 1 < t.n)
			buf_putc(out, '\n');
	}
	free(t.lines);
	free(t.cells);
}
