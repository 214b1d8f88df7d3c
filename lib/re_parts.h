/* SPDX-License-Identifier: Apache-2.0 */
/* re_parts: the tree that re.c makes of an expression and re_walk.c runs over a text. */
#pragma once

#include "re.h"

#include <stdint.h>

enum { RUNE_MAX = 0x10ffff, BAD_RUNE = 0xfffd };

enum kind {
	EMPTY,
	SET,
	TEXT_BEGIN,
	TEXT_END,
	LINE_BEGIN,
	LINE_END,
	WORD_EDGE,
	NO_WORD_EDGE,
	CAT,
	ALT,
	REPEAT
};

struct range {
	int32_t low, high;
};

struct node {
	enum kind kind;
	bool negated; /* SET */
	struct range *ranges;
	size_t n_ranges;
	int min, max; /* REPEAT; max -1: any */
	struct node *a, *b;
	uint32_t size; /* steps of its program */
};

struct re_program;

struct re_program *re_program(const struct node *re);
void re_program_free(struct re_program *p);

struct re {
	struct node *top;
	struct re_program *program;
};

/* The rune at s, which has n bytes, n > 0, and its length. What is not UTF-8 is U+FFFD, one byte long, as in Go. */
int32_t re_rune_at(const char *text, size_t n, size_t *len);
