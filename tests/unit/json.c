/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"
#include "tap.h"

#include "auto.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* A text, and what Go's decoder of a stream says of it behind "invalid JSON: ". */
static const char *const streams[][2] = {
	{"", "EOF"},
	{" \n", "EOF"},
	{"{", "unexpected EOF"},
	{"{\"a\":", "unexpected EOF"},
	{"{\"a\":\"b\"", "unexpected EOF"},
	{"[1", "unexpected EOF"},
	{"[1,{\"a\":[\"b", "unexpected EOF"},
	{"x", "invalid character 'x' looking for beginning of value"},
	{"{\"a\":x}", "invalid character 'x' looking for beginning of value"},
	{"[1,]", "invalid character ']' looking for beginning of value"},
	{"{\"a\":1,}", "invalid character '}' looking for beginning of object key string"},
	{"{a:1}", "invalid character 'a' looking for beginning of object key string"},
	{"{'a':1}", "invalid character '\\'' looking for beginning of object key string"},
	{"{\"a\":\"b\nc\"}", "invalid character '\\n' in string literal"},
	{"{\"a\":\"\\x\"}", "invalid character 'x' in string escape code"},
	{"{\"a\":\"\\u12\"}", "invalid character '\"' in \\u hexadecimal character escape"},
	{"{\"a\":tru}", "invalid character '}' in literal true (expecting 'e')"},
	{"{\"a\":truee}", "invalid character 'e' after object key:value pair"},
	{"{\"a\":01}", "invalid character '1' after object key:value pair"},
	{"[[1] 2]", "invalid character '2' after array element"},
	{"{\"a\" \"x\"}", "invalid character '\"' after object key"},
	{"{\"a\":{\"b\":1} \"x\":1}", "invalid character '\"' after object key:value pair"},
	{"{\"a\":-}", "invalid character '}' in numeric literal"},
	{"{\"a\":1.}", "invalid character '}' after decimal point in numeric literal"},
	{"{\"a\":1e}", "invalid character '}' in exponent of numeric literal"},
	{"\xc3\xa9", "invalid character '\xc3\x83' looking for beginning of value"},
	{"\x7f", "invalid character '\\x7f' looking for beginning of value"},
};

static char *fault_of(const char *text, size_t n, bool stream)
{
	json_error_t why = {0};
	json_t *j = json_loadb(text, n, JSON_DECODE_ANY, &why);

	if (j) {
		json_decref(j);
		return xstrdup("none");
	}
	return stream ? json_stream_fault(text, n, &why) : json_fault(text, n, &why);
}

/* What was written can be read, and what could not be is refused. */
static void stored(void)
{
	auto_free char *text = xcalloc(JSON_STORED_MAX, 1);
	char dir[] = "/tmp/sbx-json-XXXXXX";
	auto_json json_t *fits = NULL, *large = NULL, *back = NULL;
	struct err e = {0};
	int at = mkdtemp(dir) ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	memset(text, 'a', JSON_STORED_MAX - 4); /* with its brackets and quotes it is as large as it may be */
	fits = json_pack("[s]", text);
	memset(text, 'a', JSON_STORED_MAX - 3);
	large = json_pack("[s]", text);
	ok(json_write_at(at, "x", fits, &e) == 0, "the largest value is written");
	ok(json_write_at(at, "x", large, &e) < 0 && e.kind == ERR_USAGE, "a larger one is not");
	back = json_read_at(at, "x", JSON_STORED_MAX, &e);
	ok(json_equal(back, fits), "and what was there before is read");
	(void)unlinkat(at, "x", 0);
	(void)close(at);
	(void)rmdir(dir);
}

static void is_go(json_t *value, bool html, const char *want, const char *sentence)
{
	auto_json json_t *j = value;
	auto_free char *text = json_dumps(j, JSON_ENCODE_ANY);
	auto_buf struct buf out = {0};

	json_go(text, html, &out);
	is_str(out.s ? out.s : "", want, sentence);
}

static void test_go(void)
{
	is_go(json_string("\x1b\x7f\xc2\x9b\n"), false, "\"\\u001b\x7f\xc2\x9b\\n\"",
		"control characters");
	is_go(json_string("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa\xe2\x82\xac"), false,
		"\"\\u2028\\u2029\xe2\x80\xaa\xe2\x82\xac\"",
		"ends of lines and paragraphs, and their neighbours");
	is_go(json_string("\\u001B\\"), false, "\"\\\\u001B\\\\\"", "what looks like an escape");
	is_go(json_string("<a&b>\x0f<"), true, "\"\\u003ca\\u0026b\\u003e\\u000f\\u003c\"",
		"what HTML would read");
	is_go(json_string("<a&b>"), false, "\"<a&b>\"", "or nobody");
	is_go(NULL, true, "", "nothing");
}

static void forgiven(void)
{
	static const char *const pairs[][2] = {
		{"[\"\\ud800\"]", "[\"\\ufffd\"]"},
		{"\"\\udcff\\uDC80x\"", "\"\\ufffd\\ufffdx\""},
		{"\"\\ud83d\\ude00\"", "\"\\ud83d\\ude00\""},
		{"\"\\ud83d\\ud83d\\ude00\"", "\"\\ufffd\\ud83d\\ude00\""},
		{"\"\\\\ud800\"", "\"\\\\ud800\""},
		{"\"\xff\xc3\xa9\"", "\"\xef\xbf\xbd\xc3\xa9\""},
		{"\"\\ud8", "\"\\ud8"},
		{"\\", "\\"},
	};
	auto_free char *none = json_forgiven("a\0b", 3);

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		auto_free char *got = json_forgiven(pairs[i][0], strlen(pairs[i][0]));

		is_str(got, pairs[i][1], pairs[i][1]);
	}
	ok(!none, "and no NUL");
}

int main(void)
{
	auto_free char *behind = fault_of("{} x", 4, true), *top = fault_of("{} x", 4, false),
		       *early = fault_of("{", 1, false), *none = fault_of("", 0, false),
		       *zero = fault_of("\0", 1, true), *twice = fault_of("[\"\\ud800\"]", 10, false);

	test_go();
	forgiven();
	for (size_t i = 0; i < sizeof(streams) / sizeof(*streams); i++) {
		auto_free char *fault = fault_of(streams[i][0], strlen(streams[i][0]), true),
			       *want = xasprintf("invalid JSON: %s", streams[i][1]);

		is_str(fault, want, streams[i][1]);
	}
	is_str(behind, "unexpected content after JSON", "a body has one value");
	is_str(top, "invalid character 'x' after top-level value", "so has a text");
	is_str(early, "unexpected end of JSON input", "a text that ends early");
	is_str(none, "unexpected end of JSON input", "and an empty one");
	is_str(zero, "invalid JSON: invalid character '\\x00' looking for beginning of value",
		"a byte of zero");
	ok(*twice, "what Go would have read has jansson's words");
	stored();
	return done_testing();
}
