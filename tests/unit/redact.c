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

/* Of each beginning that there is: with what must follow it, and with one letter less. */
static void beginnings(void)
{
	static const struct {
		const char *first, *second; /* apart, as above */
		char letter;
		size_t least;
		const char *name;
		bool kept; /* the beginning itself */
	} rows[] = {
		{"sk-", "ant-", 'b', 20, "anthropic-key"},
		{"sk", "-", 'b', 20, "openai-key"},
		{"gh", "p_", 'b', 30, "github-token"},
		{"gh", "o_", 'b', 30, "github-token"},
		{"gh", "u_", 'b', 30, "github-token"},
		{"gh", "s_", 'b', 30, "github-token"},
		{"gh", "r_", 'b', 30, "github-token"},
		{"github", "_pat_", '_', 22, "github-token"},
		{"gl", "pat-", '-', 20, "gitlab-token"},
		{"xo", "xb-", '-', 10, "slack-token"},
		{"xo", "xp-", '-', 10, "slack-token"},
		{"xo", "xa-", '-', 10, "slack-token"},
		{"xo", "xr-", '-', 10, "slack-token"},
		{"xo", "xs-", '-', 10, "slack-token"},
		{"xa", "pp-", '-', 10, "slack-token"},
		{"AK", "IA", 'B', 16, "aws-key"},
		{"AS", "IA", 'B', 16, "aws-key"},
		{"AI", "za", '-', 35, "google-key"},
		{"ya", "29.", '_', 20, "google-token"},
		{"sk_", "live_", 'b', 16, "stripe-key"},
		{"sk_", "test_", 'b', 16, "stripe-key"},
		{"rk_", "live_", 'b', 16, "stripe-key"},
		{"h", "f_", 'b', 30, "huggingface-token"},
		{"np", "m_", 'b', 36, "npm-token"},
		{"py", "pi-", '-', 50, "pypi-token"},
		{"dckr", "_pat_", '-', 20, "docker-token"},
		{"S", "G.", '.', 40, "sendgrid-key"},
		{"gs", "k_", 'b', 20, "groq-key"},
		{"xa", "i-", 'b', 20, "xai-key"},
		{"AGE-SECRET", "-KEY-1", 'B', 50, "age-key"},
		{"Bearer", " ", '/', 16, "bearer-token", true},
		{"bearer", " ", '/', 16, "bearer-token", true},
		{"Basic", " ", '/', 16, "basic-credentials", true},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char rest[64] = "";
		auto_free char *whole = NULL, *less = NULL, *want = NULL;

		memset(rest, rows[i].letter, rows[i].least);
		whole = xasprintf("(%s%s%s)", rows[i].first, rows[i].second, rest);
		less = xasprintf("(%s%s%s)", rows[i].first, rows[i].second, rest + 1);
		want = xasprintf("(%s%s[REDACTED:%s])", rows[i].kept ? rows[i].first : "",
			rows[i].kept ? rows[i].second : "", rows[i].name);
		becomes(whole, want);
		if (i > 0) /* the first without a letter is one of the second */
			stays(less);
	}
}

static void words(void)
{
	static const struct {
		const char *word;
		size_t least;
	} rows[] = {{"password", 1}, {"passwd", 1}, {"passphrase", 1}, {"pwd", 1}, {"secret", 6},
		{"token", 8}, {"api_key", 6}, {"apikey", 6}, {"api-key", 6}, {"access_key", 6},
		{"access-key", 6}, {"accesskey", 6}, {"secret_key", 6}, {"private_key", 6},
		{"private-key", 6}, {"credential", 6}, {"credentials", 6}, {"encryption_key", 6},
		{"signing_key", 6}, {"authorization", 6}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char value[16] = "";
		auto_free char *whole = NULL, *less = NULL, *want = NULL;

		memset(value, 'v', rows[i].least);
		whole = xasprintf("MY_%s=%s end", rows[i].word, value);
		want = xasprintf("MY_%s=[REDACTED:%s] end", rows[i].word, rows[i].word);
		less = xasprintf("MY_%s=%s", rows[i].word, value + 1);
		becomes(whole, want);
		stays(less);
	}
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
	beginnings();
	words();
	structures();
	assignments();
	environments();
	patterns();
	values();
	return done_testing();
}
