/* SPDX-License-Identifier: Apache-2.0 */
#include "base64.h"
#include "eval_request.h"
#include "eval_result.h"
#include "eval_wire.h"
#include "tap.h"

/* ---- requests --------------------------------------------------------------------------- */

static bool reads(const char *line, struct eval_request *r, struct err *e)
{
	struct eval_request defaults;
	bool fine;

	eval_request_init(&defaults);
	fine = eval_request_read(r, &defaults, line, strlen(line), e) == 0;
	eval_request_done(&defaults);
	return fine;
}

static void refused(const char *line, const char *sentence)
{
	auto_request struct eval_request r;
	struct err e = {0};

	(void)reads(line, &r, &e);
	is_str(e.text, sentence, line);
}

static void requests(void)
{
	auto_request struct eval_request r;
	struct err e = {0};

	ok(reads("{\"id\": [1], \"code\": \"a\\u0000b\", \"stdin\": \"\", \"timeout\": 0.5, \"memory\": \"64m\","
		 "\"vars\": {\"x\": {\"y\": [1, -2.5, null, true]}}, \"files\": {\"d/a\": \"t\", \"b\": {\"base64\": \"AAE=\"}},"
		 "\"collect\": [\"*\"], \"figures\": true, \"redact\": true, \"max_output\": 7,"
		 "\"allow_import\": [], \"deny_import\": [\"os\"], \"return_vars\": true, \"seed\": -3}",
		   &r, &e),
		"every field at once");
	is_int((int64_t)r.code_len, 3, "code may hold zero bytes");
	ok(r.input && r.input_len == 0, "an empty input is an input");
	is_int(r.timeout_ns, 500000000, "seconds as a number");
	is_int(r.memory, 64 << 20, "a size in words");
	is_int((int64_t)r.n_files, 2, "files");
	ok(r.files[1].size == 2 && memcmp(r.files[1].data, "\0\1", 2) == 0, "a file in base64");
	ok(r.allow_import.set && r.allow_import.n == 0, "an empty list allows nothing");
	ok(r.return_all && r.figures && r.redact && r.seeded && r.seed == -3, "the rest");
	eval_request_done(&r);
	ok(reads("{\"code\": \"\", \"timeout\": null, \"timeout\": null}", &r, &e) == false,
		"a field twice is no JSON");
	eval_request_done(&r);
	ok(reads("{\"code\": \"\", \"timeout\": \"250ms\", \"memory\": null}", &r, &e) &&
			r.timeout_ns == 250000000 && r.memory == EVAL_MEMORY,
		"a duration in words; null is the default");
	eval_request_done(&r);
	ok(!reads("{\"id\": 9, \"code\": 1}", &r, &e) && json_integer_value(r.id) == 9,
		"what is refused has its id");
}

static void refusals(void)
{
	refused("{}", "field \"code\" is missing");
	refused("[]", "a request is a JSON object");
	refused("{\"code\": \"\", \"tiemout\": 1}", "unknown field \"tiemout\"");
	refused("{\"code\": 3}", "field \"code\": want a string");
	refused("{\"code\": \"\", \"timeout\": 0}",
		"field \"timeout\": want more than 0 and at most 86400 seconds");
	refused("{\"code\": \"\", \"timeout\": -1}",
		"field \"timeout\": want more than 0 and at most 86400 seconds");
	refused("{\"code\": \"\", \"timeout\": \"x\"}",
		"field \"timeout\": want seconds, or a duration like \"500ms\"");
	refused("{\"code\": \"\", \"memory\": -5}", "field \"memory\": want a size that is not negative");
	refused("{\"code\": \"\", \"memory\": 0}", "field \"memory\": want more than 0");
	refused("{\"code\": \"\", \"vars\": []}", "field \"vars\": want an object");
	refused("{\"code\": \"\", \"vars\": {\"a b\": 1}}",
		"variable \"a b\": not a name that python knows");
	refused("{\"code\": \"\", \"files\": {\"../x\": \"\"}}",
		"file \"../x\": want a relative path without . and .. in it");
	refused("{\"code\": \"\", \"files\": {\"/x\": \"\"}}",
		"file \"/x\": want a relative path without . and .. in it");
	refused("{\"code\": \"\", \"files\": {\"a//x\": \"\"}}",
		"file \"a//x\": want a relative path without . and .. in it");
	refused("{\"code\": \"\", \"files\": {\"main.py\": \"\"}}",
		"file \"main.py\": this is what the code itself is called");
	refused("{\"code\": \"\", \"files\": {\"x\": {\"base64\": \"A\"}}}",
		"file \"x\": want a string or {\"base64\": \"...\"}");
	refused("{\"code\": \"\", \"collect\": \"*\"}", "field \"collect\": want an array of strings");
	refused("{\"code\": \"\", \"figures\": 1}", "field \"figures\": want true or false");
	refused("{\"code\": \"\", \"seed\": 1.5}", "field \"seed\": want an integer");
	refused("", "not JSON: '[' or '{' expected near end of file (at byte 0)");
	refused("{\"code\": \"\xff\"}", "not JSON: unable to decode byte 0xff near '\"' (at byte 10)");
}

static void deep(void)
{
	auto_buf struct buf line = {0};
	auto_request struct eval_request r;
	struct err e = {0};

	buf_puts(&line, "{\"code\":\"\",\"vars\":{\"x\":");
	for (int i = 0; i < 1000; i++)
		buf_putc(&line, '[');
	for (int i = 0; i < 1000; i++)
		buf_putc(&line, ']');
	buf_puts(&line, "}}");
	(void)reads(line.s, &r, &e);
	is_str(e.text, "field \"vars\": want an object that is not so deep", "a thousand brackets");
}

static void inheritance(void)
{
	auto_request struct eval_request defaults, r;
	struct err e = {0};
	static const char line[] = "{\"code\":\"1\",\"vars\":{\"a\":3},\"files\":{\"f\":\"new\"}}";

	eval_request_init(&defaults);
	defaults.vars = json_pack("{s:i,s:i}", "a", 1, "b", 2);
	defaults.timeout_ns = 7;
	strv_add(&defaults.collect, "*");
	eval_file_add(&defaults, "f", "old", 3);
	eval_file_add(&defaults, "g", "g", 1);
	ok(eval_request_read(&r, &defaults, line, strlen(line), &e) == 0, "a line over defaults");
	is_int(r.timeout_ns, 7, "what is missing is the default's");
	is_int(json_int(r.vars, "a", 0), 3, "its variable wins");
	is_int(json_int(r.vars, "b", 0), 2, "the others stay");
	is_int(json_int(defaults.vars, "a", 0), 1, "and the defaults are as they were");
	ok(r.n_files == 2 && strcmp(r.files[0].data, "new") == 0, "files likewise");
}

/* ---- the wire --------------------------------------------------------------------------- */

static void marshal(void)
{
	auto_request struct eval_request r;
	auto_buf struct buf b = {0};
	struct err e = {0};
	/* marshal.dumps({'code': 'x', 'vars': {'n': [-32769, 0, None, True, 'a']}, 'seed': 7}), without references */
	static const char want[] =
		"\x4d\0\0\0{u\4\0\0\0codeu\1\0\0\0xu\4\0\0\0vars{u\1\0\0\0n["
		"\5\0\0\0l\xfe\xff\xff\xff\1\0\1\0l\0\0\0\0NTu\1\0\0\0a0u\4\0\0\0seedl\1\0\0\0\7\0"
		"0";

	ok(reads("{\"code\":\"x\",\"vars\":{\"n\":[-32769,0,null,true,\"a\"]},\"seed\":7}", &r, &e),
		"a request");
	eval_wire_request(&r, &b);
	is_int((int64_t)b.len, sizeof(want) - 1, "its length on the wire");
	ok(b.len == sizeof(want) - 1 && memcmp(b.s, want, b.len) == 0, "its bytes");
	eval_file_add(&r, "\xc3\xa4\x80\xff", "", 0);
	buf_done(&b);
	eval_wire_request(&r, &b);
	ok(memmem(b.s, b.len, "u\10\0\0\0\xc3\xa4\xed\xb2\x80\xed\xb3\xbfs", 14) != NULL,
		"bytes that are no UTF-8 are half surrogate pairs");
}

/* What a request says takes the place of what the options say. */
static void instead(void)
{
	auto_request struct eval_request options, r;
	static const char none[] = "{\"code\": \"\", \"return_vars\": false}";
	struct err e = {0};

	eval_request_init(&options);
	strv_add(&options.return_vars, "x");
	ok(eval_request_read(&r, &options, none, sizeof(none) - 1, &e) == 0 && !r.return_vars.n,
		"return_vars: false means none, whatever the options say");
}

/* What a snippet leaves, there and back. */
static void states(void)
{
	auto_request struct eval_request r = {0};
	auto_result struct eval_result out = {0};
	auto_buf struct buf b = {0}, line = {0};
	struct err e = {0};

	ok(reads("{\"code\":\"\",\"state\":false}", &r, &e) && !r.keep_state, "none is wanted");
	eval_request_done(&r);
	ok(reads("{\"code\":\"\",\"state\":true}", &r, &e) && r.keep_state && !r.state_len, "the first");
	eval_request_done(&r);
	ok(reads("{\"code\":\"\",\"state\":\"AAE=\"}", &r, &e) && r.keep_state, "one that goes on");
	eval_wire_request(&r, &b);
	ok(memmem(b.s, b.len, "u\5\0\0\0states\2\0\0\0\0\1", 17) != NULL, "is sent");
	eval_wire_reply("s\2\0\0\0\0\1", 7, &out);
	eval_result_line(&out, NULL, &line);
	ok(strstr(line.s, "\"state\":\"AAE=\"") != NULL, "and comes back");
	refused("{\"code\": \"\", \"state\": \"?\"}",
		"field \"state\": want true, or what an answer had as its state");
	refused("{\"code\": \"\", \"state\": 1}",
		"field \"state\": want true, or what an answer had as its state");
}

static void frames(void)
{
	auto_result struct eval_result r = {0};
	int status = -1;
	static const char said[] =
		"e\4\0\0\0Oopsm\2\0\0\0hin\1\0\0\0"
		"7M\0\0\0\0g\2\0\0\0\0\1f\4\0\0\0a\0bc"
		"v\7\0\0\0{\"x\":1}?\1\0\0\0zd\0\0\0\0w\4\0\0\0\xb\0\0\0x\1\0\0\0?t\xff\xff\xff\xffgone";

	eval_wire_reply(said, sizeof(said) - 1, &r);
	is_str(r.error_type, "Oops", "type");
	is_str(r.error_message, "hi", "message");
	is_int(r.line, 7, "line");
	ok(r.memory_error && r.finished, "flags");
	ok(r.n_figures == 1 && r.figures[0].size == 2, "a figure");
	ok(r.n_files == 1 && strcmp(r.files[0].name, "a") == 0 && r.files[0].size == 2, "a file");
	is_int(json_int(r.vars, "x", 0), 1, "variables");
	ok(!r.no_exec && status == -1, "what only pid 1 tells");
	eval_wire_pid1("w\5\0\0\0\xb\0\0\0", 9, &r, &status);
	eval_wire_pid1("w\3\0\0\0\xb\0\0", 8, &r, &status);
	eval_wire_pid1("w", 1, &r, &status);
	is_int(status, -1, "no wait status");
	eval_wire_pid1("x\2\0\0\0now\4\0\0\0\xb\0\0\0", 16, &r, &status);
	is_int(status, 11, "a wait status");
	is_str(r.no_exec, "no", "no python");
	ok(!r.traceback, "half a frame is none");
}

static void add_frame(struct buf *b, char kind, const char *s, size_t n)
{
	char head[5] = {kind, (char)n, (char)(n >> 8), (char)(n >> 16), (char)(n >> 24)};

	buf_add(b, head, sizeof(head));
	buf_add(b, s, n);
}

/* A few bytes of a frame become many of ours: what a snippet may fill is not our memory. */
static void many_frames(void)
{
	auto_result struct eval_result r = {0}, lists = {0}, text = {0};
	auto_buf struct buf b = {0}, vars = {0};

	for (int i = 0; i < EVAL_BLOBS_MAX; i++)
		add_frame(&b, 'g', "x", 1);
	eval_wire_reply(b.s, b.len, &r);
	ok(r.n_figures == EVAL_BLOBS_MAX && !r.incomplete, "as many figures as may be");
	add_frame(&b, 'f', "a\0b", 3);
	eval_wire_reply(b.s, b.len, &r);
	ok(r.n_figures == EVAL_BLOBS_MAX && !r.n_files && r.incomplete, "and no more");

	buf_puts(&vars, "{\"t\":\"\\\"");
	for (size_t i = 0; i < EVAL_VALUES_MAX; i++)
		buf_putc(&vars, ',');
	buf_puts(&vars, "\",\"l\":[[]");
	b.len = 0;
	add_frame(&b, 'v', vars.s, vars.len);
	buf_puts(&vars, "]}");
	add_frame(&b, 'v', vars.s, vars.len);
	eval_wire_reply(b.s, b.len, &lists);
	ok(json_object_size(lists.vars) == 2 && !lists.incomplete, "signs in a text are no values");
	vars.len -= 2;
	for (size_t i = 0; i < EVAL_VALUES_MAX; i++)
		buf_puts(&vars, ",1");
	buf_puts(&vars, "]}");
	b.len = 0;
	add_frame(&b, 'v', vars.s, vars.len);
	add_frame(&b, 't', vars.s, EVAL_TEXT_MAX + 1);
	eval_wire_reply(b.s, b.len, &text);
	ok(!text.vars && text.incomplete, "too many values are none");
	is_int((long)strlen(text.traceback), EVAL_TEXT_MAX, "and a text has its end");
}

/* ---- results ---------------------------------------------------------------------------- */

static void results(void)
{
	auto_result struct eval_result r = {.finished = true, .wall = 0.25, .peak_memory = 5};
	auto_buf struct buf line = {0};
	auto_json json_t *id = json_integer(4), *j = NULL;

	strcpy(r.reason, "exited");
	buf_add(&r.text[0],
		"a\0\xff"
		"b",
		4);
	eval_result_add(&r, NULL, "\0\0\0", 3);
	eval_result_add(&r, "text", "t", 1);
	eval_result_add(&r, "bytes", "\xff", 1);
	eval_result_line(&r, id, &line);
	is_str(line.s,
		"{\"id\":4,\"success\":true,\"stdout\":\"a\\u0000\xef\xbf\xbd"
		"b\",\"stderr\":\"\",\"error\":null,"
		"\"exit_code\":0,\"signal\":null,\"reason\":\"exited\",\"timeout\":false,\"memory_exceeded\":false,"
		"\"truncated\":{\"stdout\":false,\"stderr\":false},\"peak_memory\":5,\"figures\":[\"AAAA\"],\"vars\":{},"
		"\"files\":{\"text\":\"t\",\"bytes\":{\"base64\":\"/w==\"}},\"container\":null,"
		"\"wall\":0.250000,\"user\":0.000000,\"system\":0.000000}\n",
		"a whole answer");
	r.finished = false;
	ok(!eval_result_success(&r), "who did not come to the end has no success");
}

static void cut(const char *text, size_t max, uint64_t seen, const char *want)
{
	auto_buf struct buf b = {0};

	buf_puts(&b, text);
	(void)eval_cut(&b, max, seen);
	is_str(b.s, want, text);
}

static void cuts(void)
{
	cut("abc", 3, 3, "abc");
	cut("abcdef", 3, 100, "abc\n[cut here: 97 bytes more]\n");
	cut("ab\xc3\xa9", 3, 4, "ab\n[cut here: 2 bytes more]\n");
	cut("abc", 0, 3, "\n[cut here: 3 bytes more]\n");
}

static void coded(const char *plain, const char *text)
{
	auto_buf struct buf a = {0}, b = {0};

	base64_add(&a, plain, strlen(plain));
	is_str(a.s ? a.s : "", text, text);
	ok(base64_read(&b, text, strlen(text)) && strcmp(b.s ? b.s : "", plain) == 0, "and back");
}

static void base64(void)
{
	auto_buf struct buf b = {0};

	coded("", "");
	coded("f", "Zg==");
	coded("fo", "Zm8=");
	coded("foo", "Zm9v");
	coded("foobar", "Zm9vYmFy");
	ok(!base64_read(&b, "Zg=", 3) && !base64_read(&b, "Z===", 4) &&
			!base64_read(&b, "Zg==Zg==", 8) && !base64_read(&b, "Zm9*", 4) && !b.len,
		"what is none is refused");
}

int main(void)
{
	requests();
	refusals();
	deep();
	inheritance();
	marshal();
	instead();
	states();
	frames();
	many_frames();
	results();
	cuts();
	base64();
	return done_testing();
}
