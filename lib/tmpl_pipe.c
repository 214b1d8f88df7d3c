/* SPDX-License-Identifier: Apache-2.0 */
#include "tmpl_parser.h"

#include "tmpl_verb.h"

#include <string.h>

static struct node *string_node(struct parser *p, const struct token *k)
{
	const char *s = p->t->text + k->pos;
	auto_buf struct buf b = {0};
	struct node *n;

	if (!tmpl_unquote(s, k->len, &b))
		return parser_wrong(p, "invalid syntax");
	n = node_new(p, N_STRING, k->pos);
	buf_add(&b, "", 0);
	node_text(n, b.s, b.len);
	n->source = xstrndup(s, k->len);
	return n;
}

static struct node *number_node(struct parser *p, const struct token *k)
{
	const char *s = p->t->text + k->pos;
	struct node *n = node_new(p, N_NUMBER, k->pos);
	auto_buf struct buf b = {0};
	uint32_t rune;

	n->source = xstrndup(s, k->len);
	if (k->kind == TOK_CHAR) {
		if ((!tmpl_unquote(s, k->len, &b) && b.len == 0) || b.len == 0)
			return parser_wrong(p, "invalid syntax");
		if (b.len != str_rune(b.s, b.len, &rune))
			return parser_wrong(p, "malformed character constant: %s", n->source);
		n->integer = rune;
		return n;
	}
	for (size_t i = 0; i < k->len; i++)
		if (s[i] != '_')
			buf_putc(&b, s[i]);
	if (!tmpl_underscores_fit(n->source) || !tmpl_number(b.s, n)) {
		if (tmpl_underscores_fit(n->source) && strspn(b.s, "+-0123456789") == b.len &&
			strpbrk(b.s, "0123456789"))
			return parser_wrong(p, "integer overflow: \"%s\"", n->source);
		return parser_wrong(p, "illegal number syntax: \"%s\"", n->source);
	}
	return n;
}

static bool var_known(const struct parser *p, const char *name)
{
	for (size_t i = p->vars.n; i-- > 0;)
		if (str_eq(p->vars.v[i], name))
			return true;
	return false;
}

static struct node *parens(struct parser *p)
{
	struct node *n;

	if (++p->depth > PARSER_DEPTH)
		return parser_wrong(p, "max expression depth exceeded");
	n = parser_pipeline(p, "parenthesized pipeline", TOK_RPAREN);
	p->depth--;
	return n;
}

/* Parses an identifier, a variable, a field, a constant or a pipeline in parentheses; *found false: there is none
 * here. */
static struct node *term(struct parser *p, bool *found)
{
	const struct token *k = parser_next_solid(p);
	const char *s = p->t->text + k->pos;
	struct node *n;

	*found = true;
	switch (k->kind) {
	case TOK_IDENT:
		n = node_new(p, N_IDENT, k->pos);
		node_text(n, s, k->len);
		return tmpl_is_function(n->text)
		               ? n
		               : parser_wrong(p, "function \"%s\" not defined", n->text);
	case TOK_DOT:
		return node_new(p, N_DOT, k->pos);
	case TOK_NIL:
		return node_new(p, N_NIL, k->pos);
	case TOK_BOOL:
		n = node_new(p, N_BOOL, k->pos);
		n->truth = *s == 't';
		return n;
	case TOK_VARIABLE:
		n = node_new(p, N_VARIABLE, k->pos);
		strv_take(&n->names, xstrndup(s, k->len));
		return var_known(p, n->names.v[0])
		               ? n
		               : parser_wrong(p, "undefined variable \"%s\"", n->names.v[0]);
	case TOK_FIELD:
		n = node_new(p, N_FIELD, k->pos);
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

	if (!n || parser_peek(p)->kind != TOK_FIELD)
		return n;
	if (n->kind >= N_DOT && n->kind <= N_STRING) {
		auto_buf struct buf b = {0}, q = {0};

		tmpl_node_string(n, &b);
		fmt_quote(b.s, b.len, &q);
		return parser_wrong(p, "unexpected . after term %s", q.s);
	}
	chain = n;
	if (n->kind == N_FIELD || n->kind == N_VARIABLE) {
		n->pos = parser_peek(p)->pos; /* Go blames the second link of a chain */
	} else {
		chain = node_new(p, N_CHAIN, parser_peek(p)->pos);
		node_add(chain, n);
	}
	while (parser_peek(p)->kind == TOK_FIELD) {
		const struct token *k = parser_next(p);

		strv_take(&chain->names, xstrndup(p->t->text + k->pos + 1, k->len - 1));
	}
	return chain;
}

static struct node *command(struct parser *p)
{
	struct node *cmd = node_new(p, N_COMMAND, parser_peek_solid(p)->pos);

	for (;;) {
		const struct token *k;
		struct node *n;
		bool found;

		n = operand(p, &found);
		if (!n && found)
			return NULL;
		if (n)
			node_add(cmd, n);
		k = parser_next(p);
		if (k->kind == TOK_SPACE)
			continue;
		if (k->kind == TOK_CLOSE || k->kind == TOK_RPAREN)
			p->at--;
		else if (k->kind != TOK_PIPE)
			return parser_unexpected(p, k, "operand");
		return cmd->n ? cmd : parser_wrong(p, "empty command");
	}
}

/* "$a, $b :=" at the front of a pipeline. false: not a declaration, or wrong (*bad). */
static bool declaration(struct parser *p, struct node *pipe, const char *where, bool *bad)
{
	bool range = str_eq(where, "range"), first;
	enum tok next;
	size_t back;

	for (;;) {
		const struct token *name, *k;

		if (parser_peek_solid(p)->kind != TOK_VARIABLE)
			break;
		back = p->at;
		name = parser_next(p);
		k = parser_next_solid(p);
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
		first = range && pipe->names.n < 2;
		next = parser_peek_solid(p)->kind;
		*bad = !first || (next != TOK_VARIABLE && next != TOK_CLOSE && next != TOK_RPAREN);
		if (*bad) {
			(void)parser_wrong(p,
				first ? "range can only initialize variables" : "too many declarations in %s",
				where);
			return false;
		}
	}
	/* What one is assigned to must be there when it is, and not before: to the parser that is one more. */
	for (size_t i = 0; i < pipe->names.n; i++)
		strv_add(&p->vars, pipe->names.v[i]);
	return true;
}

static struct node *pipe_checked(struct parser *p, struct node *pipe, const char *where)
{
	if (pipe->n == 0)
		return parser_wrong(p, "missing value for %s", where);
	for (size_t i = 1; i < pipe->n; i++) {
		enum node_kind first = pipe->kids[i]->kids[0]->kind;

		if (first >= N_DOT && first <= N_STRING)
			return parser_wrong(p, "non executable command in pipeline stage %zu", i + 1);
	}
	return pipe;
}

struct node *parser_pipeline(struct parser *p, const char *where, enum tok end)
{
	struct node *pipe = node_new(p, N_PIPE, parser_peek_solid(p)->pos), *cmd;
	bool bad = false;

	if (!declaration(p, pipe, where, &bad) && bad)
		return NULL;
	for (;;) {
		const struct token *k = parser_next_solid(p);

		if (k->kind == end)
			return pipe_checked(p, pipe, where);
		if (k->kind < TOK_IDENT || k->kind > TOK_LPAREN || k->kind == TOK_PIPE)
			return parser_unexpected(p, k, where);
		p->at--;
		cmd = command(p);
		if (!cmd)
			return NULL;
		node_add(pipe, cmd);
	}
}
