/* SPDX-License-Identifier: Apache-2.0 */
/*
 * re_walk: whether an expression is found in a text. The tree becomes a program of steps, repetitions as so many copies;
 * at each place of the text all steps are known at which one could be. None is entered twice at one place, so the time
 * is in proportion to the program times the text, however repetitions are nested.
 */
#include "re_parts.h"

#include "auto.h"
#include "str.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

int32_t re_rune_at(const char *text, size_t n, size_t *len)
{
	uint32_t r = BAD_RUNE;

	*len = str_rune(text, n, &r);
	if (*len == 0)
		*len = 1;
	return (int32_t)r;
}

struct subject {
	const char *s;
	size_t n;
};

static bool in_set(const struct node *set, int32_t r)
{
	for (size_t i = 0; i < set->n_ranges; i++)
		if (r >= set->ranges[i].low && r <= set->ranges[i].high)
			return !set->negated;
	return set->negated;
}

static bool is_word(const struct subject *t, size_t at)
{
	return at < t->n && (isalnum((unsigned char)t->s[at]) || t->s[at] == '_');
}

static bool holds_at(enum kind kind, const struct subject *t, size_t at)
{
	bool edge = (at > 0 && is_word(t, at - 1)) != is_word(t, at);

	switch (kind) {
	case TEXT_BEGIN:
		return at == 0;
	case TEXT_END:
		return at == t->n;
	case LINE_BEGIN:
		return at == 0 || t->s[at - 1] == '\n';
	case LINE_END:
		return at == t->n || t->s[at] == '\n';
	case WORD_EDGE:
		return edge;
	case NO_WORD_EDGE:
		return !edge;
	default:
		return true;
	}
}

/* ---- the program ---- */

/* What follows is the next step; of a FORK also `to`, of a JUMP only that. */
enum { FORK = REPEAT + 1, JUMP, FOUND };

struct step {
	const struct node *node; /* of a SET or a place, otherwise NULL */
	uint32_t kind, to;
};

struct re_program {
	struct step *steps;
	uint32_t n;
};

static void emit(struct re_program *p, const struct node *re);

static void emit_step(struct re_program *p, uint32_t kind, const struct node *node, uint32_t to)
{
	p->steps[p->n++] = (struct step){node, kind, to};
}

/* How many stand in a row, which leans to the left: an expression may be long, and the stack is not. */
static size_t row_length(const struct node *re, enum kind kind)
{
	size_t n = 1;

	for (; re->kind == kind; re = re->a)
		n++;
	return n;
}

static void emit_row(struct re_program *p, const struct node *re)
{
	uint32_t end = p->n + re->size;
	size_t n = row_length(re, re->kind);
	auto_free const struct node **row = xcalloc(n, sizeof(struct node *));
	enum kind kind = re->kind;

	for (size_t i = n; i-- > 1; re = re->a)
		row[i] = re->b;
	row[0] = re;
	for (size_t i = 0; i < n; i++) {
		bool forks = kind == ALT && i + 1 < n;

		if (forks)
			emit_step(p, FORK, NULL, p->n + row[i]->size + 2);
		emit(p, row[i]);
		if (forks)
			emit_step(p, JUMP, NULL, end);
	}
}

static void emit_repeat(struct re_program *p, const struct node *re)
{
	uint32_t end = p->n + re->size, again;

	for (int i = 0; i < re->min; i++)
		emit(p, re->a);
	again = p->n;
	if (re->max < 0) {
		emit_step(p, FORK, NULL, end);
		emit(p, re->a);
		emit_step(p, JUMP, NULL, again);
	}
	for (int i = re->min; i < re->max; i++) {
		emit_step(p, FORK, NULL, end);
		emit(p, re->a);
	}
}

/* As many steps as the node's size says. */
static void emit(struct re_program *p, const struct node *re)
{
	if (re->kind == REPEAT)
		emit_repeat(p, re);
	else if (re->kind == CAT || re->kind == ALT)
		emit_row(p, re);
	else if (re->kind != EMPTY)
		emit_step(p, re->kind, re, 0);
}

struct re_program *re_program(const struct node *re)
{
	struct re_program *p = xcalloc(1, sizeof(*p));

	p->steps = xcalloc((size_t)re->size + 1, sizeof(*p->steps));
	emit(p, re);
	emit_step(p, FOUND, NULL, 0);
	return p;
}

void re_program_free(struct re_program *p)
{
	if (p)
		free(p->steps);
	free(p);
}

/* ---- the walk ---- */

/* The steps at which one could be at this place, and those to be looked at yet. */
struct crowd {
	uint32_t *in, *todo;
	uint32_t n;
	uint32_t *seen; /* the last place, counted from 1, at which a step was entered */
};

/* Enters a step at a place, and all that follow without a rune. True: the expression is found. */
static bool enter(struct crowd *c, const struct re_program *p, const struct subject *t, size_t at,
	uint32_t first)
{
	uint32_t n = 0, now = (uint32_t)at + 1;

	c->todo[n++] = first;
	while (n) {
		uint32_t i = c->todo[--n];
		const struct step *s = &p->steps[i];

		if (c->seen[i] == now)
			continue;
		c->seen[i] = now;
		if (s->kind == FOUND)
			return true;
		if (s->kind == SET)
			c->in[c->n++] = i;
		else if (s->kind == JUMP)
			c->todo[n++] = s->to;
		else if (s->kind == FORK || holds_at(s->kind, t, at))
			c->todo[n++] = i + 1;
		if (s->kind == FORK)
			c->todo[n++] = s->to;
	}
	return false;
}

bool re_finds(const struct re *re, const char *s, size_t n)
{
	const struct re_program *p = re->program;
	const struct subject t = {s, n};
	/* each step is entered once at a place and leaves at most two to do */
	auto_free uint32_t *room = xcalloc((size_t)p->n * 5 + 1, sizeof(*room));
	uint32_t *before = room + p->n;
	struct crowd c = {room, room + 3 * (size_t)p->n, 0, room + 2 * (size_t)p->n};
	bool found = enter(&c, p, &t, 0, 0);
	size_t len;

	assert(n < UINT32_MAX);
	for (size_t at = 0; at < n && !found; at += len) {
		int32_t r = re_rune_at(s + at, n - at, &len);
		uint32_t many = c.n;

		memcpy(before, c.in, many * sizeof(*before));
		c.n = 0;
		for (uint32_t i = 0; i < many && !found; i++)
			found = in_set(p->steps[before[i]].node, r) &&
			        enter(&c, p, &t, at + len, before[i] + 1);
		found = found || enter(&c, p, &t, at + len, 0); /* it may begin anywhere */
	}
	return found;
}
