/* SPDX-License-Identifier: Apache-2.0 */
#include "re.h"

#include "str.h"

#include "tap.h"

#include <string.h>

static void finds(const char *expression, const char *text, bool wanted)
{
	struct err e;
	auto_re struct re *re = re_parse(expression, &e);
	char sentence[200];

	(void)snprintf(sentence, sizeof(sentence), "%s is %sfound in \"%s\"", expression,
		wanted ? "" : "not ", text);
	for (char *c = sentence; (c = strchr(c, '\n')) != NULL;)
		*c = '~';
	ok(re && re_finds(re, text, strlen(text)) == wanted, sentence);
}

static void refused(const char *expression, const char *why)
{
	static const char begin[] = "error parsing regexp: ";
	struct err e = {0};
	auto_re struct re *re = re_parse(expression, &e);
	char sentence[200];

	(void)snprintf(sentence, sizeof(sentence), "%s is refused", expression);
	is_str(!re && strncmp(e.text, begin, strlen(begin)) == 0 ? e.text + strlen(begin) : e.text,
		why, sentence);
}

static void finding(void)
{
	finds("", "", true);
	finds("^a", "abc", true);
	finds("^b", "abc", false);
	finds("_X$", "E_X", true);
	finds("_X$", "E_XY", false);
	finds("a|b|cd", "xcd", true);
	finds("^(a|b)+?c{2,3}$", "abacc", true);
	finds("^(a|b)+?c{2,3}$", "abacccc", false);
	finds("^(?:ab)*$", "ababab", true);
	finds("^(?:ab)*$", "ababa", false);
	finds("^(a*)*$", "aab", false);
	finds("^a{,2}$", "a{,2}", true);
	finds("^\\d\\D\\w\\W\\s\\S$", "1a_- .", true);
	finds("\\bfoo\\b", "a foo.", true);
	finds("\\bfoo\\b", "a_foo", false);
	finds("o\\Bo", "foo", true);
	finds("(?i)^Ab[c-e]$", "aBD", true);
	finds("(?i:A)b", "aB", false);
	finds("(a(?i)b)c", "aBc", true);
	finds("(a(?i)b)c", "aBC", false);
	finds("a.b", "a\nb", false);
	finds("(?s)a.b", "a\nb", true);
	finds("(?m)^b$", "a\nb\nc", true);
	finds("^b$", "a\nb\nc", false);
	finds("^[^]a]$", "]", false);
	finds("^[]a-]+$", "a]-", true);
	finds("^[[:^alpha:][:digit:]\\w]$", "é", true);
	finds("^.$", "é", true);
	finds("^[à-ü]{2}$", "éè", true);
	finds("\\x41\\x{42}\\103\\Q.*\\E", "ABC.*", true);
	finds("\\Aa\\z", "a", true);
	finds("(?P<n>a)(?<m>b)", "ab", true);
	finds("(|a)(b||c)", "", true);
	finds("^(x{10}){10}$", "xxxxxxxxxx", false);
	finds("^(a{2,3}|b{0,2}c){2,}$", "aabbcaaa", true);
	finds("^(a{2,3}|b{0,2}c){2,}$", "aabbbcaaa", false);
	finds("^(a|bc|)d{0}(){3,9}e$", "bce", true);
	finds("^((|a)+|(b*)*)*c$", "aabbac", true);
	finds("x*y?$", "", true);
	finds("(^|,)b(,|$)", "a,b,c", true);
	finds("(^|,)b(,|$)", "a,bb,c", false);
}

/* Repetitions in one another, at whose ends each tries anew; and a text long enough to see it. */
static void nesting(void)
{
	char expression[1000] = "^", text[999];
	size_t n = 1;

	for (int i = 0; i < 60; i++)
		expression[n++] = '(';
	n += (size_t)snprintf(expression + n, sizeof(expression) - n, "(a|b)*");
	for (int i = 0; i < 60; i++)
		n += (size_t)snprintf(expression + n, sizeof(expression) - n, i & 1 ? "aa)*" : "ab)*");
	(void)snprintf(expression + n, sizeof(expression) - n, "$");
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	finds(expression, text, true);
	text[sizeof(text) - 2] = 'c';
	finds(expression, text, false);
}

static void refusing(void)
{
	refused("[", "missing closing ]: `[`");
	refused("[]", "missing closing ]: `[]`");
	refused("[z-a]", "invalid character class range: `z-a`");
	refused("[a-\\d]", "invalid escape sequence: `\\d`");
	refused("[[:foo:]]", "invalid character class range: `[:foo:]`");
	refused("a(", "missing closing ): `a(`");
	refused("a)", "unexpected ): `a)`");
	refused("(?", "invalid or unsupported Perl syntax: `(?`");
	refused("(?P<", "invalid or unsupported Perl syntax: `(?P`");
	refused("(?x)a", "invalid or unsupported Perl syntax: `(?x`");
	refused("(?-)a", "invalid or unsupported Perl syntax: `(?-)`");
	refused("(?=a)", "invalid or unsupported Perl syntax: `(?=`");
	refused("(?P<a-b>c)", "invalid named capture: `(?P<a-b>`");
	refused("*", "missing argument to repetition operator: `*`");
	refused("|*", "missing argument to repetition operator: `*`");
	refused("{2}", "missing argument to repetition operator: `{2}`");
	refused("(?i)*", "missing argument to repetition operator: `*`");
	refused("a**", "invalid nested repetition operator: `**`");
	refused("a*??", "invalid nested repetition operator: `*??`");
	refused("a{2}{3}", "invalid nested repetition operator: `{2}{3}`");
	refused("a{1001}", "invalid repeat count: `{1001}`");
	refused("a{2,1}", "invalid repeat count: `{2,1}`");
	refused("(a{1000}){1000}", "invalid repeat count: `{1000}`");
	refused("a\\", "trailing backslash at end of expression: ``");
	refused("\\Z", "invalid escape sequence: `\\Z`");
	refused("\\1", "invalid escape sequence: `\\1`");
	refused("\\x4", "invalid escape sequence: `\\x4`");
	refused("\\x{110000}", "invalid escape sequence: `\\x{110000`");
	refused("\\pL", "sbx has no tables of Unicode's classes: `\\pL`");
	refused("[\\p{Greek}]", "sbx has no tables of Unicode's classes: `\\p{Greek}`");
}

static void too_large(void)
{
	struct err e = {0};
	auto_buf struct buf b = {0};
	struct re *re;

	buf_printf(&b, "(");
	for (int i = 0; i < 3400; i++)
		buf_putc(&b, 'a');
	buf_printf(&b, "){1000}");
	re = re_parse(b.s, &e);
	ok(!re && strstr(e.text, "expression too large: `(aaa"),
		"an expression of millions of steps is refused");
	re_free(re);
}

int main(void)
{
	finding();
	nesting();
	too_large();
	refusing();
	return done_testing();
}
