/* SPDX-License-Identifier: Apache-2.0 */
#include "parse.h"
#include "tap.h"

/* A word, the number it means, or the words which refuse it. */
struct number {
	const char *in;
	int64_t want;
	const char *words;
};

static int as_bytes(const char *s, int64_t *out, struct err *e)
{
	return parse_bytes(s, out, e);
}

static int as_duration(const char *s, int64_t *out, struct err *e)
{
	return parse_duration(s, false, out, e);
}

static int as_seconds(const char *s, int64_t *out, struct err *e)
{
	return parse_duration(s, true, out, e);
}

static int as_uint16(const char *s, int64_t *out, struct err *e)
{
	return parse_uint(s, 65535, out, e);
}

static const struct number bytes[] = {
	{"512m", 512 << 20, NULL},
	{"1.5g", 1610612736, NULL},
	{"10GiB", 10737418240, NULL},
	{"1kib", 1024, NULL},
	{"5 m", 5 << 20, NULL},
	{"0", 0, NULL},
	{"7", 7, NULL},
	{"7b", 7, NULL},
	{"7B", 7, NULL},
	{".5m", 524288, NULL},
	{"1.", 1, NULL},
	{"1e3", 1000, NULL},
	{"1e-5k", 0, NULL},
	{"1_0", 10, NULL},
	{"+5", 5, NULL},
	{"-0", 0, NULL},
	{"1p", 1125899906842624, NULL},
	{"12xyz", 0, "invalid suffix: 'xyz'"},
	{"1x", 0, "invalid suffix: 'x'"},
	{"5bb", 0, "invalid suffix: 'bb'"},
	{"1ki", 0, "invalid suffix: 'ki'"},
	{"", 0, "invalid size: ''"},
	{"b", 0, "invalid size: 'b'"},
	{"-1", 0, "invalid size: '-1'"},
	{"-5m", 0, "invalid size: '-5m'"},
	{"inf", 0, "invalid size: 'inf'"},
	{"nan", 0, "invalid size: 'nan'"},
	{"99999999999999g", INT64_MIN, NULL},
	{"9999999999999999999999", INT64_MIN, NULL},
	{"8191p", 8191LL << 50, NULL},
	{"8192p", INT64_MIN, NULL},
	{"0x1p4", 16, NULL},
	{"9007199254740993", 9007199254740992, NULL},
	{"1e-400", 0, NULL},
	{"0x10", 0, "strconv.ParseFloat: parsing \"0x10\": invalid syntax"},
	{"1__0", 0, "strconv.ParseFloat: parsing \"1__0\": invalid syntax"},
	{"_1", 0, "strconv.ParseFloat: parsing \"_1\": invalid syntax"},
	{"1_.5", 0, "strconv.ParseFloat: parsing \"1_.5\": invalid syntax"},
	{"1e", 0, "invalid suffix: 'e'"},
	{"1e400", 0, "strconv.ParseFloat: parsing \"1e400\": value out of range"},
	{"1.2.3", 0, "strconv.ParseFloat: parsing \"1.2.3\": invalid syntax"},
	{"0x10", 0, "strconv.ParseFloat: parsing \"0x10\": invalid syntax"},
	{" 5m", 0, "strconv.ParseFloat: parsing \" 5\": invalid syntax"},
	{"5  m", 0, "strconv.ParseFloat: parsing \"5 \": invalid syntax"},
};

static const struct number ints[] = {
	{"10", 10, NULL},
	{"-3", -3, NULL},
	{"+3", 3, NULL},
	{"0x10", 16, NULL},
	{"010", 8, NULL},
	{"0b11", 3, NULL},
	{"0o7", 7, NULL},
	{"1_000", 1000, NULL},
	{"0", 0, NULL},
	{"9223372036854775807", INT64_MAX, NULL},
	{"-9223372036854775808", INT64_MIN, NULL},
	{"x", 0, "strconv.ParseInt: parsing \"x\": invalid syntax"},
	{"", 0, "strconv.ParseInt: parsing \"\": invalid syntax"},
	{"1.5", 0, "strconv.ParseInt: parsing \"1.5\": invalid syntax"},
	{"1__0", 0, "strconv.ParseInt: parsing \"1__0\": invalid syntax"},
	{"_1", 0, "strconv.ParseInt: parsing \"_1\": invalid syntax"},
	{"1_", 0, "strconv.ParseInt: parsing \"1_\": invalid syntax"},
	{"08", 0, "strconv.ParseInt: parsing \"08\": invalid syntax"},
	{"--1", 0, "strconv.ParseInt: parsing \"--1\": invalid syntax"},
	{"9223372036854775808", 0, "strconv.ParseInt: parsing \"9223372036854775808\": value out of range"},
	{"99999999999999999999", 0,
		"strconv.ParseInt: parsing \"99999999999999999999\": value out of range"},
};

static const struct number uints[] = {
	{"65535", 65535, NULL},
	{"65536", 0, "strconv.ParseUint: parsing \"65536\": value out of range"},
	{"-1", 0, "strconv.ParseUint: parsing \"-1\": invalid syntax"},
};

static const struct number durations[] = {
	{"1m30s", 90000000000, NULL},
	{"100ms", 100000000, NULL},
	{"1us", 1000, NULL},
	{"1\u00b5s", 1000, NULL},
	{"1\u03bcs", 1000, NULL},
	{"1.5h", 5400000000000, NULL},
	{"-5s", -5000000000, NULL},
	{"+3s", 3000000000, NULL},
	{".5s", 500000000, NULL},
	{"1.s", 1000000000, NULL},
	{"0", 0, NULL},
	{"-0", 0, NULL},
	{"2562047h47m16.854775807s", INT64_MAX, NULL},
	{"5", 0, "time: missing unit in duration \"5\""},
	{"1m1", 0, "time: missing unit in duration \"1m1\""},
	{"5x", 0, "time: unknown unit \"x\" in duration \"5x\""},
	{"1d", 0, "time: unknown unit \"d\" in duration \"1d\""},
	{"1 s", 0, "time: unknown unit \" s\" in duration \"1 s\""},
	{"1e3s", 0, "time: unknown unit \"e\" in duration \"1e3s\""},
	{"", 0, "time: invalid duration \"\""},
	{".", 0, "time: invalid duration \".\""},
	{"s", 0, "time: invalid duration \"s\""},
	{"--5s", 0, "time: invalid duration \"--5s\""},
	{"9999999999999h", 0, "time: invalid duration \"9999999999999h\""},
	{"2562047h47m16.854775808s", 0, "time: invalid duration \"2562047h47m16.854775808s\""},
};

static const struct number seconds[] = {
	{"5", 5000000000, NULL},
	{"0.5", 500000000, NULL},
	{"1m", 60000000000, NULL},
	{"x", 0, "time: invalid duration \"x\""},
};

static const struct number cpus[] = {
	{"1.5", 1500000000, NULL},
	{"1/2", 500000000, NULL},
	{"-1", -1000000000, NULL},
	{"1e2", 100000000000, NULL},
	{".5", 500000000, NULL},
	{"1e-9", 1, NULL},
	{"0.0000000001", 0, "value is too precise"},
	{"1/3", 0, "value is too precise"},
	{"x", 0, "failed to parse x as a rational number"},
	{"", 0, "failed to parse  as a rational number"},
	{"1/0", 0, "failed to parse 1/0 as a rational number"},
	{"1.5/2", 0, "failed to parse 1.5/2 as a rational number"},
	{"-0.0", 0, NULL},
	{"0x1", 1000000000, NULL},
	{"0b11", 3000000000, NULL},
	{"0o7", 7000000000, NULL},
	{"010", 10000000000, NULL},
	{"010/2", 4000000000, NULL},
	{"0x1.8", 1500000000, NULL},
	{"0x1.8p1", 3000000000, NULL},
	{"1p2", 4000000000, NULL},
	{"1p-2", 250000000, NULL},
	{"1_0", 10000000000, NULL},
	{"1e1_0", (int64_t)((uint64_t)1e10 * (uint64_t)1e9), NULL},
	{"1.", 1000000000, NULL},
	{"1e400", 0, NULL},
	{"18446744073709551617", 1000000000, NULL},
	{"_1", 0, "failed to parse _1 as a rational number"},
	{"1__0", 0, "failed to parse 1__0 as a rational number"},
	{"1_", 0, "failed to parse 1_ as a rational number"},
	{"0x", 0, "failed to parse 0x as a rational number"},
	{".", 0, "failed to parse . as a rational number"},
	{"1e", 0, "failed to parse 1e as a rational number"},
	{"1/-2", 0, "failed to parse 1/-2 as a rational number"},
	{"08/2", 0, "failed to parse 08/2 as a rational number"},
	{"1 ", 0, "failed to parse 1  as a rational number"},
	{"1e999999999", 0, "failed to parse 1e999999999 as a rational number"},
};

static void numbers(const char *what, int (*parse)(const char *, int64_t *, struct err *),
	const struct number *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct err e = {0};
		int64_t v = -77;
		char sentence[100];
		int r = parse(rows[i].in, &v, &e);

		(void)snprintf(sentence, sizeof(sentence), "%s \"%s\"", what, rows[i].in);
		if (rows[i].words)
			is_str(r < 0 ? e.text : "(taken)", rows[i].words, sentence);
		else if (!is_int(r < 0 ? -78 : v, rows[i].want, sentence))
			printf("# %s\n", e.text);
		if (rows[i].words)
			is_int(v, -77, "and nothing is changed");
	}
}
#define NUMBERS(what, parse, rows) numbers(what, parse, rows, sizeof(rows) / sizeof(*(rows)))

static void test_signals(void)
{
	{
		struct err e = {0};
		int signo = -1;

		ok(parse_signal_word(NULL, &signo, &e) == 0 && signo == 0, "no signal is none");
		ok(parse_signal_word("", &signo, &e) == 0 && signo == 0, "nor is an empty one");
		ok(parse_signal_word("HUP", &signo, &e) == 0 && signo == 1, "HUP");
		ok(parse_signal_word("99", &signo, &e) < 0 && signo == 1, "99");
		is_str(e.text, "invalid signal: 99", "in docker's words");
	}
	is_int(parse_signal("TERM"), 15, "TERM");
	is_int(parse_signal("SIGTERM"), 15, "SIGTERM");
	is_int(parse_signal("sigterm"), 15, "sigterm");
	is_int(parse_signal("9"), 9, "9");
	is_int(parse_signal("RTMIN+1"), 35, "RTMIN+1");
	is_int(parse_signal("SIGRTMAX-2"), 62, "SIGRTMAX-2");
	is_int(parse_signal("RTMIN+15"), 49, "RTMIN+15");
	is_int(parse_signal("RTMIN+16"), -1, "what is nearer to the last is named from there");
	is_int(parse_signal("RTMAX-15"), -1, "and what is nearer to the first from there");
	is_int(parse_signal("RTMIN+015"), -1, "each name has one spelling");
	is_int(parse_signal("RTMIN+0"), -1, "which is not that of nothing added");
	is_int(parse_signal("+015"), 15, "a number is decimal, with its sign and zeros");
	is_int(parse_signal("99999999999999999999"), -1, "no signal of a number that is none");
	is_int(parse_signal("0"), -1, "no signal 0");
	is_int(parse_signal("65"), -1, "no signal 65");
	is_int(parse_signal(""), -1, "no signal without a name");
	is_int(parse_signal("bogus"), -1, "no signal of another name");
}

int main(void)
{
	NUMBERS("bytes", as_bytes, bytes);
	NUMBERS("int", parse_int, ints);
	NUMBERS("uint16", as_uint16, uints);
	NUMBERS("duration", as_duration, durations);
	NUMBERS("seconds", as_seconds, seconds);
	NUMBERS("cpus", parse_nano_cpus, cpus);
	test_signals();
	return done_testing();
}
