/* SPDX-License-Identifier: Apache-2.0 */
/* json_fault: why a text is not JSON, in the words of Go's encoding/json, and about the same byte. */
#include "json.h"

#include "auto.h"
#include "str.h"

#include <ctype.h>
#include <string.h>

struct scan {
	const char *at, *end;
	char *fault;     /* NULL: none yet */
	bool short_of;   /* the text ended too early */
	struct buf open; /* '{' and '[' that wait for their ends, the innermost last */
};

/* A byte as Go quotes it: it is taken for a character of that number. */
static void quoted(unsigned char c, struct buf *out)
{
	static const char plain[] = "\a\b\f\n\r\t\v\\'", named[] = "abfnrtv\\'";
	const char *at = c ? strchr(plain, c) : NULL;

	if (at)
		buf_printf(out, "'\\%c'", named[at - plain]);
	else if (c < 0x20 || c == 0x7f)
		buf_printf(out, "'\\x%02x'", c);
	else if (c < 0x80)
		buf_printf(out, "'%c'", c);
	else if (c <= 0xa0 || c == 0xad) /* none that can be seen */
		buf_printf(out, "'\\u%04x'", c);
	else
		buf_printf(out, "'%c%c'", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
}

/* False: always. */
static bool wrong(struct scan *s, const char *where)
{
	auto_buf struct buf b = {0};

	s->short_of = s->at == s->end;
	if (s->short_of)
		return false;
	buf_puts(&b, "invalid character ");
	quoted((unsigned char)*s->at, &b);
	buf_printf(&b, " %s", where);
	s->fault = take(b.s);
	return false;
}

static void skip_blanks(struct scan *s)
{
	while (s->at < s->end && *s->at && strchr(" \t\r\n", *s->at))
		s->at++;
}

static bool is_next(const struct scan *s, const char *chars)
{
	return s->at < s->end && *s->at && strchr(chars, *s->at);
}

static bool scan_literal(struct scan *s, const char *word)
{
	for (const char *w = word; *w; w++, s->at++) {
		auto_free char *where = xasprintf("in literal %s (expecting '%c')", word, *w);

		if (s->at == s->end || *s->at != *w)
			return wrong(s, where);
	}
	return true;
}

static bool scan_digits(struct scan *s, const char *where)
{
	if (!is_next(s, "0123456789"))
		return wrong(s, where);
	while (is_next(s, "0123456789"))
		s->at++;
	return true;
}

static bool scan_number(struct scan *s)
{
	s->at += *s->at == '-';
	if (is_next(s, "0"))
		s->at++; /* nothing follows it but a fraction */
	else if (!scan_digits(s, "in numeric literal"))
		return false;
	if (is_next(s, ".")) {
		s->at++;
		if (!scan_digits(s, "after decimal point in numeric literal"))
			return false;
	}
	if (!is_next(s, "eE"))
		return true;
	s->at++;
	s->at += is_next(s, "+-");
	return scan_digits(s, "in exponent of numeric literal");
}

static bool scan_escape(struct scan *s)
{
	if (!is_next(s, "bfnrt\\/\"u"))
		return wrong(s, "in string escape code");
	if (*s->at++ != 'u')
		return true;
	for (int i = 0; i < 4; i++, s->at++)
		if (s->at == s->end || !isxdigit((unsigned char)*s->at))
			return wrong(s, "in \\u hexadecimal character escape");
	return true;
}

static bool scan_string(struct scan *s)
{
	for (s->at++; s->at < s->end && *s->at != '"';) {
		if ((unsigned char)*s->at < 0x20)
			return wrong(s, "in string literal");
		if (*s->at++ == '\\' && !scan_escape(s))
			return false;
	}
	if (s->at == s->end)
		return wrong(s, "");
	s->at++;
	return true;
}

static bool scan_key(struct scan *s)
{
	skip_blanks(s);
	if (!is_next(s, "\""))
		return wrong(s, "looking for beginning of object key string");
	if (!scan_string(s))
		return false;
	skip_blanks(s);
	if (!is_next(s, ":"))
		return wrong(s, "after object key");
	s->at++;
	return true;
}

static bool scan_scalar(struct scan *s)
{
	if (is_next(s, "\""))
		return scan_string(s);
	if (is_next(s, "-0123456789"))
		return scan_number(s);
	if (is_next(s, "t"))
		return scan_literal(s, "true");
	if (is_next(s, "f"))
		return scan_literal(s, "false");
	if (is_next(s, "n"))
		return scan_literal(s, "null");
	return wrong(s, "looking for beginning of value");
}

/* Behind a value: what closes, and what a comma brings. True: at another value, or with all closed. */
static bool scan_behind(struct scan *s)
{
	while (s->open.len) {
		bool object = s->open.s[s->open.len - 1] == '{';

		skip_blanks(s);
		if (is_next(s, ",")) {
			s->at++;
			return object ? scan_key(s) : true;
		}
		if (!is_next(s, object ? "}" : "]"))
			return wrong(s, object ? "after object key:value pair" : "after array element");
		s->at++;
		s->open.len--;
	}
	return true;
}

/* Scans one value, without recursion for nested ones. */
static bool scan_value(struct scan *s)
{
	do {
		skip_blanks(s);
		if (is_next(s, "{[")) {
			bool object = *s->at++ == '{';

			buf_putc(&s->open, object ? '{' : '[');
			skip_blanks(s);
			if (is_next(s, object ? "}" : "]")) {
				if (!scan_behind(s))
					return false;
			} else if (object && !scan_key(s)) {
				return false;
			}
		} else if (!scan_scalar(s) || !scan_behind(s)) {
			return false;
		}
	} while (s->open.len);
	return true;
}

char *json_fault(const char *text, size_t n, const json_error_t *why)
{
	struct scan s = {.at = text, .end = text + n};
	char *fault;

	if (scan_value(&s)) {
		skip_blanks(&s);
		(void)(s.at < s.end && wrong(&s, "after top-level value"));
	}
	if (s.short_of)
		s.fault = xstrdup("unexpected end of JSON input");
	fault = s.fault ? s.fault : xstrdup(why->text); /* what Go would have read */
	buf_done(&s.open);
	return fault;
}

char *json_stream_fault(const char *text, size_t n, const json_error_t *why)
{
	struct scan s = {.at = text, .end = text + n};
	bool whole = scan_value(&s);
	char *fault;

	skip_blanks(&s);
	if (strspn(text, " \t\r\n") >= n)
		fault = xstrdup("invalid JSON: EOF");
	else if (s.short_of)
		fault = xstrdup("invalid JSON: unexpected EOF");
	else if (whole && s.at < s.end)
		fault = xstrdup("unexpected content after JSON");
	else
		fault = xasprintf("invalid JSON: %s", whole ? why->text : s.fault);
	free(s.fault);
	buf_done(&s.open);
	return fault;
}
