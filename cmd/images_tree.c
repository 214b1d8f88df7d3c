/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As docker shows images of a store without multi-platform images: no children, no size of compressed content. The layout is
 * docker's, including blanks at the ends of lines.
 */
#include "images_tree.h"

#include "commands.h"
#include "human.h"
#include "image_sieve.h"

#include <string.h>

#define NOTE \
	"WARNING: This is an experimental feature. The output may change and shouldn't be depended on."
#define LEGEND " Info ->  U In Use "

enum { GAP = 3, NAME_LEAST = 12, NARROWEST = 20 };

static const struct column {
	const char *title;
	int width;
	bool right;
} columns[] = {{"ID", 12, false}, {"DISK USAGE", 10, true}, {"CONTENT SIZE", 12, true},
	{"EXTRA", 5, false}};

struct view {
	size_t columns; /* how many fit into the width */
	int name_width;
	struct buf *out;
};

static int screen(void)
{
	int width = help_columns();

	return width < NARROWEST ? NARROWEST : width;
}

/* How many bytes the first `chars` characters have; *all: the number of characters. */
static int beginning(const char *s, int chars, int *all)
{
	int bytes = 0, n = 0;

	for (const char *c = s; *c; c++) {
		n += ((unsigned char)*c & 0xc0) != 0x80;
		bytes += n <= chars;
	}
	*all = n;
	return bytes;
}

/* Truncated to the column's width, with "…" at the end, or padded. */
static void cell(const struct view *v, const char *text, int width, bool right)
{
	int n, keep = beginning(text, width - 1, &n), fill = n < width ? width - n : 0;

	if (n > width)
		buf_printf(v->out, "%.*s…", keep, text);
	else
		buf_printf(v->out, "%*s%s%*s", right ? fill : 0, "", text, right ? 0 : fill, "");
}

static void add_columns(const struct view *v, const char *const values[])
{
	for (size_t i = 0; i < v->columns; i++) {
		buf_printf(v->out, "%*s", GAP, "");
		cell(v, values[i], columns[i].width, columns[i].right);
	}
}

/* The longest first: only the last name shares its line with other columns. */
static int by_length(const void *a, const void *b)
{
	size_t x = strlen(*(char *const *)a), y = strlen(*(char *const *)b);

	return x != y ? (x < y ? 1 : -1) : strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_of(const struct image *image, const struct filters *f, struct strv *names)
{
	for (size_t i = 0; i < image->refs.n; i++)
		if (image_sieve_name(f, image->refs.v[i]))
			strv_add(names, image->refs.v[i]);
	if (names->n)
		qsort(names->v, names->n, sizeof(*names->v), by_length);
}

static void add_image(const struct view *v, const struct image *image, const struct filters *f)
{
	const char *hex = strchr(image->id, ':');
	auto_free char *id = xstrndup(hex ? hex + 1 : image->id, 12), *size = NULL;
	auto_strv struct strv names = {0};

	size = human_size((double)image->size, 3);
	names_of(image, f, &names);
	for (size_t i = 0; i + 1 < names.n; i++)
		buf_printf(v->out, "%s\n", names.v[i]);
	cell(v, names.n ? names.v[names.n - 1] : "<untagged>", v->name_width, false);
	add_columns(v, (const char *const[]){id, size, "0B", ""});
	buf_putc(v->out, '\n');
}

static void measure(const struct image *const *shown, size_t n, const struct filters *f, int width,
	struct view *v)
{
	int widest = (int)strlen("IMAGE");

	for (; v->columns < ARRAY_LEN(columns); v->columns++) {
		if (width - columns[v->columns].width - GAP < NAME_LEAST)
			break;
		width -= columns[v->columns].width + GAP;
	}
	for (size_t i = 0; i < n; i++) {
		auto_strv struct strv names = {0};

		names_of(shown[i], f, &names);
		if (names.n && (int)strlen(names.v[0]) > widest)
			widest = (int)strlen(names.v[0]);
	}
	v->name_width = width < widest ? width : widest;
}

void images_tree(const struct image *const *shown, size_t n, const struct filters *f, struct buf *out)
{
	struct view v = {.out = out};
	const char *titles[ARRAY_LEN(columns)];
	int width = screen(), legend = width - (int)strlen(LEGEND);

	measure(shown, n, f, width, &v);
	buf_printf(out, NOTE "\n%*s" LEGEND "\n\n", legend > 0 ? legend : 0, "");
	cell(&v, "IMAGE", v.name_width, false);
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		titles[i] = columns[i].title;
	add_columns(&v, titles);
	buf_putc(out, '\n');
	for (size_t i = 0; i < n; i++)
		add_image(&v, shown[i], f);
}
