/* SPDX-License-Identifier: Apache-2.0 */
#include "change_parts.h"

#include <ctype.h>
#include <string.h>

static const char *variable(const struct change *c, const char *name, size_t n)
{
	auto_free char *key = xstrndup(name, n);
	const char *kv = strv_env(&c->env, key);

	return kv && kv[n] == '=' ? kv + n + 1 : NULL;
}

static size_t name_len(const char *s)
{
	size_t n = 0;

	/* the shell's own ones, which have no value here */
	if (isdigit((unsigned char)*s) || (*s && strchr("@*#?-$!", *s)))
		return 1;
	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n;
}

/* ---- quotes and variables ---- */

enum { DEPTH_MAX = 100 }; /* of substitutions in one another */

/* What is left of a word. */
struct rest {
	const struct change *c;
	const char *at;
	int depth;
};

static int substitute(struct rest *r, struct buf *out, struct err *e);

/* From one quote to the other. */
static int quoted(struct rest *r, struct buf *out, struct err *e)
{
	const char quote = *r->at++;

	while (*r->at != quote) {
		if (!*r->at)
			return err_set(e, ERR_USAGE,
				"unexpected end of statement while looking for matching %s-quote",
				quote == '"' ? "double" : "single");
		if (quote == '"' && *r->at == '$') {
			if (substitute(r, out, e) < 0)
				return -1;
			continue;
		}
		if (quote == '"' && *r->at == '\\' && r->at[1] && strchr("\"$\\", r->at[1]))
			r->at++;
		buf_putc(out, *r->at++);
	}
	r->at++;
	return 0;
}

/* To the end, or up to a `stop` that is in no quotes. */
static int up_to(struct rest *r, char stop, struct buf *out, struct err *e)
{
	buf_add(out, "", 0);
	while (*r->at && *r->at != stop) {
		bool variable_next = *r->at == '$';

		if (variable_next || *r->at == '\'' || *r->at == '"') {
			if ((variable_next ? substitute(r, out, e) : quoted(r, out, e)) < 0)
				return -1;
			continue;
		}
		if (*r->at == '\\' && !*++r->at) /* at the end it is nothing */
			break;
		buf_putc(out, *r->at++);
	}
	return 0;
}

/* "${NAME:-otherwise}", "${NAME:+instead}", "${NAME:?why not}", "${NAME?why not}"; r->at points behind the name. */
static int modified(struct rest *r, const char *name, size_t n, struct buf *out, struct err *e)
{
	const char *value = variable(r->c, name, n);
	bool colon = *r->at == ':', there = value && (*value || !colon);
	auto_buf struct buf word = {0};
	char modifier;

	r->at += colon;
	modifier = *r->at;
	r->at += modifier != '\0';
	if (up_to(r, '}', &word, e) < 0 && *r->at)
		return -1;
	if (*r->at != '}')
		return err_set(e, ERR_USAGE, "syntax error: missing '}'");
	r->at++;
	if (!strchr("-+?", modifier))
		return err_set(e, ERR_USAGE, "unsupported modifier (%c) in substitution", modifier);
	if (modifier == '?' && !there)
		return err_set(e, ERR_USAGE, "%.*s: %s", (int)n, name,
			word.len ? word.s : "is not allowed to be unset");
	buf_puts(out, modifier == '+' ? (there ? word.s : "") : there ? value : word.s);
	return 0;
}

/* r->at points to the '$'. */
static int substitute(struct rest *r, struct buf *out, struct err *e)
{
	const char *name = ++r->at, *value;
	bool braces = *name == '{';
	size_t n;
	int result;

	name += braces;
	if (braces && !*name)
		return err_set(e, ERR_USAGE, "syntax error: missing '}'");
	if (braces && (strchr("{}:", *name) || r->depth == DEPTH_MAX))
		return err_set(e, ERR_USAGE, "syntax error: bad substitution");
	n = name_len(name);
	r->at = name + n;
	if (braces && *r->at && strchr(":?", *r->at)) {
		r->depth++;
		result = modified(r, name, n, out, e);
		r->depth--;
		return result;
	}
	if (braces && *r->at != '}')
		return err_set(e, ERR_USAGE, "missing ':' in substitution");
	r->at += braces;
	value = n || braces ? variable(r->c, name, n) : "$";
	buf_puts(out, value ? value : "");
	return 0;
}

int change_unquote(const struct change *c, const char *word, struct buf *out, struct err *e)
{
	struct rest r = {c, word, 0};

	return up_to(&r, '\0', out, e) < 0 ? err_ctx(e, "failed to process %s", QUOTED(word)) : 0;
}

/* ---- words ---- */

/* The length of the word at s: to blank space outside of quotes. */
static size_t word_len(const char *s)
{
	size_t n = 0;
	char quote = 0;

	for (; s[n] && (quote || !isspace((unsigned char)s[n])); n++) {
		if (s[n] == '\\' && quote != '\'' && s[n + 1])
			n++;
		else if (!quote && (s[n] == '"' || s[n] == '\''))
			quote = s[n];
		else if (quote == s[n])
			quote = 0;
	}
	return n;
}

void change_split(const char *s, struct strv *out)
{
	for (s += strspn(s, BLANKS); *s; s += strspn(s, BLANKS)) {
		size_t n = word_len(s);

		strv_take(out, xstrndup(s, n));
		s += n;
	}
}

void change_split_blanks(const char *s, struct strv *out)
{
	for (s += strspn(s, BLANKS); *s; s += strspn(s, BLANKS)) {
		size_t n = strcspn(s, BLANKS);

		strv_take(out, xstrndup(s, n));
		s += n;
	}
}

const char *change_flags(const char *s, struct strv *out)
{
	while (str_starts(s += strspn(s, BLANKS), "--")) {
		auto_buf struct buf word = {0};
		char quote = 0;

		for (; *s && (quote || !strchr(BLANKS, *s)); s++) {
			if (quote ? *s == quote : *s == '"' || *s == '\'')
				quote = quote ? 0 : *s;
			else if (*s != '\\' || *++s)
				buf_putc(&word, *s);
			if (!*s)
				break;
		}
		if (str_eq(word.s, "--")) /* they end here */
			return s + strspn(s, BLANKS);
		strv_add(out, word.s);
	}
	return s;
}

json_t *change_json_list(const char *s)
{
	return *s == '[' ? json_loads(s, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
}

json_t *change_json_words(const char *s)
{
	json_t *a = change_json_list(s), *word;
	size_t i;

	if (!json_is_array(a)) {
		json_decref(a);
		return NULL;
	}
	json_array_foreach(a, i, word)
	{
		if (!json_is_string(word)) {
			json_decref(a);
			return NULL;
		}
	}
	return a;
}
