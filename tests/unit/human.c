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
	setenv("TZ", "UTC", 1);
	takes(human_time(1704164645), "2024-01-02 03:04:05 +0000 UTC", "as ps shows it");
}

static void columns(void)
{
	static const struct {
		const char *s;
		size_t want;
	} rows[] = {{"", 0}, {"abc", 3}, {"éé", 2}, {"e\xcc\x81", 1}, {"日本", 4}, {"👍a", 3},
		{"\xff\xe6\x97", 3}, {"\xf5\x80", 2}, {"a\xe2\x80\x8b", 1}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ok(human_columns(rows[i].s, strlen(rows[i].s)) == rows[i].want, rows[i].s);
}

static void cuts(void)
{
	takes(human_cut("0123456789", 10), "0123456789", "what fits stays");
	takes(human_cut("01234567890", 10), "012345678…", "what does not is cut");
	takes(human_cut("ééééé", 5), "ééééé", "bytes are no columns");
	takes(human_cut("日本語", 6), "日本語", "a wide character takes two columns");
	takes(human_cut("日本語", 5), "日本…", "of which there is room for two");
	takes(human_cut("a日本語b", 5), "a日…", "or for one and a half");
	takes(human_cut("\xff\xfe日本語", 5), "\xff\xfe日…", "what is no UTF-8 takes one a byte");
	takes(human_cut("日", 1), "…", "room for none");
}

int main(void)
{
	columns();
	cuts();
	durations();
	sizes();
	times();
	return done_testing();
}
