/* SPDX-License-Identifier: Apache-2.0 */
#include "base64.h"

#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct buf *to, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;

	for (size_t i = 0; i < n; i += 3) {
		size_t have = n - i < 3 ? n - i : 3;
		unsigned int v = (unsigned int)b[i] << 16 |
		                 (have > 1 ? (unsigned int)b[i + 1] << 8 : 0) |
		                 (have > 2 ? b[i + 2] : 0);
		char four[4] = {letters[v >> 18], letters[v >> 12 & 63],
			have > 1 ? letters[v >> 6 & 63] : '=', have > 2 ? letters[v & 63] : '='};

		buf_add(to, four, sizeof(four));
	}
}

static int value(char c)
{
	const char *at = c ? strchr(letters, c) : NULL;

	return at ? (int)(at - letters) : -1;
}

bool base64_read(struct buf *to, const char *text, size_t n)
{
	auto_buf struct buf out = {0};

	if (n % 4 != 0)
		return false;
	for (size_t i = 0; i < n; i += 4) {
		bool last = i + 4 == n;
		size_t pad = !last || text[i + 3] != '=' ? 0 : text[i + 2] == '=' ? 2 : 1;
		unsigned int v = 0;
		char three[3];

		for (size_t k = 0; k < 4; k++) {
			int x = k < 4 - pad ? value(text[i + k]) : 0;

			if (x < 0)
				return false;
			v = v << 6 | (unsigned int)x;
		}
		three[0] = (char)(v >> 16);
		three[1] = (char)(v >> 8);
		three[2] = (char)v;
		buf_add(&out, three, 3 - pad);
	}
	if (out.len)
		buf_add(to, out.s, out.len);
	return true;
}
