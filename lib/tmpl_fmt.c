/* SPDX-License-Identifier: Apache-2.0 */
/* Go's fmt and encoding/json over template values. */
#include "tmpl_node.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define WIDTH_MAX 1000000
#define PARTS_MAX 256 /* depth of a value that is printed: JSON itself ends there */

struct verb {
	char c;
	bool minus, plus, sharp, space, zero;
	int width, precision; /* -1: not given */
};

static void put(const struct tmpl_data *d, const struct verb *f, const struct val *v, bool top,
	struct buf *out);

/* ---- strings and numbers ---- */

static size_t rune_len(const char *s, size_t left)
{
	unsigned char c = (unsigned char)*s;
	size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;

	if (n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static size_t count_runes(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0, k; i < len; i += k ? k : 1, n++)
		k = rune_len(s + i, len - i);
	return n;
}

static void put_padded(const struct verb *f, const char *s, size_t len, struct buf *out)
{
	size_t runes = f->width > 0 ? count_runes(s, len) : 0, pad = 0;
	char fill = f->zero && !f->minus ? '0' : ' ';

	if (f->width > 0 && (size_t)f->width > runes)
		pad = (size_t)f->width - runes;
	for (size_t i = 0; !f->minus && i < pad; i++)
		buf_putc(out, fill);
	buf_add(out, s, len);
	for (size_t i = 0; f->minus && i < pad; i++)
		buf_putc(out, ' ');
}

void fmt_quote(const char *s, size_t len, struct buf *out)
{
	static const char names[] = "abfnrtv\\\"", values[] = "\a\b\f\n\r\t\v\\\"";

	buf_putc(out, '"');
	for (size_t i = 0, n; i < len; i += n) {
		unsigned char c = (unsigned char)s[i];
		const char *found = c ? strchr(values, c) : NULL;

		n = rune_len(s + i, len - i);
		if (found)
			buf_add(out, (const char[]){'\\', names[found - values]}, 2);
		else if (n == 0 || c < 0x20 || c == 0x7f)
			buf_printf(out, "\\x%02x", c);
		else
			buf_add(out, s + i, n);
		n = n ? n : 1;
	}
	buf_putc(out, '"');
}

/* The fewest digits which read back as the same number, in the given style. */
static void shortest(double r, char style, char *out, size_t room)
{
	for (int digits = 1; digits <= 17; digits++) {
		(void)snprintf(out, room, "%.*e", digits - 1, r);
		if (strtod(out, NULL) == r) {
			if (style == 'f') {
				int decimals = digits - 1 - atoi(strchr(out, 'e') + 1);

				(void)snprintf(out, room, "%.*f", decimals > 0 ? decimals : 0, r);
			}
			return;
		}
	}
}

static void fmt_real(double r, char verb, int precision, struct buf *out)
{
	char text[400];
	int exponent;

	if (!isfinite(r)) {
		buf_puts(out, isnan(r) ? "NaN" : r > 0 ? "+Inf" : "-Inf");
		return;
	}
	if (verb == 'v' || (verb == 'g' && precision < 0)) {
		shortest(r, 'e', text, sizeof(text));
		exponent = atoi(strchr(text, 'e') + 1);
		/* %v keeps plain digits for longer than C's %g does */
		if (r == 0 || (exponent >= -4 && exponent < 21))
			shortest(r, 'f', text, sizeof(text));
	} else {
		char spec[8] = {'%', '.', '*', verb, 0};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the verb is one of e E f g G */
		(void)snprintf(text, sizeof(text), spec, precision < 0 ? 6 : precision, r);
#pragma GCC diagnostic pop
	}
	buf_puts(out, text);
}

static void digits(uint64_t u, unsigned base, bool upper, struct buf *out)
{
	char text[65];
	size_t at = sizeof(text);

	do {
		text[--at] = (upper ? "0123456789ABCDEF" : "0123456789abcdef")[u % base];
		u /= base;
	} while (u);
	buf_add(out, text + at, sizeof(text) - at);
}

static void put_int(const struct verb *f, int64_t i, unsigned base, struct buf *out)
{
	auto_buf struct buf b = {0}, d = {0};
	const char *sign = i < 0 ? "-" : f->plus && f->c != 'v' ? "+" : f->space ? " " : "";
	struct verb plain = *f;

	digits(i < 0 ? -(uint64_t)i : (uint64_t)i, base, f->c == 'X', &d);
	buf_puts(&b, sign);
	if (f->sharp && base != 10)
		buf_puts(&b, base == 16 ? (f->c == 'X' ? "0X" : "0x") : base == 8 ? "0" : "0b");
	/* zeros go between sign and digits */
	for (size_t n = b.len + d.len; f->zero && !f->minus && f->width > 0 && n < (size_t)f->width; n++)
		buf_putc(&b, '0');
	buf_add(&b, d.s, d.len);
	plain.zero = false;
	put_padded(&plain, b.s, b.len, out);
}

static void put_hex(const struct verb *f, const char *s, size_t len, struct buf *out)
{
	auto_buf struct buf b = {0};

	for (size_t i = 0; i < len; i++)
		buf_printf(&b, f->c == 'X' ? "%02X" : "%02x", (unsigned char)s[i]);
	put_padded(f, b.s ? b.s : "", b.len, out);
}

static void put_string(const struct verb *f, const char *s, size_t len, struct buf *out)
{
	auto_buf struct buf b = {0};
	size_t cut = len;

	if (f->precision >= 0 && f->c != 'v') {
		size_t n = 0;

		for (cut = 0; cut < len && n < (size_t)f->precision; n++) {
			size_t k = rune_len(s + cut, len - cut);

			cut += k ? k : 1;
		}
	}
	if (f->c == 'q' || (f->c == 'v' && f->sharp)) {
		fmt_quote(s, cut, &b);
		put_padded(f, b.s, b.len, out);
	} else if (f->c == 'x' || f->c == 'X') {
		put_hex(f, s, cut, out);
	} else {
		put_padded(f, s, cut, out);
	}
}

/* ---- values ---- */

static void put_bad(const struct tmpl_data *d, const struct verb *f, const struct val *v, struct buf *out)
{
	const struct verb plain = {.c = 'v', .width = -1, .precision = -1};

	buf_printf(out, "%%!%c(", f->c);
	if (v->kind == V_NONE || v->kind == V_NIL) {
		buf_puts(out, "<nil>)");
		return;
	}
	buf_printf(out, "%s=", val_type(v));
	put(d, &plain, v, false, out);
	buf_putc(out, ')');
}

/* What JSON leaves out of the struct that a pointer leads to, where it would stand at the end: "State.Health". */
static void put_absent(
	const struct tmpl_data *d, const struct verb *f, const struct val *v, struct buf *out)
{
	size_t n = v->is_pointer && v->from ? strlen(v->from) : 0;

	for (const struct tmpl_field *row = d->fields; n && row->name; row++)
		if (strncmp(row->name, v->from, n) == 0 && row->name[n] == '.' &&
			row->kind == TMPL_PTR && !json_object_get(v->j, row->name + n + 1))
			buf_printf(out, " %s%s<nil>", f->plus ? row->name + n + 1 : "",
				f->plus ? ":" : "");
}

static void put_object(
	const struct tmpl_data *d, const struct verb *f, const struct val *v, struct buf *out)
{
	size_t n;
	auto_free const char **there = val_keys(v, !v->is_struct, &n);
	const char *const *order = val_order(d, v), *const *keys = order ? order : there;

	buf_puts(out, v->is_struct ? "{" : "map[");
	for (size_t i = 0; order ? keys[i] != NULL : i < n; i++) {
		struct val item = val_child(d, v, keys[i], json_object_get(v->j, keys[i]));

		buf_puts(out, i ? " " : "");
		if (!v->is_struct || f->plus) {
			struct val key = val_string(keys[i], strlen(keys[i]));

			put(d, v->is_struct ? &(struct verb){.c = 'v', .width = -1, .precision = -1} : f,
				&key, false, out);
			buf_putc(out, ':');
		}
		put(d, f, &item, false, out);
	}
	put_absent(d, f, v, out);
	buf_puts(out, v->is_struct ? "}" : "]");
}

static void put_array(
	const struct tmpl_data *d, const struct verb *f, const struct val *v, struct buf *out)
{
	buf_putc(out, '[');
	for (size_t i = 0; i < json_array_size(v->j); i++) {
		struct val item = val_child(d, v, NULL, json_array_get(v->j, i));

		buf_puts(out, i ? " " : "");
		put(d, f, &item, false, out);
	}
	buf_putc(out, ']');
}

static bool put_number(const struct verb *f, const struct val *v, struct buf *out)
{
	auto_buf struct buf b = {0};

	if (v->kind == V_REAL) {
		if (!strchr("veEfFgG", f->c))
			return false;
		buf_puts(&b, f->plus && f->c != 'v' && v->r >= 0 ? "+" : "");
		fmt_real(v->r, f->c, f->precision, &b);
		put_padded(f, b.s, b.len, out);
		return true;
	}
	switch (f->c) {
	case 'v':
	case 'd':
		put_int(f, v->i, 10, out);
		return true;
	case 'x':
	case 'X':
		put_int(f, v->i, 16, out);
		return true;
	case 'o':
		put_int(f, v->i, 8, out);
		return true;
	case 'b':
		put_int(f, v->i, 2, out);
		return true;
	case 'c':
		tmpl_put_utf8(&b, v->i < 0 || v->i > 0x10ffff ? 0xfffd : (uint32_t)v->i);
		break;
	case 'U':
		buf_printf(&b, "U+%04llX", (unsigned long long)v->i);
		break;
	case 'q':
		buf_putc(&b, '\'');
		tmpl_put_utf8(&b, v->i < 0 || v->i > 0x10ffff ? 0xfffd : (uint32_t)v->i);
		buf_putc(&b, '\'');
		break;
	default:
		return false;
	}
	put_padded(f, b.s, b.len, out);
	return true;
}

static void put(const struct tmpl_data *d, const struct verb *f, const struct val *v, bool top,
	struct buf *out)
{
	auto_buf struct buf own = {0};

	if (strchr("vsqxX", f->c) && !f->sharp && val_own_text(v, &own)) {
		put_string(f, own.s, own.len, out);
		return;
	}
	switch (v->kind) {
	case V_NONE:
	case V_NIL:
		if (f->c == 'v')
			put_padded(f, "<nil>", 5, out);
		else
			put_bad(d, f, v, out);
		return;
	case V_BOOL:
		if (f->c == 'v' || f->c == 't')
			put_padded(f, v->b ? "true" : "false", v->b ? 4 : 5, out);
		else
			put_bad(d, f, v, out);
		return;
	case V_INT:
	case V_REAL:
		if (!put_number(f, v, out))
			put_bad(d, f, v, out);
		return;
	case V_STRING:
		if (strchr("vsqxX", f->c))
			put_string(f, v->s, v->len, out);
		else
			put_bad(d, f, v, out);
		return;
	case V_ARRAY:
		put_array(d, f, v, out);
		return;
	case V_OBJECT:
		buf_puts(out, top && v->is_pointer ? "&" : "");
		put_object(d, f, v, out);
		return;
	default:
		buf_puts(out, "{}");
	}
}

void fmt_print(const struct tmpl_data *d, const struct val *v, struct buf *out)
{
	const struct verb plain = {.c = 'v', .width = -1, .precision = -1};

	put(d, &plain, v, false, out);
}

void fmt_print_argument(const struct tmpl_data *d, const struct val *v, struct buf *out)
{
	const struct verb plain = {.c = 'v', .width = -1, .precision = -1};

	put(d, &plain, v, true, out);
}

/* ---- printf ---- */

struct args {
	const struct val *v;
	size_t n, at;
};

static const char *parse_count(const char *at, const char *end, struct args *a, int *out)
{
	int n = 0;

	if (at < end && *at == '*') {
		*out = a->at < a->n && a->v[a->at].kind == V_INT ? (int)a->v[a->at].i : -1;
		a->at++;
		*out = *out > WIDTH_MAX ? WIDTH_MAX : *out;
		return at + 1;
	}
	if (at >= end || !isdigit((unsigned char)*at))
		return at;
	for (; at < end && isdigit((unsigned char)*at); at++)
		n = n > WIDTH_MAX ? n : n * 10 + (*at - '0');
	*out = n > WIDTH_MAX ? WIDTH_MAX : n;
	return at;
}

static const char *parse_verb(const char *at, const char *end, struct args *a, struct verb *f)
{
	*f = (struct verb){.width = -1, .precision = -1};
	for (; at < end && *at && strchr("+-# 0", *at); at++) {
		f->plus |= *at == '+';
		f->minus |= *at == '-';
		f->sharp |= *at == '#';
		f->space |= *at == ' ';
		f->zero |= *at == '0';
	}
	at = parse_count(at, end, a, &f->width);
	if (at < end && *at == '.') {
		f->precision = 0;
		at = parse_count(at + 1, end, a, &f->precision);
	}
	if (at < end)
		f->c = *at++;
	return at;
}

static void put_extra(const struct tmpl_data *d, const struct args *a, struct buf *out)
{
	buf_puts(out, "%!(EXTRA ");
	for (size_t i = a->at; i < a->n; i++) {
		buf_puts(out, i > a->at ? ", " : "");
		if (a->v[i].kind == V_NONE || a->v[i].kind == V_NIL) {
			buf_puts(out, "<nil>");
			continue;
		}
		buf_printf(out, "%s=", val_type(&a->v[i]));
		fmt_print(d, &a->v[i], out);
	}
	buf_putc(out, ')');
}

void fmt_printf(const struct tmpl_data *d, const char *fmt, size_t len, const struct val *args,
	size_t n, struct buf *out)
{
	const char *at = fmt, *end = fmt + len;
	struct args a = {args, n, 0};
	struct verb f;

	while (at < end) {
		const char *percent = memchr(at, '%', (size_t)(end - at));

		buf_add(out, at, (size_t)((percent ? percent : end) - at));
		if (!percent)
			break;
		at = parse_verb(percent + 1, end, &a, &f);
		if (!f.c)
			buf_puts(out, "%!(NOVERB)");
		else if (f.c == '%')
			buf_putc(out, '%');
		else if (a.at >= a.n)
			buf_printf(out, "%%!%c(MISSING)", f.c);
		else if (f.c == 'T')
			buf_puts(out, a.v[a.at].kind <= V_NIL ? (a.at++, "<nil>")
							      : val_type(&a.v[a.at++]));
		else
			put(d, &f, &a.v[a.at++], true, out);
	}
	if (a.at < a.n)
		put_extra(d, &a, out);
}

/* ---- JSON ---- */

/* Nearly everything stands for itself: 1; what HTML has a use for, 2. */
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

		n = rune_len(s + i, len - i);
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

/* The text goes where it is wanted, which is right for nearly all; else from there once more. */
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
		fmt_real(v->r, 'v', -1, out);
		return;
	case V_STRING:
		json_quote(v->s, v->len, false, out);
		return;
	case V_ARRAY:
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
