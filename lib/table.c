/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <string.h>

#define WIDTH_MIN 10
#define PADDING   3

struct cell {
	const char *s;
	size_t len, chars;
};

struct line {
	struct cell *cells;
	size_t n;      /* the last one is behind the last tab */
	size_t *width; /* of its columns, as far as they are known; behind the cells */
};

static size_t count(const char *s, const char *end, char what)
{
	size_t n = 0;

	for (; s < end; s++)
		n += *s == what;
	return n;
}

static struct line split(const char *s, const char *end)
{
	struct line l = {.n = count(s, end, '\t') + 1};

	l.cells = xcalloc(l.n, sizeof(*l.cells) + sizeof(*l.width));
	l.width = (size_t *)(void *)(l.cells + l.n);
	for (size_t i = 0; i < l.n; i++) {
		struct cell *c = &l.cells[i];

		for (c->s = s; s < end && *s != '\t'; s++)
			c->chars += ((unsigned char)*s & 0xc0) != 0x80;
		c->len = (size_t)(s - c->s);
		s += s < end;
	}
	return l;
}

/* The column `c` of the lines from `first` on which have it, one after another. */
static size_t measure(struct line *lines, size_t first, size_t n, size_t c)
{
	size_t last = first, width = WIDTH_MIN;

	for (; last < n && lines[last].n > c + 1; last++)
		if (lines[last].cells[c].chars + PADDING > width)
			width = lines[last].cells[c].chars + PADDING;
	for (size_t i = first; i < last; i++)
		lines[i].width[c] = width;
	return last;
}

static void put_spaces(size_t n, struct buf *out)
{
	buf_room(out, n);
	memset(out->s + out->len, ' ', n);
	out->len += n;
	out->s[out->len] = '\0';
}

static void put_line(const struct line *l, struct buf *out)
{
	for (size_t i = 0; i < l->n; i++) {
		buf_add(out, l->cells[i].s, l->cells[i].len);
		if (i + 1 < l->n && l->width[i] > l->cells[i].chars)
			put_spaces(l->width[i] - l->cells[i].chars, out);
	}
}

void table_align(const char *text, size_t len, struct buf *out)
{
	const char *end = text + len, *s = text;
	size_t n = count(text, end, '\n') + 1, columns = 0;
	auto_free struct line *lines = xcalloc(n, sizeof(*lines));

	for (size_t i = 0; i < n; i++) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));

		lines[i] = split(s, stop ? stop : end);
		columns = lines[i].n > columns ? lines[i].n : columns;
		s = stop ? stop + 1 : end;
	}
	for (size_t c = 0; c < columns; c++)
		for (size_t i = 0; i < n;)
			i = lines[i].n > c + 1 ? measure(lines, i, n, c) : i + 1;
	buf_room(out, len + len / 2);
	for (size_t i = 0; i < n; i++) {
		put_line(&lines[i], out);
		if (i + 1 < n)
			buf_putc(out, '\n');
		free(lines[i].cells);
	}
}
