/* SPDX-License-Identifier: Apache-2.0 */
#include "tmpl_node.h"

#include <stdarg.h>
#include <string.h>

#define DEPTH_MAX 100
#define TEXT_MAX  (1 << 20)

struct parser {
	struct tmpl *t;
	struct token *v;
	size_t n, at;
	struct strv vars; /* in scope; a scope's end cuts it */
	int depth, loops;
	size_t action; /* where the action under way began */
	struct err *e;
};

static size_t line_of(const char *text, size_t pos)
{
	size_t line = 1;

	for (size_t i = 0; i < pos && text[i]; i++)
		line += text[i] == '\n';
	return line;
}

__attribute__((format(printf, 2, 3))) static void *wrong(struct parser *p, const char *fmt, ...)
{
	size_t i = p->at ? p->at - 1 : 0;
	auto_free char *why = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&why, fmt, ap) < 0)
		abort();
	va_end(ap);
	if (i >= p->n)
		i = p->n - 1;
	(void)err_set(p->e, ERR_USAGE, "template: %s:%zu: %s", p->t->name,
		line_of(p->t->text, p->v[i].pos), why);
	return NULL;
}

static const struct token *peek(struct parser *p)
{
	return &p->v[p->at < p->n ? p->at : p->n - 1];
}

static const struct token *next(struct parser *p)
{
	const struct token *k = peek(p);

	if (p->at < p->n)
		p->at++;
	return k;
}

static const struct token *peek_solid(struct parser *p)
{
	while (peek(p)->kind == TOK_SPACE)
		p->at++;
	return peek(p);
}

static const struct token *next_solid(struct parser *p)
{
	(void)peek_solid(p); /* moves over the space */
	return next(p);
}

static bool is_word(const struct parser *p, const struct token *k, const char *word)
{
	return k->kind == TOK_KEYWORD && k->len == strlen(word) &&
	       memcmp(p->t->text + k->pos, word, k->len) == 0;
}

static void *unexpected(struct parser *p, const struct token *k, const char *where)
{
	const char *s = p->t->text + k->pos;
	auto_buf struct buf b = {0};

	if (k->kind == TOK_ERROR) {
		size_t began = line_of(p->t->text, p->action);

		if (began == line_of(p->t->text, k->pos))
			return wrong(p, "%s", k->note);
		return wrong(p, "%s%s started at %s:%zu", k->note,
			str_ends(k->note, " action") ? "" : " in action", p->t->name, began);
	}
	if (k->kind == TOK_EOF)
		return wrong(p, "unexpected EOF");
	if (k->kind == TOK_KEYWORD || k->kind == TOK_DOT || k->kind == TOK_NIL)
		return wrong(p, "unexpected <%.*s> in %s", (int)k->len, s, where);
	fmt_quote(s, k->len > 10 ? 10 : k->len, &b);
	return wrong(p, "unexpected %s%s in %s", b.s, k->len > 10 ? "..." : "", where);
}

static struct node *new_node(struct parser *p, enum node_kind kind, size_t pos)
{
	struct node *n = xcalloc(1, sizeof(*n));

	*n = (struct node){.kind = kind, .pos = pos, .older = p->t->all};
	p->t->all = n;
	return n;
}

static void add_kid(struct node *n, struct node *kid)
{
	if ((n->n & (n->n - 1)) == 0) /* room grows by doubling */
		n->kids = xrealloc(n->kids, n->n ? 2 * n->n : 1, sizeof(struct node *));
	n->kids[n->n++] = kid;
}

static void set_text(struct node *n, const char *s, size_t len)
{
	n->text = xcalloc(len + 1, 1);
	memcpy(n->text, s, len);
	n->len = len;
}

static struct node *string_node(struct parser *p, const struct token *k)
{
	const char *s = p->t->text + k->pos;
	auto_buf struct buf b = {0};
	struct node *n;

	if (!tmpl_unquote(s, k->len, &b))
		return wrong(p, "invalid syntax");
	n = new_node(p, N_STRING, k->pos);
	buf_add(&b, "", 0);
	set_text(n, b.s, b.len);
	n->source = xstrndup(s, k->len);
	return n;
}

static struct node *number_node(struct parser *p, const struct token *k)
{
	const char *s = p->t->text + k->pos;
	struct node *n = new_node(p, N_NUMBER, k->pos);
	auto_buf struct buf b = {0};

	n->source = xstrndup(s, k->len);
	if (k->kind == TOK_CHAR) {
		if (!tmpl_unquote(s, k->len, &b) || b.len == 0)
			return wrong(p, "malformed character constant: %s", n->source);
		n->integer = tmpl_rune(b.s, b.len);
		return n;
	}
	for (size_t i = 0; i < k->len; i++)
		if (s[i] != '_')
			buf_putc(&b, s[i]);
	if (!tmpl_number(b.s, n))
		return wrong(p, "illegal number syntax: \"%s\"", n->source);
	return n;
}

static bool var_known(const struct parser *p, const char *name)
{
	for (size_t i = p->vars.n; i-- > 0;)
		if (str_eq(p->vars.v[i], name))
			return true;
	return false;
}

static void vars_cut(struct parser *p, size_t n)
{
	while (p->vars.n > n) {
		free(p->vars.v[--p->vars.n]);
		p->vars.v[p->vars.n] = NULL;
	}
}

static struct node *pipeline(struct parser *p, const char *where, enum tok end);

static struct node *parens(struct parser *p)
{
	struct node *n;

	if (++p->depth > DEPTH_MAX)
		return wrong(p, "max expression depth exceeded");
	n = pipeline(p, "parenthesized pipeline", TOK_RPAREN);
	p->depth--;
	return n;
}

/* A word, a variable, a field, a constant or what is in parentheses; *found false: none is here. */
static struct node *term(struct parser *p, bool *found)
{
	const struct token *k = next_solid(p);
	const char *s = p->t->text + k->pos;
	struct node *n;

	*found = true;
	switch (k->kind) {
	case TOK_IDENT:
		n = new_node(p, N_IDENT, k->pos);
		set_text(n, s, k->len);
		return tmpl_is_function(n->text) ? n : wrong(p, "function \"%s\" not defined", n->text);
	case TOK_DOT:
		return new_node(p, N_DOT, k->pos);
	case TOK_NIL:
		return new_node(p, N_NIL, k->pos);
	case TOK_BOOL:
		n = new_node(p, N_BOOL, k->pos);
		n->truth = *s == 't';
		return n;
	case TOK_VARIABLE:
		n = new_node(p, N_VARIABLE, k->pos);
		strv_take(&n->names, xstrndup(s, k->len));
		return var_known(p, n->names.v[0])
		               ? n
		               : wrong(p, "undefined variable \"%s\"", n->names.v[0]);
	case TOK_FIELD:
		n = new_node(p, N_FIELD, k->pos);
		strv_take(&n->names, xstrndup(s + 1, k->len - 1));
		return n;
	case TOK_NUMBER:
	case TOK_CHAR:
		return number_node(p, k);
	case TOK_STRING:
	case TOK_RAW:
		return string_node(p, k);
	case TOK_LPAREN:
		return parens(p);
	default:
		p->at--;
		*found = false;
		return NULL;
	}
}

static struct node *operand(struct parser *p, bool *found)
{
	struct node *n = term(p, found), *chain;

	if (!n || peek(p)->kind != TOK_FIELD)
		return n;
	if (n->kind >= N_DOT && n->kind <= N_STRING) {
		auto_buf struct buf b = {0}, q = {0};

		tmpl_node_string(n, &b);
		fmt_quote(b.s, b.len, &q);
		return wrong(p, "unexpected . after term %s", q.s);
	}
	chain = n;
	if (n->kind == N_FIELD || n->kind == N_VARIABLE) {
		n->pos = peek(p)->pos; /* Go blames the second link of a chain */
	} else {
		chain = new_node(p, N_CHAIN, peek(p)->pos);
		add_kid(chain, n);
	}
	while (peek(p)->kind == TOK_FIELD) {
		const struct token *k = next(p);

		strv_take(&chain->names, xstrndup(p->t->text + k->pos + 1, k->len - 1));
	}
	return chain;
}

static struct node *command(struct parser *p)
{
	struct node *cmd = new_node(p, N_COMMAND, peek_solid(p)->pos);

	for (;;) {
		const struct token *k;
		struct node *n;
		bool found;

		n = operand(p, &found);
		if (!n && found)
			return NULL;
		if (n)
			add_kid(cmd, n);
		k = next(p);
		if (k->kind == TOK_SPACE)
			continue;
		if (k->kind == TOK_CLOSE || k->kind == TOK_RPAREN)
			p->at--;
		else if (k->kind != TOK_PIPE)
			return unexpected(p, k, "operand");
		return cmd->n ? cmd : wrong(p, "empty command");
	}
}

/* "$a, $b :=" at the front of a pipeline. false: not a declaration, or wrong (*bad). */
static bool declaration(struct parser *p, struct node *pipe, const char *where, bool *bad)
{
	bool range = str_eq(where, "range");
	size_t back;

	for (;;) {
		const struct token *name, *k;

		if (peek_solid(p)->kind != TOK_VARIABLE)
			break;
		back = p->at;
		name = next(p);
		k = next_solid(p);
		if (k->kind == TOK_ASSIGN || k->kind == TOK_DECLARE) {
			strv_take(&pipe->names, xstrndup(p->t->text + name->pos, name->len));
			pipe->assign = k->kind == TOK_ASSIGN;
			break;
		}
		if (k->kind != TOK_COMMA || p->t->text[k->pos] != ',') {
			p->at = back;
			break;
		}
		strv_take(&pipe->names, xstrndup(p->t->text + name->pos, name->len));
		*bad = !range || pipe->names.n >= 2 || peek_solid(p)->kind != TOK_VARIABLE;
		if (*bad) {
			(void)wrong(p,
				range ? "range can only initialize variables" : "too many declarations in %s",
				where);
			return false;
		}
	}
	for (size_t i = 0; i < pipe->names.n; i++) {
		if (pipe->assign && !var_known(p, pipe->names.v[i])) {
			(void)wrong(p, "undefined variable \"%s\"", pipe->names.v[i]);
			*bad = true;
			return false;
		}
		if (!pipe->assign)
			strv_add(&p->vars, pipe->names.v[i]);
	}
	return true;
}

static struct node *pipe_checked(struct parser *p, struct node *pipe, const char *where)
{
	if (pipe->n == 0)
		return wrong(p, "missing value for %s", where);
	for (size_t i = 1; i < pipe->n; i++) {
		enum node_kind first = pipe->kids[i]->kids[0]->kind;

		if (first >= N_DOT && first <= N_STRING)
			return wrong(p, "non executable command in pipeline stage %zu", i + 1);
	}
	return pipe;
}

static struct node *pipeline(struct parser *p, const char *where, enum tok end)
{
	struct node *pipe = new_node(p, N_PIPE, peek_solid(p)->pos), *cmd;
	bool bad = false;

	if (!declaration(p, pipe, where, &bad) && bad)
		return NULL;
	for (;;) {
		const struct token *k = next_solid(p);

		if (k->kind == end)
			return pipe_checked(p, pipe, where);
		if (k->kind < TOK_IDENT || k->kind > TOK_LPAREN || k->kind == TOK_PIPE)
			return unexpected(p, k, where);
		p->at--;
		cmd = command(p);
		if (!cmd)
			return NULL;
		add_kid(pipe, cmd);
	}
}

/* What ended a list: "end", "else" (its token consumed), or the end of the text. */
enum stop { STOP_EOF, STOP_END, STOP_ELSE };
static struct node *list(struct parser *p, enum stop *stop);

static bool close_action(struct parser *p, const char *where)
{
	const struct token *k = next_solid(p);

	if (k->kind == TOK_CLOSE)
		return true;
	(void)unexpected(p, k, where);
	return false;
}

static struct node *body(struct parser *p, enum stop *stop)
{
	struct node *n = list(p, stop);

	if (n && *stop == STOP_EOF)
		return wrong(p, "unexpected EOF");
	return n;
}

static struct node *control(struct parser *p, enum node_kind kind, size_t pos)
{
	static const char *const names[] = {[N_IF] = "if", [N_RANGE] = "range", [N_WITH] = "with"};
	struct node *n = new_node(p, kind, pos), *kid;
	size_t vars = p->vars.n;
	enum stop stop;

	if (++p->depth > DEPTH_MAX)
		return wrong(p, "nested too deeply");
	kid = pipeline(p, names[kind], TOK_CLOSE);
	if (!kid)
		return NULL;
	add_kid(n, kid);
	p->loops += kind == N_RANGE;
	kid = body(p, &stop);
	p->loops -= kind == N_RANGE;
	if (!kid)
		return NULL;
	add_kid(n, kid);
	kid = NULL;
	if (stop == STOP_ELSE) {
		const struct token *k = peek_solid(p);

		if (kind != N_RANGE && is_word(p, k, names[kind])) {
			p->at++;
			kid = control(p, kind, k->pos); /* one {{end}} closes the whole chain */
		} else {
			kid = close_action(p, "else") ? body(p, &stop) : NULL;
			if (kid && stop == STOP_ELSE)
				return wrong(p, "expected end; found {{else}}");
		}
		if (!kid)
			return NULL;
	}
	add_kid(n, kid);
	vars_cut(p, vars);
	p->depth--;
	return n;
}

static char *template_name(struct parser *p, const char *where)
{
	const struct token *k = next_solid(p);
	auto_buf struct buf b = {0};

	if (k->kind != TOK_STRING && k->kind != TOK_RAW)
		return unexpected(p, k, where);
	if (!tmpl_unquote(p->t->text + k->pos, k->len, &b))
		return wrong(p, "invalid syntax");
	return buf_take(&b);
}

/* The body of {{define}} and {{block}}, which sees no variable of what is around it; owns name. */
static bool definition(struct parser *p, char *name)
{
	struct strv outer = p->vars;
	struct tmpl *t = p->t;
	int loops = p->loops;
	enum stop stop;
	struct node *n;

	t->defs = xrealloc(t->defs, t->n_defs + 1, sizeof(*t->defs));
	t->defs[t->n_defs++] = (struct named){.name = name};
	p->vars = (struct strv){0};
	strv_add(&p->vars, "$");
	p->loops = 0;
	n = ++p->depth > DEPTH_MAX ? wrong(p, "nested too deeply") : body(p, &stop);
	p->depth--;
	p->loops = loops;
	strv_done(&p->vars);
	p->vars = outer;
	if (n && stop == STOP_ELSE)
		n = wrong(p, "unexpected {{else}} in define clause");
	for (size_t i = 0; n && i < t->n_defs; i++)
		if (str_eq(t->defs[i].name, name))
			t->defs[i].body = n; /* the last one wins */
	return n != NULL;
}

static struct node *invocation(struct parser *p, bool block)
{
	const char *where = block ? "block clause" : "template clause";
	struct node *n, *pipe = NULL;
	size_t pos = peek_solid(p)->pos;
	char *name = template_name(p, where);

	if (!name)
		return NULL;
	n = new_node(p, N_TEMPLATE, pos);
	n->text = name;
	n->len = strlen(name);
	if (block || peek_solid(p)->kind != TOK_CLOSE) {
		pipe = pipeline(p, where, TOK_CLOSE);
		if (!pipe)
			return NULL;
	} else {
		p->at++;
	}
	add_kid(n, pipe);
	return !block || definition(p, xstrdup(name)) ? n : NULL;
}

static struct node *loop_word(struct parser *p, enum node_kind kind, size_t pos, const char *word)
{
	if (!p->loops)
		return wrong(p, "{{%s}} outside {{range}}", word);
	return close_action(p, word) ? new_node(p, kind, pos) : NULL;
}

/* An action that begins with a keyword. NULL and a set *stop: it ended the list. */
static struct node *keyword(struct parser *p, enum stop *stop, bool *ended)
{
	const struct token *k = next_solid(p);

	if (is_word(p, k, "if"))
		return control(p, N_IF, k->pos);
	if (is_word(p, k, "range"))
		return control(p, N_RANGE, k->pos);
	if (is_word(p, k, "with"))
		return control(p, N_WITH, k->pos);
	if (is_word(p, k, "template"))
		return invocation(p, false);
	if (is_word(p, k, "block"))
		return invocation(p, true);
	if (is_word(p, k, "break"))
		return loop_word(p, N_BREAK, k->pos, "break");
	if (is_word(p, k, "continue"))
		return loop_word(p, N_CONTINUE, k->pos, "continue");
	if (is_word(p, k, "define")) {
		char *name = template_name(p, "define clause");

		if (!name || !close_action(p, "define clause")) {
			free(name);
			return NULL;
		}
		return definition(p, name) ? new_node(p, N_LIST, k->pos) : NULL;
	}
	*ended = true;
	if (is_word(p, k, "end")) {
		*stop = STOP_END;
		*ended = close_action(p, "end");
	} else {
		const struct token *follow = peek_solid(p);

		*stop = STOP_ELSE;
		/* "else if": what follows is looked at by the control which this ends */
		if (!is_word(p, follow, "if") && !is_word(p, follow, "with"))
			*ended = follow->kind == TOK_CLOSE || unexpected(p, next(p), "else");
	}
	return NULL;
}

static struct node *action(struct parser *p, enum stop *stop, bool *ended)
{
	struct node *n, *pipe;
	size_t pos;

	p->action = p->v[p->at - 1].pos;
	if (peek_solid(p)->kind == TOK_KEYWORD)
		return keyword(p, stop, ended);
	pos = peek(p)->pos;
	pipe = pipeline(p, "command", TOK_CLOSE);
	if (!pipe)
		return NULL;
	n = new_node(p, N_ACTION, pos);
	add_kid(n, pipe);
	return n;
}

static struct node *list(struct parser *p, enum stop *stop)
{
	struct node *all = new_node(p, N_LIST, peek(p)->pos), *n;

	for (;;) {
		const struct token *k = next(p);
		bool ended = false;

		if (k->kind == TOK_EOF) {
			*stop = STOP_EOF;
			return all;
		}
		if (k->kind == TOK_TEXT) {
			n = new_node(p, N_TEXT, k->pos);
			set_text(n, p->t->text + k->pos, k->len);
		} else if (k->kind == TOK_OPEN) {
			n = action(p, stop, &ended);
			if (ended)
				return all;
		} else {
			return unexpected(p, k, "input");
		}
		if (!n)
			return NULL;
		add_kid(all, n);
	}
}

struct tmpl *tmpl_parse(const char *text, struct err *e)
{
	return tmpl_parse_named("", text, e);
}

struct tmpl *tmpl_parse_named(const char *name, const char *text, struct err *e)
{
	auto_tmpl struct tmpl *t = xcalloc(1, sizeof(*t));
	struct parser p = {.t = t, .e = e};
	enum stop stop = STOP_EOF;

	if (strlen(text) > TEXT_MAX) {
		(void)err_set(e, ERR_USAGE, "template: :1: longer than %d bytes", TEXT_MAX);
		return NULL;
	}
	t->name = xstrdup(name);
	t->text = xstrdup(text);
	p.v = tmpl_lex(t->text, &p.n);
	strv_add(&p.vars, "$");
	t->body = list(&p, &stop);
	if (t->body && stop != STOP_EOF)
		t->body = wrong(&p, "unexpected %s", stop == STOP_END ? "{{end}}" : "{{else}}");
	strv_done(&p.vars);
	tmpl_tokens_free(p.v, p.n);
	return t->body ? take(t) : NULL;
}

void tmpl_free(struct tmpl *t)
{
	struct node *n, *older;

	if (!t)
		return;
	for (n = t->all; n; n = older) {
		older = n->older;
		strv_done(&n->names);
		free(n->kids);
		free(n->text);
		free(n->source);
		free(n);
	}
	for (size_t i = 0; i < t->n_defs; i++)
		free(t->defs[i].name);
	free(t->defs);
	free(t->name);
	free(t->text);
	free(t);
}
