/* SPDX-License-Identifier: Apache-2.0 */
#include "eval_wire.h"

#include <string.h>

/* ---- python's marshal, as far as every version reads it -------------------------------- */

static void add_u32(struct buf *b, uint32_t v)
{
	unsigned char four[4] = {(unsigned char)v, (unsigned char)(v >> 8),
		(unsigned char)(v >> 16), (unsigned char)(v >> 24)};

	buf_add(b, four, sizeof(four));
}

static void add_sized(struct buf *b, char kind, const void *data, size_t n)
{
	buf_putc(b, kind);
	add_u32(b, (uint32_t)n); /* EVAL_REQUEST_MAX is less */
	buf_add(b, data, n);
}

/* The name of a file need not be UTF-8. As python does itself, each byte that is not becomes half a surrogate pair, U+DC80
 * and so on, of which it makes that byte again when it opens the file. */
static void add_text(struct buf *b, const char *s)
{
	auto_buf struct buf text = {0};
	size_t n = strlen(s), len;

	for (; n > 0; s += len, n -= len) {
		unsigned char c = (unsigned char)*s;
		const char half[3] = {'\xed', (char)(0xb0 | c >> 6), (char)(0x80 | (c & 0x3f))};

		len = str_rune(s, n, NULL);
		buf_add(&text, len ? s : half, len ? len : sizeof(half));
		len += !len;
	}
	add_sized(b, 'u', text.s ? text.s : "", text.len);
}

static void add_bool(struct buf *b, bool v)
{
	buf_putc(b, v ? 'T' : 'F');
}

/* Integers of any size: digits of 15 bits, whose count is negative for a negative number. */
static void add_int(struct buf *b, int64_t v)
{
	uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	uint32_t n = 0;

	for (uint64_t u = left; u; u >>= 15)
		n++;
	buf_putc(b, 'l');
	add_u32(b, v < 0 ? 0 - n : n);
	for (; left; left >>= 15) {
		unsigned char two[2] = {(unsigned char)left, (unsigned char)(left >> 8 & 0x7f)};

		buf_add(b, two, sizeof(two));
	}
}

static void add_real(struct buf *b, double d)
{
	uint64_t v;

	static_assert(sizeof(v) == sizeof(d), "IEEE 754");
	memcpy(&v, &d, sizeof(v));
	buf_putc(b, 'g');
	add_u32(b, (uint32_t)v);
	add_u32(b, (uint32_t)(v >> 32));
}

static void add_json(struct buf *b, const json_t *v)
{
	const char *name;
	json_t *each;
	size_t i;

	switch (json_typeof(v)) {
	case JSON_OBJECT:
		buf_putc(b, '{');
		json_object_foreach((json_t *)v, name, each)
		{
			add_text(b, name);
			add_json(b, each);
		}
		buf_putc(b, '0');
		return;
	case JSON_ARRAY:
		buf_putc(b, '[');
		add_u32(b, (uint32_t)json_array_size(v));
		json_array_foreach(v, i, each) add_json(b, each);
		return;
	case JSON_STRING:
		add_sized(b, 'u', json_string_value(v), json_string_length(v));
		return;
	case JSON_INTEGER:
		add_int(b, json_integer_value(v));
		return;
	case JSON_REAL:
		add_real(b, json_real_value(v));
		return;
	case JSON_TRUE:
	case JSON_FALSE:
		add_bool(b, json_is_true(v));
		return;
	case JSON_NULL:
		buf_putc(b, 'N');
	}
}

static void add_words(struct buf *b, const struct strv *words)
{
	buf_putc(b, '[');
	add_u32(b, (uint32_t)words->n);
	for (size_t i = 0; i < words->n; i++)
		add_text(b, words->v[i]);
}

static void add_list(struct buf *b, const char *key, const struct strv *words)
{
	if (!words->set)
		return;
	add_text(b, key);
	add_words(b, words);
}

static void add_files(struct buf *b, const struct eval_request *r)
{
	if (!r->n_files)
		return;
	add_text(b, "files");
	buf_putc(b, '{');
	for (size_t i = 0; i < r->n_files; i++) {
		add_text(b, r->files[i].name);
		add_sized(b, 's', r->files[i].data, r->files[i].size);
	}
	buf_putc(b, '0');
}

void eval_wire_request(const struct eval_request *r, struct buf *out)
{
	struct buf b = {0};

	buf_putc(&b, '{');
	add_text(&b, "code");
	add_sized(&b, r->code_bytes ? 's' : 'u', r->code, r->code_len);
	if (r->input) {
		add_text(&b, "stdin");
		add_sized(&b, 's', r->input, r->input_len);
	}
	if (r->vars && json_object_size(r->vars)) {
		add_text(&b, "vars");
		add_json(&b, r->vars);
	}
	add_files(&b, r);
	if (r->collect.n)
		add_list(&b, "collect", &r->collect);
	add_list(&b, "allow_import", &r->allow_import);
	if (r->deny_import.n)
		add_list(&b, "deny_import", &r->deny_import);
	if (r->figures) {
		add_text(&b, "figures");
		add_bool(&b, true);
	}
	if (r->return_all) {
		add_text(&b, "return_vars");
		add_bool(&b, true);
	} else if (r->return_vars.n) {
		add_list(&b, "return_vars", &r->return_vars);
	}
	if (r->seeded) {
		add_text(&b, "seed");
		add_int(&b, r->seed);
	}
	if (r->keep_state) {
		add_text(&b, "state");
		add_sized(&b, 's', r->state, r->state_len);
	}
	buf_putc(&b, '0');
	add_u32(out, (uint32_t)b.len);
	buf_add(out, b.s, b.len);
	buf_done(&b);
}

/* ---- frames --------------------------------------------------------------------------- */

static uint32_t get_u32(const char *s)
{
	const unsigned char *b = (const unsigned char *)s;

	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void replace(char **place, const char *s, size_t n)
{
	free(*place);
	*place = xcalloc(n + 1, 1);
	memcpy(*place, s, n);
}

/* Zero bytes become "\x00", as in python's repr(), so that the rest of the text is kept. */
static void replace_text(struct eval_result *r, char **place, const char *s, size_t n)
{
	auto_buf struct buf text = {0};

	if (n > EVAL_TEXT_MAX) {
		r->incomplete = true;
		n = EVAL_TEXT_MAX;
	}
	for (size_t i = 0; i < n; i++)
		if (s[i])
			buf_putc(&text, s[i]);
		else
			buf_puts(&text, "\\x00");
	replace(place, text.s ? text.s : "", text.len);
}

static void take_blob(struct eval_result *r, const char *name, const char *s, size_t n)
{
	if (r->n_files + r->n_figures < EVAL_BLOBS_MAX)
		eval_result_add(r, name, s, n);
	else
		r->incomplete = true;
}

/* Who writes it to a disk trusts its name. */
static void take_file(struct eval_result *r, const char *s, size_t n)
{
	const char *zero = memchr(s, 0, n);
	struct err unused;

	if (!zero || eval_file_check(s, &unused) < 0)
		r->incomplete = true;
	else
		take_blob(r, s, zero + 1, n - (size_t)(zero + 1 - s));
}

/* Each JSON value but the first is preceded by one of these characters, outside of strings. */
static bool too_many_values(const char *s, size_t n)
{
	size_t values = 0;
	bool text = false;

	for (size_t i = 0; i < n && values <= EVAL_VALUES_MAX; i++)
		if (s[i] == '"')
			text = !text;
		else if (text)
			i += s[i] == '\\';
		else
			values += s[i] == ',' || s[i] == '[' || s[i] == ':';
	return values > EVAL_VALUES_MAX;
}

static void take_vars(struct eval_result *r, const char *s, size_t n)
{
	bool fits = !too_many_values(s, n);
	json_t *j = fits ? json_loadb(s, n, JSON_ALLOW_NUL, NULL) : NULL;

	r->incomplete |= !fits;
	if (!json_is_object(j)) {
		json_decref(j);
		return;
	}
	json_decref(r->vars);
	r->vars = j;
}

static void take_frame(struct eval_result *r, char kind, const char *s, size_t n)
{
	auto_free char *number = NULL;

	switch (kind) {
	case 'e':
		replace_text(r, &r->error_type, s, n);
		break;
	case 'm':
		replace_text(r, &r->error_message, s, n);
		break;
	case 't':
		replace_text(r, &r->traceback, s, n);
		break;
	case 'n':
		replace(&number, s, n < 18 ? n : 18);
		r->line = atoll(number);
		break;
	case 'M':
		r->memory_error = true;
		break;
	case 'g':
		take_blob(r, NULL, s, n);
		break;
	case 'f':
		take_file(r, s, n);
		break;
	case 'v':
		take_vars(r, s, n);
		break;
	case 's':
		replace(&r->state, s, n);
		r->state_len = n;
		break;
	case 'i':
		r->incomplete = true;
		break;
	case 'd':
		r->finished = true;
		break;
	default: /* from a program that plays tricks */
		break;
	}
}

void eval_wire_pid1(const char *bytes, size_t n, struct eval_result *r, int *wait_status)
{
	while (n >= 5) {
		size_t len = get_u32(bytes + 1);

		if (len > n - 5)
			return;
		if (*bytes == 'x')
			replace(&r->no_exec, bytes + 5, len);
		if (*bytes == 'w' && len == 4)
			*wait_status = (int)get_u32(bytes + 5);
		bytes += 5 + len;
		n -= 5 + len;
	}
}

void eval_wire_reply(const char *bytes, size_t n, struct eval_result *r)
{
	while (n >= 5) {
		size_t len = get_u32(bytes + 1);

		if (len > n - 5)
			return;
		take_frame(r, bytes[0], bytes + 5, len);
		bytes += 5 + len;
		n -= 5 + len;
	}
}
