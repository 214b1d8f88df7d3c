/* SPDX-License-Identifier: Apache-2.0 */
#include "human.h"

#include "str.h"

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
