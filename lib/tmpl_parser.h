/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmpl_parser: what the two halves of the parser share: actions with their bodies (tmpl_parse.c), and the pipelines in
 * them (tmpl_pipe.c). Nobody else includes this.
 *
 * What finds something wrong leaves the words in p->e and returns NULL; all nodes belong to the template.
 */
#pragma once

#include "tmpl_node.h"

#define PARSER_DEPTH 100

struct parser {
	struct tmpl *t;
	struct token *v;
	size_t n, at;
	struct strv vars; /* in scope; a scope's end cuts it */
	int depth, loops;
	size_t action; /* where the action under way began */
	struct err *e;
};

/* The token at hand, or the last one for ever; solid: the first that is no space. */
const struct token *parser_peek(struct parser *p);
const struct token *parser_next(struct parser *p);
const struct token *parser_peek_solid(struct parser *p);
const struct token *parser_next_solid(struct parser *p);

/* Both NULL. */
void *parser_wrong(struct parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void *parser_unexpected(struct parser *p, const struct token *k, const char *where);

struct node *node_new(struct parser *p, enum node_kind kind, size_t pos);
void node_add(struct node *n, struct node *kid);
void node_text(struct node *n, const char *s, size_t len);

/* To the token that ends it, which is consumed. `where` names it in errors; "range" may declare two variables. */
struct node *parser_pipeline(struct parser *p, const char *where, enum tok end);
