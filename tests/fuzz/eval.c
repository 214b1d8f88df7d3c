/* SPDX-License-Identifier: Apache-2.0 */
/* What clients of eval send, what a snippet's process says over its channel, and text to be censored. */
#include "eval_wire.h"
#include "fuzz.h"
#include "redact.h"

static void request(const uint8_t *data, size_t size)
{
	auto_request struct eval_request r, defaults;
	auto_buf struct buf wire = {0};
	struct err e = {0};

	eval_request_init(&defaults);
	if (eval_request_read(&r, &defaults, (const char *)data, size, &e) == 0)
		eval_wire_request(&r, &wire);
}

static void reply(const uint8_t *data, size_t size)
{
	auto_result struct eval_result r = {0};
	auto_buf struct buf line = {0};
	int status = -1;

	eval_wire_reply((const char *)data, size, &r);
	eval_wire_pid1((const char *)data, size, &r, &status);
	if (size)
		buf_add(&r.text[0], data, size);
	r.truncated[0] = eval_cut(&r.text[0], size / 2, size);
	redact_json(NULL, &r.vars);
	eval_result_line(&r, NULL, &line);
}

static void text(const uint8_t *data, size_t size)
{
	auto_free char *s = fuzz_text(data, size);
	auto_redact struct redact more = {0};
	auto_buf struct buf b = {0};
	struct err e = {0};

	(void)redact_patterns(&more, "fuzz", "word PIN: ([0-9]*)\nnothing y*\n", &e);
	buf_add(&b, data, size);
	redact_buf(&more, &b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const each[])(const uint8_t *data, size_t size) = {request, reply, text};

	if (size)
		each[data[0] % ARRAY_LEN(each)](data + 1, size - 1);
	return 0;
}
