/* SPDX-License-Identifier: Apache-2.0 */
#include "human.h"

#include "auto.h"

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

char *human_duration(int64_t seconds)
{
	long long s = seconds, hours = (s + 1800) / 3600;

	if (s < 1)
		return xstrdup("Less than a second");
	if (s == 1)
		return xstrdup("1 second");
	if (s < 60)
		return xasprintf("%lld seconds", s);
	if (s < 120)
		return xstrdup("About a minute");
	if (s < 3600)
		return xasprintf("%lld minutes", s / 60);
	if (hours == 1)
		return xstrdup("About an hour");
	if (hours < 48)
		return xasprintf("%lld hours", hours);
	if (hours < 24 * 7 * 2)
		return xasprintf("%lld days", hours / 24);
	if (hours < 24 * 30 * 2)
		return xasprintf("%lld weeks", hours / 24 / 7);
	if (hours < 24 * 365 * 2)
		return xasprintf("%lld months", hours / 24 / 30);
	return xasprintf("%lld years", s / 3600 / 24 / 365);
}

char *human_ago(const struct timespec *t)
{
	struct timespec now;
	int64_t passed;

	(void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail for this clock */
	passed = now.tv_sec - t->tv_sec - (now.tv_nsec < t->tv_nsec);
	auto_free char *words = human_duration(passed);

	return xasprintf("%s ago", words);
}

char *human_time(int64_t seconds)
{
	time_t t = seconds;
	struct tm tm = {0};
	char text[80];

	(void)localtime_r(&t, &tm); /* fails only for years beyond an int */
	if (!strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z %Z", &tm))
		text[0] = '\0';
	return xstrdup(text);
}
