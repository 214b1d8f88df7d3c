/* SPDX-License-Identifier: Apache-2.0 */
#include "tmpl_verb.h"

#include "quote.h"
#include "tmpl_node.h"

#include <math.h>
#include <string.h>

#define RUNE_MAX   0x10ffff
#define RUNE_ERROR 0xfffd

/* ---- runes ---- */

static size_t count_runes(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0, k; i < len; i += k ? k : 1, n++)
		k = str_rune(s + i, len - i, NULL);
	return n;
}

static uint32_t rune_at(const char *s, size_t n)
{
	uint32_t c = n == 1 ? (unsigned char)*s : (unsigned char)*s & (0x7fU >> n);

	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)s[i] & 0x3f);
	return c;
}

/* ---- padding ---- */

static void fill(const struct verb *f, size_t n, struct buf *out)
{
	for (; n; n--)
		buf_putc(out, f->zero && !f->minus ? '0' : ' ');
}

void verb_pad(const struct verb *f, const char *s, size_t len, struct buf *out)
{
	size_t runes = f->width > 0 ? count_runes(s, len) : 0, pad = 0;

	if (f->width > 0 && (size_t)f->width > runes)
		pad = (size_t)f->width - runes;
	fill(f, f->minus ? 0 : pad, out);
	buf_add(out, s, len);
	fill(f, f->minus ? pad : 0, out);
}

static void pad_spaces(const struct verb *f, const struct buf *b, struct buf *out)
{
	struct verb plain = *f;

	plain.zero = false;
	verb_pad(&plain, b->s ? b->s : "", b->len, out);
}

bool verb_bool(const struct verb *f, bool b, struct buf *out)
{
	if (f->c != 'v' && f->c != 't')
		return false;
	verb_pad(f, b ? "true" : "false", b ? 4 : 5, out);
	return true;
}

/* ---- whole numbers ---- */

static void digits(uint64_t u, unsigned base, bool upper, struct buf *out)
{
	char text[65];
	size_t at = sizeof(text);

	do {
		text[--at] = (upper ? "0123456789ABCDEF" : "0123456789abcdef")[u % base];
		u /= base;
	} while (u);
	buf_add(out, text + at, sizeof(text) - at);
}

static void put_int(const struct verb *f, int64_t i, unsigned base, struct buf *out)
{
	const char *sign = i < 0 ? "-" : f->plus ? "+" : f->space ? " " : "";
	auto_buf struct buf b = {0}, d = {0};
	size_t least = 0;

	if (f->precision == 0 && i == 0) {
		pad_spaces(f, &b, out);
		return;
	}
	/* zeros are asked for by a precision, or by a width, the sign in it */
	if (f->precision >= 0)
		least = (size_t)f->precision;
	else if (f->zero && !f->minus && f->width > 0)
		least = (size_t)f->width - (*sign != '\0');
	digits(i < 0 ? -(uint64_t)i : (uint64_t)i, base, f->c == 'X', &d);
	buf_puts(&b, sign);
	if (f->sharp && base == 16)
		buf_puts(&b, f->c == 'X' ? "0X" : "0x");
	else if (f->sharp && base == 2)
		buf_puts(&b, "0b");
	else if (f->sharp && base == 8 && least <= d.len && *d.s != '0')
		buf_puts(&b, "0");
	buf_puts(&b, f->c == 'O' ? "0o" : "");
	for (size_t n = d.len; n < least; n++)
		buf_putc(&b, '0');
	buf_add(&b, d.s, d.len);
	pad_spaces(f, &b, out);
}

static void put_unicode(const struct verb *f, int64_t i, struct buf *out)
{
	auto_buf struct buf b = {0};

	buf_printf(&b, "U+%0*llX", f->precision > 4 ? f->precision : 4, (unsigned long long)i);
	if (f->sharp && i >= 0 && i <= RUNE_MAX && quote_printable((uint32_t)i)) {
		buf_puts(&b, " '");
		buf_put_rune(&b, (uint32_t)i);
		buf_puts(&b, "'");
	}
	pad_spaces(f, &b, out);
}

bool verb_int(const struct verb *f, int64_t i, struct buf *out)
{
	uint32_t rune = i < 0 || i > RUNE_MAX ? RUNE_ERROR : (uint32_t)i;
	auto_buf struct buf b = {0};

	switch (f->c) {
	case 'v':
	case 'd':
		put_int(f, i, 10, out);
		return true;
	case 'x':
	case 'X':
		put_int(f, i, 16, out);
		return true;
	case 'o':
	case 'O':
		put_int(f, i, 8, out);
		return true;
	case 'b':
		put_int(f, i, 2, out);
		return true;
	case 'U':
		put_unicode(f, i, out);
		return true;
	case 'c':
		buf_put_rune(&b, rune);
		break;
	case 'q':
		buf_putc(&b, '\'');
		quote_rune(rune, '\'', f->plus, &b);
		buf_putc(&b, '\'');
		break;
	default:
		return false;
	}
	verb_pad(f, b.s, b.len, out);
	return true;
}

/* ---- others ---- */

/* The fewest digits which read back as the same number, in the given style. Its exponent. */
static int shortest(double r, char style, char *out, size_t room)
{
	for (int n = 1;; n++) {
		int exponent;

		(void)snprintf(out, room, "%.*e", n - 1, r);
		if (n < 17 && strtod(out, NULL) != r)
			continue;
		exponent = atoi(strchr(out, 'e') + 1);
		if (style == 'f')
			(void)snprintf(out, room, "%.*f", n - 1 > exponent ? n - 1 - exponent : 0, r);
		return exponent;
	}
}

void verb_json_real(double r, struct buf *out)
{
	char text[400], *e;
	int exponent = shortest(r, 'e', text, sizeof(text));

	if (r == 0 || (exponent >= -6 && exponent < 21))
		(void)shortest(r, 'f', text, sizeof(text));
	else if ((e = strstr(text, "e-0"))) /* Go has "1e-7" there alone */
		memmove(e + 2, e + 3, strlen(e + 3) + 1);
	buf_puts(out, text);
}

#define PRECISION_MAX 1000

/* Go's exponent has two digits at least. */
static void hexadecimal(double r, char c, int precision, char *out, size_t room)
{
	char text[PRECISION_MAX + 32], *p; /* the longest text fits */
	int exponent;
	char spec[8] = {'%', '.', '*', c == 'x' ? 'a' : 'A', 0};

	if (precision < 0)
		memcpy(spec, c == 'x' ? "%a" : "%A", 3);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* one of four */
	(void)(precision < 0 ? snprintf(text, sizeof(text), spec, r)
			     : snprintf(text, sizeof(text), spec, precision, r));
#pragma GCC diagnostic pop
	p = strpbrk(text, "pP");
	exponent = atoi(p + 1);
	if (text[2] == '2') { /* 1.f that was rounded */
		text[2] = '1';
		exponent++;
	}
	(void)snprintf(out, room, "%.*s%c%+03d", (int)(p - text), text, *p, exponent);
}

static void as_text(double r, char c, int precision, char *out, size_t room)
{
	int exponent;
	char spec[8] = {'%', '.', '*', c == 'F' ? 'f' : c, 0};

	if (c == 'b') {
		long long mantissa = (long long)ldexp(frexp(r, &exponent), 53);

		(void)snprintf(out, room, "%lldp%+d", mantissa, r == 0 ? -1074 : exponent - 53);
	} else if (c == 'x' || c == 'X') {
		hexadecimal(r, c, precision, out, room);
	} else if ((c == 'g' || c == 'G') && precision < 0) {
		exponent = shortest(r, 'e', out, room);
		if (r == 0 || (exponent >= -4 && exponent < 6))
			(void)shortest(r, 'f', out, room);
		if (c == 'G' && strchr(out, 'e'))
			*strchr(out, 'e') = 'E';
	} else {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the verb is one of e E f g G */
		(void)snprintf(out, room, spec, precision, r);
#pragma GCC diagnostic pop
	}
}

/* #: a point in any case, and with %g the zeros behind it. num: without its sign. */
static void with_point(char c, int precision, const char *num, struct buf *out)
{
	bool hex = c == 'x' || c == 'X';
	size_t n = strcspn(num, hex ? "pP" : "eE");
	int wanted = strchr("gGx", c) ? (precision < 0 ? 6 : precision) : 0;
	bool nonzero = false;

	for (size_t i = 0; i < n; i++) {
		nonzero |= num[i] != '0' && num[i] != '.';
		wanted -= nonzero && num[i] != '.';
	}
	buf_add(out, num, n);
	if (!memchr(num, '.', n)) {
		wanted -= n == 1 && *num == '0';
		buf_putc(out, '.');
	}
	for (; wanted > 0; wanted--)
		buf_putc(out, '0');
	buf_puts(out, num + n);
}

bool verb_real(const struct verb *f, double r, struct buf *out)
{
	char c = f->c == 'v' ? 'g' : f->c, text[1600];
	int precision = f->precision;
	auto_buf struct buf b = {0};
	char sign = signbit(r) ? '-' : f->plus ? '+' : f->space ? ' ' : '\0';

	if (!strchr("eEfFgGxXb", c) || !c)
		return false;
	if (!isfinite(r)) {
		if (isnan(r))
			sign = f->plus ? '+' : f->space ? ' ' : '\0';
		else if (!sign)
			sign = '+';
		if (sign)
			buf_putc(&b, sign);
		buf_puts(&b, isnan(r) ? "NaN" : "Inf");
		pad_spaces(f, &b, out);
		return true;
	}
	if (precision < 0 && strchr("eEfF", c))
		precision = 6;
	precision = precision > PRECISION_MAX ? PRECISION_MAX : precision;
	as_text(fabs(r), c, precision, text, sizeof(text));
	if (f->sharp && c != 'b')
		with_point(c, f->precision < 0 ? -1 : precision, text, &b);
	else
		buf_puts(&b, text);
	if (sign && f->zero && !f->minus && f->width > 0) {
		struct verb rest = *f;

		buf_putc(out, sign); /* the zeros stand behind it */
		rest.width--;
		verb_pad(&rest, b.s, b.len, out);
		return true;
	}
	if (sign) {
		auto_free char *number = buf_take(&b);

		buf_printf(&b, "%c%s", sign, number);
	}
	verb_pad(f, b.s, b.len, out);
	return true;
}

bool verb_complex(const struct verb *f, double r, double im, struct buf *out)
{
	auto_buf struct buf real = {0};
	struct verb with_sign = *f;

	with_sign.plus = true;
	if (!verb_real(f, r, &real))
		return false;
	buf_printf(out, "(%s", real.s);
	(void)verb_real(&with_sign, im, out); /* the same verb */
	buf_puts(out, "i)");
	return true;
}

/* ---- strings ---- */

static void put_hex(const struct verb *f, const char *s, size_t len, struct buf *out)
{
	const char *before = f->sharp ? f->c == 'X' ? "0X" : "0x" : "";
	struct verb plain = *f;
	auto_buf struct buf b = {0};

	if (f->precision >= 0 && (size_t)f->precision < len)
		len = (size_t)f->precision;
	for (size_t i = 0; i < len; i++) {
		if (i == 0 || f->space)
			buf_printf(&b, "%s%s", i ? " " : "", before);
		buf_printf(&b, f->c == 'X' ? "%02X" : "%02x", (unsigned char)s[i]);
	}
	verb_pad(&plain, b.s ? b.s : "", b.len, out);
}

static size_t cut(const struct verb *f, const char *s, size_t len)
{
	size_t n = 0;

	for (int i = 0; i < f->precision && n < len; i++) {
		size_t k = str_rune(s + n, len - n, NULL);

		n += k ? k : 1;
	}
	return f->precision < 0 ? len : n;
}

/* Whether backquotes can be used: the text has none itself and is a single line. */
static bool can_backquote(const char *s, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		n = str_rune(s + i, len - i, NULL);
		if (n == 0 || s[i] == '`' || s[i] == 0x7f ||
			((unsigned char)s[i] < ' ' && s[i] != '\t') || rune_at(s + i, n) == 0xfeff)
			return false;
	}
	return true;
}

bool verb_string(const struct verb *f, const char *s, size_t len, struct buf *out)
{
	auto_buf struct buf b = {0};

	if (f->c == 'x' || f->c == 'X') {
		put_hex(f, s, len, out);
		return true;
	}
	if (!strchr("vsq", f->c))
		return false;
	len = cut(f, s, len);
	if (f->c != 'q' && !f->sharp_v) {
		verb_pad(f, s, len, out);
		return true;
	}
	if (f->sharp && can_backquote(s, len))
		buf_printf(&b, "`%.*s`", (int)len, s);
	else
		quote_text(s, len, f->plus, &b);
	verb_pad(f, b.s, b.len, out);
	return true;
}
