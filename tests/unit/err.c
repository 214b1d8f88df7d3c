/* SPDX-License-Identifier: Apache-2.0 */
#include "err.h"
#include "tap.h"

#include <string.h>

int main(void)
{
	struct err e;

	memset(&e, 'x', sizeof(e));
	memcpy(e.text, "no\x1b[2J", 7);
	err_heard(&e);
	is_int(e.kind, ERR_SYSTEM, "a kind that there is not is none of ours");
	ok(strlen(e.text) < sizeof(e.text), "a text without an end has one");
	ok(strncmp(e.text, "no\\x1b[2J", 9) == 0, "what commands a terminal is shown to it");
	(void)err_set(&e, ERR_NOT_FOUND,
		"no \xc2\x9b"
		"2J \xc3\xa9\xc2\xa9");
	is_str(e.text, "no \\u009b2J \xc3\xa9\xc2\xa9", "and so is what is one character of eight bits");
	(void)err_set(&e, ERR_NOT_FOUND, "no such thing");
	err_heard(&e);
	ok(e.kind == ERR_NOT_FOUND && strcmp(e.text, "no such thing") == 0, "one that is fine stays so");
	return done_testing();
}
