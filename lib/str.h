/* SPDX-License-Identifier: Apache-2.0 */
/*
 * str: growing byte buffers and vectors of strings.
 *
 * A zeroed struct is an empty, usable one. x_done() frees what is in it and zeroes it.
 */
#pragma once

#include "auto.h"

#include <stdint.h>
#include <string.h>

struct buf {
	char *s;    /* 0-terminated; NULL until something was added */
	size_t len; /* without the 0 */
	size_t cap;
};

/* Makes room for n more bytes at s + len; after writing them the caller increases len. */
void buf_room(struct buf *b, size_t n);
void buf_add(struct buf *b, const void *bytes, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char c);
void buf_put_rune(struct buf *b, uint32_t c); /* a Unicode character, in UTF-8 */
void buf_move(struct buf *b, char *s);        /* adds s, which is freed */
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_quote(struct buf *b, const char *s); /* adds s as Go quotes it: "a\"b\n" */
/* Returns the content as a string, which the caller frees, and leaves the buffer empty. Never NULL. */
char *buf_take(struct buf *b) __attribute__((returns_nonnull));
void buf_done(struct buf *b);
#define auto_buf __attribute__((cleanup(buf_done)))

/* A NULL-terminated vector of strings. `set` tells "given, but empty" from "not given". */
struct strv {
	char **v; /* NULL when empty, else n strings and a NULL */
	size_t n;
	bool set;
};

void strv_add(struct strv *a, const char *s);
void strv_take(struct strv *a, char *s); /* takes ownership of s */
void strv_addf(struct strv *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strv_copy(struct strv *to, const struct strv *from);
void strv_split(struct strv *a, const char *words, char between); /* adds each word that is not empty */
void strv_join(const struct strv *a, const char *between, struct buf *out);
void strv_sort(struct strv *a, size_t from); /* the first `from` strings stay where they are */
bool strv_sorted_has(const struct strv *a, const char *s);
/* Vectors of "K=V": the entry of key (the whole "K=V"), or NULL; and one that sets or replaces an entry. */
const char *strv_env(const struct strv *a, const char *key);
void strv_env_set(struct strv *a, const char *kv);
/* For many entries at once, not in quadratic time. _settle leaves of each key the last value, as if strv_env_set() had been
 * called for each. _fill adds the entries of keys that are not there yet. _override sets what `over` has, as docker's daemon
 * does: a name alone removes what was set before all of these words, but nothing that they set; env has each key once. */
void strv_env_settle(struct strv *a);
void strv_env_fill(struct strv *a, const struct strv *more);
void strv_env_override(struct strv *env, const struct strv *over);
void strv_done(struct strv *a);
#define auto_strv __attribute__((cleanup(strv_done)))

/* Quoted like buf_quote(), for an error message, cut to its size: err_set(e, kind, "parsing %s", QUOTED(word)). */
struct quoted {
	char s[1000];
};
struct quoted str_quoted(const char *s, size_t n);
#define QUOTED(word)      (str_quoted((word), strlen(word)).s)
#define QUOTED_N(word, n) (str_quoted((word), (n)).s)

bool str_eq(const char *a, const char *b); /* NULL equals NULL */
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
/* Whether one of the words of a list, with such a character between them, is this one. */
bool str_has_word(const char *list, char between, const char *word);
#define STR_BLANKS " \t\n\v\f\r"
/* A copy without blanks at both ends, as Go's strings.TrimSpace(). */
char *str_trim(const char *s);
void str_empty_is_none(char **s); /* replaces "" by NULL */
/* How many of the n bytes at s are a control character, which a terminal obeys instead of showing it; 0: none. Newline and tab
 * do not count; U+0080 to U+009F do, which have two bytes: U+009B is ESC [. */
size_t str_commands(const char *s, size_t n);
/* Replaces control characters of an untrusted text, which a terminal would obey, by question marks, except newlines and tabs. */
void str_tame(char *s, size_t n);
bool str_is_hex(const char *s, size_t n); /* exactly n lower-case hex digits */
/* The length of the UTF-8 sequence at s, of at most n bytes, and in *rune (unless NULL) its character. 0: it is not UTF-8. */
size_t str_rune(const char *s, size_t n, uint32_t *rune);
