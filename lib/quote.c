/* SPDX-License-Identifier: Apache-2.0 */
#include "quote.h"

#include "auto.h"

#include <string.h>

/* Excludes the invisible characters that occur in practice; Go has a table of all assigned ones. */
bool quote_printable(uint32_t c)
{
	static const uint32_t not [][2] = {{0, 0x1f}, {0x7f, 0xa0}, {0xad, 0xad}, {0x1680, 0x1680},
		{0x2000, 0x200f}, {0x2028, 0x202f}, {0x205f, 0x206f}, {0x3000, 0x3000}, {0xd800, 0xf8ff},
		{0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, UINT32_MAX}};

	for (size_t i = 0; i < ARRAY_LEN(not ); i++)
		if (c >= not [i][0] && c <= not [i][1])
			return false;
	return true;
}

void quote_rune(uint32_t c, char quote, bool ascii, struct buf *out)
{
	static const char names[] = "abfnrtv\\", values[] = "\a\b\f\n\r\t\v\\";
	const char *found = c && c < 0x80 ? strchr(values, (int)c) : NULL;

	if (c == (unsigned char)quote)
		buf_add(out, (const char[]){'\\', quote}, 2);
	else if (found)
		buf_add(out, (const char[]){'\\', names[found - values]}, 2);
	else if (c < 0x80 && !quote_printable(c))
		buf_printf(out, "\\x%02x", c);
	else if ((ascii && c >= 0x80) || !quote_printable(c))
		buf_printf(out, c > 0xffff ? "\\U%08x" : "\\u%04x", c);
	else
		buf_put_rune(out, c);
}

void quote_text(const char *s, size_t len, bool ascii, struct buf *out)
{
	buf_putc(out, '"');
	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		uint32_t c;

		n = str_rune(s + i, len - i, &c);
		if (n)
			quote_rune(c, '"', ascii, out);
		else
			buf_printf(out, "\\x%02x", (unsigned char)s[i]);
	}
	buf_putc(out, '"');
}
