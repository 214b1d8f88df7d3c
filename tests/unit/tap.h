/* SPDX-License-Identifier: Apache-2.0 */
/* tap: the few words in which a unit test speaks. Each test is one program; its main() ends with
 * `return done_testing();`. */
#pragma once

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int tap_count, tap_failed;

static inline bool tap_report(bool good, const char *sentence)
{
	printf("%s %d - %s\n", good ? "ok" : "not ok", ++tap_count, sentence);
	(void)fflush(stdout); /* a child of the test must not print it once more */
	tap_failed += !good;
	return good;
}

#define ok(cond, sentence) tap_ok_(!!(cond), sentence, #cond, __FILE__, __LINE__)
static inline bool tap_ok_(bool good, const char *sentence, const char *cond, const char *file, int line)
{
	if (!tap_report(good, sentence))
		printf("# %s:%d: %s\n", file, line, cond);
	return good;
}

static inline bool is_str(const char *got, const char *want, const char *sentence)
{
	bool good = got == want || (got && want && strcmp(got, want) == 0);

	if (!tap_report(good, sentence))
		printf("# got:  %s\n# want: %s\n", got ? got : "(null)", want ? want : "(null)");
	return good;
}

static inline bool is_int(int64_t got, int64_t want, const char *sentence)
{
	if (!tap_report(got == want, sentence))
		printf("# got:  %" PRId64 "\n# want: %" PRId64 "\n", got, want);
	return got == want;
}

/* What this machine cannot show. SBX_TEST_STRICT=1 is looked at by what runs the tests. */
static inline void skip(const char *sentence, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_count, sentence, why);
	(void)fflush(stdout);
}

static inline int done_testing(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed > 0;
}
