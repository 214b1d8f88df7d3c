/* SPDX-License-Identifier: Apache-2.0 */
#include "str.h"
#include "auto.h"
#include "tap.h"

static void test_set(void)
{
	auto_strv struct strv env = {0};

	strv_add(&env, "A=1");
	strv_env_set(&env, env.v[0]);
	is_str(env.v[0], "A=1", "one can be set to what it is");
}

static void words(struct strv *a, const char *list)
{
	strv_done(a);
	strv_split(a, list, ' ');
}

static void is_words(const struct strv *a, const char *wanted, const char *what)
{
	auto_buf struct buf b = {0};

	strv_join(a, " ", &b);
	is_str(b.s ? b.s : "", wanted, what);
	ok(!a->v || !a->v[a->n], "execve() finds its end");
}

static void test_many(void)
{
	auto_strv struct strv a = {0}, b = {0};

	words(&a, "A=1 B=2 A=3 C B=4 C AA=5 A=6");
	strv_env_settle(&a);
	is_words(&a, "A=6 B=4 C AA=5", "settled: the first one's place, the last one's value");

	words(&a, "A=1 B=2 A=3");
	words(&b, "C=4 B=5 D C=6 AA=7 D=8");
	strv_env_fill(&a, &b);
	is_words(&a, "A=1 B=2 A=3 C=4 D AA=7",
		"filled: what was there stays as it is, of others the first");

	words(&a, "A=1 B=2 C=3");
	words(&b, "D=4 B=5 A D=6 E F=7 F");
	strv_env_override(&a, &b);
	is_words(&a, "B=5 C=3 D=6 F=7",
		"overridden: a name alone takes away what was there, not what came with it");
	words(&b, "B C=8 C B=9 D F G");
	strv_env_override(&a, &b);
	is_words(&a, "B=9", "in the order of the words");
	words(&b, "B");
	strv_env_override(&a, &b);
	is_words(&a, "", "nothing may be left");
}

/* What takes the square of it would not come to an end. */
static void test_very_many(void)
{
	auto_strv struct strv a = {0}, b = {0};
	size_t n = 200000;

	for (size_t i = 0; i < n; i++) {
		strv_addf(&a, "V%zu=x", i);
		strv_addf(&b, "V%zu=y", i + n / 2);
	}
	strv_env_override(&a, &b);
	ok(a.n == n + n / 2 && str_eq(a.v[0], "V0=x") && str_eq(a.v[n - 1], "V199999=y"),
		"very many are overridden");
	strv_env_fill(&b, &a);
	ok(b.n == n + n / 2 && str_eq(b.v[n], "V0=x"), "and filled");
	strv_env_settle(&a);
	is_int((long)a.n, (long)(n + n / 2), "and settled");
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
	test_set();
	test_many();
	test_very_many();
	test_runes();
	return done_testing();
}
