/* SPDX-License-Identifier: Apache-2.0 */
#include "tmpl_node.h"

#include <stdarg.h>
#include <string.h>

#define DEPTH_MAX    1000
#define GO_DEPTH_MAX 100000 /* the limit that Go's error message names */
#define STEPS_MAX    5000000

static int eval_arg(struct run *r, const struct val *dot, const struct node *n, struct val *out);
static int eval_pipe(struct run *r, const struct val *dot, const struct node *pipe, struct val *out);
static int eval_command(struct run *r, const struct val *dot, const struct node *cmd,
	const struct val *final, struct val *out);
static int walk(struct run *r, const struct val *dot, const struct node *n);

static const struct val nothing = {.kind = V_NONE};

int run_error(struct run *r, const char *fmt, ...)
{
	auto_free char *why = NULL;
	auto_buf struct buf at = {0};
	size_t line = 1, column = 0;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&why, fmt, ap) < 0)
		abort();
	va_end(ap);
	for (size_t i = 0; i < r->at->pos; i++, column++)
		if (r->t->text[i] == '\n') {
			line++;
			column = (size_t)-1;
		}
	tmpl_node_string(r->at, &at);
	return err_set(r->e, ERR_USAGE, "template: %s:%zu:%zu: executing \"%s\" at <%s>: %s",
		r->t->name, line, column, r->name, at.s ? at.s : "", why);
}

struct val run_keep(struct run *r, char *s, size_t len)
{
	strv_take(&r->kept, s);
	r->spent += len;
	return val_string(s, len);
}

struct val run_keep_copy(struct run *r, const char *s, size_t len)
{
	char *copy = xcalloc(len + 1, 1);

	memcpy(copy, s, len);
	return run_keep(r, copy, len);
}

json_t *run_pool(struct run *r, json_t *j)
{
	r->spent += 256; /* an object, and a little in it */
	if (!r->pool)
		r->pool = json_array();
	if (json_array_append_new(r->pool, j) < 0)
		abort(); /* out of memory, or a method which broke its promise and gave NULL */
	return j;
}

static int check_room(struct run *r)
{
	return r->spent + r->out->len > TMPL_OUTPUT_MAX ? run_error(r, TMPL_TOO_MUCH) : 0;
}

static int step(struct run *r, const struct node *n)
{
	r->at = n;
	if (++r->steps > STEPS_MAX)
		return run_error(r, "too many steps");
	return check_room(r);
}

/* {{json .}} alone: written straight to the output, as it is most of what scripts ask listings for. */
static bool whole_json(struct run *r, const struct val *dot, const struct node *pipe)
{
	const struct node *cmd = pipe->kids[0];

	if (r->d->headings || pipe->n > 1 || pipe->names.n || cmd->n != 2 ||
		cmd->kids[0]->kind != N_IDENT || strcmp(cmd->kids[0]->text, "json") != 0 ||
		cmd->kids[1]->kind != N_DOT)
		return false;
	fmt_json(r->d, dot, r->out);
	return true;
}

static struct var *find_var(struct run *r, const char *name)
{
	for (size_t i = r->n_vars; i-- > 0;)
		if (strcmp(r->vars[i].name, name) == 0)
			return &r->vars[i];
	return NULL;
}

static void push_var(struct run *r, const char *name, const struct val *v)
{
	if (r->n_vars == r->cap_vars) {
		r->cap_vars = r->cap_vars ? 2 * r->cap_vars : 8;
		r->vars = xrealloc(r->vars, r->cap_vars, sizeof(*r->vars));
	}
	r->vars[r->n_vars++] = (struct var){.name = name, .v = *v};
}

static int set_var(struct run *r, const char *name, const struct val *v)
{
	struct var *var = find_var(r, name);

	if (!var)
		return run_error(r, "undefined variable: %s", name);
	var->v = *v;
	return 0;
}

/* A field, variable or chain with arguments. */
static int eval_path(struct run *r, const struct val *dot, const struct node *n,
	const struct run_behind *b, struct val *out)
{
	struct val of;

	if (n->kind == N_FIELD)
		return run_chain(r, dot, &n->names, 0, b, out);
	if (n->kind == N_VARIABLE) {
		struct var *var = find_var(r, n->names.v[0]);

		if (!var) /* {{$x := $x}} */
			return run_error(r, "undefined variable: %s", n->names.v[0]);
		if (n->names.n == 1 && run_n_args(b))
			return run_error(r, "can't give argument to non-function %s", n->names.v[0]);
		of = var->v;
		return run_chain(r, &of, &n->names, 1, b, out);
	}
	if (eval_arg(r, dot, n->kids[0], &of) < 0) /* Go's errors name the last node that was evaluated */
		return -1;
	return run_chain(r, &of, &n->names, 0, b, out);
}

/* Where nothing says of what type a constant is to be, the way it is written does. */
static bool is_written_real(const struct node *n)
{
	const char *s = n->source;
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && !strpbrk(s, "pP");

	return n->is_real || (*s != '\'' && !hex && strpbrk(s, ".eEpP"));
}

static int constant(struct run *r, const struct val *dot, const struct node *n, struct val *out)
{
	switch (n->kind) {
	case N_DOT:
		*out = *dot;
		return 0;
	case N_BOOL:
		*out = val_bool(n->truth);
		return 0;
	case N_NUMBER:
		if (n->overflows)
			return run_error(r, "%s overflows int", n->source);
		*out = val_int(n->integer);
		if (n->is_complex)
			*out = (struct val){.kind = V_COMPLEX, .r = n->real, .im = n->imaginary};
		else if (is_written_real(n))
			*out = (struct val){.kind = V_REAL, .r = n->real};
		return 0;
	case N_STRING:
		*out = val_string(n->text, n->len);
		return 0;
	default:
		return run_error(r, "can't handle assignment of a node to empty interface argument");
	}
}

/* An operand in the place of an argument. */
static int eval_arg(struct run *r, const struct val *dot, const struct node *n, struct val *out)
{
	struct node cmd = {.kind = N_COMMAND, .pos = n->pos, .n = 1};
	struct node *kids[1] = {(struct node *)(uintptr_t)n}; /* only read */

	if (step(r, n) < 0)
		return -1;
	switch (n->kind) {
	case N_FIELD:
	case N_VARIABLE:
	case N_CHAIN:
		return eval_path(r, dot, n, NULL, out);
	case N_PIPE:
		return eval_pipe(r, dot, n, out);
	case N_NIL:
		*out = (struct val){.kind = V_NONE};
		return 0;
	case N_IDENT:
		cmd.kids = kids;
		return eval_command(r, dot, &cmd, NULL, out);
	default:
		return constant(r, dot, n, out);
	}
}

struct val *run_args(struct run *r, const struct run_behind *b, const char *wants, size_t *n)
{
	auto_free struct val *args = xcalloc(b->cmd->n + 1, sizeof(*args));

	*n = 0;
	for (size_t i = 1; i < b->cmd->n; i++, wants += wants[1] != 0) {
		struct val *arg = &args[(*n)++];

		if (eval_arg(r, b->dot, b->cmd->kids[i], arg) < 0 ||
			func_fit(r, b->cmd->kids[i], *wants, arg) < 0)
			return NULL;
	}
	if (!b->final)
		return take(args);
	args[*n] = *b->final; /* errors name the node before it */
	return func_fit(r, NULL, *wants, &args[(*n)++]) < 0 ? NULL : take(args);
}

/* The first operand which decides, else the last; later ones are not evaluated. */
static int and_or(struct run *r, const struct val *dot, const struct node *cmd,
	const struct val *final, bool stop_at, struct val *out)
{
	if (cmd->n < 2 && !final)
		return run_error(r, "wrong number of args for %s: want at least 1 got 0",
			cmd->kids[0]->text);
	for (size_t i = 1; i < cmd->n; i++) {
		if (eval_arg(r, dot, cmd->kids[i], out) < 0)
			return -1;
		if (val_truth(out) == stop_at)
			return 0;
	}
	if (final)
		*out = *final;
	return 0;
}

static int eval_function(struct run *r, const struct val *dot, const struct node *cmd,
	const struct val *final, struct val *out)
{
	const char *name = cmd->kids[0]->text;
	auto_free struct val *args = NULL;
	auto_buf struct buf why = {0};
	size_t n, given = cmd->n - 1 + (final != NULL);
	const struct node *last;

	if (str_eq(name, "and") || str_eq(name, "or"))
		return and_or(r, dot, cmd, final, *name == 'o', out);
	if (func_arity(r, name, given) < 0)
		return -1;
	args = run_args(r, &(struct run_behind){dot, cmd, final}, func_wants(r, name), &n);
	if (!args)
		return -1;
	last = r->at;
	r->at = cmd;
	if (func_call(r, name, args, n, out, &why) < 0)
		return run_error(r, "error calling %s: %s", name, why.s ? why.s : "");
	r->at = last;
	return 0;
}

static int eval_command(struct run *r, const struct val *dot, const struct node *cmd,
	const struct val *final, struct val *out)
{
	const struct node *first = cmd->kids[0], *before = r->at;
	auto_buf struct buf text = {0};

	if (step(r, first) < 0)
		return -1;
	switch (first->kind) {
	case N_FIELD:
	case N_VARIABLE:
	case N_CHAIN:
		return eval_path(r, dot, first, &(struct run_behind){dot, cmd, final}, out);
	case N_IDENT:
		return eval_function(r, dot, cmd, final, out);
	default:
		break;
	}
	if (cmd->n > 1 || final) {
		tmpl_node_string(first, &text);
		r->at = first->kind == N_PIPE ? before : first;
		return run_error(r, "can't give argument to non-function %s", text.s);
	}
	if (first->kind == N_PIPE)
		return eval_pipe(r, dot, first, out);
	if (first->kind == N_NIL)
		return run_error(r, "nil is not a command");
	return constant(r, dot, first, out);
}

static int eval_pipe(struct run *r, const struct val *dot, const struct node *pipe, struct val *out)
{
	struct val v = nothing, before;

	if (step(r, pipe) < 0)
		return -1;
	if (++r->depth > DEPTH_MAX)
		return run_error(r, "nested too deeply");
	for (size_t i = 0; i < pipe->n; i++) {
		before = v;
		if (eval_command(r, dot, pipe->kids[i], i ? &before : NULL, &v) < 0)
			return -1;
		if (v.kind == V_NIL && v.loose)
			v = nothing;
		v.loose = false; /* Go unwraps the interface here */
	}
	for (size_t i = 0; i < pipe->names.n; i++) {
		if (!pipe->assign)
			push_var(r, pipe->names.v[i], &v);
		else if (set_var(r, pipe->names.v[i], &v) < 0)
			return -1;
	}
	r->depth--; /* only here: an error ends the whole run */
	*out = v;
	return 0;
}

static int walk_if_with(struct run *r, const struct val *dot, const struct node *n)
{
	size_t mark = r->n_vars;
	struct val v;
	int rc = 0;

	if (eval_pipe(r, dot, n->kids[0], &v) < 0)
		return -1;
	if (val_truth(&v))
		rc = walk(r, n->kind == N_WITH ? &v : dot, n->kids[1]);
	else if (n->kids[2])
		rc = walk(r, dot, n->kids[2]);
	r->n_vars = mark;
	return rc;
}

/* One round: *more is false when the loop was broken off. */
static int round_of(
	struct run *r, const struct node *n, const struct val *key, const struct val *v, bool *more)
{
	const struct node *pipe = n->kids[0];
	size_t names = pipe->names.n, mark = r->n_vars;
	int rc;

	if (names > 0) {
		const struct val *first = names > 1 ? key : v;

		if (pipe->assign && set_var(r, pipe->names.v[0], first) < 0)
			return -1;
		if (!pipe->assign)
			r->vars[mark - names].v = *first;
	}
	if (names > 1) {
		if (pipe->assign && set_var(r, pipe->names.v[1], v) < 0)
			return -1;
		if (!pipe->assign)
			r->vars[mark - 1].v = *v;
	}
	rc = walk(r, v, n->kids[1]);
	r->n_vars = mark;
	*more = !r->broke;
	r->broke = r->continued = false;
	return rc;
}

static int walk_range(struct run *r, const struct val *dot, const struct node *n)
{
	const struct node *pipe = n->kids[0];
	auto_free const char **keys = NULL;
	size_t mark = r->n_vars, count = 0;
	bool more = true;
	struct val v;

	/* Go assigns the whole value first as well where variables are declared: harmless */
	if (eval_pipe(r, dot, pipe, &v) < 0)
		return -1;
	if (v.kind == V_ARRAY) {
		count = json_array_size(v.j);
	} else if (v.kind == V_OBJECT && !v.is_struct) {
		keys = val_keys(&v, true, &count);
	} else if (v.kind == V_INT && (r->d->fields || !v.j) && pipe->names.n > 1) {
		return run_error(
			r, "can't use %lld to iterate over more than one variable", (long long)v.i);
	} else if (v.kind == V_INT && (r->d->fields || !v.j)) { /* of a map it is a float64 */
		count = v.i > 0 ? (size_t)v.i : 0;
	} else if (v.kind != V_NONE && v.kind != V_NIL) {
		auto_buf struct buf b = {0};

		fmt_print(r->d, &v, &b);
		return run_error(r, "range can't iterate over %.700s", b.s ? b.s : "");
	}
	for (size_t i = 0; i < count && more; i++) {
		struct val key = keys ? val_key(&v, keys[i]) : val_int((int64_t)i);
		struct val item = v.kind == V_INT ? key
		                  : keys ? val_child(r->d, &v, keys[i], json_object_get(v.j, keys[i]))
		                         : val_child(r->d, &v, NULL, json_array_get(v.j, i));

		if (step(r, n) < 0 || round_of(r, n, &key, &item, &more) < 0)
			return -1;
	}
	r->n_vars = mark;
	return count == 0 && n->kids[2] ? walk(r, dot, n->kids[2]) : 0;
}

static int walk_template(struct run *r, const struct val *dot, const struct node *n)
{
	struct var *outer;
	size_t n_outer, cap_outer;
	const struct node *body = NULL;
	const char *name = r->name;
	struct val v = nothing;
	int rc;

	for (size_t i = 0; i < r->t->n_defs && !body; i++)
		if (str_eq(r->t->defs[i].name, n->text))
			body = r->t->defs[i].body;
	if (!body)
		return run_error(r, "template \"%s\" not defined", n->text);
	if (r->depth + 2 > DEPTH_MAX)
		return run_error(r, "exceeded maximum template depth (%d)", GO_DEPTH_MAX);
	if (n->kids[0] && eval_pipe(r, dot, n->kids[0], &v) < 0)
		return -1;
	outer = r->vars;
	n_outer = r->n_vars;
	cap_outer = r->cap_vars;
	r->vars = NULL;
	r->n_vars = r->cap_vars = 0;
	push_var(r, "$", &v);
	r->name = n->text;
	rc = walk(r, &v, body);
	r->name = name;
	free(r->vars);
	r->vars = outer;
	r->n_vars = n_outer;
	r->cap_vars = cap_outer;
	return rc;
}

static int walk_list(struct run *r, const struct val *dot, const struct node *n)
{
	if (++r->depth > DEPTH_MAX)
		return run_error(r, "exceeded maximum template depth (%d)", DEPTH_MAX);
	for (size_t i = 0; i < n->n; i++) {
		if (walk(r, dot, n->kids[i]) < 0)
			return -1;
		if (r->broke || r->continued)
			break;
	}
	r->depth--;
	return 0;
}

static int walk(struct run *r, const struct val *dot, const struct node *n)
{
	struct val v;

	if (step(r, n) < 0)
		return -1;
	switch (n->kind) {
	case N_LIST:
		return walk_list(r, dot, n);
	case N_TEXT:
		buf_add(r->out, n->text, n->len);
		return 0;
	case N_ACTION:
		if (run_row_text(r, dot, n->kids[0]) || whole_json(r, dot, n->kids[0]))
			return 0;
		if (eval_pipe(r, dot, n->kids[0], &v) < 0)
			return -1;
		if (n->kids[0]->names.n)
			return 0; /* a declaration */
		if (v.kind == V_NONE)
			buf_puts(r->out, "<no value>");
		else
			fmt_print(r->d, &v, r->out);
		return check_room(r);
	case N_IF:
	case N_WITH:
		return walk_if_with(r, dot, n);
	case N_RANGE:
		return walk_range(r, dot, n);
	case N_TEMPLATE:
		return walk_template(r, dot, n);
	case N_BREAK:
		r->broke = true;
		return 0;
	default:
		assert(n->kind == N_CONTINUE);
		r->continued = true;
		return 0;
	}
}

int tmpl_exec(const struct tmpl *t, const struct tmpl_data *d, struct buf *out, struct err *e)
{
	struct run r = {.t = t, .d = d, .out = out, .e = e, .name = t->name};
	const struct val root = {.kind = V_NONE};
	struct val dot = d->object ? (struct val){.kind = V_ROW, .type = d->object->type}
	                           : val_child(d, &root, NULL, d->json);
	struct tmpl_data numbered = *d;
	auto_json json_t *texts = d->numbers ? json_object() : NULL;
	int rc;

	if (texts) {
		val_number_texts(d->json, texts);
		numbered.texts = texts;
		r.d = &numbered;
		dot = val_child(&numbered, &root, NULL, d->json);
	}
	if (dot.is_struct)
		dot.type = d->type;
	if (d->headings)
		dot.type = GO_HEADER;
	dot.loose = false;
	push_var(&r, "$", &dot);
	rc = walk(&r, &dot, t->body);
	free(r.vars);
	json_decref(r.pool);
	strv_done(&r.kept);
	return rc;
}

int tmpl_render(const char *text, const json_t *data, struct buf *out, struct err *e)
{
	auto_tmpl struct tmpl *t = tmpl_parse(text, e);
	struct tmpl_data d = {.json = data};

	return t ? tmpl_exec(t, &d, out, e) : -1;
}
