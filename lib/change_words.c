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

/* $NAME, ${NAME}, ${NAME:-otherwise}, ${NAME:+instead}; *at points to the '$'. */
static int expand(const struct change *c, const char **at, struct buf *out, struct err *e)
{
	const char *s = *at + 1, *end, *value;
	size_t n;

	if (*s != '{') {
		n = name_len(s);
		value = n ? variable(c, s, n) : "$";
		buf_puts(out, value ? value : "");
		*at = s + n;
		return 0;
	}
	n = name_len(++s);
	end = strchr(s, '}');
	if (n == 0 || !end || (s + n != end && (s[n] != ':' || !s[n + 1] || !strchr("-+", s[n + 1]))))
		return err_set(e, ERR_USAGE, "failed to process %s: bad substitution", QUOTED(c->rest));
	value = variable(c, s, n);
	*at = end + 1;
	if (s + n == end) {
		buf_puts(out, value ? value : "");
		return 0;
	}
	s += n + 2;
	if (s[-1] == '-' && value && *value)
		buf_puts(out, value);
	else if (s[-1] == '-' || (value && *value))
		buf_add(out, s, (size_t)(end - s));
	return 0;
}

int change_unquote(const struct change *c, const char *word, struct buf *out, struct err *e)
{
	const char *begin = word;
	char quote = 0;

	buf_add(out, "", 0);
	while (*word) {
		if (*word == '$' && quote != '\'') {
			if (expand(c, &word, out, e) < 0)
				return -1;
			continue;
		}
		if (!quote && (*word == '"' || *word == '\''))
			quote = *word;
		else if (quote == *word)
			quote = 0;
		else if (*word == '\\' && quote != '\'' && word[1] &&
			 (!quote || strchr("\"$\\", word[1])))
			buf_putc(out, *++word);
		else
			buf_putc(out, *word);
		word++;
	}
	if (quote)
		return err_set(e, ERR_USAGE,
			"failed to process %s: unexpected end of statement while looking "
			"for matching %s-quote",
			QUOTED(begin), quote == '"' ? "double" : "single");
	return 0;
}

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

json_t *change_json_words(const char *s)
{
	json_t *a = *s == '[' ? json_loads(s, 0, NULL) : NULL, *word;
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
