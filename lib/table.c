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
	size_t *width; /* of its columns, as far as they are known */
};

static struct line split(const char *s, size_t len)
{
	struct line l = {0};
	const char *end = s + len;

	for (;;) {
		const char *tab = memchr(s, '\t', (size_t)(end - s));
		struct cell c = {.s = s, .len = (size_t)((tab ? tab : end) - s)};

		for (size_t i = 0; i < c.len; i++)
			c.chars += ((unsigned char)s[i] & 0xc0) != 0x80;
		l.cells = xrealloc(l.cells, l.n + 1, sizeof(*l.cells));
		l.cells[l.n++] = c;
		if (!tab)
			break;
		s = tab + 1;
	}
	l.width = xcalloc(l.n, sizeof(*l.width));
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

static void put_line(const struct line *l, struct buf *out)
{
	for (size_t i = 0; i < l->n; i++) {
		buf_add(out, l->cells[i].s, l->cells[i].len);
		for (size_t w = l->cells[i].chars; i + 1 < l->n && w < l->width[i]; w++)
			buf_putc(out, ' ');
	}
}

void table_align(const char *text, size_t len, struct buf *out)
{
	const char *end = text + len;
	struct line *lines = NULL;
	size_t n = 0, columns = 0;

	for (const char *s = text; s <= end;) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));

		lines = xrealloc(lines, n + 1, sizeof(*lines));
		lines[n] = split(s, (size_t)((stop ? stop : end) - s));
		columns = lines[n].n > columns ? lines[n].n : columns;
		n++;
		if (!stop)
			break;
		s = stop + 1;
	}
	for (size_t c = 0; c < columns; c++)
		for (size_t i = 0; i < n;)
			i = lines[i].n > c + 1 ? measure(lines, i, n, c) : i + 1;
	for (size_t i = 0; i < n; i++) {
		put_line(&lines[i], out);
		if (i + 1 < n)
			buf_putc(out, '\n');
		free(lines[i].cells);
		free(lines[i].width);
	}
	free(lines);
}
