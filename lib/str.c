/* SPDX-License-Identifier: Apache-2.0 */
#include "str.h"

#include "quote.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void buf_room(struct buf *b, size_t n)
{
	size_t want = b->len + n + 1;

	if (want <= b->cap)
		return;
	b->cap = want > 2 * b->cap ? want + 64 : 2 * b->cap;
	b->s = xrealloc(b->s, b->cap, 1);
}

void buf_add(struct buf *b, const void *bytes, size_t n)
{
	buf_room(b, n);
	if (n)
		memcpy(b->s + b->len, bytes, n);
	b->len += n;
	b->s[b->len] = '\0';
}

void buf_puts(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_putc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_put_rune(struct buf *b, uint32_t c)
{
	if (c < 0x80) {
		buf_putc(b, (char)c);
	} else if (c < 0x800) {
		buf_putc(b, (char)(0xc0 | c >> 6));
		buf_putc(b, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		buf_putc(b, (char)(0xe0 | c >> 12));
		buf_putc(b, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_putc(b, (char)(0x80 | (c & 0x3f)));
	} else {
		buf_putc(b, (char)(0xf0 | c >> 18));
		buf_putc(b, (char)(0x80 | (c >> 12 & 0x3f)));
		buf_putc(b, (char)(0x80 | (c >> 6 & 0x3f)));
		buf_putc(b, (char)(0x80 | (c & 0x3f)));
	}
}

void buf_move(struct buf *b, char *s)
{
	buf_puts(b, s);
	free(s);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	buf_room(b, 64); /* mostly enough: then nothing is formatted twice */
	va_start(ap, fmt);
	n = vsnprintf(b->s + b->len, b->cap - b->len, fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n >= b->cap - b->len) {
		buf_room(b, (size_t)n);
		va_start(ap, fmt);
		(void)vsnprintf(b->s + b->len, (size_t)n + 1, fmt, ap); /* measured above */
		va_end(ap);
	}
	if (n > 0)
		b->len += (size_t)n;
	b->s[b->len] = '\0';
}

void buf_quote(struct buf *b, const char *s)
{
	quote_text(s, strlen(s), false, b);
}

struct quoted str_quoted(const char *s, size_t n)
{
	auto_free char *word = xstrndup(s, n);
	auto_buf struct buf out = {0};
	struct quoted quoted;

	buf_quote(&out, word);
	n = out.len < sizeof(quoted.s) ? out.len : sizeof(quoted.s) - 1;
	memcpy(quoted.s, out.s, n);
	quoted.s[n] = '\0';
	return quoted;
}

char *buf_take(struct buf *b)
{
	char *s;

	buf_add(b, "", 0);
	s = b->s;
	*b = (struct buf){0};
	return s;
}

void buf_done(struct buf *b)
{
	free(b->s);
	*b = (struct buf){0};
}

void strv_take(struct strv *a, char *s)
{
	/* Room grows by doubling: it is full whenever n + 1 is a power of two. */
	if (a->n == 0 || ((a->n + 1) & a->n) == 0)
		a->v = xrealloc(a->v, 2 * (a->n + 1), sizeof(*a->v));
	a->v[a->n++] = s;
	a->v[a->n] = NULL;
	a->set = true;
}

void strv_add(struct strv *a, const char *s)
{
	strv_take(a, xstrdup(s));
}

void strv_addf(struct strv *a, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		abort();
	va_end(ap);
	strv_take(a, s);
}

void strv_copy(struct strv *to, const struct strv *from)
{
	strv_done(to);
	for (size_t i = 0; i < from->n; i++)
		strv_add(to, from->v[i]);
	to->set = from->set;
}

static size_t key_len(const char *kv)
{
	return strcspn(kv, "=");
}

static char **env_slot(const struct strv *a, const char *kv)
{
	size_t n = key_len(kv);

	for (size_t i = 0; i < a->n; i++)
		if (strncmp(a->v[i], kv, n) == 0 && (!a->v[i][n] || a->v[i][n] == '='))
			return &a->v[i];
	return NULL;
}

void strv_split(struct strv *a, const char *words, char between)
{
	const char end[] = {between, '\0'};

	for (const char *w = words; *w;) {
		size_t n = strcspn(w, end);

		if (n)
			strv_take(a, xstrndup(w, n));
		w += n + (w[n] == between);
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void strv_join(const struct strv *a, const char *between, struct buf *out)
{
	for (size_t i = 0; i < a->n; i++) {
		buf_puts(out, i ? between : "");
		buf_puts(out, a->v[i]);
	}
}

void strv_sort(struct strv *a, size_t from)
{
	if (a->n > from)
		qsort(a->v + from, a->n - from, sizeof(*a->v), by_text);
}

bool strv_sorted_has(const struct strv *a, const char *s)
{
	return a->n > 0 && bsearch(&s, a->v, a->n, sizeof(*a->v), by_text);
}

const char *strv_env(const struct strv *a, const char *key)
{
	char **slot = env_slot(a, key);

	return slot ? *slot : NULL;
}

void strv_env_set(struct strv *a, const char *kv)
{
	char **slot = env_slot(a, kv), *now = xstrdup(kv); /* kv may point into the entry that is replaced */

	if (!slot) {
		strv_take(a, now);
		return;
	}
	free(*slot);
	*slot = now;
}

struct env_entry {
	const char *kv;
	size_t key, at;
};

static int by_key(const void *a, const void *b)
{
	const struct env_entry *x = a, *y = b;
	size_t n = x->key < y->key ? x->key : y->key;
	int order = memcmp(x->kv, y->kv, n);

	if (order == 0)
		order = (x->key > y->key) - (x->key < y->key);
	return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* All of both, a's first, sorted by keys; of one key as they stand. */
static struct env_entry *by_keys(const struct strv *a, const struct strv *b)
{
	size_t n = a->n + b->n;
	struct env_entry *all = xcalloc(n + 1, sizeof(*all));

	for (size_t i = 0; i < n; i++) {
		const char *kv = i < a->n ? a->v[i] : b->v[i - a->n];

		all[i] = (struct env_entry){kv, key_len(kv), i};
	}
	qsort(all, n, sizeof(*all), by_key);
	return all;
}

/* Behind the last of those that have i's key. */
static size_t key_end(const struct env_entry *all, size_t i, size_t n)
{
	size_t end = i + 1;

	while (end < n && all[end].key == all[i].key && memcmp(all[end].kv, all[i].kv, all[i].key) == 0)
		end++;
	return end;
}

/* The strings that are there yet, of n places. */
static void take_slots(struct strv *a, char *const *slots, size_t n)
{
	a->n = 0;
	if (a->v)
		a->v[0] = NULL;
	for (size_t i = 0; i < n; i++)
		if (slots[i])
			strv_take(a, slots[i]);
}

void strv_env_settle(struct strv *a)
{
	const struct strv none = {0};
	auto_free struct env_entry *all = by_keys(a, &none);
	auto_free char **slots = xcalloc(a->n + 1, sizeof(*slots));

	/* The first one's place, the last one's value. */
	for (size_t i = 0, end; i < a->n; i = end) {
		end = key_end(all, i, a->n);
		slots[all[i].at] = a->v[all[end - 1].at];
		for (size_t k = i; k + 1 < end; k++)
			free(a->v[all[k].at]);
	}
	take_slots(a, slots, a->n);
}

void strv_env_override(struct strv *env, const struct strv *over)
{
	size_t n = env->n + over->n, was = env->n;
	auto_free struct env_entry *all = by_keys(env, over);
	auto_free char **slots = xcalloc(n + 1, sizeof(*slots));

	for (size_t i = 0, end; i < n; i = end) {
		size_t place = all[i].at;
		bool there = place < was;

		end = key_end(all, i, n);
		if (there)
			slots[place] = env->v[place];
		for (size_t k = i + there; k < end; k++) {
			if (all[k].kv[all[k].key]) {
				if (!slots[place])
					place = all[k].at;
				free(slots[place]);
				slots[place] = xstrdup(over->v[all[k].at - was]);
			} else if (there) {
				free(slots[place]);
				slots[place] = NULL;
			}
		}
	}
	take_slots(env, slots, n);
}

void strv_env_fill(struct strv *a, const struct strv *more)
{
	size_t n = a->n + more->n, was = a->n;
	auto_free struct env_entry *all = by_keys(a, more);
	auto_free bool *new = xcalloc(more->n + 1, sizeof(*new));

	for (size_t i = 0; i < n; i = key_end(all, i, n))
		if (all[i].at >= was)
			new[all[i].at - was] = true;
	for (size_t i = 0; i < more->n; i++)
		if (new[i])
			strv_add(a, more->v[i]);
}

void strv_done(struct strv *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->v[i]);
	free(a->v);
	*a = (struct strv){0};
}

bool str_eq(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

bool str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

bool str_has_word(const char *list, char between, const char *word)
{
	size_t n = strlen(word);

	for (;;) {
		const char *end = strchrnul(list, between);

		if ((size_t)(end - list) == n && memcmp(list, word, n) == 0)
			return true;
		if (!*end)
			return false;
		list = end + 1;
	}
}

void str_empty_is_none(char **s)
{
	if (*s && !**s) {
		free(*s);
		*s = NULL;
	}
}

char *str_trim(const char *s)
{
	size_t n;

	s += strspn(s, STR_BLANKS);
	for (n = strlen(s); n > 0 && strchr(STR_BLANKS, s[n - 1]); n--)
		;
	return xstrndup(s, n);
}

size_t str_commands(const char *s, size_t n)
{
	unsigned char c = (unsigned char)*s, next = n > 1 ? (unsigned char)s[1] : 0;

	if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
		return 1;
	return c == 0xc2 && next >= 0x80 && next < 0xa0 ? 2 : 0;
}

void str_tame(char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_commands(s + i, n - i))
			memset(s + i, '?', str_commands(s + i, n - i));
}

bool str_is_hex(const char *s, size_t n)
{
	/* A table instead of branches for each kind of digit, which could not be predicted. */
	static const bool digit[UCHAR_MAX + 1] = {
		['0'] = 1,
		['1'] = 1,
		['2'] = 1,
		['3'] = 1,
		['4'] = 1,
		['5'] = 1,
		['6'] = 1,
		['7'] = 1,
		['8'] = 1,
		['9'] = 1,
		['a'] = 1,
		['b'] = 1,
		['c'] = 1,
		['d'] = 1,
		['e'] = 1,
		['f'] = 1,
	};
	size_t i = 0;

	while (digit[(unsigned char)s[i]])
		i++;
	return i == n && !s[i];
}

/* By the table of well-formed sequences in the Unicode standard. */
size_t str_rune(const char *s, size_t n, uint32_t *rune)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned char low = 0x80, high = 0xbf;
	size_t want;
	uint32_t c;

	if (n == 0)
		return 0;
	want = u[0] < 0x80   ? 1
	       : u[0] < 0xc2 ? 0
	       : u[0] < 0xe0 ? 2
	       : u[0] < 0xf0 ? 3
	       : u[0] < 0xf5 ? 4
	                     : 0;
	if (want == 0 || want > n)
		return 0;
	if (u[0] == 0xe0)
		low = 0xa0; /* overlong */
	else if (u[0] == 0xed)
		high = 0x9f; /* surrogates */
	else if (u[0] == 0xf0)
		low = 0x90; /* overlong */
	else if (u[0] == 0xf4)
		high = 0x8f; /* beyond U+10FFFF */
	c = want == 1 ? u[0] : u[0] & (0x7fu >> want);
	for (size_t i = 1; i < want; i++, low = 0x80, high = 0xbf) {
		if (u[i] < low || u[i] > high)
			return 0;
		c = c << 6 | (u[i] & 0x3f);
	}
	if (rune)
		*rune = c;
	return want;
}
