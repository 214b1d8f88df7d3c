/* SPDX-License-Identifier: Apache-2.0 */
/* tmpl_func: the functions of templates: Go's own, and those that docker adds. */
#include "quote.h"
#include "tmpl_node.h"
#include "tmpl_verb.h"

#include <ctype.h>
#include <string.h>

struct call {
	struct run *r;
	const struct val *v;
	size_t n;
	struct val *out;
	struct buf *why;
};

/* Says why and fails. */
#define REFUSE(c, ...) (buf_printf((c)->why, __VA_ARGS__), -1)

static int give(const struct call *c, struct buf *b)
{
	size_t len = b->len;

	if (is_too_much(b))
		return REFUSE(c, TMPL_TOO_MUCH);
	*c->out = run_keep(c->r, buf_take(b), len);
	return 0;
}

static int give_bool(const struct call *c, bool b)
{
	*c->out = val_bool(b);
	return 0;
}

/* ---- Go's ---- */

static int fn_not(const struct call *c)
{
	return give_bool(c, !val_truth(&c->v[0]));
}

/* Of what a pointer leads to. */
static const char *bare_type(const struct val *v)
{
	const char *type = val_type(v);

	return type + (*type == '*');
}

static int fn_len(const struct call *c)
{
	const struct val *v = &c->v[0];

	if (v->kind == V_NIL)
		return REFUSE(c, "len of nil pointer");
	if (v->kind == V_NONE)
		return REFUSE(c, "reflect: call of reflect.Value.Type on zero Value");
	if (v->kind != V_STRING && v->kind != V_ARRAY && (v->kind != V_OBJECT || v->is_struct))
		return REFUSE(c, "len of type %s", bare_type(v));
	*c->out = val_int((int64_t)val_len(v));
	return 0;
}

/* An index into something of length n (n itself allowed where `end`). */
static int index_arg(const struct call *c, const struct val *v, size_t n, bool end, size_t *out)
{
	if (v->kind == V_NONE || v->kind == V_NIL)
		return REFUSE(c, "cannot index slice/array with nil");
	if (v->kind != V_INT)
		return REFUSE(c, "cannot index slice/array with type %s", val_type(v));
	if (v->i < 0 || (uint64_t)v->i > n)
		return REFUSE(c, "index out of range: %lld", (long long)v->i);
	if (!end && (uint64_t)v->i == n) /* text/template looks for more than n, reflect for n */
		return REFUSE(c, "reflect: %s index out of range",
			c->v[0].kind == V_STRING ? "string" : "slice");
	*out = (size_t)v->i;
	return 0;
}

static int map_entry(const struct call *c, const struct val *map, const struct val *key, struct val *out)
{
	const json_t *child;

	if (key->kind != V_STRING) {
		if (key->kind == V_NONE || key->kind == V_NIL)
			return REFUSE(c, "value is nil; should be of type string");
		return REFUSE(c, "value has type %s; should be string", val_type(key));
	}
	if (map->type && str_starts(map->type, "nat.Port")) /* whose keys are not strings, but nat.Port */
		return REFUSE(c, "value has type string; should be nat.Port");
	child = json_object_get(map->j, key->s);
	if (child) {
		*out = val_child(c->r->d, map, key->s, child);
		return 0;
	}
	/* Go gives the zero value of the map's element type */
	*out = (struct val){.kind = V_NIL, .loose = true};
	if (map->elem == TMPL_STRING)
		*out = val_string("", 0);
	else if (map->elem == TMPL_SLICE)
		*out = (struct val){.kind = V_ARRAY};
	return 0;
}

static int fn_index(const struct call *c)
{
	struct val at = c->v[0], next;

	if (at.kind == V_NONE || at.kind == V_NIL)
		return REFUSE(c, "index of untyped nil");
	for (size_t i = 1, k; i < c->n; i++, at = next) {
		if (at.kind == V_ARRAY) {
			if (index_arg(c, &c->v[i], val_len(&at), false, &k) < 0)
				return -1;
			next = val_child(c->r->d, &at, NULL, json_array_get(at.j, k));
		} else if (at.kind == V_STRING) {
			if (index_arg(c, &c->v[i], at.len, false, &k) < 0)
				return -1;
			next = val_int((unsigned char)at.s[k]);
			next.type = "uint8";
		} else if (at.kind == V_OBJECT && !at.is_struct) {
			if (map_entry(c, &at, &c->v[i], &next) < 0)
				return -1;
		} else if (at.kind == V_NIL || at.kind == V_NONE) {
			return REFUSE(c, "index of nil pointer");
		} else {
			return REFUSE(c, "can't index item of type %s", bare_type(&at));
		}
	}
	*c->out = at;
	return 0;
}

static int fn_slice(const struct call *c)
{
	const struct val *v = &c->v[0];
	size_t from = 0, to;

	if (v->kind == V_NONE || v->kind == V_NIL)
		return REFUSE(c, "slice of untyped nil");
	if (v->kind != V_STRING && v->kind != V_ARRAY)
		return REFUSE(c, "can't slice item of type %s", val_type(v));
	to = val_len(v);
	if (c->n > (v->kind == V_STRING ? 3 : 4))
		return REFUSE(c,
			v->kind == V_STRING ? "cannot 3-index slice a string" : "too many slice indexes: %zu",
			c->n - 1);
	if (c->n > 1 && index_arg(c, &c->v[1], val_len(v), true, &from) < 0)
		return -1;
	if (c->n > 2 && index_arg(c, &c->v[2], val_len(v), true, &to) < 0)
		return -1;
	if (from > to)
		return REFUSE(c, "invalid slice index: %zu > %zu", from, to);
	if (v->kind == V_STRING) {
		*c->out = run_keep_copy(c->r, v->s + from, to - from);
		return 0;
	}
	*c->out = *v;
	c->out->j = run_pool(c->r, json_array());
	for (; from < to; from++)
		if (json_array_append((json_t *)(uintptr_t)c->out->j, json_array_get(v->j, from)) < 0)
			return REFUSE(c, "out of memory");
	c->r->spent += 16 * (to + 1);
	return 0;
}

/* all: a space between any two, not only where neither is a string. */
static void add_args(const struct call *c, const struct val *v, bool all, struct buf *b)
{
	for (size_t i = 0; i < c->n && !is_too_much(b); i++) {
		bool strings = i == 0 || v[i].kind == V_STRING || v[i - 1].kind == V_STRING;

		if (i && (all || !strings))
			buf_putc(b, ' ');
		fmt_print_argument(c->r->d, &v[i], b);
	}
}

static int print_args(const struct call *c, bool line)
{
	auto_buf struct buf b = {0};

	add_args(c, c->v, line, &b);
	if (line)
		buf_putc(&b, '\n');
	return give(c, &b);
}

static int fn_print(const struct call *c)
{
	return print_args(c, false);
}

static int fn_println(const struct call *c)
{
	return print_args(c, true);
}

static int fn_printf(const struct call *c)
{
	auto_buf struct buf b = {0};

	fmt_printf(c->r->d, c->v[0].s, c->v[0].len, c->v + 1, c->n - 1, &b);
	return give(c, &b);
}

static int fn_call(const struct call *c)
{
	auto_buf struct buf b = {0};

	if (c->v[0].kind == V_NONE || c->v[0].kind == V_NIL)
		return REFUSE(c, "call of nil");
	/* the constant in the template, unless the value came through a pipe */
	if (c->r->at->n > 1)
		tmpl_node_string(c->r->at->kids[1], &b);
	else
		fmt_print(c->r->d, &c->v[0], &b);
	return REFUSE(c, "non-function %.200s of type %s", b.s, val_type(&c->v[0]));
}

/* What is to be escaped. That there is nothing is a text here, too, and a nil pointer is none. */
static void joined(const struct call *c, struct buf *b)
{
	static const char nothing[] = "<no value>";
	auto_free struct val *v = xcalloc(c->n + 1, sizeof(*v));

	for (size_t i = 0; i < c->n; i++) {
		bool none = c->v[i].kind == V_NONE || (c->v[i].kind == V_NIL && c->v[i].loose);

		v[i] = none ? val_string(nothing, strlen(nothing)) : c->v[i];
	}
	if (c->n == 1 && v[0].kind == V_STRING)
		buf_add(b, v[0].s, v[0].len);
	else if (c->n == 1)
		fmt_print(c->r->d, &v[0], b);
	else
		add_args(c, v, false, b);
}

static int fn_html(const struct call *c)
{
	auto_buf struct buf in = {0}, b = {0};

	joined(c, &in);
	for (size_t i = 0; i < in.len; i++) {
		switch (in.s[i]) {
		case '<':
			buf_puts(&b, "&lt;");
			break;
		case '>':
			buf_puts(&b, "&gt;");
			break;
		case '&':
			buf_puts(&b, "&amp;");
			break;
		case '"':
			buf_puts(&b, "&#34;");
			break;
		case '\'':
			buf_puts(&b, "&#39;");
			break;
		case '\0':
			buf_puts(&b, "\xef\xbf\xbd");
			break;
		default:
			buf_putc(&b, in.s[i]);
		}
	}
	return give(c, &b);
}

static int fn_js(const struct call *c)
{
	auto_buf struct buf in = {0}, b = {0};

	joined(c, &in);
	for (size_t i = 0, n; i < in.len; i += n ? n : 1) {
		unsigned char k = (unsigned char)in.s[i];
		uint32_t rune = k;

		n = str_rune(in.s + i, in.len - i, &rune);
		if (k == '\\' || k == '\'' || k == '"')
			buf_printf(&b, "\\%c", k);
		else if (k < 0x20 || strchr("<>&=", k) || (n > 1 && !quote_printable(rune)))
			buf_printf(&b, "\\u%04X", rune);
		else
			buf_add(&b, in.s + i, n ? n : 1);
	}
	return give(c, &b);
}

static int fn_urlquery(const struct call *c)
{
	auto_buf struct buf in = {0}, b = {0};

	joined(c, &in);
	for (size_t i = 0; i < in.len; i++) {
		unsigned char k = (unsigned char)in.s[i];

		if (k < 0x80 && (isalnum(k) || (k && strchr("-_.~", k))))
			buf_putc(&b, (char)k);
		else if (k == ' ')
			buf_putc(&b, '+');
		else
			buf_printf(&b, "%%%02X", k);
	}
	return give(c, &b);
}

/* ---- comparisons ---- */

static bool is_nil(const struct val *v)
{
	return v->kind == V_NONE || v->kind == V_NIL;
}

/* Whether it is of a kind that Go can put in order, or of one it takes for that. */
static bool is_basic(const struct val *v)
{
	return v->kind >= V_BOOL && v->kind <= V_COMPLEX;
}

static int equal(const struct call *c, const struct val *a, const struct val *b, bool *out)
{
	auto_buf struct buf text = {0};

	if (val_is_pointer(a) && val_is_pointer(b) && a->kind == b->kind && a->kind >= V_OBJECT) {
		*out = a->j == b->j; /* of a row there is one */
		return 0;
	}
	for (int i = 0; i < 2; i++) {
		const struct val *v = i ? b : a;

		if (v->kind == V_ARRAY || v->kind == V_OBJECT) {
			if (is_nil(i ? a : b)) {
				*out = v->j == NULL;
				return 0;
			}
			if (is_basic(i ? a : b))
				break;
			fmt_print(c->r->d, v, &text);
			return REFUSE(c, "non-comparable type %.200s: %s", text.s, val_type(v));
		}
	}
	if (is_nil(a) || is_nil(b)) {
		*out = is_nil(a) && is_nil(b);
		return 0;
	}
	if (a->kind != b->kind)
		return REFUSE(c, "incompatible types for comparison");
	*out = a->kind == V_BOOL      ? a->b == b->b
	       : a->kind == V_INT     ? a->i == b->i
	       : a->kind == V_REAL    ? a->r == b->r
	       : a->kind == V_COMPLEX ? a->r == b->r && a->im == b->im
	       : a->kind == V_STRING || a->kind == V_TIME
	               ? a->len == b->len && memcmp(a->s, b->s, a->len) == 0
	               : false;
	return 0;
}

static int fn_eq(const struct call *c)
{
	bool same = false;

	if (c->n == 1)
		return REFUSE(c, "missing argument for comparison");
	for (size_t i = 1; i < c->n && !same; i++)
		if (equal(c, &c->v[0], &c->v[i], &same) < 0)
			return -1;
	return give_bool(c, same);
}

static int fn_ne(const struct call *c)
{
	bool same;

	return equal(c, &c->v[0], &c->v[1], &same) < 0 ? -1 : give_bool(c, !same);
}

/* Below 0, 0, above 0 into *out. */
static int order(const struct call *c, int *out)
{
	const struct val *a = &c->v[0], *b = &c->v[1];

	if (is_basic(a) && is_basic(b) && a->kind != b->kind)
		return REFUSE(c, "incompatible types for comparison");
	if (!is_basic(a) || !is_basic(b) || a->kind == V_BOOL || a->kind == V_COMPLEX)
		return REFUSE(c, "invalid type for comparison");
	if (a->kind == V_INT) {
		*out = (a->i > b->i) - (a->i < b->i);
	} else if (a->kind == V_REAL) {
		*out = (a->r > b->r) - (a->r < b->r);
	} else {
		*out = memcmp(a->s, b->s, a->len < b->len ? a->len : b->len);
		*out = *out ? *out : (a->len > b->len) - (a->len < b->len);
	}
	return 0;
}

static int fn_lt(const struct call *c)
{
	int way;

	return order(c, &way) < 0 ? -1 : give_bool(c, way < 0);
}

static int fn_le(const struct call *c)
{
	int way;

	return order(c, &way) < 0 ? -1 : give_bool(c, way <= 0);
}

static int fn_gt(const struct call *c)
{
	int way;

	return order(c, &way) < 0 ? -1 : give_bool(c, way > 0);
}

static int fn_ge(const struct call *c)
{
	int way;

	return order(c, &way) < 0 ? -1 : give_bool(c, way >= 0);
}

/* ---- docker's ---- */

static int fn_json(const struct call *c)
{
	auto_buf struct buf b = {0};

	if (c->r->d->headings) {
		*c->out = c->v[0];
		return 0;
	}
	if (c->v[0].kind == V_COMPLEX)
		return REFUSE(c, "json: unsupported type: complex128");
	fmt_json(c->r->d, &c->v[0], &b);
	return give(c, &b);
}

static int each_char(const struct call *c, int (*change)(int), bool title)
{
	auto_buf struct buf b = {0};
	bool start = true;

	if (c->r->d->headings) {
		*c->out = c->v[0];
		return 0;
	}
	for (size_t i = 0; i < c->v[0].len; i++) {
		unsigned char k = (unsigned char)c->v[0].s[i];

		buf_putc(&b, (char)(k < 0x80 && (!title || start) ? change(k) : k));
		start = k < 0x80 && !isalnum(k) && k != '_' && k != '\'';
	}
	return give(c, &b);
}

static int fn_upper(const struct call *c)
{
	return each_char(c, toupper, false);
}

static int fn_lower(const struct call *c)
{
	return each_char(c, tolower, false);
}

static int fn_title(const struct call *c)
{
	return each_char(c, toupper, true);
}

/* By nothing: into its characters. */
static int fn_split(const struct call *c)
{
	const char *at = c->v[0].s, *end = at + c->v[0].len, *hit;
	const struct val *by = &c->v[1];
	bool more = at < end || by->len;
	json_t *parts;

	if (c->r->d->headings) {
		*c->out = c->v[0];
		return 0;
	}
	parts = run_pool(c->r, json_array());
	while (more) {
		size_t rune = str_rune(at, (size_t)(end - at), NULL);

		hit = by->len ? memmem(at, (size_t)(end - at), by->s, by->len) : at + (rune ? rune : 1);
		more = hit && (by->len || hit < end);
		hit = hit ? hit : end;
		c->r->spent += 64 + (size_t)(hit - at);
		if (c->r->spent > TMPL_OUTPUT_MAX)
			return REFUSE(c, TMPL_TOO_MUCH);
		(void)json_array_append_new(parts, json_stringn_nocheck(at, (size_t)(hit - at)));
		at = hit + (more ? by->len : 0);
	}
	*c->out = (struct val){.kind = V_ARRAY, .j = parts};
	return 0;
}

static int fn_join(const struct call *c)
{
	auto_buf struct buf b = {0};

	if (c->r->d->headings) {
		*c->out = c->v[0];
		return 0;
	}
	for (size_t i = 0; i < json_array_size(c->v[0].j) && !is_too_much(&b); i++) {
		struct val item = val_child(c->r->d, &c->v[0], NULL, json_array_get(c->v[0].j, i));

		if (i)
			buf_add(&b, c->v[1].s, c->v[1].len);
		fmt_print(c->r->d, &item, &b);
	}
	return give(c, &b);
}

static int fn_pad(const struct call *c)
{
	auto_buf struct buf b = {0};
	int64_t left = c->v[1].i, right = c->v[2].i;

	if (c->v[0].len && (left < 0 || right < 0))
		return REFUSE(c, "strings: negative Repeat count");
	if (left > 1000000 || right > 1000000)
		return REFUSE(c, "too wide");
	for (int64_t i = 0; c->v[0].len && i < left; i++)
		buf_putc(&b, ' ');
	buf_add(&b, c->v[0].s, c->v[0].len);
	for (int64_t i = 0; c->v[0].len && i < right; i++)
		buf_putc(&b, ' ');
	return give(c, &b);
}

static int fn_truncate(const struct call *c)
{
	int64_t n = c->v[1].i;

	*c->out = c->v[0];
	if (!c->r->d->headings && n < 0)
		return REFUSE(c, "runtime error: slice bounds out of range [:%lld]", (long long)n);
	if (!c->r->d->headings && (uint64_t)n < c->v[0].len)
		*c->out = run_keep_copy(c->r, c->v[0].s, (size_t)n);
	return 0;
}

/* ---- the table ---- */

struct function {
	const char *name;
	int (*call)(const struct call *c);
	size_t min, max; /* of arguments; max 0: any number */
	const char *wants; /* s string, i int, a list of strings, . anything; the last letter repeats */
};

static const struct function functions[] = {
	/* clang-format off */
	{ "and",      NULL,        1, 0, "." },
	{ "call",     fn_call,     1, 0, "." },
	{ "eq",       fn_eq,       1, 0, "." },
	{ "ge",       fn_ge,       2, 2, "." },
	{ "gt",       fn_gt,       2, 2, "." },
	{ "html",     fn_html,     0, 0, "." },
	{ "index",    fn_index,    1, 0, "." },
	{ "join",     fn_join,     2, 2, "as" },
	{ "js",       fn_js,       0, 0, "." },
	{ "json",     fn_json,     1, 1, "." },
	{ "le",       fn_le,       2, 2, "." },
	{ "len",      fn_len,      1, 1, "." },
	{ "lower",    fn_lower,    1, 1, "s" },
	{ "lt",       fn_lt,       2, 2, "." },
	{ "ne",       fn_ne,       2, 2, "." },
	{ "not",      fn_not,      1, 1, "." },
	{ "or",       NULL,        1, 0, "." },
	{ "pad",      fn_pad,      3, 3, "sii" },
	{ "print",    fn_print,    0, 0, "." },
	{ "printf",   fn_printf,   1, 0, "s." },
	{ "println",  fn_println,  0, 0, "." },
	{ "slice",    fn_slice,    1, 0, "." },
	{ "split",    fn_split,    2, 2, "ss" },
	{ "title",    fn_title,    1, 1, "s" },
	{ "truncate", fn_truncate, 2, 2, "si" },
	{ "upper",    fn_upper,    1, 1, "s" },
	{ "urlquery", fn_urlquery, 0, 0, "." },
	/* clang-format on */
};

static const struct function *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
	return NULL;
}

bool tmpl_is_function(const char *name)
{
	return find(name) != NULL;
}

/* Of a name that the parser has let through. */
static const struct function *known(const char *name)
{
	const struct function *f = find(name);

	assert(f);
	return f;
}

int func_arity(struct run *r, const char *name, size_t given)
{
	const struct function *f = known(name);

	if (f->max == 0 && given < f->min)
		return run_error(r, "wrong number of args for %s: want at least %zu got %zu", name,
			f->min, given);
	if (f->max && (given < f->min || given > f->max))
		return run_error(r, "wrong number of args for %s: want %zu got %zu", name, f->min, given);
	return 0;
}

/* The type that a letter of `wants` stands for; may_be_nil: nil will do, and so will a missing value. */
static const struct param {
	char letter;
	bool may_be_nil;
	enum val_kind kind;
	const char *type;
} params[] = {
	{'s', false, V_STRING, "string"},
	{'i', false, V_INT, "int"},
	{'d', false, V_INT, GO_DURATION},
	{'t', false, V_TIME, GO_TIME},
	{'a', true, V_ARRAY, "[]string"},
	{'r', true, V_OBJECT, "*container.RestartPolicy"},
	{'l', true, V_STRING, "*time.Location"},
};

/* NULL: it takes anything. */
static const struct param *param_of(const struct run *r, char wants)
{
	if (wants == 'a' && r->d->headings)
		wants = 's';
	for (size_t i = 0; i < ARRAY_LEN(params); i++)
		if (params[i].letter == wants)
			return &params[i];
	return NULL;
}

/* A value of a named type is none of that which it is made of, unless that has no name itself. */
static bool suits(const struct run *r, char wants, const struct val *v)
{
	const struct param *p = param_of(r, wants);
	const char *type;

	if (!p)
		return true;
	if (v->kind <= V_NIL)
		return v->kind == V_NONE && p->may_be_nil;
	if (v->kind != p->kind)
		return false;
	type = val_type(v);
	type += *type == '*' && *p->type != '*'; /* what it leads to does as well */
	return str_eq(type, p->type + (*p->type == '*' && *type != '*')) ||
	       (p->letter == 'a' && str_eq(type, "strslice.StrSlice"));
}

/* A constant of the template's own: of the type that is wanted, if it can be. */
static int fit_constant(struct run *r, const struct node *n, const struct param *p, struct val *v)
{
	auto_buf struct buf text = {0};

	if (n->kind == N_STRING && p->kind == V_STRING && p->letter == 's')
		return 0;
	if (n->kind == N_NUMBER && p->kind == V_INT && !n->is_real) {
		*v = val_int(n->integer);
		v->type = p->letter == 'i' ? NULL : p->type;
		return 0;
	}
	tmpl_node_string(n, &text);
	if (p->letter != 's' && p->kind != V_INT)
		return run_error(r, "can't handle %s for arg of type %s", text.s, p->type);
	return run_error(r, "expected %s; found %s", p->kind == V_INT ? "integer" : p->type, text.s);
}

int func_fit(struct run *r, const struct node *node, char wants, struct val *v)
{
	const struct param *p = param_of(r, wants);

	if (!p)
		return 0;
	if (node && node->kind == N_NIL && !p->may_be_nil)
		return run_error(r, "cannot assign nil to %s", p->type);
	if (node && (node->kind == N_BOOL || node->kind == N_NUMBER || node->kind == N_STRING))
		return fit_constant(r, node, p, v);
	if (!suits(r, wants, v)) {
		if (v->kind == V_NONE)
			return run_error(r, "invalid value; expected %s", p->type);
		return run_error(r, "wrong type for value; expected %s; got %s", p->type,
			v->kind == V_NIL && v->loose ? "interface {}" : val_type(v));
	}
	if (v->kind == V_NONE)
		*v = (struct val){.kind = p->kind == V_ARRAY ? V_ARRAY : V_NIL, .type = p->type};
	return 0;
}

const char *func_wants(const struct run *r, const char *name)
{
	/* in a heading the column's name stands for the value, whatever type docker's function would get */
	return r->d->headings && strcmp(name, "json") == 0 ? "s" : known(name)->wants;
}

int func_call(struct run *r, const char *name, const struct val *args, size_t n, struct val *out,
	struct buf *why)
{
	const struct call c = {r, args, n, out, why};

	return known(name)->call(&c);
}
