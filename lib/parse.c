/* SPDX-License-Identifier: Apache-2.0 */
#include "parse.h"

#include <ctype.h>
#include <signal.h>
#include <string.h>
#include <strings.h>

int parse_bool(const char *s, bool *out, struct err *e)
{
	static const char *const yes[] = {"1", "t", "T", "TRUE", "true", "True"};
	static const char *const no[] = {"0", "f", "F", "FALSE", "false", "False"};

	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		if (str_eq(s, yes[i]) || str_eq(s, no[i])) {
			*out = str_eq(s, yes[i]);
			return 0;
		}
	}
	return err_set(e, ERR_USAGE, "strconv.ParseBool: parsing %s: invalid syntax", QUOTED(s));
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* "0x", "0o", "0b" and a plain leading 0 fix the base, as in Go's literals. */
static int take_base(const char **at)
{
	const char *s = *at;

	if (s[0] != '0' || !s[1])
		return 10;
	*at += 2;
	switch (s[1]) {
	case 'x':
	case 'X':
		return 16;
	case 'o':
	case 'O':
		return 8;
	case 'b':
	case 'B':
		return 2;
	default:
		*at -= 1;
		return 8;
	}
}

enum number { NUMBER_OK, NUMBER_SYNTAX, NUMBER_RANGE };

/* Digits with single underscores between them; one may follow a base prefix. */
static enum number take_digits(const char *s, uint64_t *out)
{
	const char *begin = s;
	int base = take_base(&s);
	bool after_digit = s != begin, overflow = false;
	uint64_t v = 0;

	if (!*s)
		return NUMBER_SYNTAX;
	for (; *s; s++) {
		if (*s == '_') {
			if (!after_digit || !s[1])
				return NUMBER_SYNTAX;
			after_digit = false;
			continue;
		}
		if (digit_of(*s) >= base)
			return NUMBER_SYNTAX;
		overflow |= __builtin_mul_overflow(v, (uint64_t)base, &v);
		overflow |= __builtin_add_overflow(v, (uint64_t)digit_of(*s), &v);
		after_digit = true;
	}
	*out = v;
	return overflow ? NUMBER_RANGE : NUMBER_OK;
}

static int number_err(const char *call, const char *s, enum number why, struct err *e)
{
	return err_set(e, ERR_USAGE, "strconv.%s: parsing %s: %s", call, QUOTED(s),
		why == NUMBER_RANGE ? "value out of range" : "invalid syntax");
}

int parse_int(const char *s, int64_t *out, struct err *e)
{
	bool negative = *s == '-';
	uint64_t v = 0, limit = (uint64_t)INT64_MAX + negative;
	enum number why = take_digits(s + (*s == '-' || *s == '+'), &v);

	if (why == NUMBER_OK && v > limit)
		why = NUMBER_RANGE;
	if (why != NUMBER_OK)
		return number_err("ParseInt", s, why, e);
	/* INT64_MIN has no positive counterpart. */
	*out = negative ? (int64_t)(0 - v) : (int64_t)v;
	return 0;
}

int parse_uint(const char *s, int64_t max, int64_t *out, struct err *e)
{
	uint64_t v = 0;
	enum number why = take_digits(s, &v);

	if (why == NUMBER_OK && v > (uint64_t)max)
		why = NUMBER_RANGE;
	if (why != NUMBER_OK)
		return number_err("ParseUint", s, why, e);
	*out = (int64_t)v;
	return 0;
}

int parse_decimal(const char *s, int64_t *out, struct err *e)
{
	const char *digits = s + (*s == '-' || *s == '+'), *significant = digits + strspn(digits, "0");
	auto_free char *word = NULL;
	struct err ignored;

	if (!*digits || digits[strspn(digits, "0123456789")])
		return number_err("ParseInt", s, NUMBER_SYNTAX, e);
	/* without the zeros before it, which would make it octal */
	word = xasprintf("%s%s", *s == '-' ? "-" : "", *significant ? significant : "0");
	return parse_int(word, out, &ignored) < 0 ? number_err("ParseInt", s, NUMBER_RANGE, e) : 0;
}

/* A decimal number as digits × 10^exp: "1.5e2" is 15 × 10^1. False: it is none, or too long to be kept. */
static bool take_decimal(const char *s, size_t n, bool *negative, __int128 *digits, int *exp)
{
	const char *end = s + n;
	bool any = false, point = false;
	int e = 0, given = 0, sign = 1;
	__int128 v = 0;

	*negative = s < end && *s == '-';
	s += s < end && (*s == '-' || *s == '+');
	for (; s < end && (isdigit((unsigned char)*s) || *s == '.' || *s == '_'); s++) {
		if (*s == '_' || (*s == '.' && !point)) {
			point |= *s == '.';
			continue;
		}
		if (*s == '.' || v > (__int128)1 << 100)
			return false;
		v = v * 10 + (*s - '0');
		e -= point;
		any = true;
	}
	if (any && s + 1 < end && (*s == 'e' || *s == 'E')) {
		s++;
		sign = *s == '-' ? -1 : 1;
		s += *s == '-' || *s == '+';
		if (s == end)
			return false;
		for (; s < end && isdigit((unsigned char)*s) && given < 1000; s++)
			given = given * 10 + (*s - '0');
	}
	*digits = v;
	*exp = e + sign * given;
	return any && s == end;
}

/* digits × 10^exp × by, cut to a whole number. */
static bool scale(__int128 digits, int exp, __int128 by, bool *exact, int64_t *out)
{
	if (__builtin_mul_overflow(digits, by, &digits))
		return false;
	*exact = true;
	for (; exp > 0 && digits; exp--)
		if (__builtin_mul_overflow(digits, (__int128)10, &digits))
			return false;
	for (; exp < 0 && digits; exp++) {
		*exact &= digits % 10 == 0;
		digits /= 10;
	}
	if (digits > INT64_MAX)
		return false;
	*out = (int64_t)digits;
	return true;
}

static const struct unit {
	const char *name;
	int64_t ns;
} units[] = {
	{"ns", 1},
	{"us", 1000},
	{"\u00b5s", 1000}, /* micro sign */
	{"\u03bcs", 1000}, /* mu */
	{"ms", 1000000},
	{"s", 1000000000},
	{"m", 60000000000},
	{"h", 3600000000000},
};

/* Go takes up to 2^63 before it looks at the unit. */
static bool too_many_digits(const char *s)
{
	uint64_t n = 0;

	for (; isdigit((unsigned char)*s); s++)
		if (n > INT64_MAX / 10 || (n = 10 * n + (uint64_t)(*s - '0')) > (uint64_t)1 << 63)
			return true;
	return false;
}

/* Quoted as in Go's package time: each byte that is not plain ASCII becomes \x and two digits. */
static struct quoted time_quoted(const char *s, size_t n)
{
	auto_buf struct buf out = {0};
	struct quoted quoted;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 0x20 || c > 0x7f)
			buf_printf(&out, "\\x%02x", c);
		else
			buf_printf(&out, "%s%c", c == '"' || c == '\\' ? "\\" : "", c);
	}
	(void)snprintf(quoted.s, sizeof(quoted.s), "\"%s\"",
		out.s ? out.s : ""); /* cut, as an error message has no more room */
	return quoted;
}

/* One "1.5h" of a duration. */
static int take_term(const char **at, const char *whole, int64_t *sum, struct err *e)
{
	size_t n = strspn(*at, "0123456789"), unit_len;
	const char *unit;
	__int128 digits;
	bool negative, exact;
	int64_t v = 0;
	int exp;

	if ((*at)[n] == '.')
		n += 1 + strspn(*at + n + 1, "0123456789");
	if (!take_decimal(*at, n, &negative, &digits, &exp) || too_many_digits(*at))
		return err_set(e, ERR_USAGE, "time: invalid duration %s",
			time_quoted(whole, strlen(whole)).s);
	unit = *at + n;
	unit_len = strcspn(unit, "0123456789.");
	if (!unit_len)
		return err_set(e, ERR_USAGE, "time: missing unit in duration %s",
			time_quoted(whole, strlen(whole)).s);
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (strlen(units[i].name) != unit_len || memcmp(units[i].name, unit, unit_len) != 0)
			continue;
		if (!scale(digits, exp, units[i].ns, &exact, &v) || __builtin_add_overflow(*sum, v, sum))
			return err_set(e, ERR_USAGE, "time: invalid duration %s",
				time_quoted(whole, strlen(whole)).s);
		*at = unit + unit_len;
		return 0;
	}
	return err_set(e, ERR_USAGE, "time: unknown unit %s in duration %s",
		time_quoted(unit, unit_len).s, time_quoted(whole, strlen(whole)).s);
}

int parse_duration(const char *s, bool bare_seconds, int64_t *ns, struct err *e)
{
	const char *at = s + (*s == '-' || *s == '+');
	__int128 digits;
	int64_t sum = 0;
	bool negative, exact;
	int exp;

	if (str_eq(at, "0")) {
		*ns = 0;
		return 0;
	}
	if (bare_seconds && take_decimal(at, strlen(at), &negative, &digits, &exp) && !negative &&
		scale(digits, exp, 1000000000, &exact, &sum)) {
		*ns = *s == '-' ? -sum : sum;
		return 0;
	}
	if (!*at)
		return err_set(e, ERR_USAGE, "time: invalid duration %s", time_quoted(s, strlen(s)).s);
	while (*at)
		if (take_term(&at, s, &sum, e) < 0)
			return -1;
	*ns = *s == '-' ? -sum : sum;
	return 0;
}

/* Linux's own names; glibc's SIGRTMIN is a function and hides two, docker counts from 34 too. */
static const struct signal_name {
	const char *name;
	int signo;
} signals[] = {
	{"SIGHUP", SIGHUP},
	{"SIGINT", SIGINT},
	{"SIGQUIT", SIGQUIT},
	{"SIGILL", SIGILL},
	{"SIGTRAP", SIGTRAP},
	{"SIGABRT", SIGABRT},
	{"SIGBUS", SIGBUS},
	{"SIGFPE", SIGFPE},
	{"SIGKILL", SIGKILL},
	{"SIGUSR1", SIGUSR1},
	{"SIGSEGV", SIGSEGV},
	{"SIGUSR2", SIGUSR2},
	{"SIGPIPE", SIGPIPE},
	{"SIGALRM", SIGALRM},
	{"SIGTERM", SIGTERM},
	{"SIGSTKFLT", SIGSTKFLT},
	{"SIGCHLD", SIGCHLD},
	{"SIGCONT", SIGCONT},
	{"SIGSTOP", SIGSTOP},
	{"SIGTSTP", SIGTSTP},
	{"SIGTTIN", SIGTTIN},
	{"SIGTTOU", SIGTTOU},
	{"SIGURG", SIGURG},
	{"SIGXCPU", SIGXCPU},
	{"SIGXFSZ", SIGXFSZ},
	{"SIGVTALRM", SIGVTALRM},
	{"SIGPROF", SIGPROF},
	{"SIGWINCH", SIGWINCH},
	{"SIGIO", SIGIO},
	{"SIGPWR", SIGPWR},
	{"SIGSYS", SIGSYS},
	{"SIGIOT", SIGIOT},
	{"SIGPOLL", SIGPOLL},
	{"SIGCLD", SIGCHLD},
	{"SIGRTMIN", 34},
	{"SIGRTMAX", 64},
};

const char *parse_signal_name(size_t i)
{
	return i < ARRAY_LEN(signals) ? signals[i].name + strlen("SIG") : NULL;
}

/* "RTMIN+3": docker names each real-time signal only relative to the nearer end, in one spelling. */
static bool take_real_time(const char *name, int *signo)
{
	bool up = strncasecmp(name, "RTMIN+", 6) == 0;
	int64_t n;
	struct err e;

	if ((!up && strncasecmp(name, "RTMAX-", 6) != 0) || name[6] == '0' ||
		!isdigit((unsigned char)name[6]) || parse_decimal(name + 6, &n, &e) < 0 ||
		n > (up ? 15 : 14))
		return false;
	*signo = up ? 34 + (int)n : 64 - (int)n;
	return true;
}

int parse_signal_word(const char *s, int *signo, struct err *e)
{
	int n = s && *s ? parse_signal(s) : 0;

	if (n < 0)
		return err_set(e, ERR_USAGE, "invalid signal: %s", s);
	*signo = n;
	return 0;
}

int parse_stop_signal(const char *s)
{
	int n = s ? parse_signal(s) : -1;

	return n > 0 ? n : SIGTERM;
}

int parse_signal(const char *s)
{
	const char *name = strncasecmp(s, "SIG", 3) == 0 ? s + 3 : s;
	int64_t n = 0;
	int signo;
	struct err e;

	if (parse_decimal(s, &n, &e) == 0)
		return n >= 1 && n <= 64 ? (int)n : -1;
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		if (strcasecmp(signals[i].name + 3, name) == 0)
			return signals[i].signo;
	return take_real_time(name, &signo) ? signo : -1;
}
