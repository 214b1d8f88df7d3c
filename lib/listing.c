/* SPDX-License-Identifier: Apache-2.0 */
#include "listing.h"

#include "table.h"

#include <string.h>

/* Shells make it hard to give a tab, so docker reads \t and \n between the actions too. */
static char *unescaped(const char *s)
{
	auto_buf struct buf b = {0};
	size_t n = strlen(s);

	while (n && *s == ' ') {
		s++;
		n--;
	}
	while (n && s[n - 1] == ' ')
		n--;
	for (size_t i = 0; i < n; i++) {
		bool escape = s[i] == '\\' && i + 1 < n && (s[i + 1] == 't' || s[i + 1] == 'n');

		buf_putc(&b, !escape ? s[i] : s[i + 1] == 't' ? '\t' : '\n');
		i += escape;
	}
	return buf_take(&b);
}

static const char *chosen(const struct listing_kind *k, const char *format)
{
	if (!format || !*format || str_eq(format, "table"))
		return k->table;
	if (str_eq(format, "json"))
		return "{{json .}}";
	return str_eq(format, "raw") && k->raw ? k->raw : format;
}

void listing_begin(struct listing *l, const struct listing_kind *k, const char *format)
{
	const char *text = chosen(k, format);
	auto_free char *final = NULL;

	*l = (struct listing){
		.kind = k, .is_table = str_starts(text, "table"), .is_ours = text == k->table};
	final = unescaped(text + (l->is_table ? strlen("table") : 0));
	l->t = tmpl_parse(final, &l->wrong);
	if (!l->t)
		(void)err_ctx(&l->wrong, "template parsing error");
}

int listing_check(const struct listing *l, struct err *e)
{
	if (l->t)
		return 0;
	*e = l->wrong;
	return -1;
}

int listing_row(struct listing *l, void *row, struct err *e)
{
	struct tmpl_object o = {l->kind->type, l->kind->columns, row, l->kind->whole, l->kind->fields};
	struct tmpl_data d = {.object = &o};

	if (listing_check(l, e) < 0)
		return -1;
	if (tmpl_exec(l->t, &d, &l->rows, e) < 0)
		return err_ctx(e, "template parsing error");
	buf_putc(&l->rows, '\n');
	return 0;
}

/* Docker makes a table's first line by the same template over the columns' headings. */
static void headings(const struct listing *l, struct buf *out)
{
	auto_json json_t *map = json_object();
	struct tmpl_data d = {.json = map, .headings = true};
	struct err unused;

	for (const struct tmpl_method *m = l->kind->columns; m->name; m++)
		if (m->heading)
			(void)json_object_set_new(map, m->name, json_string(m->heading)); /* memory */
	(void)tmpl_exec(l->t, &d, out, &unused); /* up to an error, as with docker */
	buf_putc(out, '\n');
}

int listing_end(struct listing *l, struct buf *out, struct err *e)
{
	auto_buf struct buf all = {0};

	if (listing_check(l, e) < 0)
		return -1;
	if (!l->is_table && !out->len && l->rows.len) { /* megabytes, with thousands of rows: not copied */
		buf_done(out);
		*out = l->rows;
		l->rows = (struct buf){0};
		return 0;
	}
	if (!l->is_table) {
		buf_add(out, l->rows.s, l->rows.len);
		return 0;
	}
	headings(l, &all);
	if (l->is_ours)
		str_tame(l->rows.s, l->rows.len);
	buf_add(&all, l->rows.s, l->rows.len);
	table_align(all.s, all.len, out);
	return 0;
}

void listing_done(struct listing *l)
{
	tmpl_free(l->t);
	buf_done(&l->rows);
	*l = (struct listing){0};
}

void listing_labels(const struct strv *labels, struct buf *out)
{
	auto_strv struct strv sorted = {0};

	strv_copy(&sorted, labels);
	strv_sort(&sorted, 0);
	for (size_t i = 0; i < sorted.n; i++) {
		buf_puts(out, i ? "," : "");
		buf_puts(out, sorted.v[i]);
	}
}

void listing_label(const struct strv *labels, const char *key, struct buf *out)
{
	const char *kv = strchr(key, '=') ? NULL : strv_env(labels, key);
	const char *equals = kv ? strchr(kv, '=') : NULL;

	buf_puts(out, equals ? equals + 1 : "");
}
