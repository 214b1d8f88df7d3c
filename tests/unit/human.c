/* SPDX-License-Identifier: Apache-2.0 */
#include "auto.h"
#include "human.h"
#include "tap.h"

static void takes(char *got, const char *want, const char *sentence)
{
	is_str(got, want, sentence);
	free(got);
}

static void durations(void)
{
	static const struct {
		int64_t s;
		const char *want;
	} rows[] = {
		{-5, "Less than a second"},
		{0, "Less than a second"},
		{1, "1 second"},
		{59, "59 seconds"},
		{60, "About a minute"},
		{119, "About a minute"},
		{120, "2 minutes"},
		{1799, "29 minutes"},
		{3599, "59 minutes"},
		{3600, "About an hour"},
		{5399, "About an hour"},
		{5400, "2 hours"},
		{47 * 3600, "47 hours"},
		{48 * 3600, "2 days"},
		{14 * 86400, "2 weeks"},
		{60 * 86400, "2 months"},
		{730 * 86400, "2 years"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		takes(human_duration(rows[i].s), rows[i].want, rows[i].want);
}

static void sizes(void)
{
	takes(human_size(0, 3), "0B", "no bytes");
	takes(human_size(999, 3), "999B", "below a kB");
	takes(human_size(1000, 3), "1kB", "a kB");
	takes(human_size(12345678, 3), "12.3MB", "three digits");
	takes(human_size(123456789, 4), "123.5MB", "four digits");
	takes(human_bytes(8322506752.0), "7.751GiB", "powers of two");
	takes(human_bytes(512), "512B", "bytes");
}

static void times(void)
{
	struct timespec t = {1704164645, 123456789}, half = {1704164645, 500000000}, zero = {0};

	takes(human_rfc3339(&t), "2024-01-02T03:04:05.123456789Z", "nanoseconds");
	takes(human_rfc3339(&half), "2024-01-02T03:04:05.5Z", "zeros at the end are left out");
	takes(human_rfc3339(&zero), "0001-01-01T00:00:00Z", "never");
	setenv("TZ", "UTC", 1);
	takes(human_time(1704164645), "2024-01-02 03:04:05 +0000 UTC", "as ps shows it");
	t = human_parse_time("2024-01-02T05:04:05.25+02:00");
	ok(t.tv_sec == 1704164645 && t.tv_nsec == 250000000, "times are read with their zone");
	t = human_parse_time("0001-01-01T00:00:00Z");
	ok(t.tv_sec == 0, "never is read as zero");
	t = human_parse_time("nonsense");
	ok(t.tv_sec == 0, "nonsense is read as zero");
}

int main(void)
{
	durations();
	sizes();
	times();
	return done_testing();
}
