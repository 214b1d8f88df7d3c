/* SPDX-License-Identifier: Apache-2.0 */
#include "redact.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ---- keys with a shape of their own ---------------------------------------------------- */

enum letters { ALNUM, UPPER, WORD, DASHED, DOTTED, B64 };

/* clang-format off */
static const struct shape {
	const char *name, *prefix;
	enum letters letters; /* that may follow */
	size_t least;         /* and how many of them must */
} shapes[] = {
	{ "anthropic-key",   "sk-ant-",          DASHED, 20 },
	{ "openai-key",      "sk-",              DASHED, 20 },
	{ "github-token",    "ghp_",             ALNUM,  30 },
	{ "github-token",    "gho_",             ALNUM,  30 },
	{ "github-token",    "ghu_",             ALNUM,  30 },
	{ "github-token",    "ghs_",             ALNUM,  30 },
	{ "github-token",    "ghr_",             ALNUM,  30 },
	{ "github-token",    "github_pat_",      WORD,   22 },
	{ "gitlab-token",    "glpat-",           DASHED, 20 },
	{ "slack-token",     "xoxb-",            DASHED, 10 },
	{ "slack-token",     "xoxp-",            DASHED, 10 },
	{ "slack-token",     "xoxa-",            DASHED, 10 },
	{ "slack-token",     "xoxr-",            DASHED, 10 },
	{ "slack-token",     "xoxs-",            DASHED, 10 },
	{ "slack-token",     "xapp-",            DASHED, 10 },
	{ "aws-key",         "AKIA",             UPPER,  16 },
	{ "aws-key",         "ASIA",             UPPER,  16 },
	{ "google-key",      "AIza",             DASHED, 35 },
	{ "google-token",    "ya29.",            DASHED, 20 },
	{ "stripe-key",      "sk_live_",         ALNUM,  16 },
	{ "stripe-key",      "sk_test_",         ALNUM,  16 },
	{ "stripe-key",      "rk_live_",         ALNUM,  16 },
	{ "huggingface-token", "hf_",            ALNUM,  30 },
	{ "npm-token",       "npm_",             ALNUM,  36 },
	{ "pypi-token",      "pypi-",            DASHED, 50 },
	{ "docker-token",    "dckr_pat_",        DASHED, 20 },
	{ "sendgrid-key",    "SG.",              DOTTED, 40 },
	{ "groq-key",        "gsk_",             ALNUM,  20 },
	{ "xai-key",         "xai-",             ALNUM,  20 },
	{ "age-key",         "AGE-SECRET-KEY-1", UPPER,  50 },
	{ "bearer-token",    "Bearer ",          B64,    16 },
	{ "bearer-token",    "bearer ",          B64,    16 },
	{ "basic-credentials", "Basic ",         B64,    16 },
};

/* Names before a value: the whole name, or the end of a longer one ("DB_PASSWORD"). */
static const struct word {
	const char *word;
	size_t least; /* bytes of a value: "token: int" is no secret */
} words[] = {
	{ "password", 1 }, { "passwd", 1 }, { "passphrase", 1 }, { "pwd", 1 },
	{ "secret", 6 }, { "token", 8 }, { "api_key", 6 }, { "apikey", 6 }, { "api-key", 6 },
	{ "access_key", 6 }, { "access-key", 6 }, { "accesskey", 6 }, { "secret_key", 6 },
	{ "private_key", 6 }, { "private-key", 6 }, { "credential", 6 }, { "credentials", 6 },
	{ "encryption_key", 6 }, { "signing_key", 6 }, { "authorization", 6 },
};
/* clang-format on */

static bool is_letter(enum letters set, char c)
{
	if (isalnum((unsigned char)c))
		return set != UPPER || !islower((unsigned char)c);
	switch (set) {
	case ALNUM:
	case UPPER:
		return false;
	case WORD:
		return c == '_';
	case DASHED:
		return c == '_' || c == '-';
	case DOTTED:
		return c == '_' || c == '-' || c == '.';
	case B64:
		return strchr("_-.~+/=", c) && c;
	}
	return false;
}

/* The text and the result. A scan returns how many bytes from `at` on it has dealt with, by keeping or censoring them;
 * 0: it found nothing. */
struct pass {
	const char *s;
	size_t n;
	size_t copied; /* up to here */
	struct buf out;
};

/* All that was not copied yet, up to there. */
static void keep(struct pass *p, size_t end)
{
	buf_add(&p->out, p->s + p->copied, end - p->copied);
	p->copied = end;
}

static void put_mark(struct buf *out, const char *name)
{
	buf_printf(out, "[REDACTED:%s]", name);
}

/* What is between the two. */
static void censor(struct pass *p, size_t start, size_t end, const char *name)
{
	keep(p, start);
	put_mark(&p->out, name);
	p->copied = end;
}

static bool starts(const struct pass *p, size_t at, const char *prefix)
{
	size_t n = strlen(prefix);

	return p->n - at >= n && memcmp(p->s + at, prefix, n) == 0;
}

static bool inside_word(const struct pass *p, size_t at)
{
	return at > 0 && (isalnum((unsigned char)p->s[at - 1]) || p->s[at - 1] == '_');
}

static size_t scan_shape(struct pass *p, size_t at)
{
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		const struct shape *s = &shapes[i];
		size_t start = at + strlen(s->prefix), end = start;

		if (s->prefix[0] != p->s[at] || !starts(p, at, s->prefix) || inside_word(p, at))
			continue;
		while (end < p->n && is_letter(s->letters, p->s[end]))
			end++;
		if (end - start < s->least)
			continue;
		/* "Bearer " is kept */
		censor(p, str_ends(s->prefix, " ") ? start : at, end, s->name);
		return end - at;
	}
	return 0;
}

/* Three parts of base64 between dots, the first of which is JSON: {" is eyJ. */
static size_t scan_jwt(struct pass *p, size_t at)
{
	size_t end = at, dots = 0, part = 0;

	if (!starts(p, at, "eyJ") || inside_word(p, at))
		return 0;
	for (; end < p->n && is_letter(DOTTED, p->s[end]); end++) {
		if (p->s[end] != '.') {
			part++;
			continue;
		}
		if (dots == 2 || part < 4)
			break;
		dots++;
		part = 0;
	}
	if (dots == 2)
		censor(p, at, end, "jwt");
	else /* nor is it scanned again: a hostile text would take quadratic time */
		keep(p, end);
	return end - at;
}

/* From its first line to its last, or to the end of the text, whichever comes first. */
static size_t scan_private_key(struct pass *p, size_t at)
{
	static const char begin[] = "-----BEGIN ", end[] = "-----END ";
	const char *line, *last, *close = NULL;
	size_t left = p->n - at;

	if (!starts(p, at, begin))
		return 0;
	line = memmem(p->s + at, left < 100 ? left : 100, "PRIVATE KEY", 11);
	if (!line || memchr(p->s + at, '\n', (size_t)(line - p->s) - at))
		return 0;
	last = memmem(p->s + at, left, end, sizeof(end) - 1);
	if (last) {
		last += sizeof(end) - 1;
		close = memmem(last, (size_t)(p->s + p->n - last), "-----", 5);
	}
	left = close ? (size_t)(close + 5 - p->s) - at : left;
	censor(p, at, at + left, "private-key");
	return left;
}

#define URL_TOKEN_MIN 16 /* shorter ones before the @ are names */

static size_t scan_url(struct pass *p, size_t at)
{
	size_t start = at + 3, end = start, sign = 0, colon = 0;

	if (!starts(p, at, "://"))
		return 0;
	for (; end < p->n && !strchr(" \t\r\n/?#\"'<>`\\", p->s[end]); end++) {
		if (p->s[end] == '@')
			sign = end;
		else if (p->s[end] == ':' && !colon)
			colon = end;
	}
	if (colon && colon < sign)
		start = colon + 1;
	if (sign <= start || (!colon && sign - start < URL_TOKEN_MIN) || starts(p, start, "[REDACTED"))
		return 0;
	censor(p, start, sign, "url-credentials");
	return sign - at;
}

/* ---- password=... ---------------------------------------------------------------------- */

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static const struct word *find_word(const struct pass *p, size_t at, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t len = strlen(words[i].word);

		if (n < len || strncasecmp(p->s + at + n - len, words[i].word, len) != 0)
			continue;
		if (n == len || !isalnum((unsigned char)p->s[at + n - len - 1]) ||
			isupper((unsigned char)p->s[at + n - len]))
			return &words[i];
	}
	return NULL;
}

static bool is_nothing(const char *s, size_t n)
{
	static const char *const none[] = {
		"None", "null", "True", "False", "true", "false", "str", "bytes"};

	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		if (strlen(none[i]) == n && memcmp(none[i], s, n) == 0)
			return true;
	return false;
}

static bool is_one_of(const char *set, char c)
{
	return c && strchr(set, c);
}

#define NAME_MAX_LEN 128 /* or a text of nothing but names would take its length's square */

/* What the sign at `at` gives a value to: name=, "name": , \"name\": , x["name"] = */
static const struct word *name_before(const struct pass *p, size_t at)
{
	size_t end = at, start;

	while (end > 0 && is_one_of(" \t", p->s[end - 1]) && at - end < NAME_MAX_LEN)
		end--;
	while (end > 0 && is_one_of("\"'\\]", p->s[end - 1]) && at - end < NAME_MAX_LEN)
		end--;
	for (start = end; start > 0 && is_name(p->s[start - 1]) && end - start < NAME_MAX_LEN;)
		start--;
	return end > start ? find_word(p, start, end - start) : NULL;
}

/* Where the value behind the sign at `at` begins and ends; one that was censored before ends where it begins, or many of
 * these would take their length's square. */
static void find_value(const struct pass *p, size_t at, size_t *start, size_t *end)
{
	char quote = 0;

	if (++at < p->n && p->s[at] == '>') /* => */
		at++;
	while (at < p->n && is_one_of(" \t", p->s[at]))
		at++;
	if (at < p->n && p->s[at] == '\\')
		at++;
	if (at < p->n && is_one_of("\"'", p->s[at]))
		quote = p->s[at++];
	*start = *end = at;
	if (starts(p, at, "[REDACTED"))
		return;
	for (; at < p->n && p->s[at] != '\n'; at++)
		if (quote ? p->s[at] == quote || (p->s[at] == '\\' && at + 1 < p->n && p->s[at + 1] == quote)
			  : is_one_of(" \t\r,;&)}]\"'", p->s[at]))
			break;
	*end = at;
}

static size_t scan_assignment(struct pass *p, size_t at)
{
	char sign = p->s[at];
	const struct word *w;
	size_t start, end;

	if ((at > 0 && p->s[at - 1] == sign) || (at + 1 < p->n && p->s[at + 1] == sign))
		return 0; /* == and :: */
	w = name_before(p, at);
	if (!w)
		return 0;
	find_value(p, at, &start, &end);
	if (end - start < w->least || is_nothing(p->s + start, end - start))
		return 0;
	censor(p, start, end, w->word);
	return end - at;
}

/* ---- an environment -------------------------------------------------------------------- */

/* The length of "NAME=" at the start of a line, as env and set print it; 0: it is no such line. */
static size_t env_name(const struct pass *p, size_t at)
{
	static const char *const before[] = {"export ", "declare -x "};
	size_t start = at, i;

	for (i = 0; i < ARRAY_LEN(before); i++)
		if (starts(p, at, before[i]))
			at += strlen(before[i]);
	for (i = at; i < p->n && (isupper((unsigned char)p->s[i]) ||
					 isdigit((unsigned char)p->s[i]) || p->s[i] == '_');)
		i++;
	return i > at && i < p->n && p->s[i] == '=' ? i + 1 - start : 0;
}

static size_t line_end(const struct pass *p, size_t at)
{
	const char *end = memchr(p->s + at, '\n', p->n - at);

	return end ? (size_t)(end - p->s) : p->n;
}

#define ENV_LINES 4 /* fewer may be anything */

/* Several lines NAME=value, one behind the other: the values go, the names stay. */
static size_t scan_env_lines(struct pass *p, size_t at)
{
	size_t end = at, lines = 0, name;

	if (at > 0 && p->s[at - 1] != '\n')
		return 0;
	while (end < p->n && env_name(p, end)) {
		end = line_end(p, end);
		end += end < p->n;
		lines++;
	}
	if (lines < ENV_LINES)
		return 0;
	for (size_t i = at; i < end; i = line_end(p, i) + 1) {
		name = env_name(p, i);
		censor(p, i + name, line_end(p, i), "environment");
	}
	keep(p, end);
	return end - at;
}

/* print(os.environ) */
static size_t scan_environ(struct pass *p, size_t at)
{
	const char *end;

	if (!starts(p, at, "environ({"))
		return 0;
	end = memmem(p->s + at, p->n - at, "})", 2);
	censor(p, at + strlen("environ({"), end ? (size_t)(end - p->s) : p->n, "environment");
	return p->copied - at;
}

/* ---- passes ---------------------------------------------------------------------------- */

#define UPPERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* In this order: a dump is censored as a whole, before its parts are scanned. */
static const struct scan {
	size_t (*at)(struct pass *p, size_t at);
	const char *first; /* where it can begin */
} scans[] = {
	{scan_private_key, "-"},
	{scan_env_lines, UPPERS "_ed"},
	{scan_environ, "e"},
	{scan_shape, UPPERS "abdghnprsxy"},
	{scan_jwt, "e"},
	{scan_url, ":"},
	{scan_assignment, "=:"},
};

static void run_scan(struct buf *text, const struct scan *scan)
{
	struct pass p = {.s = text->s, .n = text->len};
	bool first[256] = {false};

	for (const char *c = scan->first; *c; c++)
		first[(unsigned char)*c] = true;
	for (size_t at = 0; at < p.n;) {
		size_t n = first[(unsigned char)p.s[at]] ? scan->at(&p, at) : 0;

		at += n ? n : 1;
	}
	if (!p.copied) /* as nearly always */
		return;
	keep(&p, p.n);
	buf_done(text);
	*text = p.out;
}

/* A line, which ends with a 0: what regexec() does for each match is in proportion to the text before it. */
static void run_rule_line(const struct redact_rule *rule, const char *s, size_t n, struct buf *out)
{
	size_t at = 0;

	while (at < n) {
		regmatch_t m[2];
		const regmatch_t *secret;

		if (regexec(&rule->re, s + at, 2, m, at ? REG_NOTBOL : 0) != 0)
			break;
		secret = m[1].rm_so >= 0 ? &m[1] : &m[0];
		buf_add(out, s + at, (size_t)secret->rm_so);
		at += (size_t)secret->rm_eo;
		if (secret->rm_eo > secret->rm_so)
			put_mark(out, rule->name);
		else if (at < n) /* a pattern that is fond of nothing */
			buf_putc(out, s[at++]);
	}
	buf_add(out, s + at, n - at);
}

static void run_rule(struct buf *text, const struct redact_rule *rule)
{
	struct buf out = {0};

	for (size_t at = 0; at < text->len;) {
		char *line = text->s + at, *end = memchr(line, '\n', text->len - at);
		size_t n;

		if (end)
			*end = '\0';
		n = strlen(line); /* one that has a 0 of its own is two lines */
		run_rule_line(rule, line, n, &out);
		if (end)
			*end = '\n';
		at += n;
		if (at < text->len)
			buf_putc(&out, text->s[at++]);
	}
	buf_add(&out, "", 0);
	buf_done(text);
	*text = out;
}

void redact_buf(const struct redact *more, struct buf *text)
{
	for (size_t i = 0; more && i < more->n && text->len; i++)
		run_rule(text, &more->rules[i]);
	for (size_t i = 0; i < ARRAY_LEN(scans) && text->len; i++)
		run_scan(text, &scans[i]);
}

void redact_bytes(const struct redact *more, char **data, size_t *n)
{
	struct buf b = {0};

	if (!*n || memchr(*data, 0, *n)) /* an image or the like would only break */
		return;
	buf_add(&b, *data, *n);
	redact_buf(more, &b);
	*n = b.len;
	free(*data);
	*data = buf_take(&b);
}

void redact_text(const struct redact *more, char **text)
{
	size_t n = *text ? strlen(*text) : 0;

	redact_bytes(more, text, &n);
}

static json_t *redacted(const struct redact *more, const char *s, size_t n)
{
	struct buf b = {0};
	json_t *v;

	buf_add(&b, s, n);
	redact_buf(more, &b);
	v = json_stringn(b.s, b.len);
	if (!v) { /* a pattern which cuts characters in two */
		auto_free char *mended = json_utf8(b.s, b.len);

		v = json_string(mended);
	}
	buf_done(&b);
	return v;
}

/* "password": "x" in an object: the name tells that the text is a secret. */
static bool secret_name(const char *name)
{
	struct pass p = {.s = name, .n = strlen(name)};
	const struct word *w = p.n ? find_word(&p, 0, p.n) : NULL;

	return w != NULL;
}

void redact_json(const struct redact *more, json_t **value)
{
	const char *name;
	json_t *each, *copy;
	size_t i;

	if (!*value)
		return;
	if (json_is_string(*value)) {
		copy = redacted(more, json_string_value(*value), json_string_length(*value));
	} else if (json_is_array(*value)) {
		copy = json_array();
		json_array_foreach(*value, i, each)
		{
			json_incref(each);
			redact_json(more, &each);
			(void)json_array_append_new(copy, each); /* only memory can fail here */
		}
	} else if (json_is_object(*value)) {
		copy = json_object();
		json_object_foreach(*value, name, each)
		{
			if (json_is_string(each) && json_string_length(each) && secret_name(name)) {
				each = json_string("[REDACTED]");
			} else {
				json_incref(each);
				redact_json(more, &each);
			}
			(void)json_object_set_new(copy, name, each); /* as above */
		}
	} else {
		return;
	}
	json_decref(*value);
	*value = copy;
}

/* ---- patterns of others ---------------------------------------------------------------- */

void redact_done(struct redact *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->rules[i].name);
		regfree(&r->rules[i].re);
	}
	free(r->rules);
	*r = (struct redact){0};
}

static int add_rule(struct redact *r, const char *file, int number, char *line, struct err *e)
{
	char *name = line + strspn(line, " \t"), *re;
	struct redact_rule rule;
	size_t n = strcspn(name, " \t");
	char why[200];
	int bad;

	if (!*name || *name == '#')
		return 0;
	re = name + n + strspn(name + n, " \t");
	if (!*re)
		return err_set(e, ERR_USAGE, "%s:%d: want a name and a regular expression", file, number);
	name[n] = '\0';
	bad = regcomp(&rule.re, re, REG_EXTENDED | REG_NEWLINE);
	if (bad) {
		(void)regerror(bad, &rule.re, why, sizeof(why)); /* the length is no matter */
		return err_set(e, ERR_USAGE, "%s:%d: %s: %s", file, number, re, why);
	}
	rule.name = xstrdup(name);
	r->rules = xrealloc(r->rules, r->n + 1, sizeof(*r->rules));
	r->rules[r->n++] = rule;
	return 0;
}

int redact_patterns(struct redact *r, const char *name, const char *text, struct err *e)
{
	int number = 0;

	while (*text) {
		size_t n = strcspn(text, "\r\n");
		auto_free char *line = xstrndup(text, n);

		number++;
		if (add_rule(r, name, number, line, e) < 0)
			return -1;
		text += n;
		text += *text == '\r';
		text += *text == '\n';
	}
	return 0;
}
