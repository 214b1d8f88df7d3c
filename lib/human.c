/* SPDX-License-Identifier: Apache-2.0 */
#include "human.h"

#include "str.h"

#include <string.h>

static char *scaled(double n, double base, const char *const *units, size_t last, int precision)
{
	size_t i = 0;

	while (n >= base && i < last) {
		n /= base;
		i++;
	}
	return xasprintf("%.*g%s", precision, n, units[i]);
}

char *human_size(double bytes, int precision)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"};

	return scaled(bytes, 1000, units, ARRAY_LEN(units) - 1, precision);
}

char *human_bytes(double bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"};

	return scaled(bytes, 1024, units, ARRAY_LEN(units) - 1, 4);
}

/* "12 minutes"; by hand, since a listing makes thousands. */
static char *counted(long long n, const char *unit)
{
	char digits[20], *first = digits + sizeof(digits);
	struct buf b = {0};

	do
		*--first = (char)('0' + n % 10);
	while (n /= 10);
	buf_room(&b, sizeof(" minutes ago") + 20);
	buf_add(&b, first, (size_t)(digits + sizeof(digits) - first));
	buf_putc(&b, ' ');
	buf_puts(&b, unit);
	return buf_take(&b);
}

char *human_duration(int64_t seconds)
{
	long long s = seconds, hours = (s + 1800) / 3600;

	if (s < 1)
		return xstrdup("Less than a second");
	if (s == 1)
		return xstrdup("1 second");
	if (s < 60)
		return counted(s, "seconds");
	if (s < 120)
		return xstrdup("About a minute");
	if (s < 3600)
		return counted(s / 60, "minutes");
	if (hours == 1)
		return xstrdup("About an hour");
	if (hours < 48)
		return counted(hours, "hours");
	if (hours < 24 * 7 * 2)
		return counted(hours / 24, "days");
	if (hours < 24 * 30 * 2)
		return counted(hours / 24 / 7, "weeks");
	if (hours < 24 * 365 * 2)
		return counted(hours / 24 / 30, "months");
	return counted(s / 3600 / 24 / 365, "years");
}

char *human_ago(const struct timespec *t)
{
	struct timespec now;
	struct buf b = {0};
	int64_t passed;

	(void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail for this clock */
	passed = now.tv_sec - t->tv_sec - (now.tv_nsec < t->tv_nsec);
	buf_move(&b, human_duration(passed));
	buf_puts(&b, " ago");
	return buf_take(&b);
}

/* By hand: musl's strftime() formats each number by itself, and a listing has thousands. */
static void two_digits(struct buf *b, int n, char after)
{
	buf_putc(b, (char)('0' + n / 10 % 10));
	buf_putc(b, (char)('0' + n % 10));
	if (after)
		buf_putc(b, after);
}

char *human_time(int64_t seconds)
{
	time_t t = seconds;
	struct tm tm = {0};
	struct buf b = {0};
	long zone, year;

	(void)localtime_r(&t, &tm); /* fails only for years beyond an int */
	year = tm.tm_year + 1900L;
	zone = tm.tm_gmtoff / 60;
	buf_room(&b, sizeof("2006-01-02 15:04:05 +0000 CEST"));
	if (year < 1000 || year > 9999)
		buf_printf(&b, "%04ld-", year);
	else
		two_digits(&b, (int)(year / 100), '\0'), two_digits(&b, (int)(year % 100), '-');
	two_digits(&b, tm.tm_mon + 1, '-');
	two_digits(&b, tm.tm_mday, ' ');
	two_digits(&b, tm.tm_hour, ':');
	two_digits(&b, tm.tm_min, ':');
	two_digits(&b, tm.tm_sec, ' ');
	buf_putc(&b, zone < 0 ? '-' : '+');
	zone = zone < 0 ? -zone : zone;
	two_digits(&b, (int)(zone / 60), '\0');
	two_digits(&b, (int)(zone % 60), ' ');
	buf_puts(&b, tm.tm_zone ? tm.tm_zone : "");
	return buf_take(&b);
}

#define NO_CHARACTER 0xfffd

/* What takes two columns of a terminal: wide and full-width ones of Unicode 14's EastAsianWidth.txt. */
/* clang-format off */
static const uint32_t wide[][2] = {
	{ 0x1100, 0x115f }, { 0x231a, 0x231b }, { 0x2329, 0x232a }, { 0x23e9, 0x23ec },
	{ 0x23f0, 0x23f0 }, { 0x23f3, 0x23f3 }, { 0x25fd, 0x25fe }, { 0x2614, 0x2615 },
	{ 0x2648, 0x2653 }, { 0x267f, 0x267f }, { 0x2693, 0x2693 }, { 0x26a1, 0x26a1 },
	{ 0x26aa, 0x26ab }, { 0x26bd, 0x26be }, { 0x26c4, 0x26c5 }, { 0x26ce, 0x26ce },
	{ 0x26d4, 0x26d4 }, { 0x26ea, 0x26ea }, { 0x26f2, 0x26f3 }, { 0x26f5, 0x26f5 },
	{ 0x26fa, 0x26fa }, { 0x26fd, 0x26fd }, { 0x2705, 0x2705 }, { 0x270a, 0x270b },
	{ 0x2728, 0x2728 }, { 0x274c, 0x274c }, { 0x274e, 0x274e }, { 0x2753, 0x2755 },
	{ 0x2757, 0x2757 }, { 0x2795, 0x2797 }, { 0x27b0, 0x27b0 }, { 0x27bf, 0x27bf },
	{ 0x2b1b, 0x2b1c }, { 0x2b50, 0x2b50 }, { 0x2b55, 0x2b55 }, { 0x2e80, 0x303e },
	{ 0x3041, 0x3247 }, { 0x3250, 0x4dbf }, { 0x4e00, 0xa4c6 }, { 0xa960, 0xa97c },
	{ 0xac00, 0xd7a3 }, { 0xf900, 0xfad9 }, { 0xfe10, 0xfe19 }, { 0xfe30, 0xfe6b },
	{ 0xff01, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x16fe0, 0x1b2fb }, { 0x1f004, 0x1f004 },
	{ 0x1f0cf, 0x1f0cf }, { 0x1f18e, 0x1f18e }, { 0x1f191, 0x1f19a }, { 0x1f200, 0x1f320 },
	{ 0x1f32d, 0x1f335 }, { 0x1f337, 0x1f37c }, { 0x1f37e, 0x1f393 }, { 0x1f3a0, 0x1f3ca },
	{ 0x1f3cf, 0x1f3d3 }, { 0x1f3e0, 0x1f3f0 }, { 0x1f3f4, 0x1f3f4 }, { 0x1f3f8, 0x1f43e },
	{ 0x1f440, 0x1f440 }, { 0x1f442, 0x1f4fc }, { 0x1f4ff, 0x1f53d }, { 0x1f54b, 0x1f54e },
	{ 0x1f550, 0x1f567 }, { 0x1f57a, 0x1f57a }, { 0x1f595, 0x1f596 }, { 0x1f5a4, 0x1f5a4 },
	{ 0x1f5fb, 0x1f64f }, { 0x1f680, 0x1f6c5 }, { 0x1f6cc, 0x1f6cc }, { 0x1f6d0, 0x1f6d2 },
	{ 0x1f6d5, 0x1f6df }, { 0x1f6eb, 0x1f6ec }, { 0x1f6f4, 0x1f6fc }, { 0x1f7e0, 0x1f7f0 },
	{ 0x1f90c, 0x1f93a }, { 0x1f93c, 0x1f945 }, { 0x1f947, 0x1f9ff }, { 0x1fa70, 0x1faf6 },
	{ 0x20000, 0x3134a },
};
/* clang-format on */

/* What takes none: marks that are put on another, and what shows nothing. */
static const uint32_t empty[][2] = {{0, 0x1f}, {0x7f, 0x9f}, {0xad, 0xad}, {0x300, 0x36f},
	{0x483, 0x487}, {0x70f, 0x70f}, {0x7eb, 0x7f3}, {0x135d, 0x135f}, {0x180b, 0x180f},
	{0x1ab0, 0x1ace}, {0x1b6b, 0x1b73}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x2028, 0x202e},
	{0x206a, 0x206f}, {0x20d0, 0x20f0}, {0x2cef, 0x2cf1}, {0x2de0, 0x2dff}, {0x3099, 0x309a},
	{0xa66f, 0xa672}, {0xa674, 0xa67d}, {0xa69e, 0xa69f}, {0xa6f0, 0xa6f1}, {0xa8e0, 0xa8f1},
	{0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}};

static bool is_in(const uint32_t (*ranges)[2], size_t high, uint32_t c)
{
	size_t low = 0, n = high;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (c > ranges[middle][1])
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && c >= ranges[low][0];
}

/* The character at s, and its length of at most `left` bytes; what is not UTF-8 counts as one byte. */
static uint32_t character(const char *s, size_t left, size_t *bytes)
{
	uint32_t c = NO_CHARACTER;

	*bytes = str_rune(s, left, &c);
	if (*bytes == 0)
		*bytes = 1;
	return c;
}

size_t human_columns(const char *s, size_t n)
{
	size_t columns = 0, bytes;

	for (size_t i = 0; i < n; i += bytes) {
		uint32_t c = character(s + i, n - i, &bytes);

		if (!is_in(empty, ARRAY_LEN(empty), c))
			columns += is_in(wide, ARRAY_LEN(wide), c) ? 2 : 1;
	}
	return columns;
}

char *human_cut(const char *s, size_t columns)
{
	size_t taken = 0, keep = 0, n = strlen(s), bytes;

	if (n <= columns)
		return xstrdup(s);
	for (size_t i = 0; i < n; i += bytes) {
		taken += is_in(wide, ARRAY_LEN(wide), character(s + i, n - i, &bytes)) ? 2 : 1;
		if (taken < columns)
			keep = i + bytes;
	}
	return taken <= columns ? xstrdup(s) : xasprintf("%.*s…", (int)keep, s);
}
