/* SPDX-License-Identifier: Apache-2.0 */
/* Go's fmt over template values: print, println, printf. */
#include "quote.h"
#include "tmpl_node.h"
#include "tmpl_verb.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <string.h>

#define WIDTH_MAX 1000000

static void put(const struct tmpl_data *d, const struct verb *f, const struct val *v, bool top,
	struct buf *out);

/* ---- values ---- */

static void put_bad(const struct tmpl_data *d, const struct verb *f, const struct val *v, struct buf *out)
{
	struct verb same = *f;

	buf_printf(out, "%%!%s(", f->name);
	if (v->kind == V_NONE || (v->kind == V_NIL && !v->type)) {
		buf_puts(out, "<nil>)");
		return;
	}
	same.c = 'v';
	same.erroring = true;
	buf_printf(out, "%s=", val_type(v));
	put(d, &same, v, false, out);
	buf_putc(out, ')');
}

#define SOMEWHERE 0xc000014db0LL /* where Go's memory is */

static void put_pointer(const struct verb *f, const char *type, bool nil, struct buf *out)
{
	if (f->sharp_v && nil)
		buf_printf(out, "(%s)(nil)", type);
	else if (f->sharp_v)
		buf_printf(out, "(%s%s)(0x%llx)", *type == '*' ? "" : "*", type, SOMEWHERE);
	else
		buf_printf(out, "0x%llx", SOMEWHERE);
}

static void put_member(
	const struct tmpl_data *d, const struct verb *f, const struct val *v, struct buf *out)
{
	bool nil = v->kind == V_NIL && f->sharp_v && v->type && *v->type == '*';
	auto_buf struct buf own = {0};

	if (f->c == 'v' && (nil || (val_is_pointer(v) && (f->sharp_v || !val_text(v, "String", &own)))))
		put_pointer(f, val_type(v), nil, out);
	else
		put(d, f, v, false, out);
}

/* "{container.Resources": the beginning of an embedded struct, or of an embedded pointer, whose members are not shown.
 * Returns the number of keys. */
static size_t put_embedded(const struct verb *f, const char *const *keys, struct buf *out)
{
	const char *type = keys[0] + 1, *dot = strrchr(type, '.');
	size_t n = 1;

	if (f->plus_v || f->sharp_v)
		buf_printf(out, "%s:", dot ? dot + 1 : type);
	if (*keys[0] == '{') {
		buf_printf(out, "%s{", f->sharp_v ? type : "");
		return 1;
	}
	put_pointer(f, type, false, out);
	while (*keys[n] != ')')
		n++;
	return n + 1;
}

static void put_struct(const struct tmpl_data *d, const struct verb *f, const struct val *v,
	const char *const *keys, bool all, struct buf *out)
{
	const char *between = f->sharp_v ? ", " : " ", *before = "";

	for (size_t i = 0, inside = 0; keys[i] && !is_too_much(out);) {
		const char *key = keys[i], *go = go_spelling(key, true);
		const json_t *child = json_object_get(v->j, key);
		struct val item;

		if ((*key == '}' || *key == ')') && inside == 0)
			return; /* that was an embedded one by itself */
		if (*key == '}') {
			buf_putc(out, '}');
			inside--;
			i++;
			continue;
		}
		buf_puts(out, before);
		before = *key == '{' ? "" : between;
		if (*key == '{' || *key == '(') {
			inside += *key == '{';
			i += put_embedded(f, keys + i, out);
			continue;
		}
		if (f->plus_v || f->sharp_v)
			buf_printf(out, "%s:", go ? go : key);
		item = val_child(d, v, key, child || !all ? child : json_null());
		put_member(d, f, &item, out);
		i++;
	}
}

static void put_map(const struct tmpl_data *d, const struct verb *f, const struct val *v,
	const char *const *keys, struct buf *out)
{
	for (size_t i = 0; keys[i] && !is_too_much(out); i++) {
		const struct val key = val_key(v, keys[i]);
		struct val item = val_child(d, v, keys[i], json_object_get(v->j, keys[i]));

		buf_puts(out, i == 0 ? "" : f->sharp_v ? ", " : " ");
		put(d, f, &key, false, out);
		buf_putc(out, ':');
		put_member(d, f, &item, out);
	}
}

static void put_object(
	const struct tmpl_data *d, const struct verb *f, const struct val *v, struct buf *out)
{
	size_t n;
	auto_free const char **there = val_keys(v, !v->is_struct, &n);
	const char *const *order = val_order(d, v);

	if (f->sharp_v && !v->j && !v->is_struct) {
		buf_printf(out, "%s(nil)", val_type(v));
		return;
	}
	if (f->sharp_v)
		buf_printf(out, "%s{", val_type(v) + (*val_type(v) == '*')); /* that is the "&" before it */
	else
		buf_puts(out, v->is_struct ? "{" : "map[");
	if (v->is_struct)
		put_struct(d, f, v, order ? order : there, order != NULL, out);
	else
		put_map(d, f, v, there, out);
	buf_puts(out, v->is_struct || f->sharp_v ? "}" : "]");
}

static void put_array(
	const struct tmpl_data *d, const struct verb *f, const struct val *v, struct buf *out)
{
	if (f->sharp_v)
		buf_printf(out, v->j ? "%s{" : "%s(nil)", val_type(v));
	else
		buf_putc(out, '[');
	for (size_t i = 0; i < json_array_size(v->j) && !is_too_much(out); i++) {
		struct val item = val_child(d, v, NULL, json_array_get(v->j, i));

		buf_puts(out, i == 0 ? "" : f->sharp_v ? ", " : " ");
		put_member(d, f, &item, out);
	}
	if (!f->sharp_v || v->j)
		buf_putc(out, f->sharp_v ? '}' : ']');
}

/* A row with an Error method is one of Go's errors, and is printed as that. */
static bool put_error(const struct verb *f, const struct tmpl_object *o, struct buf *out)
{
	const struct tmpl_method *m = o->methods;
	auto_buf struct buf text = {0};

	while (m->name && !str_eq(m->name, "Error"))
		m++;
	if (!m->name || !strchr("vsqxX", f->c) || f->sharp_v)
		return false;
	method_text(m, o->self, NULL, &text);
	return verb_string(f, text.s ? text.s : "", text.len, out);
}

static void put_row(const struct tmpl_data *d, const struct verb *f, bool top, struct buf *out)
{
	const struct tmpl_object *o = d->object;
	auto_json json_t *j = o->whole ? o->whole(o->self) : NULL;
	const struct tmpl_data whole = {.json = j, .fields = o->fields, .type = o->type};
	const struct val v = {
		.kind = V_OBJECT, .j = j, .is_struct = true, .is_pointer = true, .type = o->type};

	if (put_error(f, o, out))
		return;
	if (!j) {
		buf_puts(out, "{}");
		return;
	}
	buf_puts(out, top ? "&" : "");
	put_object(&whole, f, &v, out);
}

static bool put_single(const struct verb *f, const struct val *v, struct buf *out)
{
	switch (v->kind) {
	case V_NONE:
	case V_NIL:
		if (v->kind == V_NIL && v->type && *v->type == '*' && strchr("bodxX", f->c))
			return verb_int(f, 0, out); /* where a nil pointer leads to */
		if (f->c == 'v')
			verb_pad(f, "<nil>", 5, out);
		return f->c == 'v';
	case V_BOOL:
		return verb_bool(f, v->b, out);
	case V_INT:
		return verb_int(f, v->i, out);
	case V_REAL:
		return verb_real(f, v->r, out);
	case V_COMPLEX:
		return verb_complex(f, v->r, v->im, out);
	default:
		return verb_string(f, v->s, v->len, out);
	}
}

/* What leads to others has an address, or is none. */
static void put_address(
	const struct tmpl_data *d, const struct verb *f, const struct val *v, struct buf *out)
{
	struct verb hex = *f;

	if ((v->kind != V_ARRAY && v->kind != V_OBJECT) || v->is_struct) {
		put_bad(d, f, v, out);
		return;
	}
	hex.c = 'x';
	hex.sharp = !f->sharp;
	(void)verb_int(&hex, v->j ? SOMEWHERE : 0, out); /* a verb that it knows */
}

/* By the verbs of strings they are one. */
static bool put_bytes(const struct verb *f, const struct val *v, struct buf *out)
{
	auto_buf struct buf b = {0};

	if (!val_is_bytes(v) || !strchr("sqxX", f->c))
		return false;
	val_add_bytes(v, &b);
	return verb_string(f, b.s ? b.s : "", b.len, out);
}

static void put(const struct tmpl_data *d, const struct verb *f, const struct val *v, bool top,
	struct buf *out)
{
	auto_buf struct buf own = {0};

	if ((f->sharp_v && v->kind == V_TIME && val_text(v, "GoString", out)) || put_bytes(f, v, out))
		return;
	if (strchr("vsqxX", f->c) && !f->sharp_v && !f->erroring && val_text(v, "String", &own)) {
		(void)verb_string(f, own.s, own.len, out); /* likewise */
		return;
	}
	if (top && f->sharp_v && v->kind == V_NIL && v->type && *v->type == '*') {
		put_pointer(f, v->type, true, out);
		return;
	}
	if (top && f->c == 'v' && v->kind != V_OBJECT && v->kind != V_ROW && val_is_pointer(v)) {
		put_pointer(f, val_type(v), false, out);
		return;
	}
	switch (v->kind) {
	case V_ARRAY:
		put_array(d, f, v, out);
		return;
	case V_OBJECT:
		buf_puts(out, top && val_is_pointer(v) ? "&" : "");
		put_object(d, f, v, out);
		return;
	case V_ROW:
		put_row(d, f, top, out);
		return;
	default:
		if (!put_single(f, v, out))
			put_bad(d, f, v, out);
	}
}

/* An argument of printf. */
static void put_argument(
	const struct tmpl_data *d, const struct verb *f, const struct val *v, struct buf *out)
{
	const char *type = v->kind <= V_NIL && !v->type ? "<nil>" : val_type(v);
	struct verb text = *f;

	text.c = 's';
	if (f->c == 'T' && v->kind <= V_NIL && !v->type)
		verb_pad(f, type, strlen(type), out);
	else if (f->c == 'T')
		(void)verb_string(&text, type, strlen(type), out); /* a verb that it knows */
	else if (f->c == 'p')
		put_address(d, f, v, out);
	else if (f->c == 'w')
		put_bad(d, f, v, out); /* it is of Go's errors */
	else
		put(d, f, v, true, out);
}

void fmt_print(const struct tmpl_data *d, const struct val *v, struct buf *out)
{
	const struct verb plain = VERB_V;

	put(d, &plain, v, false, out);
}

void fmt_print_argument(const struct tmpl_data *d, const struct val *v, struct buf *out)
{
	const struct verb plain = VERB_V;

	put(d, &plain, v, true, out);
}

/* ---- printf ---- */

struct args {
	const struct val *v;
	size_t n, at;
	bool good;      /* no "[7]" of this verb names one that is not there */
	bool named;     /* the last thing of this verb was a "[7]" */
	bool reordered; /* some verb has one */
};

/* "[2]": the argument that is used next. */
static const char *parse_index(const char *at, const char *end, struct args *a)
{
	const char *close, *c;
	size_t n = 0;

	a->named = false;
	if (at >= end || *at != '[')
		return at;
	a->reordered = true;
	close = memchr(at, ']', (size_t)(end - at));
	if (!close) {
		a->good = false;
		return at + 1;
	}
	for (c = at + 1; c < close && isdigit((unsigned char)*c); c++)
		n = n > WIDTH_MAX ? n : n * 10 + (size_t)(*c - '0');
	a->named = c == close && c > at + 1;
	a->good &= a->named && n > 0 && n <= a->n;
	if (a->named && n > 0 && n <= a->n)
		a->at = n - 1;
	return close + 1;
}

static const char *parse_number(const char *at, const char *end, int *out)
{
	int n = 0;

	if (at >= end || !isdigit((unsigned char)*at))
		return at;
	for (; at < end && isdigit((unsigned char)*at); at++)
		n = n > WIDTH_MAX ? n : n * 10 + (*at - '0');
	*out = n > WIDTH_MAX ? WIDTH_MAX : n;
	return at;
}

/* "*": takes the number from an argument. */
static bool take_number(struct args *a, int *out)
{
	const struct val *v = a->at < a->n ? &a->v[a->at++] : NULL;

	a->named = false;
	if (!v || v->kind != V_INT || v->i > WIDTH_MAX || v->i < -WIDTH_MAX)
		return false;
	*out = (int)v->i;
	return true;
}

static const char *parse_width(
	const char *at, const char *end, struct args *a, struct verb *f, struct buf *out)
{
	at = parse_index(at, end, a);
	if (at < end && *at == '*') {
		if (!take_number(a, &f->width))
			buf_puts(out, "%!(BADWIDTH)");
		else if (f->width < 0) {
			f->width = -f->width;
			f->minus = true;
		}
		return at + 1;
	}
	at = parse_number(at, end, &f->width);
	a->good &= !(a->named && f->width >= 0); /* "%[3]2d" */
	return at;
}

static const char *parse_precision(
	const char *at, const char *end, struct args *a, struct verb *f, struct buf *out)
{
	if (at >= end || *at != '.')
		return at;
	a->good &= !a->named; /* "%[3].2d" */
	at = parse_index(at + 1, end, a);
	if (at < end && *at == '*') {
		if (!take_number(a, &f->precision) || f->precision < 0) {
			f->precision = -1;
			buf_puts(out, "%!(BADPREC)");
		}
		return at + 1;
	}
	f->precision = 0;
	return parse_number(at, end, &f->precision);
}

static const char *parse_flags(const char *at, const char *end, struct verb *f)
{
	for (; at < end && *at && strchr("+-# 0", *at); at++) {
		f->plus |= *at == '+';
		f->minus |= *at == '-';
		f->sharp |= *at == '#';
		f->space |= *at == ' ';
		f->zero |= *at == '0';
	}
	return at;
}

static const char *parse_verb(
	const char *at, const char *end, struct args *a, struct verb *f, struct buf *out)
{
	size_t n;

	*f = (struct verb){.width = -1, .precision = -1};
	a->good = true;
	at = parse_flags(at, end, f);
	at = parse_width(at, end, a, f, out);
	at = parse_precision(at, end, a, f, out);
	if (!a->named)
		at = parse_index(at, end, a);
	if (at >= end)
		return at;
	n = str_rune(at, (size_t)(end - at), NULL);
	memcpy(f->name, at, n ? n : 1);
	f->c = n == 1 ? *at : 1;
	if (f->c == 'v') {
		f->sharp_v = f->sharp;
		f->plus_v = f->plus;
		f->sharp = f->plus = false;
	}
	return at + (n ? n : 1);
}

static void put_extra(const struct tmpl_data *d, const struct args *a, struct buf *out)
{
	buf_puts(out, "%!(EXTRA ");
	for (size_t i = a->at; i < a->n && !is_too_much(out); i++) {
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
	struct args a = {.v = args, .n = n};
	struct verb f;

	while (at < end && !is_too_much(out)) {
		const char *percent = memchr(at, '%', (size_t)(end - at));

		buf_add(out, at, (size_t)((percent ? percent : end) - at));
		if (!percent)
			break;
		at = parse_verb(percent + 1, end, &a, &f, out);
		if (!f.c)
			buf_puts(out, "%!(NOVERB)");
		else if (f.c == '%')
			buf_putc(out, '%');
		else if (!a.good)
			buf_printf(out, "%%!%s(BADINDEX)", f.name);
		else if (a.at >= a.n)
			buf_printf(out, "%%!%s(MISSING)", f.name);
		else
			put_argument(d, &f, &a.v[a.at++], out);
	}
	if (!a.reordered && a.at < a.n)
		put_extra(d, &a, out);
}

void fmt_quote(const char *s, size_t len, struct buf *out)
{
	quote_text(s, len, false, out);
}
