/* SPDX-License-Identifier: Apache-2.0 */
#include "redact.h"
#include "tap.h"

static struct redact more;

static void becomes(const char *text, const char *want)
{
	auto_free char *s = strdup(text);

	redact_text(&more, &s);
	is_str(s, want, text);
}

static void stays(const char *text)
{
	becomes(text, text);
}

/* Made of pieces: a whole one in a source is what scanners of repositories look for. */
static void shapes(void)
{
	becomes("key sk-ant-"
		"api03-abcdefghijklmnop_1234 end",
		"key [REDACTED:anthropic-key] end");
	becomes("sk-"
		"abcdefghijklmnopqrstuvwx",
		"[REDACTED:openai-key]");
	becomes("sk-"
		"proj-abcdefghijklmnopqrstuvwx,",
		"[REDACTED:openai-key],");
	stays("sk-short and task-abcdefghijklmnopqrstuvwxyz");
	becomes("gh"
		"p_abcdefghijklmnopqrstuvwxyz0123456789",
		"[REDACTED:github-token]");
	becomes("github"
		"_pat_11ABCDEFG0abcdefghijkl_mnop",
		"[REDACTED:github-token]");
	becomes("gl"
		"pat-abcdefghij0123456789",
		"[REDACTED:gitlab-token]");
	becomes("'xo"
		"xb-123456789012-abc'",
		"'[REDACTED:slack-token]'");
	becomes("AK"
		"IAABCDEFGHIJKLMNOP",
		"[REDACTED:aws-key]");
	stays("AKIAabcdefghijklmnop");
	becomes("AI"
		"zaSyA0123456789abcdefghijklmnopqrstuvw",
		"[REDACTED:google-key]");
	becomes("sk_"
		"live_abcdefghijklmnop",
		"[REDACTED:stripe-key]");
	becomes("h"
		"f_abcdefghijklmnopqrstuvwxyzABCDEFGH",
		"[REDACTED:huggingface-token]");
	becomes("Authorization: Bearer abcdefghijklmnopqrst",
		"Authorization: [REDACTED:authorization] [REDACTED:bearer-token]");
	becomes("curl -H 'X: Bearer abcdefghijklmnopqrst'", "curl -H 'X: Bearer [REDACTED:bearer-token]'");
	stays("Bearer of news");
}

static void structures(void)
{
	becomes("t=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_123 x", "t=[REDACTED:jwt] x");
	stays("eyJhbGciOiJIUzI1NiJ9 alone");
	becomes("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nb",
		"a\n[REDACTED:private-key]\nb");
	becomes("-----BEGIN PRIVATE KEY-----\nMIIE with no end", "[REDACTED:private-key]");
	stays("-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n");
	becomes("https://bob:hunter2@example.com/x",
		"https://bob:[REDACTED:url-credentials]@example.com/x");
	becomes("postgres://u:p@ss@host:5432/db", "postgres://u:[REDACTED:url-credentials]@host:5432/db");
	becomes("https://abcdefghij0123456789@host/", "https://[REDACTED:url-credentials]@host/");
	stays("https://bob@example.com/ and http://host:8080/a@b and git://x");
}

static void assignments(void)
{
	becomes("password=hunter2 next", "password=[REDACTED:password] next");
	becomes("DB_PASSWORD: x", "DB_PASSWORD: [REDACTED:password]");
	becomes("{\"api_key\": \"abc def\", \"n\": 1}", "{\"api_key\": \"[REDACTED:api_key]\", \"n\": 1}");
	becomes("{'AWS_SECRET_ACCESS_KEY': 'abc/def'}",
		"{'AWS_SECRET_ACCESS_KEY': '[REDACTED:access_key]'}");
	becomes("clientSecret = 'abcdef'", "clientSecret = '[REDACTED:secret]'");
	becomes("\\\"token\\\": \\\"abcdefgh\\\"", "\\\"token\\\": \\\"[REDACTED:token]\\\"");
	stays("max_tokens=100, token: int, tokenizer = abcdefghi, monkey=bananas");
	stays("if password == given: password = None");
	stays("password");
	stays("password=");
	stays("password::x");
}

static void environments(void)
{
	becomes("x\nHOME=/root\nPATH=/bin\nA=1\nB_2=two words\nend",
		"x\nHOME=[REDACTED:environment]\nPATH=[REDACTED:environment]\nA=[REDACTED:environment]\n"
		"B_2=[REDACTED:environment]\nend");
	becomes("declare -x A=\"1\"\nexport B=2\nC=3\nD=4",
		"declare -x A=[REDACTED:environment]\nexport B=[REDACTED:environment]\nC=[REDACTED:environment]\n"
		"D=[REDACTED:environment]");
	stays("A=1\nB=2\nC=3\n");
	becomes("environ({'HOME': '/root', 'A': 'b'}) end", "environ({[REDACTED:environment]}) end");
}

static void patterns(void)
{
	struct err e = {0};

	ok(redact_patterns(&more, "file",
		   "# a word\n\ncorp\tcorp_[0-9a-f]{4}\r\npin  PIN: ([0-9]+)\nvoid Q*\n", &e) == 0,
		"a file of patterns");
	becomes("corp_12ef corp_xyz PIN: 1234 PIN: no",
		"[REDACTED:corp] corp_xyz PIN: [REDACTED:pin] PIN: no");
	becomes("aQQb", "a[REDACTED:void]b");
	ok(redact_patterns(&more, "file", "a b\nlonely\n", &e) < 0, "a name alone");
	is_str(e.text, "file:2: want a name and a regular expression", "and where it stands");
	ok(redact_patterns(&more, "file", "bad (x\n", &e) < 0, "what is no expression");
	redact_done(&more);
}

static void values(void)
{
	auto_json json_t *v = json_pack(
		"{s:s,s:[s,i],s:s}", "password", "short", "list", "token=abcdefgh", 1, "n", "x");
	auto_free char *text = NULL;
	char *bytes = xcalloc(16, 1);
	size_t n = 12;

	redact_json(NULL, &v);
	text = json_dumps(v, JSON_COMPACT);
	is_str(text, "{\"password\":\"[REDACTED]\",\"list\":[\"token=[REDACTED:token]\",1],\"n\":\"x\"}",
		"in JSON");
	memcpy(bytes, "password=ab\0", 12);
	redact_bytes(NULL, &bytes, &n);
	ok(n == 12 && memcmp(bytes, "password=ab\0", 12) == 0, "what holds zero bytes is no text");
	free(bytes);
}

/* What would take the square of its length is never through: two million bytes of it. */
static void long_ones(void)
{
	static const char *const pieces[] = {"-password=[REDACTED", "password='[REDACTED ",
		"token:", "eyJhbGci", "https://a:", "-----BEGIN ", "A=", "Bearer "};

	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		struct buf b = {0};

		while (b.len < 2000000)
			buf_puts(&b, pieces[i]);
		redact_buf(NULL, &b);
		ok(b.len > 0, pieces[i]);
		buf_done(&b);
	}
}

int main(void)
{
	long_ones();
	shapes();
	structures();
	assignments();
	environments();
	patterns();
	values();
	return done_testing();
}
