/* SPDX-License-Identifier: Apache-2.0 */
/* Go's constants: quoted strings, characters, numbers. */
#include "tmpl_node.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

static bool hex_digits(const char **at, const char *end, int n, int base, uint32_t *out)
{
	uint32_t v = 0;

	for (int i = 0; i < n; i++, (*at)++) {
		int c = *at < end ? tolower((unsigned char)**at) : 0;
		int d = isdigit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;

		if (d >= base)
			return false;
		v = v * (uint32_t)base + (uint32_t)d;
	}
	*out = v;
	return true;
}

/* One escape behind the backslash, as Go spells them. */
static bool unescape(const char **at, const char *end, char quote, struct buf *b)
{
	static const char names[] = "abfnrtv\\", values[] = "\a\b\f\n\r\t\v\\";
	const char *found;
	uint32_t c;
	char k;

	if (*at >= end)
		return false;
	k = *(*at)++;
	found = k ? strchr(names, k) : NULL;
	if (found) {
		buf_putc(b, values[found - names]);
		return true;
	}
	if (k == quote) {
		buf_putc(b, k);
		return true;
	}
	if (k >= '0' && k <= '7') {
		(*at)--;
		if (!hex_digits(at, end, 3, 8, &c) || c > 255)
			return false;
		buf_putc(b, (char)c);
		return true;
	}
	if (k == 'x') {
		if (!hex_digits(at, end, 2, 16, &c))
			return false;
		buf_putc(b, (char)c);
		return true;
	}
	if ((k != 'u' && k != 'U') || !hex_digits(at, end, k == 'u' ? 4 : 8, 16, &c))
		return false;
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return false;
	buf_put_rune(b, c);
	return true;
}

bool tmpl_unquote(const char *s, size_t len, struct buf *b)
{
	const char *at = s + 1, *end = s + len - 1;

	if (*s == '`') {
		buf_add(b, at, (size_t)(end - at));
		return true;
	}
	while (at < end) {
		if (*at != '\\') {
			buf_putc(b, *at++);
			continue;
		}
		at++;
		if (!unescape(&at, end, *s, b))
			return false;
	}
	buf_add(b, "", 0);
	return true;
}

/* "2i", "1+2i": one with nothing before the "i", or a whole number in it, is as good where such a one is wanted. */
static bool complex_number(const char *s, size_t len, struct node *n)
{
	auto_free char *text = xstrndup(s, len - 1);
	char *split = text + len - 1, *end;

	while (split > text && ((*split != '+' && *split != '-') || strchr("eEpP", split[-1])))
		split--;
	n->real = split > text ? strtod(text, &end) : 0;
	if ((split > text && end != split) || (strpbrk(text, "xX") && !strpbrk(text, "pP")))
		return false;
	n->imaginary = strtod(split, &end);
	if (*end || end == split)
		return false;
	n->is_complex = true;
	n->is_real = n->imaginary != 0 || n->real < -9e18 || n->real > 9e18 ||
	             (double)(int64_t)n->real != n->real;
	n->integer = n->is_real ? 0 : (int64_t)n->real;
	return true;
}

bool tmpl_underscores_fit(const char *s)
{
	bool hex, digit;
	char before = '\0';

	s += *s == '+' || *s == '-';
	hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	digit = s[0] == '0' && s[1] && strchr("xXoObB", s[1]); /* behind which one may stand */
	for (s += digit ? 2 : 0; *s; before = *s++) {
		bool is_digit = hex ? isxdigit((unsigned char)*s) : isdigit((unsigned char)*s);

		if (*s == '_' ? !digit : before == '_' && !is_digit)
			return false;
		digit = is_digit;
	}
	return before != '_';
}

/* A whole number in *n; its digits begin at d. False: it is none, or has no room. */
static bool whole_number(const char *s, const char *d, int base, struct node *n)
{
	bool minus = *s == '-';
	uint64_t u;
	char *end;

	errno = 0;
	u = isxdigit((unsigned char)*d) ? strtoull(d, &end, base) : 0;
	if (!isxdigit((unsigned char)*d) || *end || errno || u > (uint64_t)INT64_MAX + minus)
		return false;
	n->integer = minus ? (int64_t)-u : (int64_t)u;
	n->real = (double)n->integer;
	return true;
}

/* One that Go has as uint64 alone, which has no sign. */
static bool only_unsigned(const char *s, const char *d, int base)
{
	char *end;

	errno = 0;
	return *s != '-' && *s != '+' && isxdigit((unsigned char)*d) &&
	       strtoull(d, &end, base) > INT64_MAX && !*end && !errno;
}

bool tmpl_number(const char *s, struct node *n)
{
	const char *d = s + (*s == '+' || *s == '-');
	char *end;
	int base = 10;

	if (*s && s[strlen(s) - 1] == 'i')
		return complex_number(s, strlen(s), n);
	if (d[0] == '0' && d[1]) {
		base = strchr("xX", d[1])                                   ? 16
		       : strchr("oO", d[1]) || isdigit((unsigned char)d[1]) ? 8
		       : strchr("bB", d[1])                                 ? 2
		                                                            : 10;
		d += base == 10 || isdigit((unsigned char)d[1]) ? 0 : 2;
	}
	if (whole_number(s, d, base, n))
		return true;
	n->overflows = n->is_real = only_unsigned(s, d, base);
	if (n->overflows)
		return true;
	if (!strpbrk(s, base == 16 ? ".pP" : ".eEpPxX")) /* a whole number that is too large is no number */
		return false;
	if (base == 16 && !strpbrk(s, "pP"))
		return false;
	n->real = strtod(s, &end); /* too small a number is 0, or near to it */
	if (*end || end == s || isinf(n->real))
		return false;
	/* a float constant that is whole is an integer too: 1e3 */
	n->is_real = n->real < -9e18 || n->real > 9e18 || (double)(int64_t)n->real != n->real;
	n->integer = n->is_real ? 0 : (int64_t)n->real;
	return true;
}
