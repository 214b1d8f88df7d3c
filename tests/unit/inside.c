/* SPDX-License-Identifier: Apache-2.0 */
/* What is heard of a process that looked at hostile things, whatever it says. */
#include "auto.h"
#include "inside.h"
#include "str.h"
#include "tap.h"

#include <sys/socket.h>
#include <unistd.h>

#define HEAD 4     /* the kind of a message, and what is before the rest of it */
#define MOST 32768 /* of an answer */

static int pair[2];

static int hear(const void *message, size_t n, struct buf *answer, struct err *e)
{
	struct inside i = {-1, pair[0], -1};

	*e = (struct err){0};
	if (message && send(pair[1], message, n, 0) != (ssize_t)n)
		return -2;
	return inside_hear(&i, answer, e);
}

static bool refused(const void *message, size_t n)
{
	auto_buf struct buf answer = {0};
	struct err e;

	return hear(message, n, &answer, &e) == -1 && answer.len == 0 && e.kind != ERR_NONE && *e.text;
}

static void test_answers(void)
{
	auto_free char *long_one = xcalloc(HEAD + MOST + 1, 1);
	auto_buf struct buf answer = {0};
	struct err e;

	is_int(hear("a\0\0\0words", HEAD + 5, &answer, &e), 1, "an answer is heard");
	is_str(answer.s, "words", "as it was said");
	is_int(hear("a\0\0\0", HEAD, &answer, &e), 1, "one that says nothing");
	is_int((int64_t)answer.len, 5, "says nothing more");
	ok(refused("a\0\0", HEAD - 1) && refused("a", 1), "what is shorter is none");
	ok(refused("b\0\0\0words", HEAD + 5) && refused("\0\0\0\0words", HEAD + 5) &&
			refused("\377\0\0\0", HEAD),
		"nor what is neither an answer nor an error");
	long_one[0] = 'a';
	is_int(hear(long_one, HEAD + MOST, &answer, &e), 1, "one as long as they are");
	ok(refused(long_one, HEAD + MOST + 1), "and none that is longer");
}

static void test_errors(void)
{
	struct {
		char what[HEAD];
		struct err err;
	} m = {.what = "e"};
	auto_buf struct buf answer = {0};
	struct err e;

	m.err.kind = ERR_NOT_FOUND;
	(void)snprintf(m.err.text, sizeof(m.err.text), "not there");
	is_int(hear(&m, sizeof(m), &answer, &e), -1, "an error is heard");
	ok(e.kind == ERR_NOT_FOUND && strcmp(e.text, "not there") == 0, "as it was said");
	is_int(hear(&m, 1, &answer, &e), -1, "half of one");
	is_int(e.kind, ERR_SYSTEM, "is one all the same");
	m.err.kind = ERR_NONE;
	is_int(hear(&m, sizeof(m), &answer, &e), -1, "and so is one that says that there is none");
	is_int(e.kind, ERR_SYSTEM, "whatever it is");
	memset(&m.err, 0x1b, sizeof(m.err));
	is_int(hear(&m, sizeof(m), &answer, &e), -1, "of one without an end");
	ok((unsigned)e.kind < ERR_KINDS && memchr(e.text, '\0', sizeof(e.text)) && !strchr(e.text, 0x1b),
		"a text is told that ends and commands no terminal");
	is_int((int64_t)answer.len, 0, "and no error is an answer");
	(void)close(pair[1]);
	is_int(hear(NULL, 0, &answer, &e), 0, "who is gone says nothing");
}

int main(void)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return 2;
	test_answers();
	test_errors();
	return done_testing();
}
