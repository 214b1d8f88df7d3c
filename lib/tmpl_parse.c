/* SPDX-License-Identifier: Apache-2.0 */
#include "tmpl_parser.h"

#include <stdarg.h>
#include <string.h>

#define TEXT_MAX (1 << 20)

/* ---- what both halves use ---- */

static size_t line_of(const char *text, size_t pos)
{
	size_t line = 1;

	for (size_t i = 0; i < pos && text[i]; i++)
		line += text[i] == '\n';
	return line;
}

void *parser_wrong(struct parser *p, const char *fmt, ...)
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

const struct token *parser_peek(struct parser *p)
{
	return &p->v[p->at < p->n ? p->at : p->n - 1];
}

const struct token *parser_next(struct parser *p)
{
	const struct token *k = parser_peek(p);

	if (p->at < p->n)
		p->at++;
	return k;
}

const struct token *parser_peek_solid(struct parser *p)
{
	while (parser_peek(p)->kind == TOK_SPACE)
		p->at++;
	return parser_peek(p);
}

const struct token *parser_next_solid(struct parser *p)
{
	(void)parser_peek_solid(p); /* moves over the space */
	return parser_next(p);
}

static bool is_word(const struct parser *p, const struct token *k, const char *word)
{
	return k->kind == TOK_KEYWORD && k->len == strlen(word) &&
	       memcmp(p->t->text + k->pos, word, k->len) == 0;
}

void *parser_unexpected(struct parser *p, const struct token *k, const char *where)
{
	const char *s = p->t->text + k->pos;
	auto_buf struct buf b = {0};

	if (k->kind == TOK_ERROR) {
		size_t began = line_of(p->t->text, p->action);

		if (began == line_of(p->t->text, k->pos))
			return parser_wrong(p, "%s", k->note);
		return parser_wrong(p, "%s%s started at %s:%zu", k->note,
			str_ends(k->note, " action") ? "" : " in action", p->t->name, began);
	}
	if (k->kind == TOK_EOF)
		return parser_wrong(p, "unexpected EOF");
	if (k->kind == TOK_KEYWORD || k->kind == TOK_DOT || k->kind == TOK_NIL)
		return parser_wrong(p, "unexpected <%.*s> in %s", (int)k->len, s, where);
	fmt_quote(s, k->len > 10 ? 10 : k->len, &b);
	return parser_wrong(p, "unexpected %s%s in %s", b.s, k->len > 10 ? "..." : "", where);
}

struct node *node_new(struct parser *p, enum node_kind kind, size_t pos)
{
	struct node *n = xcalloc(1, sizeof(*n));

	*n = (struct node){.kind = kind, .pos = pos, .older = p->t->all};
	p->t->all = n;
	return n;
}

void node_add(struct node *n, struct node *kid)
{
	if ((n->n & (n->n - 1)) == 0) /* room grows by doubling */
		n->kids = xrealloc(n->kids, n->n ? 2 * n->n : 1, sizeof(struct node *));
	n->kids[n->n++] = kid;
}

void node_text(struct node *n, const char *s, size_t len)
{
	n->text = xcalloc(len + 1, 1);
	memcpy(n->text, s, len);
	n->len = len;
}

/* ---- actions and their bodies ---- */

static void vars_cut(struct parser *p, size_t n)
{
	while (p->vars.n > n) {
		free(p->vars.v[--p->vars.n]);
		p->vars.v[p->vars.n] = NULL;
	}
}

/* What ended a list: "end", "else" (its token consumed), or the end of the text. */
enum stop { STOP_EOF, STOP_END, STOP_ELSE };
static struct node *list(struct parser *p, enum stop *stop);

static bool close_action(struct parser *p, const char *where)
{
	const struct token *k = parser_next_solid(p);

	if (k->kind == TOK_CLOSE)
		return true;
	(void)parser_unexpected(p, k, where);
	return false;
}

static struct node *body(struct parser *p, enum stop *stop)
{
	struct node *n = list(p, stop);

	if (n && *stop == STOP_EOF)
		return parser_wrong(p, "unexpected EOF");
	return n;
}

static struct node *control(struct parser *p, enum node_kind kind, size_t pos)
{
	static const char *const names[] = {[N_IF] = "if", [N_RANGE] = "range", [N_WITH] = "with"};
	struct node *n = node_new(p, kind, pos), *kid;
	size_t vars = p->vars.n;
	enum stop stop;

	if (++p->depth > PARSER_DEPTH)
		return parser_wrong(p, "nested too deeply");
	kid = parser_pipeline(p, names[kind], TOK_CLOSE);
	if (!kid)
		return NULL;
	node_add(n, kid);
	p->loops += kind == N_RANGE;
	kid = body(p, &stop);
	p->loops -= kind == N_RANGE;
	if (!kid)
		return NULL;
	node_add(n, kid);
	kid = NULL;
	if (stop == STOP_ELSE) {
		const struct token *k = parser_peek_solid(p);

		if (kind != N_RANGE && is_word(p, k, names[kind])) {
			p->at++;
			kid = control(p, kind, k->pos); /* one {{end}} closes the whole chain */
		} else {
			kid = close_action(p, "else") ? body(p, &stop) : NULL;
			if (kid && stop == STOP_ELSE)
				return parser_wrong(p, "expected end; found {{else}}");
		}
		if (!kid)
			return NULL;
	}
	node_add(n, kid);
	vars_cut(p, vars);
	p->depth--;
	return n;
}

static char *template_name(struct parser *p, const char *where)
{
	const struct token *k = parser_next_solid(p);
	auto_buf struct buf b = {0};

	if (k->kind != TOK_STRING && k->kind != TOK_RAW)
		return parser_unexpected(p, k, where);
	if (!tmpl_unquote(p->t->text + k->pos, k->len, &b))
		return parser_wrong(p, "invalid syntax");
	return buf_take(&b);
}

/* What has nothing but blanks may be defined once more. */
static bool is_empty(const struct node *n)
{
	if (n->kind == N_TEXT)
		return strspn(n->text, STR_BLANKS) == n->len;
	for (size_t i = 0; n->kind == N_LIST && i < n->n; i++)
		if (!is_empty(n->kids[i]))
			return false;
	return n->kind == N_LIST;
}

/* The body of {{define}} and {{block}}, in which outer variables are not visible; owns name. */
static bool definition(struct parser *p, char *name)
{
	struct strv outer = p->vars;
	struct tmpl *t = p->t;
	int loops = p->loops;
	enum stop stop;
	struct node *n;
	size_t index;
	bool says;

	index = t->n_defs;
	t->defs = xrealloc(t->defs, t->n_defs + 1, sizeof(*t->defs));
	t->defs[t->n_defs++] = (struct named){.name = name};
	p->vars = (struct strv){0};
	strv_add(&p->vars, "$");
	p->loops = 0;
	n = ++p->depth > PARSER_DEPTH ? parser_wrong(p, "nested too deeply") : body(p, &stop);
	p->depth--;
	p->loops = loops;
	strv_done(&p->vars);
	p->vars = outer;
	if (n && stop == STOP_ELSE)
		n = parser_wrong(p, "unexpected {{else}} in define clause");
	says = n && !is_empty(n);
	for (size_t i = 0; says && i < t->n_defs; i++) {
		if (!str_eq(t->defs[i].name, name))
			continue;
		if (t->defs[i].body && !is_empty(t->defs[i].body))
			return parser_wrong(p, "template: multiple definition of template \"%s\"", name);
		t->defs[i].body = n;
	}
	t->defs[index].body = t->defs[index].body ? t->defs[index].body : n;
	return n != NULL;
}

static struct node *invocation(struct parser *p, bool block)
{
	const char *where = block ? "block clause" : "template clause";
	struct node *n, *pipe = NULL;
	size_t pos = parser_peek_solid(p)->pos;
	char *name = template_name(p, where);

	if (!name)
		return NULL;
	n = node_new(p, N_TEMPLATE, pos);
	n->text = name;
	n->len = strlen(name);
	if (block || parser_peek_solid(p)->kind != TOK_CLOSE) {
		pipe = parser_pipeline(p, where, TOK_CLOSE);
		if (!pipe)
			return NULL;
	} else {
		p->at++;
	}
	node_add(n, pipe);
	return !block || definition(p, xstrdup(name)) ? n : NULL;
}

static struct node *loop_word(struct parser *p, enum node_kind kind, size_t pos, const char *word)
{
	if (!p->loops)
		return parser_wrong(p, "{{%s}} outside {{range}}", word);
	return close_action(p, kind == N_BREAK ? "{{break}}" : "{{continue}}") ? node_new(p, kind, pos)
	                                                                       : NULL;
}

/* An action that begins with a keyword. NULL and a set *stop: it ended the list. */
static struct node *keyword(struct parser *p, enum stop *stop, bool *ended)
{
	const struct token *k = parser_next_solid(p);

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
		return definition(p, name) ? node_new(p, N_LIST, k->pos) : NULL;
	}
	*ended = true;
	if (is_word(p, k, "end")) {
		*stop = STOP_END;
		*ended = close_action(p, "end");
	} else {
		const struct token *follow = parser_peek_solid(p);

		*stop = STOP_ELSE;
		/* "else if": the control that this ends parses what follows */
		if (!is_word(p, follow, "if") && !is_word(p, follow, "with"))
			*ended = follow->kind == TOK_CLOSE ||
			         parser_unexpected(p, parser_next(p), "else");
	}
	return NULL;
}

static struct node *action(struct parser *p, enum stop *stop, bool *ended)
{
	struct node *n, *pipe;
	size_t pos;

	p->action = p->v[p->at - 1].pos;
	if (parser_peek_solid(p)->kind == TOK_KEYWORD)
		return keyword(p, stop, ended);
	pos = parser_peek(p)->pos;
	pipe = parser_pipeline(p, "command", TOK_CLOSE);
	if (!pipe)
		return NULL;
	n = node_new(p, N_ACTION, pos);
	node_add(n, pipe);
	return n;
}

static struct node *list(struct parser *p, enum stop *stop)
{
	struct node *all = node_new(p, N_LIST, parser_peek(p)->pos), *n;

	for (;;) {
		const struct token *k = parser_next(p);
		bool ended = false;

		if (k->kind == TOK_EOF) {
			*stop = STOP_EOF;
			return all;
		}
		if (k->kind == TOK_TEXT) {
			n = node_new(p, N_TEXT, k->pos);
			node_text(n, p->t->text + k->pos, k->len);
		} else if (k->kind == TOK_OPEN) {
			n = action(p, stop, &ended);
			if (ended)
				return all;
		} else {
			return parser_unexpected(p, k, "input");
		}
		if (!n)
			return NULL;
		node_add(all, n);
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
		t->body = parser_wrong(&p, "unexpected %s", stop == STOP_END ? "{{end}}" : "{{else}}");
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
