/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmpl_parser: shared by the two files of the parser: actions with their bodies (tmpl_parse.c), and the pipelines in
 * them (tmpl_pipe.c). Nobody else includes this.
 *
 * A function that finds an error sets p->e and returns NULL. All nodes belong to the template.
 */
#pragma once

#include "tmpl_node.h"

#define PARSER_DEPTH 100

struct parser {
	struct tmpl *t;
	struct token *v;
	size_t n, at;
	struct strv vars; /* those in scope; shortened at the end of a scope */
	int depth, loops;
	size_t action; /* where the current action began */
	struct err *e;
};

/* The current token; at the end always the last one. solid: skips spaces first. */
const struct token *parser_peek(struct parser *p);
const struct token *parser_next(struct parser *p);
const struct token *parser_peek_solid(struct parser *p);
const struct token *parser_next_solid(struct parser *p);

/* Set the error and return NULL. */
void *parser_wrong(struct parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void *parser_unexpected(struct parser *p, const struct token *k, const char *where);

struct node *node_new(struct parser *p, enum node_kind kind, size_t pos);
void node_add(struct node *n, struct node *kid);
void node_text(struct node *n, const char *s, size_t len);

/* Parses a pipeline up to and including the token `end`. where: its name for errors; in "range" two variables may be declared. */
struct node *parser_pipeline(struct parser *p, const char *where, enum tok end);
