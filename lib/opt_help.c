/* SPDX-License-Identifier: Apache-2.0 */
#include "opt.h"

#include <string.h>

/* A last line may be this much longer than the others, lest it leave one short word alone. */
#define SLOP 5
/* If less width than this is left, help text is put on lines of its own below the option. */
#define NARROW 24

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct opt *const *)a)->name, (*(const struct opt *const *)b)->name);
}

static size_t row_width(const struct opt *o)
{
	return strlen("  -x, --") + strlen(o->name) + (o->arg ? 1 + strlen(o->arg) : 0);
}

/* How many bytes of s go on a line of `room`: up to a newline, else up to the last blank that fits. */
static size_t line_len(const char *s, size_t room)
{
	size_t n = strlen(s), blank = 0;

	if (n < room + SLOP)
		room = n;
	for (size_t i = 1; i < room && i < n; i++) {
		if (s[i] == '\n')
			return i;
		if (s[i] == ' ' || s[i] == '\t')
			blank = i;
	}
	if (room == n || !blank)
		return n;
	return blank;
}

static void newline(struct buf *out, size_t indent)
{
	buf_printf(out, "\n%*s", (int)indent, "");
}

static void wrapped(const char *s, size_t indent, size_t columns, struct buf *out)
{
	if (columns < indent + NARROW) {
		indent = 16;
		newline(out, indent);
	}
	while (columns >= indent + NARROW) {
		size_t n = line_len(s, columns - indent - SLOP);

		buf_add(out, s, n);
		s += n;
		if (!*s)
			return;
		s++;
		newline(out, indent);
	}
	buf_puts(out, s);
}

bool opt_is_covered(const struct opt *rows, const struct opt *o)
{
	while (rows < o && !str_eq(rows->name, o->name))
		rows++;
	return rows < o;
}

static bool is_one_of(const struct opt *o, const struct opt_rows *which)
{
	return (o->flags & which->with) == which->with && !(o->flags & which->without) &&
	       !opt_api_lacks(which->api, o->flags >> 8);
}

void opt_help_rows(const struct opt *rows, const struct opt_rows *which, int columns, struct buf *out)
{
	auto_free const struct opt **shown = NULL;
	size_t n = 0, width = 0;

	for (const struct opt *o = rows; o && o->name; o++) {
		if (!is_one_of(o, which) || opt_is_covered(rows, o))
			continue;
		shown = xrealloc(shown, n + 1, sizeof(struct opt *));
		shown[n++] = o;
		if (row_width(o) > width)
			width = row_width(o);
	}
	if (n)
		qsort(shown, n, sizeof(struct opt *), by_name);
	for (size_t i = 0; i < n; i++) {
		const struct opt *o = shown[i];

		if (o->letter)
			buf_printf(out, "  -%c, --%s", o->letter, o->name);
		else
			buf_printf(out, "      --%s", o->name);
		if (o->arg)
			buf_printf(out, " %s", o->arg);
		buf_printf(out, "%*s", (int)(width + 3 - row_width(o)), "");
		/* the last column stays free: some terminals break the line when it is filled */
		wrapped(o->help, width + 3, (size_t)(columns > 1 ? columns : 80) - 1, out);
		buf_putc(out, '\n');
	}
}

static bool has_rows(const struct opt *o, const struct opt_rows *which)
{
	for (; o && o->name; o++)
		if (is_one_of(o, which))
			return true;
	return false;
}

void opt_help(const struct command *c, const char *path, const char *api, int columns, struct buf *out)
{
	const struct opt_rows dockers = {
		0, OPT_HIDDEN | OPT_DEPRECATED | OPT_OURS | OPT_WINDOWS | OPT_EXPERIMENTAL, api};
	const struct opt_rows ours = {OPT_OURS, OPT_HIDDEN | OPT_DEPRECATED, api};

	buf_printf(out, "Usage:  %s%s%s\n\n%s\n", path, *c->args ? " " : "", c->args, c->about);
	if (c->more)
		buf_printf(out, "\n%s", c->more);
	if (c->aliases && strchr(c->aliases, ','))
		buf_printf(out, "\nAliases:\n  %s\n", c->aliases);
	if (has_rows(c->opts, &dockers)) {
		buf_puts(out, "\nOptions:\n");
		opt_help_rows(c->opts, &dockers, columns, out);
	}
	if (has_rows(c->opts, &ours)) {
		buf_puts(out, "\nOptions that docker does not have:\n");
		opt_help_rows(c->opts, &ours, columns, out);
	}
}

void opt_dump(const char *command, const struct opt *rows, struct buf *out)
{
	static const char *const names[] = {
		"hidden", "no-effect", "ours", "deprecated", "seconds", "windows", "experimental"};

	for (const struct opt *o = rows; o && o->name; o++) {
		const char *comma = "";

		if (opt_is_covered(rows, o))
			continue;
		buf_printf(out, "%s\t", command);
		if (o->letter)
			buf_putc(out, o->letter);
		buf_printf(out, "\t%s\t%s\t", o->name, o->arg ? o->arg : "");
		for (size_t i = 0; i < ARRAY_LEN(names); i++) {
			if (!(o->flags & 1u << i))
				continue;
			buf_printf(out, "%s%s", comma, names[i]);
			comma = ",";
		}
		buf_putc(out, '\t');
		for (const char *s = o->help; *s; s++)
			buf_putc(out, *s == '\n' || *s == '\t' ? ' ' : *s);
		buf_putc(out, '\n');
	}
}
