/* SPDX-License-Identifier: Apache-2.0 */
/*
 * re: parses an expression in Go's syntax to a tree of nodes, or gives an error in Go's words. re_walk.c runs it.
 */
#include "re_parts.h"

#include "auto.h"
#include "str.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	REPEAT_MAX = 1000,
	DEPTH_MAX = 250,
	SIZE_MAX_STEPS = (128 << 20) / 40,
	BYTE_RUNES = 128,
	RUNE_BYTES = 4
};

enum flag { FOLD = 1, DOT_ALL = 2, LINES = 4, LAZY = 8 };

struct parser {
	const char *whole, *at;
	unsigned flags;
	int depth;
	bool only_flags; /* the last group was "(?i)" */
	struct err *e;
};

static void node_free(struct node *n)
{
	while (n) {
		struct node *a = n->a;

		node_free(n->b);
		free(n->ranges);
		free(n);
		n = a; /* the longer side: rows lean to the left */
	}
}

static void node_freep(struct node **n)
{
	node_free(*n);
}
#define auto_node __attribute__((cleanup(node_freep)))

void re_free(struct re *re)
{
	if (re) {
		node_free(re->top);
		re_program_free(re->program);
	}
	free(re);
}

/* How many steps re_walk.c makes of it; any number beyond the limit if too many. */
static uint32_t size_of(const struct node *n)
{
	uint64_t a = n->a ? n->a->size : 0, b = n->b ? n->b->size : 0, steps = a + b;

	if (n->kind == ALT)
		steps += 2;
	else if (n->kind == REPEAT && n->max < 0)
		steps = (uint64_t)n->min * a + a + 2;
	else if (n->kind == REPEAT)
		steps = (uint64_t)n->max * a + (uint64_t)(n->max - n->min);
	else if (n->kind != CAT)
		steps = n->kind != EMPTY;
	return steps > SIZE_MAX_STEPS ? SIZE_MAX_STEPS + 1 : (uint32_t)steps;
}

static struct node *node_new(enum kind kind, struct node *a, struct node *b)
{
	struct node *n = xcalloc(1, sizeof(*n));

	n->kind = kind;
	n->a = a;
	n->b = b;
	n->size = size_of(n);
	return n;
}

/* ---- runes ---- */

static int32_t next_rune(struct parser *p)
{
	size_t len;
	int32_t r = re_rune_at(p->at, strnlen(p->at, RUNE_BYTES), &len);

	p->at += len;
	return r;
}

static void add_range(struct node *set, int32_t low, int32_t high)
{
	set->ranges = xrealloc(set->ranges, set->n_ranges + 1, sizeof(struct range));
	set->ranges[set->n_ranges++] = (struct range){low, high};
}

static void add_folded(const struct parser *p, struct node *set, int32_t low, int32_t high)
{
	add_range(set, low, high);
	if (!(p->flags & FOLD))
		return;
	for (int32_t c = low; c <= high && c < BYTE_RUNES; c++)
		if (isalpha(c))
			add_range(set, c ^ 0x20, c ^ 0x20);
}

/* Named sets: pairs of first and last. */
struct named {
	const char *name, *pairs;
};

static const struct named perl[] = {{"d", "09"}, {"s", "\t\n\f\r  "}, {"w", "09AZ__az"}};

static const struct named posix[] = {{"alnum", "09AZaz"}, {"alpha", "AZaz"}, {"ascii", "\001\177"},
	{"blank", "\t\t  "}, {"cntrl", "\001\037\177\177"}, {"digit", "09"}, {"graph", "!~"},
	{"lower", "az"}, {"print", " ~"}, {"punct", "!/:@[`{~"}, {"space", "\t\r  "},
	{"upper", "AZ"}, {"word", "09AZ__az"}, {"xdigit", "09AFaf"}};

/* Adds a named set or, negated, its complement; the pairs are sorted. */
static void add_named(const struct parser *p, struct node *set, const char *pairs, bool negated)
{
	int32_t after = 0;

	for (const char *c = pairs; *c; c += 2) {
		if (!negated)
			add_folded(p, set, c[0], c[1]);
		else if (c[0] > after)
			add_range(set, after, c[0] - 1);
		after = c[1] + 1;
	}
	if (negated)
		add_range(set, after, RUNE_MAX);
}

/* ---- errors ---- */

static int bad(const struct parser *p, const char *why, const char *from, const char *to)
{
	return err_set(p->e, ERR_USAGE, "error parsing regexp: %s: `%.*s`", why, (int)(to - from), from);
}

static int bad_whole(const struct parser *p, const char *why, const char *from)
{
	return bad(p, why, from, from + strlen(from));
}

/* ---- escapes and sets ---- */

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

static int digit_of(int32_t c)
{
	return c < BYTE_RUNES && isxdigit(c) ? c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10 : -1;
}

/* The number behind \x: 7f or {10ffff}. -1: it is not one, and p->at is behind what was read. */
static int32_t hex(struct parser *p)
{
	int32_t r = 0;
	bool braced = *p->at == '{';
	int n = 0;

	p->at += braced;
	while (*p->at && (braced || n < 2)) {
		int32_t c = next_rune(p);

		if (braced && c == '}')
			return n ? r : -1;
		if (digit_of(c) < 0)
			return -1;
		r = r * 16 + digit_of(c);
		n++;
		if (r > RUNE_MAX)
			return -1;
	}
	return !braced && n == 2 ? r : -1;
}

/* p->at on the backslash. -1: err. */
static int32_t escaped(struct parser *p)
{
	static const char names[] = "afnrtv", runes[] = "\a\f\n\r\t\v";
	const char *from = p->at++, *name;
	int32_t c, r = -1;

	if (!*p->at)
		return bad(p, "trailing backslash at end of expression", p->at, p->at);
	c = next_rune(p);
	if (c == '0' || (c > '0' && c <= '7' && is_octal(*p->at))) {
		r = c - '0';
		for (int i = 1; i < 3 && is_octal(*p->at); i++)
			r = r * 8 + (*p->at++ - '0');
	} else if (c == 'x') {
		r = hex(p);
	} else if (c < BYTE_RUNES && isalpha(c) && (name = strchr(names, c)) != NULL) {
		r = runes[name - names];
	} else if (c < BYTE_RUNES && !isalnum(c)) {
		r = c;
	}
	return r < 0 ? bad(p, "invalid escape sequence", from, p->at) : r;
}

/* \d \W and the like: added, and true. */
static bool perl_set(struct parser *p, struct node *set)
{
	for (size_t i = 0; p->at[0] == '\\' && p->at[1] && i < ARRAY_LEN(perl); i++)
		if ((p->at[1] | 0x20) == *perl[i].name) {
			add_named(p, set, perl[i].pairs, !(p->at[1] & 0x20));
			p->at += 2;
			return true;
		}
	return false;
}

static bool is_unicode_set(const struct parser *p)
{
	return p->at[0] == '\\' && (p->at[1] | 0x20) == 'p';
}

static int no_unicode(const struct parser *p)
{
	const char *end = p->at[2] == '{' ? strchr(p->at, '}') : NULL;

	return bad(p, "sbx has no tables of Unicode's classes", p->at,
		end ? end + 1 : p->at + 2 + (p->at[2] != '\0'));
}

/* [:alpha:]: 1 and added, 0 and it is none, -1 and err. */
static int posix_set(struct parser *p, struct node *set)
{
	const char *end = p->at[0] == '[' && p->at[1] == ':' ? strstr(p->at + 2, ":]") : NULL,
		   *from = p->at + 2;
	bool negated = end && *from == '^';

	if (!end)
		return 0;
	from += negated;
	for (size_t i = 0; i < ARRAY_LEN(posix); i++)
		if (strlen(posix[i].name) == (size_t)(end - from) &&
			memcmp(posix[i].name, from, (size_t)(end - from)) == 0) {
			add_named(p, set, posix[i].pairs, negated);
			p->at = end + 2;
			return 1;
		}
	return bad(p, "invalid character class range", p->at, end + 2);
}

static int32_t set_rune(struct parser *p, const char *whole)
{
	if (!*p->at)
		return bad_whole(p, "missing closing ]", whole);
	return *p->at == '\\' ? escaped(p) : next_rune(p);
}

static int set_member(struct parser *p, struct node *set, const char *whole)
{
	const char *from = p->at;
	int named = posix_set(p, set);
	int32_t low, high;

	if (named)
		return named < 0 ? -1 : 0;
	if (is_unicode_set(p))
		return no_unicode(p);
	if (perl_set(p, set))
		return 0;
	low = high = set_rune(p, whole);
	if (low < 0)
		return -1;
	if (p->at[0] == '-' && p->at[1] && p->at[1] != ']') {
		p->at++;
		high = set_rune(p, whole);
		if (high < 0)
			return -1;
		if (high < low)
			return bad(p, "invalid character class range", from, p->at);
	}
	add_folded(p, set, low, high);
	return 0;
}

static struct node *parse_set(struct parser *p)
{
	auto_node struct node *set = node_new(SET, NULL, NULL);
	const char *whole = p->at++;

	set->negated = *p->at == '^';
	p->at += set->negated;
	do { /* a bracket that comes first is a member */
		if (set_member(p, set, whole) < 0)
			return NULL;
	} while (*p->at != ']');
	p->at++;
	return take(set);
}

/* ---- groups and repetitions ---- */

static struct node *parse_alt(struct parser *p);

static bool is_name(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_')
			return false;
	return n > 0;
}

/* "(?i)", "(?i-s:": 1 and a group begins, 0 and none does, -1 and err. */
static int parse_flags(struct parser *p)
{
	static const char letters[] = "ismU";
	static const enum flag values[] = {FOLD, DOT_ALL, LINES, LAZY};
	const char *from = p->at, *letter;
	unsigned flags = p->flags;
	bool minus = false, saw = false;

	p->at += 2;
	while (*p->at) {
		char c = *p->at;

		(void)next_rune(p);
		if ((letter = strchr(letters, c)) != NULL) {
			flags = minus ? flags & ~values[letter - letters]
			              : flags | values[letter - letters];
			saw = true;
		} else if (c == '-' && !minus) {
			minus = true;
			saw = false;
		} else if ((c == ':' || c == ')') && (saw || !minus)) {
			p->flags = flags;
			return c == ':';
		} else {
			break;
		}
	}
	return bad(p, "invalid or unsupported Perl syntax", from, p->at);
}

/* p->at on "(?": as parse_flags. */
static int parse_extension(struct parser *p)
{
	const char *from = p->at, *name = NULL, *end;

	if (from[2] == 'P' && from[3] == '<' && from[4])
		name = from + 4;
	else if (from[2] == '<' && from[3])
		name = from + 3;
	if (!name)
		return parse_flags(p);
	end = strchr(name, '>');
	if (!end)
		return bad_whole(p, "invalid named capture", from);
	if (!is_name(name, (size_t)(end - name)))
		return bad(p, "invalid named capture", from, end + 1);
	p->at = end + 1;
	return 1;
}

static struct node *parse_group(struct parser *p)
{
	auto_node struct node *inner = NULL;
	unsigned flags = p->flags;
	int group = 1;

	if (p->at[1] == '?')
		group = parse_extension(p);
	else
		p->at++;
	p->only_flags = group == 0;
	if (group <= 0)
		return group < 0 ? NULL : node_new(EMPTY, NULL, NULL);
	if (++p->depth > DEPTH_MAX) {
		(void)bad_whole(p, "expression nests too deeply", p->whole);
		return NULL;
	}
	inner = parse_alt(p);
	if (!inner)
		return NULL;
	if (*p->at != ')') {
		(void)bad_whole(p, "missing closing )", p->whole);
		return NULL;
	}
	p->at++;
	p->only_flags = false; /* of the last one in it */
	p->depth--;
	p->flags = flags;
	return take(inner);
}

static struct node *one_rune(const struct parser *p, int32_t r)
{
	struct node *set = node_new(SET, NULL, NULL);

	add_folded(p, set, r, r);
	return set;
}

/* \Q...\E */
static struct node *parse_quoted(struct parser *p)
{
	auto_node struct node *row = node_new(EMPTY, NULL, NULL);
	const char *end;

	p->at += 2;
	end = strstr(p->at, "\\E");
	if (!end)
		end = p->at + strlen(p->at);
	while (p->at < end) {
		int32_t r = next_rune(p);

		row = node_new(CAT, row, one_rune(p, r));
	}
	p->at += *end ? 2 : 0;
	return take(row);
}

static struct node *parse_backslash(struct parser *p)
{
	static const struct {
		char letter;
		enum kind kind;
	} places[] = {{'A', TEXT_BEGIN}, {'z', TEXT_END}, {'b', WORD_EDGE}, {'B', NO_WORD_EDGE}};
	auto_node struct node *set = NULL;
	int32_t r;

	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (p->at[1] == places[i].letter) {
			p->at += 2;
			return node_new(places[i].kind, NULL, NULL);
		}
	if (p->at[1] == 'Q')
		return parse_quoted(p);
	if (is_unicode_set(p)) {
		(void)no_unicode(p);
		return NULL;
	}
	set = node_new(SET, NULL, NULL);
	if (perl_set(p, set))
		return take(set);
	r = escaped(p);
	return r < 0 ? NULL : one_rune(p, r);
}

static struct node *parse_dot(const struct parser *p)
{
	struct node *set = node_new(SET, NULL, NULL);

	set->negated = true;
	if (!(p->flags & DOT_ALL))
		add_range(set, '\n', '\n');
	return set;
}

static struct node *parse_atom(struct parser *p)
{
	switch (*p->at) {
	case '(':
		return parse_group(p);
	case '[':
		return parse_set(p);
	case '\\':
		return parse_backslash(p);
	case '.':
		p->at++;
		return parse_dot(p);
	case '^':
		p->at++;
		return node_new(p->flags & LINES ? LINE_BEGIN : TEXT_BEGIN, NULL, NULL);
	case '$':
		p->at++;
		return node_new(p->flags & LINES ? LINE_END : TEXT_END, NULL, NULL);
	default:
		return one_rune(p, next_rune(p));
	}
}

/* Go's numbers here: without needless zeros; too large ones are as wrong as any beyond REPEAT_MAX. */
static bool parse_count(const char **at, int *out)
{
	const char *s = *at;
	int n = 0;

	if (!isdigit((unsigned char)*s) || (s[0] == '0' && isdigit((unsigned char)s[1])))
		return false;
	for (; isdigit((unsigned char)*s); s++)
		n = n > REPEAT_MAX ? n : n * 10 + (*s - '0');
	*at = s;
	*out = n;
	return true;
}

/* Moves p->at over an operator, if there is one. "{x}" is none. */
static bool parse_operator(struct parser *p, int *min, int *max)
{
	const char *s = p->at + 1;

	*min = *p->at == '+';
	*max = *p->at == '?' ? 1 : -1;
	if (*p->at == '{') {
		if (!parse_count(&s, min))
			return false;
		*max = *min;
		if (*s == ',' && *++s == '}')
			*max = -1;
		else if (s[-1] == ',' && !parse_count(&s, max))
			return false;
		if (*s++ != '}')
			return false;
	} else if (!*p->at || !strchr("*+?", *p->at)) {
		return false;
	}
	p->at = s;
	return true;
}

/* Whether nested repetitions multiply to at most n. */
static bool repeats_fit(const struct node *re, int n)
{
	for (; re; re = re->a) {
		int times = re->kind != REPEAT ? 1 : re->max < 0 ? re->min : re->max;

		if (re->kind == REPEAT && re->max == 0)
			return true;
		if (times > n)
			return false;
		if (times > 0)
			n /= times;
		if (re->b && !repeats_fit(re->b, n))
			return false;
	}
	return true;
}

/* Parses the repetition operators behind the atom, which it takes over. NULL: an error. */
static struct node *parse_repeats(struct parser *p, struct node *atom)
{
	auto_node struct node *it = atom;
	const char *last = NULL, *from = p->at;
	int min, max;

	while (from = p->at, parse_operator(p, &min, &max)) {
		bool wide = *from == '{' &&
		            (min > REPEAT_MAX || max > REPEAT_MAX || (max >= 0 && min > max));

		if (wide) {
			(void)bad(p, "invalid repeat count", from, p->at);
			return NULL;
		}
		p->at += *p->at == '?';
		if (last) {
			(void)bad(p, "invalid nested repetition operator", last, p->at);
			return NULL;
		}
		if (!it) {
			(void)bad(p, "missing argument to repetition operator", from, p->at);
			return NULL;
		}
		it = node_new(REPEAT, it, NULL);
		it->min = min;
		it->max = max;
		it->size = size_of(it);
		if (*from == '{' && !repeats_fit(it, REPEAT_MAX)) {
			(void)bad(p, "invalid repeat count", from, p->at);
			return NULL;
		}
		last = from;
	}
	return take(it);
}

static bool is_operator(const struct parser *p)
{
	struct parser probe = *p;
	int min, max;

	return parse_operator(&probe, &min, &max);
}

static struct node *parse_cat(struct parser *p)
{
	auto_node struct node *row = NULL;

	while (*p->at && *p->at != '|' && *p->at != ')') {
		struct node *next = NULL;

		p->only_flags = false;
		if (!is_operator(p) && !(next = parse_atom(p)))
			return NULL;
		if (p->only_flags) { /* nothing that could be repeated */
			node_free(next);
			continue;
		}
		next = parse_repeats(p, next);
		if (!next)
			return NULL;
		row = row ? node_new(CAT, row, next) : next;
	}
	return row ? take(row) : node_new(EMPTY, NULL, NULL);
}

static struct node *parse_alt(struct parser *p)
{
	auto_node struct node *any = parse_cat(p);

	while (any && *p->at == '|') {
		struct node *next;

		p->at++;
		next = parse_cat(p);
		if (!next)
			return NULL;
		any = node_new(ALT, any, next);
	}
	return take(any);
}

struct re *re_parse(const char *text, struct err *e)
{
	struct parser p = {.whole = text, .at = text, .e = e};
	auto_node struct node *top = parse_alt(&p);
	struct re *re;

	if (!top)
		return NULL;
	if (*p.at) {
		(void)bad_whole(&p, "unexpected )", text);
		return NULL;
	}
	if (top->size > SIZE_MAX_STEPS) {
		(void)bad_whole(&p, "expression too large", text);
		return NULL;
	}
	re = xcalloc(1, sizeof(*re));
	re->program = re_program(top);
	re->top = take(top);
	return re;
}
