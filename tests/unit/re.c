/* SPDX-License-Identifier: Apache-2.0 */
#include "re.h"

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

int main(void)
{
	finding();
	refusing();
	return done_testing();
}
