/* SPDX-License-Identifier: Apache-2.0 */
#include "stamp.h"
#include "tap.h"

#include <stdlib.h>

static void round_trip(const char *text)
{
	struct timespec t;
	char out[STAMP_SIZE];

	if (!stamp_read(text, &t)) {
		ok(false, text);
		return;
	}
	stamp_print(&t, out);
	is_str(out, text, "read and printed it is the same");
}

static void parsed(const char *text, int64_t sec, long nsec)
{
	struct timespec now = {1700000000, 500000000}, t = {0};
	struct err e;

	ok(stamp_parse(text, &now, &t, &e) == 0 && t.tv_sec == sec && t.tv_nsec == nsec, text);
}

static void unix_time(const char *text, int64_t sec, long nsec)
{
	struct timespec t = {0};

	ok(stamp_unix(text, &t) && t.tv_sec == sec && t.tv_nsec == nsec, text);
}

static void sent(const char *text, int64_t sec, long nsec)
{
	struct timespec t = {0};
	struct err e;

	ok(stamp_sent(text, &t, &e) == 0 && t.tv_sec == sec && t.tv_nsec == nsec, text);
}

static void not_sent(const char *text, const char *words)
{
	struct timespec t = {1, 2};
	struct err e = {0};

	ok(stamp_sent(text, &t, &e) < 0 && t.tv_sec == 1 && t.tv_nsec == 2, text);
	is_str(e.text, words, "in Go's words");
}

static void duration(int64_t ns, const char *text)
{
	char out[STAMP_DURATION_SIZE];

	stamp_duration(ns, out);
	is_str(out, text, "a duration in Go's words");
}

int main(void)
{
	static const char *const bad[] = {"", "nonsense", "1h5", "2025-13-01", "2025-01-01T", "5x",
		"2025-01-01T10:00:00+", "1.", "-", "2025-01-01x"};
	struct timespec now = {1700000000, 0}, t;
	char out[STAMP_SIZE];
	struct err e;

	(void)setenv("TZ", "UTC-2", 1);
	round_trip("1970-01-01T00:00:00Z");
	round_trip("2025-02-28T23:59:59.123456789Z");
	round_trip("2024-02-29T12:00:00.5Z");
	round_trip("2000-12-31T00:00:01.00000001Z");
	t = (struct timespec){951782400, 5};
	stamp_print_fixed(&t, out);
	is_str(out, "2000-02-29T00:00:00.000000005Z", "a leap day, with nine digits");
	ok(stamp_read("2025-01-01T02:00:00+02:00", &t) && t.tv_sec == 1735689600, "a zone is counted");
	parsed("10m", 1699999400, 0);
	parsed("1h30m", 1699994600, 0);
	parsed("0", 0, 0);
	parsed("1700000000.25", 1700000000, 250000000);
	parsed("+1", 1, 0);
	parsed("2025-01-01", 1735682400, 0);
	parsed("2025-01-01T00:00", 1735682400, 0);
	parsed("2025-01-01T00:00:00.5", 1735682400, 500000000);
	parsed("2025-01-01T00:00:00Z", 1735689600, 0);
	parsed("2025-01-01Z", 1735689600, 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(stamp_parse(bad[i], &now, &t, &e) < 0, bad[i]);
	unix_time("-62167219200.000000000", -62167219200, 0);
	unix_time("-5", -5, 0);
	unix_time("-0.25", -1, 750000000);
	unix_time("12.5", 12, 500000000);
	sent("12.5", 12, 500000000);
	sent("-62167219200.000000000", -62167219200, 0);
	sent("+1", 1, 0);
	not_sent("10m", "strconv.ParseInt: parsing \"10m\": invalid syntax");
	not_sent("1.0.0", "strconv.ParseInt: parsing \"0.0\": invalid syntax");
	not_sent("5.", "strconv.ParseInt: parsing \"\": invalid syntax");
	not_sent("99999999999999999999",
		"strconv.ParseInt: parsing \"99999999999999999999\": value out of range");
	duration(0, "0s");
	duration(1, "1ns");
	duration(1500, "1.5\302\265s");
	duration(300000000, "300ms");
	duration(1500000, "1.5ms");
	duration(30000000000, "30s");
	duration(60000000000, "1m0s");
	duration(5400000000000, "1h30m0s");
	duration(3600000000001, "1h0m0.000000001s");
	duration(INT64_MAX, "2562047h47m16.854775807s");
	ok(!stamp_unix("", &t) && !stamp_unix("-", &t) && !stamp_unix("--5", &t) &&
			!stamp_unix("1.", &t) && !stamp_unix("2025-01-01", &t),
		"Unix time is a number");
	is_str(e.text, "parsing time \"2025-01-01x\": extra text: \"x\"", "in docker's words");
	return done_testing();
}
