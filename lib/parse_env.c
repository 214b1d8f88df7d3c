/* SPDX-License-Identifier: Apache-2.0 */
#include "parse.h"

#include <string.h>

/* Go's bufio.Scanner gives up at lines of this length. */
#define LINE_MAX_BYTES 65536

#define IN_NAMES " \t" /* blanks that docker finds there; others it takes */

/* Behind the blanks of Unicode that it begins with. */
static const char *trim_left(const char *s)
{
	for (;;) {
		uint32_t c = 0;
		size_t n = str_rune(s, strlen(s), &c);

		if (n == 0 || !((c >= '\t' && c <= '\r') || c == ' ' || c == 0x85 || c == 0xa0 ||
				      c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
				      c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000))
			return s;
		s += n;
	}
}

int parse_env(const char *s, struct err *e)
{
	if (!*s || *s == '=')
		return err_set(e, ERR_USAGE, "invalid environment variable: %s", s);
	return 0;
}

int parse_label(const char *s, struct err *e)
{
	const char *key = s + strspn(s, IN_NAMES);
	size_t n = strcspn(key, "=");

	if (n == 0)
		return err_set(e, ERR_USAGE, "invalid label '%s': empty name", s);
	if (strcspn(key, IN_NAMES) < n)
		return err_set(e, ERR_USAGE, "label '%.*s' contains whitespaces", (int)n, key);
	return 0;
}

static int not_utf8(const char *name, int number, const char *line, size_t n, struct err *e)
{
	auto_buf struct buf bytes = {0};

	for (size_t i = 0; i < n && i < 100; i++)
		buf_printf(&bytes, "%s%d", i ? " " : "", (unsigned char)line[i]);
	return err_set(e, ERR_USAGE, "invalid env file (%s): invalid utf8 bytes at line %d: [%s]",
		name, number, bytes.s);
}

static int add_line(
	const char *name, int number, const char *line, size_t n, struct strv *out, struct err *e)
{
	auto_free char *text = NULL, *utf8 = json_utf8(line, n);
	size_t key;

	if (memchr(line, '\0', n))
		return err_set(e, ERR_USAGE,
			"invalid env file (%s): environment can't contain null(\\x00): line %d",
			name, number);
	if (strlen(utf8) != n || memcmp(utf8, line, n) != 0)
		return not_utf8(name, number, line, n, e);
	/* Windows' editors begin a file with a byte order mark. */
	if (number == 1 && n >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
		line += 3;
		n -= 3;
	}
	text = xstrndup(line, n);
	line = trim_left(text);
	if (!*line || *line == '#')
		return 0;
	key = strcspn(line, "=");
	if (key == 0)
		return err_set(e, ERR_USAGE, "invalid env file (%s): no variable name on line '%s'",
			name, line);
	if (strcspn(line, IN_NAMES) < key)
		return err_set(e, ERR_USAGE, "invalid env file (%s): variable '%.*s' contains whitespaces",
			name, (int)key, line);
	strv_add(out, line);
	return 0;
}

int parse_env_file(const char *name, const char *text, size_t len, struct strv *out, struct err *e)
{
	const char *end = text + len;

	for (int number = 1; text < end; number++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((newline ? newline : end) - text);

		if (n >= LINE_MAX_BYTES)
			return err_set(e, ERR_USAGE,
				"invalid env file (%s): bufio.Scanner: token too long", name);
		if (add_line(name, number, text, n > 0 && text[n - 1] == '\r' ? n - 1 : n, out, e) < 0)
			return -1;
		text += n + 1;
	}
	return 0;
}

void parse_env_resolve(const struct strv *words, const char *(*lookup)(const char *), struct strv *out)
{
	for (size_t i = 0; i < words->n; i++) {
		const char *value = strchr(words->v[i], '=') ? NULL : lookup(words->v[i]);

		if (strchr(words->v[i], '='))
			strv_add(out, words->v[i]);
		else if (value)
			strv_addf(out, "%s=%s", words->v[i], value);
	}
}
