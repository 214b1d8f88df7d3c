/* SPDX-License-Identifier: Apache-2.0 */
#include "parse.h"

#include <string.h>

static int csv_err(const char *s, const char *at, const char *what, struct err *e)
{
	return err_set(e, ERR_USAGE, "parse error on line 1, column %zu: %s", (size_t)(at - s) + 1, what);
}

/* A quoted field, in which "" is a quote. *at: behind the opening quote before, behind the closing one afterwards. */
static int take_quoted(const char *s, const char **at, struct buf *field, struct err *e)
{
	const char *c = *at;

	for (;; c++) {
		if (!*c)
			return csv_err(s, c, "extraneous or missing \" in quoted-field", e);
		if (*c == '"' && c[1] == '"')
			c++;
		else if (*c == '"')
			break;
		buf_putc(field, *c);
	}
	if (c[1] && c[1] != ',' && c[1] != '\n')
		return csv_err(s, c, "extraneous or missing \" in quoted-field", e);
	*at = c + 1;
	return 0;
}

static int take_plain(const char *s, const char **at, struct buf *field, struct err *e)
{
	const char *c = *at;
	size_t n = strcspn(c, ",\n"), quote = strcspn(c, "\"");

	if (quote < n)
		return csv_err(s, c + quote, "bare \" in non-quoted-field", e);
	buf_add(field, c, n);
	*at = c + n;
	return 0;
}

int parse_csv(const char *s, struct strv *out, struct err *e)
{
	auto_strv struct strv fields = {0};
	const char *at = s + strspn(s, "\n");

	if (!*at)
		return err_set(e, ERR_USAGE, "EOF");
	for (;; at++) {
		auto_buf struct buf field = {0};
		int r;

		if (*at == '"') {
			at++;
			r = take_quoted(s, &at, &field, e);
		} else {
			r = take_plain(s, &at, &field, e);
		}
		if (r < 0)
			return -1;
		strv_take(&fields, buf_take(&field));
		if (*at != ',')
			break;
	}
	strv_done(out);
	*out = fields;
	fields = (struct strv){0};
	return 0;
}
