/* SPDX-License-Identifier: Apache-2.0 */
/*
 * re_walk: whether an expression is found in a text. A node maps the set of places where a match of it may begin
 * to the set of places where that match may end; the expression is found if any place is left after all places have
 * gone through the tree. No node is run twice with the same places, so the time is bounded.
 */
#include "re_parts.h"

#include "auto.h"
#include "str.h"

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

static void walk(const struct node *re, const struct subject *t, const bool *from, bool *to);

/* Adds the places of b to a; returns whether any of them was new. */
static bool unite(bool *a, const bool *b, size_t n)
{
	bool grown = false;

	for (size_t i = 0; i <= n; i++) {
		grown |= b[i] && !a[i];
		a[i] |= b[i];
	}
	return grown;
}

/* Of one rune any number: places that are reached are passed on the way. */
static void walk_runs(const struct node *set, const struct subject *t, bool *to)
{
	for (size_t i = 0, len; i < t->n; i++)
		if (to[i] && in_set(set, re_rune_at(t->s + i, t->n - i, &len)))
			to[i + len] = true;
}

static void walk_repeat(const struct node *re, const struct subject *t, const bool *from, bool *to)
{
	auto_free bool *now = xcalloc(t->n + 1, 1), *then = xcalloc(t->n + 1, 1);

	memcpy(now, from, t->n + 1);
	for (int i = 0; i < re->min; i++) {
		walk(re->a, t, now, then);
		memcpy(now, then, t->n + 1);
	}
	memcpy(to, now, t->n + 1);
	if (re->max < 0 && re->a->kind == SET) {
		walk_runs(re->a, t, to);
		return;
	}
	for (int i = re->min; re->max < 0 || i < re->max; i++) {
		walk(re->a, t, now, then);
		if (!unite(to, then, t->n))
			break; /* all that could follow has been there */
		memcpy(now, then, t->n + 1);
	}
}

/* How many stand in a row, which leans to the left: an expression may be long, and the stack is not. */
static size_t row_length(const struct node *re, enum kind kind)
{
	size_t n = 1;

	for (; re->kind == kind; re = re->a)
		n++;
	return n;
}

static void walk_row(const struct node *re, const struct subject *t, const bool *from, bool *to)
{
	size_t n = row_length(re, re->kind);
	auto_free const struct node **row = xcalloc(n, sizeof(struct node *));
	auto_free bool *now = xcalloc(t->n + 1, 1), *then = xcalloc(t->n + 1, 1);
	enum kind kind = re->kind;

	for (size_t i = n; i-- > 1; re = re->a)
		row[i] = re->b;
	row[0] = re;
	memcpy(now, from, t->n + 1);
	memset(to, 0, t->n + 1);
	for (size_t i = 0; i < n; i++) {
		walk(row[i], t, now, then);
		if (kind == CAT)
			memcpy(now, then, t->n + 1);
		else
			(void)unite(to, then, t->n);
	}
	if (kind == CAT)
		memcpy(to, now, t->n + 1);
}

/* to: the places where a match of the node may end that begins at one of the places `from`. */
static void walk(const struct node *re, const struct subject *t, const bool *from, bool *to)
{
	if (re->kind == REPEAT) {
		walk_repeat(re, t, from, to);
	} else if (re->kind == CAT || re->kind == ALT) {
		walk_row(re, t, from, to);
	} else if (re->kind == SET) {
		memset(to, 0, t->n + 1);
		for (size_t i = 0, len; i < t->n; i++)
			if (from[i] && in_set(re, re_rune_at(t->s + i, t->n - i, &len)))
				to[i + len] = true;
	} else {
		for (size_t i = 0; i <= t->n; i++)
			to[i] = from[i] && holds_at(re->kind, t, i);
	}
}

bool re_finds(const struct re *re, const char *s, size_t n)
{
	const struct subject t = {s, n};
	auto_free bool *from = xcalloc(n + 1, sizeof(bool)), *to = xcalloc(n + 1, sizeof(bool));
	size_t len;

	for (size_t i = 0; i < n; i += len) {
		(void)re_rune_at(s + i, n - i, &len);
		from[i] = true;
	}
	from[n] = true;
	walk(re->top, &t, from, to);
	return memchr(to, true, n + 1) != NULL;
}
