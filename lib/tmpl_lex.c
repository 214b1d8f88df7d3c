/* SPDX-License-Identifier: Apache-2.0 */
#include "tmpl_node.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

struct lexer {
	const char *s;
	size_t at, end;
	struct token *v;
	size_t n, cap;
	int parens;
};

static void emit(struct lexer *l, enum tok kind, size_t from)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 32;
		l->v = xrealloc(l->v, l->cap, sizeof(*l->v));
	}
	l->v[l->n++] = (struct token){.kind = kind, .pos = from, .len = l->at - from};
}

__attribute__((format(printf, 3, 4))) static bool fail(struct lexer *l, size_t from, const char *fmt, ...)
{
	va_list ap;
	char *note;

	va_start(ap, fmt);
	if (vasprintf(&note, fmt, ap) < 0)
		abort();
	va_end(ap);
	emit(l, TOK_ERROR, from);
	l->v[l->n - 1].note = note;
	return false;
}

static bool ahead(const struct lexer *l, size_t at, const char *word)
{
	size_t n = strlen(word);

	return l->end - at >= n && memcmp(l->s + at, word, n) == 0;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Letters beyond ASCII are taken as they come: Go would look up Unicode's classes. */
static bool is_word(char c)
{
	return c == '_' || isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* "-}}" trims only with a space before the minus. */
static bool at_close(const struct lexer *l, size_t at, bool *trim)
{
	*trim = at < l->end && is_space(l->s[at]) && ahead(l, at + 1, "-}}");
	return *trim || ahead(l, at, "}}");
}

static bool at_end_of_word(const struct lexer *l)
{
	bool trim;

	if (l->at >= l->end || is_space(l->s[l->at]) || strchr(".,|:)(", l->s[l->at]))
		return true;
	return at_close(l, l->at, &trim);
}

static void skip_space(struct lexer *l)
{
	while (l->at < l->end && is_space(l->s[l->at]))
		l->at++;
}

/* Text up to the next action; its end is trimmed where the action begins with "{{- ". */
static void lex_text(struct lexer *l)
{
	size_t from = l->at, open, stop;
	const char *found = memmem(l->s + from, l->end - from, "{{", 2);

	open = found ? (size_t)(found - l->s) : l->end;
	stop = open;
	if (found && ahead(l, open, "{{-") && open + 3 < l->end && is_space(l->s[open + 3]))
		while (stop > from && is_space(l->s[stop - 1]))
			stop--;
	l->at = stop;
	if (stop > from)
		emit(l, TOK_TEXT, from);
	l->at = open;
}

static bool lex_comment(struct lexer *l, size_t from)
{
	const char *stop = memmem(l->s + l->at, l->end - l->at, "*/", 2);
	bool trim;

	if (!stop)
		return fail(l, from, "unclosed comment");
	l->at = (size_t)(stop - l->s) + 2;
	if (!at_close(l, l->at, &trim))
		return fail(l, from, "comment ends before closing delimiter");
	l->at += trim ? 4 : 2;
	if (trim)
		skip_space(l);
	return true;
}

/* Scans the number from there on; false: it is followed by a character that cannot follow. */
static bool scan_number(struct lexer *l, size_t from)
{
	const char *digits = "0123456789_", *exponent = "eE";
	size_t i = from;

	if (l->s[i] == '+' || l->s[i] == '-')
		i++;
	if (i < l->end && l->s[i] == '0' && i + 1 < l->end && strchr("xXoObB", l->s[i + 1])) {
		digits = strchr("xX", l->s[i + 1])   ? "0123456789abcdefABCDEF_"
		         : strchr("oO", l->s[i + 1]) ? "01234567_"
		                                     : "01_";
		exponent = strchr("xX", l->s[i + 1]) ? "pP" : "";
		i += 2;
	}
	while (i < l->end && l->s[i] && strchr(digits, l->s[i]))
		i++;
	if (i < l->end && l->s[i] == '.')
		for (i++; i < l->end && l->s[i] && strchr(digits, l->s[i]);)
			i++;
	if (i < l->end && strchr(exponent, l->s[i]) && l->s[i]) {
		i++;
		if (i < l->end && (l->s[i] == '+' || l->s[i] == '-'))
			i++;
		while (i < l->end && (isdigit((unsigned char)l->s[i]) || l->s[i] == '_'))
			i++;
	}
	if (i < l->end && l->s[i] == 'i')
		i++;
	l->at = i;
	if (l->at < l->end && is_word(l->s[l->at])) {
		l->at++;
		return false;
	}
	return true;
}

/* "1", or "1+2i". */
static bool lex_number(struct lexer *l, size_t from)
{
	bool good = scan_number(l, from);

	if (good && l->at < l->end && (l->s[l->at] == '+' || l->s[l->at] == '-'))
		good = scan_number(l, l->at) && l->s[l->at - 1] == 'i';
	if (!good)
		return fail(l, from, "bad number syntax: \"%.*s\"", (int)(l->at - from), l->s + from);
	emit(l, TOK_NUMBER, from);
	return true;
}

static bool lex_quoted(struct lexer *l, size_t from, char quote)
{
	const char *what = quote == '\''  ? "unterminated character constant"
	                   : quote == '`' ? "unterminated raw quoted string"
	                                  : "unterminated quoted string";

	for (l->at = from + 1; l->at < l->end; l->at++) {
		if (l->s[l->at] == quote) {
			l->at++;
			emit(l,
				quote == '\''  ? TOK_CHAR
				: quote == '`' ? TOK_RAW
					       : TOK_STRING,
				from);
			return true;
		}
		if (quote != '`' && l->s[l->at] == '\n')
			break;
		if (quote != '`' && l->s[l->at] == '\\')
			l->at++;
	}
	if (l->at > l->end)
		l->at = l->end;
	return fail(l, from, "%s", what);
}

static bool is_keyword(const char *s, size_t n)
{
	static const char *const words[] = {"block", "break", "continue", "define", "else", "end",
		"if", "range", "template", "with"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i]) == n && memcmp(words[i], s, n) == 0)
			return true;
	return false;
}

/* .Field, $variable, or a word: what follows must separate it from the next. */
static bool lex_word(struct lexer *l, size_t from)
{
	const char *s = l->s + from;
	enum tok kind = TOK_IDENT;
	size_t n;

	l->at = from + (*s == '.' || *s == '$');
	while (l->at < l->end && is_word(l->s[l->at]))
		l->at++;
	if (!at_end_of_word(l)) {
		unsigned char c = (unsigned char)l->s[l->at];

		return isprint(c) ? fail(l, from, "bad character U+%04X '%c'", c, c)
		                  : fail(l, from, "bad character U+%04X", c);
	}
	n = l->at - from;
	if (*s == '.')
		kind = n == 1 ? TOK_DOT : TOK_FIELD;
	else if (*s == '$')
		kind = TOK_VARIABLE;
	else if (is_keyword(s, n))
		kind = TOK_KEYWORD;
	else if ((n == 4 && memcmp(s, "true", 4) == 0) || (n == 5 && memcmp(s, "false", 5) == 0))
		kind = TOK_BOOL;
	else if (n == 3 && memcmp(s, "nil", 3) == 0)
		kind = TOK_NIL;
	emit(l, kind, from);
	return true;
}

static bool lex_sign(struct lexer *l, size_t from)
{
	unsigned char c = (unsigned char)l->s[from];
	enum tok kind = TOK_COMMA; /* also of every other character which the grammar has no use for */

	l->at = from + 1;
	if (c == ':') {
		if (l->at >= l->end || l->s[l->at] != '=')
			return fail(l, from, "expected :=");
		l->at++;
		kind = TOK_DECLARE;
	} else if (c == '=') {
		kind = TOK_ASSIGN;
	} else if (c == '|') {
		kind = TOK_PIPE;
	} else if (c == '(') {
		kind = TOK_LPAREN;
		l->parens++;
	} else if (c == ')') {
		kind = TOK_RPAREN;
		if (--l->parens < 0)
			return fail(l, from, "unexpected right paren");
	} else if (!isprint(c)) {
		return fail(l, from, "unrecognized character in action: U+%04X", c);
	}
	emit(l, kind, from);
	return true;
}

static bool lex_token(struct lexer *l)
{
	size_t from = l->at;
	char c = l->s[from];

	if (is_space(c)) {
		bool trim;

		/* the space before "-}}" belongs to the delimiter */
		while (l->at < l->end && is_space(l->s[l->at]) && !(at_close(l, l->at, &trim) && trim))
			l->at++;
		if (l->at > from)
			emit(l, TOK_SPACE, from);
		return true;
	}
	if (c == '"' || c == '`' || c == '\'')
		return lex_quoted(l, from, c);
	if (c == '+' || c == '-' || isdigit((unsigned char)c))
		return lex_number(l, from);
	/* a "." at the very end is neither a field nor a number; Go's error is about a number */
	if (c == '.' && (from + 1 == l->end || isdigit((unsigned char)l->s[from + 1])))
		return lex_number(l, from);
	if (c == '.' || c == '$' || is_word(c))
		return lex_word(l, from);
	return lex_sign(l, from);
}

/* From "{{" to behind "}}". */
static bool lex_action(struct lexer *l)
{
	size_t from = l->at;
	bool trim;

	l->at += 2;
	if (ahead(l, l->at, "-") && l->at + 1 < l->end && is_space(l->s[l->at + 1])) {
		l->at += 2;
		skip_space(l);
		if (at_close(l, l->at - 1, &trim) && trim)
			l->at--;
	}
	if (ahead(l, l->at, "/*"))
		return lex_comment(l, from);
	emit(l, TOK_OPEN, from);
	l->parens = 0;
	while (l->at < l->end) {
		size_t close = l->at;

		if (!at_close(l, close, &trim)) {
			if (!lex_token(l))
				return false;
			continue;
		}
		if (l->parens)
			return fail(l, close, "unclosed left paren");
		l->at += trim ? 4 : 2;
		emit(l, TOK_CLOSE, close);
		if (trim)
			skip_space(l);
		return true;
	}
	return fail(l, l->at, "unclosed action");
}

struct token *tmpl_lex(const char *text, size_t *n)
{
	struct lexer l = {.s = text, .end = strlen(text)};

	while (l.at < l.end) {
		lex_text(&l);
		if (l.at < l.end && !lex_action(&l))
			break;
	}
	if (l.n == 0 || l.v[l.n - 1].kind != TOK_ERROR)
		emit(&l, TOK_EOF, l.at);
	*n = l.n;
	return l.v;
}

void tmpl_tokens_free(struct token *tokens, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(tokens[i].note);
	free(tokens);
}
