/* SPDX-License-Identifier: Apache-2.0 */
#include "str.h"
#include "auto.h"
#include "tap.h"

static void test_unset(void)
{
	auto_strv struct strv env = {0};

	strv_add(&env, "A=1");
	strv_add(&env, "B=2");
	strv_add(&env, "C=3");
	strv_env_unset(&env, "A");
	ok(env.n == 2 && !env.v[2], "execve() finds the end of what one was taken out of");
	is_str(env.v[0], "B=2", "the rest stays");
	is_str(env.v[1], "C=3", "in its order");
	strv_env_unset(&env, "C");
	ok(env.n == 1 && !env.v[1], "also when it was the last one");
	strv_env_unset(&env, "none");
	is_int((long)env.n, 1, "what is not there is no matter");
}

static void test_set(void)
{
	auto_strv struct strv env = {0};

	strv_add(&env, "A=1");
	strv_env_set(&env, env.v[0]);
	is_str(env.v[0], "A=1", "one can be set to what it is");
}

/* Every character there is, out and in again; and what is cut off, or begins like one. */
static void test_runes(void)
{
	bool same = true, whole = true;

	for (uint32_t c = 0; c <= 0x10ffff; c += c < 0x900 || c > 0x10fff0 ? 1 : 61) {
		auto_buf struct buf b = {0};
		uint32_t back = UINT32_MAX;
		bool surrogate = c >= 0xd800 && c < 0xe000;

		buf_put_rune(&b, c);
		same = same && str_rune(b.s, b.len, &back) == (surrogate ? 0 : b.len) &&
		       (surrogate || back == c);
		whole = whole && str_rune(b.s, b.len - 1, NULL) == 0;
	}
	ok(same, "a character is what it was, a surrogate is none");
	ok(whole, "without its last byte it is none");
	is_int((long)str_rune("\xc0\x80", 2, NULL), 0, "nor is one that could be shorter");
	is_int((long)str_rune("\xf0\x80\x80\x80", 4, NULL), 0, "of four bytes as well");
	is_int((long)str_rune("\xf4\x90\x80\x80", 4, NULL), 0, "nor one beyond the last");
	is_int((long)str_rune("\x80", 1, NULL), 0, "nor a byte from the middle of one");
}

static void test_terminal(void)
{
	char text[] = "a\tb\n\x1b[1m \xc2\x9b"
		      "1m \xc2\xa9 \xc2";
	auto_buf struct buf b = {0};

	str_tame(text, strlen(text));
	is_str(text, "a\tb\n?[1m ??1m \xc2\xa9 \xc2", "what commands a terminal is taken out");
	buf_quote(&b, "a\a\"\\ \x1b\x7f \xc2\x9b \xc3\xa9 \xe2\x80\xae \xf3\xa0\x80\x81 \xff");
	is_str(b.s, "\"a\\a\\\"\\\\ \\x1b\\x7f \\u009b \xc3\xa9 \\u202e \\U000e0001 \\xff\"",
		"what shows nothing is escaped in quotes, as Go does it");
}

static void test_words(void)
{
	ok(str_has_word("one,two", ',', "one") && str_has_word("one,two", ',', "two"), "words of a list");
	ok(!str_has_word("one,two", ',', "on") && !str_has_word("one,two", ',', "wo"), "no parts of them");
	ok(!str_has_word("one,two", ' ', "one") && !str_has_word("", ' ', "one"), "nor what is none");
}

int main(void)
{
	test_words();
	test_terminal();
	test_unset();
	test_set();
	test_runes();
	return done_testing();
}
