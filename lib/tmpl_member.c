/* SPDX-License-Identifier: Apache-2.0 */
/* tmpl_member: the members and methods of a value: what .Name and .Name "argument" give. */
#include "tmpl_node.h"

#include <string.h>

size_t run_n_args(const struct run_behind *b)
{
	return b ? b->cmd->n - 1 + (b->final != NULL) : 0;
}

void mend_utf8(size_t from, struct buf *out)
{
	size_t at = from;
	auto_free char *mended = NULL;

	while (at < out->len && (signed char)out->s[at] >= 0)
		at++;
	if (at == out->len)
		return;
	mended = json_utf8(out->s + from, out->len - from);
	out->len = from;
	buf_puts(out, mended);
}

void method_text(const struct tmpl_method *m, void *self, const char *const *argv, struct buf *out)
{
	size_t before = out->len;

	m->text(self, argv, out);
	mend_utf8(before, out);
}

static const struct tmpl_method *method_of(const struct tmpl_object *o, const char *name)
{
	const struct tmpl_method *m = o->methods;

	while (m->name && (m->name[0] != name[0] || strcmp(m->name, name) != 0))
		m++;
	return m->name ? m : NULL;
}

/* Of a method that takes so many; NULL: none, or an error. */
static struct val *method_args(struct run *r, const char *name, size_t takes, const char *wants,
	const struct run_behind *b)
{
	const struct node *at = r->at;
	struct val *args;
	size_t n = run_n_args(b);

	if (n != takes) {
		(void)run_error(r, "wrong number of args for %s: want %zu got %zu", name, takes, n);
		return NULL;
	}
	args = n ? run_args(r, b, wants, &n) : xcalloc(1, sizeof(*args));
	r->at = args ? at : r->at;
	return args;
}

/* The members that every row has: itself as JSON, and headings, which only the table's own row has. */
static int common_member(struct run *r, const char *name, const struct run_behind *b, struct val *out)
{
	const struct tmpl_object *o = r->d->object;
	bool json = str_eq(name, "MarshalJSON"), field = str_eq(name, "HeaderContext");
	auto_free struct val *args = NULL;
	auto_buf struct buf text = {0};

	if (!json && !field && !str_eq(name, "Header") && !str_eq(name, "FullHeader"))
		return run_error(r,
			tmpl_is_of_row(r->d, name) ? "%s is an unexported field of struct type %s"
						   : "can't evaluate field %s in type %s",
			name, o->type);
	if ((field || str_eq(name, "Header")) && run_n_args(b))
		return run_error(r, "%s has arguments but cannot be invoked as function", name);
	args = method_args(r, name, 0, "", b);
	if (!args)
		return -1;
	if (json) {
		fmt_json(r->d, &(struct val){.kind = V_ROW}, &text);
		*out = val_bytes(r, text.s, text.len);
		return 0;
	}
	*out = (struct val){.kind = V_NIL, .loose = true};
	if (field)
		*out = (struct val){.kind = V_OBJECT,
			.j = run_pool(r, json_pack("{s:n}", "Header")),
			.is_struct = true,
			.loose = true,
			.type = GO_HEADERS};
	return 0;
}

/* A member of a row: a field, or a method with its arguments. */
static int row_member(struct run *r, const char *name, const struct run_behind *b, struct val *out)
{
	const struct tmpl_object *o = r->d->object;
	const struct tmpl_method *m = method_of(o, name);
	auto_free struct val *args = NULL;
	auto_free const char **argv = NULL;
	const struct val row = {.kind = V_ROW};
	auto_buf struct buf text = {0};
	size_t len;

	if (!m)
		return common_member(r, name, b, out);
	args = method_args(r, name, (size_t)m->args, "s", b);
	if (!args)
		return -1;
	argv = m->args ? xcalloc((size_t)m->args, sizeof(*argv)) : NULL;
	for (int i = 0; i < m->args; i++)
		argv[i] = args[i].s;
	if (m->text) {
		method_text(m, o->self, argv, &text);
		len = text.len;
		*out = run_keep(r, buf_take(&text), len);
	} else {
		*out = val_child(r->d, &row, NULL, run_pool(r, m->value(o->self, argv)));
		out->loose = false; /* a method has a type, and what it has not is a nil pointer */
	}
	return 0;
}

static int call_method(struct run *r, const struct go_method *m, const struct val *of,
	const struct run_behind *b, struct val *out)
{
	auto_free struct val *args = method_args(r, m->name, strlen(m->takes), m->takes, b);
	auto_buf struct buf why = {0};

	if (!args)
		return -1;
	if (m->call(&(struct method_call){r, m, of, args, out, &why}) < 0)
		return run_error(r, "error calling %s: %s", m->name, why.s ? why.s : "");
	return 0;
}

bool run_row_text(struct run *r, const struct val *dot, const struct node *pipe)
{
	const struct node *cmd = pipe->kids[0], *field = cmd->kids[0];
	const struct tmpl_method *m;

	if (dot->kind != V_ROW || pipe->n > 1 || pipe->names.n || cmd->n > 1 ||
		field->kind != N_FIELD || field->names.n > 1)
		return false;
	m = method_of(r->d->object, field->names.v[0]);
	if (!m || !m->text || m->args)
		return false;
	method_text(m, r->d->object->self, NULL, r->out);
	return true;
}

static int member(struct run *r, const struct val *of, const char *name, const struct run_behind *b,
	struct val *out)
{
	const struct go_method *method = go_method(of, name);
	const char *embedded, *key = name;
	const json_t *child;
	size_t n = run_n_args(b);

	if (method)
		return call_method(r, method, of, b, out);
	switch (of->kind) {
	case V_NONE:
		if (r->d->missing_is_error)
			return run_error(r, "nil data; no entry for key \"%s\"", name);
		*out = (struct val){.kind = V_NONE};
		return 0;
	case V_NIL:
		return run_error(r, "nil pointer evaluating %s.%s",
			of->loose  ? "interface {}"
			: of->type ? of->type
				   : "*struct",
			name);
	case V_ROW:
		return row_member(r, name, b, out);
	case V_OBJECT:
		break;
	default:
		return run_error(r, "can't evaluate field %s in type %s", name,
			of->loose ? "interface {}" : val_type(of));
	}
	if (n && of->is_struct)
		return run_error(r, "%s has arguments but cannot be invoked as function", name);
	if (n)
		return run_error(r, "%s is not a method but has arguments", name);
	if (!of->is_struct && of->type && str_starts(of->type, GO_PORT)) /* its keys are no strings */
		return run_error(r, "can't evaluate field %s in type %s", name, of->type);
	child = json_object_get(of->j, name);
	if (!child && of->is_struct && go_spelling(name, false)) {
		child = json_object_get(of->j, go_spelling(name, false));
		key = child ? go_spelling(name, false) : name;
	}
	if (!child && of->is_struct && (embedded = val_embedded(r, of, name, out)))
		return *embedded ? 0
		                 : run_error(r, "%s is an unexported field of struct type %s", name,
					   val_type(of));
	*out = val_child(r->d, of, key, child);
	if (out->kind != V_NONE && !(r->d->exact && of->is_struct && go_spelling(name, true)))
		return 0;
	if (of->is_struct)
		return run_error(r, "can't evaluate field %s in type %s", name,
			of->type                  ? of->type
			: of->from || !r->d->type ? "struct"
						  : r->d->type);
	if (r->d->missing_is_error)
		return run_error(r, "map has no entry for key \"%s\"", name);
	return 0;
}

int run_chain(struct run *r, const struct val *of, const struct strv *names, size_t first,
	const struct run_behind *b, struct val *out)
{
	struct val at = *of;

	for (size_t i = first; i < names->n; i++) {
		bool last = i + 1 == names->n;
		struct val v;

		if (member(r, &at, names->v[i], last ? b : NULL, &v) < 0)
			return -1;
		at = v;
	}
	*out = at;
	return 0;
}
