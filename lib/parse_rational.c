/* SPDX-License-Identifier: Apache-2.0 */
/* parse_rational: numbers with a point: sizes, which Go parses as float64, and --cpus, which it parses as big.Rat. */
#include "parse.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Underscores must stand between two digits, or between a prefix and a digit. */
static bool underscores_ok(const char *s, size_t n)
{
	bool prefix = n > 1 && s[0] == '0' && strchr("bBoOxX", s[1]),
	     hex = prefix && tolower((unsigned char)s[1]) == 'x';
	char before = prefix ? '0' : '^';

	for (size_t i = prefix ? 2 : 0; i < n; i++) {
		bool digit = isdigit((unsigned char)s[i]) || (hex && isxdigit((unsigned char)s[i]));

		if (s[i] == '_' ? before != '0' : !digit && before == '_')
			return false;
		before = s[i] == '_' ? '_' : digit ? '0' : '!';
	}
	return before != '_';
}

static size_t skip_digits(const char *s, size_t at, size_t n, bool hex, bool *any)
{
	for (; at < n && (s[at] == '_' || (hex ? isxdigit : isdigit)((unsigned char)s[at])); at++)
		*any |= s[at] != '_';
	return at;
}

/* Go's literals: 1.5e3, 0x1.8p4. What strtod() takes besides (inf, nan, blanks) is none. */
static bool is_float(const char *s, size_t n)
{
	bool hex = n > 1 && s[0] == '0' && tolower((unsigned char)s[1]) == 'x', any = false,
	     power = false;
	size_t at = skip_digits(s, hex ? 2 : 0, n, hex, &any);

	if (at < n && s[at] == '.')
		at = skip_digits(s, at + 1, n, hex, &any);
	if (any && at < n && tolower((unsigned char)s[at]) == (hex ? 'p' : 'e')) {
		at++;
		at += at < n && (s[at] == '-' || s[at] == '+');
		at = skip_digits(s, at, n, false, &power);
	} else {
		power = !hex;
	}
	return any && power && at == n && underscores_ok(s, n);
}

static int take_float(const char *s, size_t n, double *out, struct err *e)
{
	size_t sign = n > 0 && (*s == '-' || *s == '+');
	auto_buf struct buf plain = {0};

	if (!is_float(s + sign, n - sign))
		return err_set(e, ERR_USAGE, "strconv.ParseFloat: parsing %s: invalid syntax",
			QUOTED_N(s, n));
	for (size_t i = 0; i < n; i++)
		if (s[i] != '_')
			buf_putc(&plain, s[i]);
	*out = strtod(plain.s, NULL);
	if (isinf(*out))
		return err_set(e, ERR_USAGE, "strconv.ParseFloat: parsing %s: value out of range",
			QUOTED_N(s, n));
	return 0;
}

/* "" "b" "k" "kb" "kib" ... up to p; 0: not a suffix. */
static int64_t suffix_factor(const char *s)
{
	static const char units[] = "kmgtp";
	const char *unit;
	size_t n = strlen(s);

	if (n == 0 || (n == 1 && tolower((unsigned char)*s) == 'b'))
		return 1;
	unit = n <= 3 ? strchr(units, tolower((unsigned char)*s)) : NULL;
	if (!unit || (n == 2 && strcasecmp(s + 1, "b") != 0) || (n == 3 && strcasecmp(s + 1, "ib") != 0))
		return 0;
	return (int64_t)1 << 10 * (unit - units + 1);
}

int parse_bytes(const char *s, int64_t *out, struct err *e)
{
	size_t n = strlen(s), number;
	auto_free char *suffix = NULL;
	int64_t factor;
	double v = 0;

	while (n > 0 && !strchr("0123456789. ", s[n - 1]))
		n--;
	if (n == 0)
		return err_set(e, ERR_USAGE, "invalid size: '%s'", s);
	number = s[n - 1] == ' ' ? n - 1 : n;
	suffix = xstrdup(s + n);
	if (take_float(s, number, &v, e) < 0)
		return -1;
	if (v < 0)
		return err_set(e, ERR_USAGE, "invalid size: '%s'", s);
	factor = suffix_factor(suffix);
	for (char *c = suffix; *c && strlen(suffix) <= 3; c++)
		*c = (char)tolower((unsigned char)*c);
	if (!factor)
		return err_set(e, ERR_USAGE, "invalid suffix: '%s'", suffix);
	v *= (double)factor;
	/* Too large a number becomes the smallest integer, as amd64 processors convert it; callers refuse that, or
	 * not. */
	*out = v < 0x1p63 ? (int64_t)v : INT64_MIN;
	return 0;
}

/* ---- processors ---- */

/* digits × 2^two × 5^five */
struct rational {
	unsigned __int128 digits;
	long two, five;
};

static int digit_of(char c)
{
	return isdigit((unsigned char)c)    ? c - '0'
	       : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10
	                                    : 99;
}

/* The prefix gives the base; for whole numbers a leading 0 does, too. */
static int take_base(const char **at, bool whole)
{
	static const struct {
		char letter;
		int base;
	} prefixes[] = {{'b', 2}, {'o', 8}, {'x', 16}};

	if (**at != '0')
		return 10;
	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
		if (tolower((unsigned char)(*at)[1]) == prefixes[i].letter) {
			*at += 2;
			return prefixes[i].base;
		}
	return whole ? 8 : 10;
}

/* What of [*at, end) are digits, and with them a point unless it is to be whole. */
static bool take_mantissa(const char **at, const char *end, bool whole, struct rational *out)
{
	const char *s = *at;
	int base = take_base(&s, whole);
	bool any = false, point = false;
	long behind = 0;

	*out = (struct rational){0};
	for (; s < end; s++) {
		if (*s == '.' && !whole && !point) {
			point = true;
			continue;
		}
		if (*s != '_' && digit_of(*s) >= base)
			break;
		if (*s == '_')
			continue;
		if (out->digits >> 92) /* no machine has that many processors */
			return false;
		out->digits = out->digits * (unsigned)base + (unsigned)digit_of(*s);
		behind += point;
		any = true;
	}
	out->five = base == 10 ? -behind : 0;
	out->two = behind * (base == 16 ? -4 : base == 8 ? -3 : -1);
	if (!any || !underscores_ok(*at, (size_t)(s - *at)))
		return false;
	*at = s;
	return true;
}

/* e: of ten, p: of two. */
static bool take_exponent(const char **at, const char *end, struct rational *out)
{
	const char *s = *at;
	bool of_two = tolower((unsigned char)*s) == 'p', negative;
	const char *digits;
	long v = 0;

	if (!of_two && tolower((unsigned char)*s) != 'e')
		return s == end;
	s++;
	negative = *s == '-';
	s += *s == '-' || *s == '+';
	digits = s;
	for (; s < end && (isdigit((unsigned char)*s) || *s == '_'); s++)
		if (*s != '_' && v < 10000000)
			v = v * 10 + (*s - '0');
	if (s == digits || s != end || v > (of_two ? 10000000 : 1000000) ||
		!underscores_ok(digits, (size_t)(s - digits)))
		return false;
	out->two += negative ? -v : v;
	out->five += of_two ? 0 : negative ? -v : v;
	return true;
}

static bool take_rational(const char *s, struct rational *out, unsigned __int128 *below)
{
	const char *end = s + strlen(s), *slash = strchr(s, '/');
	struct rational divisor = {.digits = 1};

	if (!take_mantissa(&s, slash ? slash : end, slash, out))
		return false;
	if (slash && (s++ != slash || !take_mantissa(&s, end, true, &divisor) || s != end ||
			     !divisor.digits))
		return false;
	*below = divisor.digits;
	return slash || take_exponent(&s, end, out);
}

static bool divide(unsigned __int128 *v, unsigned __int128 by, long times)
{
	for (; times > 0 && *v; times--) {
		if (*v % by)
			return false;
		*v /= by;
	}
	return true;
}

int parse_nano_cpus(const char *s, int64_t *out, struct err *e)
{
	size_t sign = *s == '-' || *s == '+';
	unsigned __int128 below = 1, v;
	struct rational r;

	if (!take_rational(s + sign, &r, &below))
		return err_set(e, ERR_USAGE, "failed to parse %s as a rational number", s);
	v = r.digits * 1000000000;
	if (!divide(&v, below, 1) || !divide(&v, 2, -r.two) || !divide(&v, 5, -r.five))
		return err_set(e, ERR_USAGE, "value is too precise");
	/* What is too much keeps its last 64 bits, as in Go. */
	for (; r.two > 0 && v; r.two--)
		v *= 2;
	for (; r.five > 0; r.five--)
		v *= 5;
	*out = (int64_t)(*s == '-' ? 0 - (uint64_t)v : (uint64_t)v);
	return 0;
}
