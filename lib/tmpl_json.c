/* SPDX-License-Identifier: Apache-2.0 */
/* Go's encoding/json over template values. */
#include "base64.h"
#include "tmpl_node.h"
#include "tmpl_verb.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

/* 1: written as it is, like nearly all characters; 2: likewise, unless the result must be safe in HTML. */
static const unsigned char plain[UCHAR_MAX + 1] = {
	[' ' ... '!'] = 1, /* not " */
	['#' ... '%'] = 1,
	['&'] = 2,
	['\'' ... ';'] = 1,
	['<'] = 2,
	['='] = 1,
	['>'] = 2,
	['?' ... '['] = 1, /* not \ */
	[']' ... 0x7f] = 1,
};

static bool is_plain(unsigned char c, bool html)
{
	return plain[c] && (!html || plain[c] == 1);
}

static void json_quote(const char *s, size_t len, bool html, struct buf *out)
{
	static const char names[] = "bfnrt\\\"", values[] = "\b\f\n\r\t\\\"";

	buf_putc(out, '"');
	for (size_t i = 0, n; i < len; i += n) {
		unsigned char c = (unsigned char)s[i];
		const char *found;

		for (n = 0; i + n < len && is_plain((unsigned char)s[i + n], html);)
			n++;
		if (n) {
			buf_add(out, s + i, n);
			continue;
		}
		found = c ? strchr(values, c) : NULL;

		n = str_rune(s + i, len - i, NULL);
		if (found)
			buf_add(out, (char[]){'\\', names[found - values]}, 2);
		else if (n == 0)
			buf_puts(out, "\\ufffd");
		else if (c < 0x20 || (html && strchr("<>&", c)))
			buf_printf(out, "\\u%04x", c);
		else if (n == 3 && (memcmp(s + i, "\xe2\x80\xa8", 3) == 0 ||
					   memcmp(s + i, "\xe2\x80\xa9", 3) == 0))
			buf_printf(out, "\\u202%c", s[i + 2] == '\xa8' ? '8' : '9');
		else
			buf_add(out, s + i, n);
		n = n ? n : 1;
	}
	buf_putc(out, '"');
}

static void json_object_out(const struct tmpl_data *d, const struct val *v, struct buf *out)
{
	size_t n;
	auto_free const char **keys = val_keys(v, !v->is_struct, &n);

	buf_putc(out, '{');
	for (size_t i = 0; i < n; i++) {
		const json_t *child = json_object_get(v->j, keys[i]);
		struct val item = json_is_null(child) ? (struct val){.kind = V_NIL}
		                                      : val_child(d, v, keys[i], child);

		buf_puts(out, i ? "," : "");
		json_quote(keys[i], strlen(keys[i]), false, out);
		buf_putc(out, ':');
		fmt_json(d, &item, out);
	}
	buf_putc(out, '}');
}

/* Writes the text directly to its place, which is right for nearly all texts; if a character must be escaped, again
 * from there on. */
static void json_text_member(const struct tmpl_method *m, void *self, struct buf *out)
{
	size_t before = out->len, at;
	auto_buf struct buf text = {0};

	buf_putc(out, '"');
	at = before + 1;
	m->text(self, NULL, out);
	while (at < out->len && plain[(unsigned char)out->s[at]] == 1)
		at++;
	if (at == out->len) {
		buf_putc(out, '"');
		return;
	}
	mend_utf8(before + 1, out);
	buf_add(&text, out->s + before + 1, out->len - before - 1);
	out->len = before;
	json_quote(text.s, text.len, true, out);
}

static void json_member(const struct tmpl_method *m, void *self, struct buf *out)
{
	auto_json json_t *j = m->text ? NULL : m->value(self, NULL);
	const struct tmpl_data maps = {.json = j};
	const struct val none = {.kind = V_NONE};
	struct val v;

	if (m->text) {
		json_text_member(m, self, out);
		return;
	}
	v = val_child(&maps, &none, NULL, j);
	fmt_json(&maps, &v, out);
}

#define METHODS_MAX 64

/* Those without arguments, by name; how many. */
static size_t by_name(const struct tmpl_method *all, const struct tmpl_method *sorted[METHODS_MAX])
{
	size_t n = 0;

	for (const struct tmpl_method *m = all; m->name; m++) {
		size_t at = n;

		if (m->args)
			continue;
		assert(n < METHODS_MAX);
		for (; at > 0 && (sorted[at - 1]->name[0] > m->name[0] ||
					 (sorted[at - 1]->name[0] == m->name[0] &&
						 strcmp(sorted[at - 1]->name, m->name) > 0));
			at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = m;
		n++;
	}
	return n;
}

/* By hand: a listing has tens of thousands. */
static void json_key(const char *name, char before, struct buf *out)
{
	size_t n = strlen(name);
	char *at;

	buf_room(out, n + strlen(",\"\":"));
	at = out->s + out->len;
	*at++ = before;
	*at++ = '"';
	memcpy(at, name, n);
	memcpy(at + n, "\":", 3);
	out->len += n + 4;
}

/* As docker encodes the row of a listing: its fields sorted by name, safe for HTML. */
static void json_row(const struct tmpl_object *o, struct buf *out)
{
	const struct tmpl_method *sorted[METHODS_MAX];
	size_t n = by_name(o->methods, sorted);

	for (size_t i = 0; i < n; i++) {
		json_key(sorted[i]->name, i ? ',' : '{', out);
		json_member(sorted[i], o->self, out);
	}
	buf_puts(out, n ? "}" : "{}");
}

void fmt_json(const struct tmpl_data *d, const struct val *v, struct buf *out)
{
	switch (v->kind) {
	case V_NONE:
	case V_NIL:
		buf_puts(out, "null");
		return;
	case V_BOOL:
		buf_puts(out, v->b ? "true" : "false");
		return;
	case V_INT:
		buf_printf(out, "%lld", (long long)v->i);
		return;
	case V_REAL:
		verb_json_real(v->r, out);
		return;
	case V_STRING:
		if (v->type && str_eq(v->type, GO_NUMBER))
			buf_add(out, v->s, v->len);
		else
			json_quote(v->s, v->len, false, out);
		return;
	case V_TIME:
		json_quote(v->s, strcspn(v->s, " "), false, out); /* without the name of its zone */
		return;
	case V_COMPLEX: /* of which there is none: func_call() has seen to it */
		return;
	case V_ARRAY:
		if (val_is_bytes(v)) {
			auto_buf struct buf b = {0};

			val_add_bytes(v, &b);
			buf_putc(out, '"');
			base64_add(out, b.s, b.len);
			buf_putc(out, '"');
			return;
		}
		if (!v->j) { /* one of Go's that was never made */
			buf_puts(out, "null");
			return;
		}
		buf_putc(out, '[');
		for (size_t i = 0; i < json_array_size(v->j); i++) {
			struct val item = val_child(d, v, NULL, json_array_get(v->j, i));

			buf_puts(out, i ? "," : "");
			fmt_json(d, &item, out);
		}
		buf_putc(out, ']');
		return;
	case V_OBJECT:
		if (v->j)
			json_object_out(d, v, out);
		else
			buf_puts(out, "null");
		return;
	default:
		json_row(d->object, out);
	}
}
