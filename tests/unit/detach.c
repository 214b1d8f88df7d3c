/* SPDX-License-Identifier: Apache-2.0 */
#include "detach.h"

#include "tap.h"

#include <string.h>

/* Input in pieces, each ended by '|'; what is passed on, and where the keys came a '!'. */
static void takes(const char *words, const char *pieces, const char *want, const char *sentence)
{
	struct detach d = {0};
	struct err e;
	char got[256] = "", to[128 + DETACH_KEYS_MAX];
	size_t n;

	ok(detach_init(&d, words, &e) == 0, "the words are keys");
	for (const char *at = pieces; *at; at += strcspn(at, "|") + 1) {
		bool came = detach_pass(&d, at, strcspn(at, "|"), to, &n);

		(void)snprintf(got + strlen(got), sizeof(got) - strlen(got), "%.*s%s", (int)n, to,
			came ? "!" : "");
		if (came)
			break;
	}
	is_str(got, want, sentence);
}

int main(void)
{
	struct detach d = {0};
	struct err e;

	takes("a,b", "xaby|", "x!", "what follows the keys is dropped");
	takes("a,b", "xa|b|", "x!", "the keys may come one by one");
	takes("a,b", "a|x|ab|", "ax!", "what only began like them is input");
	takes("a,b", "aab|", "a!", "and what comes behind it may be their beginning");
	takes("ctrl-p,ctrl-q", "\x10\x11|", "!", "control keys");
	takes("", "ab\x10\x11|", "ab\x10\x11", "none");
	ok(detach_init(&d, "ctrl-nonsense", &e) < 0, "words that say nothing are refused");
	return done_testing();
}
