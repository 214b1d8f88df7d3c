/* SPDX-License-Identifier: Apache-2.0 */
#include "stamp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DAY = 86400 };

/* Days since 1970-01-01 of a day in the Gregorian calendar, years counted from March on so that the
 * odd day comes last; and back. */
static int64_t days_of(int64_t year, int month, int day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t in_era = y - era * 400;
	int64_t in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

void stamp_date(int64_t days, int64_t *year, int *month, int *day)
{
	int64_t z = days + 719468;
	int64_t era = (z >= 0 ? z : z - 146096) / 146097;
	int64_t d = z - era * 146097;
	int64_t y = (d - d / 1460 + d / 36524 - d / 146096) / 365;
	int64_t in_year = d - (365 * y + y / 4 - y / 100);
	int64_t m = (5 * in_year + 2) / 153;

	*day = (int)(in_year - (153 * m + 2) / 5 + 1);
	*month = (int)(m < 10 ? m + 3 : m - 9);
	*year = y + era * 400 + (*month <= 2);
}

static char *put(char *at, int64_t value, int digits)
{
	for (int i = digits - 1; i >= 0; i--) {
		at[i] = (char)('0' + value % 10);
		value /= 10;
	}
	return at + digits;
}

static char *print_seconds(int64_t seconds, char *at)
{
	int64_t days = (seconds >= 0 ? seconds : seconds - DAY + 1) / DAY, year;
	int64_t rest = seconds - days * DAY;
	int month, day;

	stamp_date(days, &year, &month, &day);
	at = put(at, year, 4);
	*at++ = '-';
	at = put(at, month, 2);
	*at++ = '-';
	at = put(at, day, 2);
	*at++ = 'T';
	at = put(at, rest / 3600, 2);
	*at++ = ':';
	at = put(at, rest / 60 % 60, 2);
	*at++ = ':';
	return put(at, rest % 60, 2);
}

void stamp_print_fixed(const struct timespec *t, char out[STAMP_SIZE])
{
	char *at = print_seconds(t->tv_sec, out);

	*at++ = '.';
	at = put(at, t->tv_nsec, 9);
	*at++ = 'Z';
	*at = '\0';
}

void stamp_print(const struct timespec *t, char out[STAMP_SIZE])
{
	char *at;

	stamp_print_fixed(t, out);
	at = out + strlen(out) - 1;
	while (at[-1] == '0')
		at--;
	if (at[-1] == '.')
		at--;
	*at++ = 'Z';
	*at = '\0';
}

/* A number of exactly so many digits within bounds; `at` moves only on success. */
static bool number(const char **at, int digits, int min, int max, int *out)
{
	int value = 0;

	for (int i = 0; i < digits; i++) {
		char c = (*at)[i];

		if (c < '0' || c > '9')
			return false;
		value = value * 10 + (c - '0');
	}
	if (value < min || value > max)
		return false;
	*at += digits;
	*out = value;
	return true;
}

static bool letter(const char **at, char c)
{
	if (**at != c)
		return false;
	(*at)++;
	return true;
}

/* ".5" and so on; true without one too. */
static bool fraction(const char **at, long *ns)
{
	long unit = 100000000L;

	*ns = 0;
	if (!letter(at, '.'))
		return true;
	if (**at < '0' || **at > '9')
		return false;
	for (; **at >= '0' && **at <= '9'; (*at)++, unit /= 10)
		*ns += (**at - '0') * unit;
	return true;
}

/* "Z", "+01:00" */
static bool zone(const char **at, long *offset)
{
	int sign = **at == '-' ? -1 : 1, hours, minutes;

	*offset = 0;
	if (letter(at, 'Z') || letter(at, 'z'))
		return true;
	if (!letter(at, '+') && !letter(at, '-'))
		return false;
	if (!number(at, 2, 0, 23, &hours) || !letter(at, ':') || !number(at, 2, 0, 59, &minutes))
		return false;
	*offset = sign * (hours * 3600L + minutes * 60L);
	return true;
}

bool stamp_read(const char *s, struct timespec *out)
{
	int year, month, day, hour, minute, second;
	long ns, offset;

	if (!number(&s, 4, 0, 9999, &year) || !letter(&s, '-') || !number(&s, 2, 1, 12, &month) ||
		!letter(&s, '-') || !number(&s, 2, 1, 31, &day) || !letter(&s, 'T') ||
		!number(&s, 2, 0, 23, &hour) || !letter(&s, ':') ||
		!number(&s, 2, 0, 59, &minute) || !letter(&s, ':') ||
		!number(&s, 2, 0, 60, &second) || !fraction(&s, &ns) || !zone(&s, &offset) || *s)
		return false;
	*out = stamp_moment(year, month, day, hour * 3600L + minute * 60L + second - offset, ns);
	return true;
}

struct timespec stamp_moment(int year, int month, int day, long second, long ns)
{
	return (struct timespec){.tv_sec = days_of(year, month, day) * DAY + second, .tv_nsec = ns};
}

/* "1.5s" of 1500000000 where one is 1000000000. */
static void print_units(int64_t ns, int64_t one, const char *unit, char *at, size_t size)
{
	int64_t rest = ns % one;
	int digits = 0, n;

	for (int64_t unity = 1; unity < one; unity *= 10)
		digits++;
	for (; digits > 0 && rest % 10 == 0; digits--)
		rest /= 10;
	n = snprintf(at, size, "%" PRId64, ns / one); /* fits */
	if (digits) {
		at[n++] = '.';
		n = (int)(put(at + n, rest, digits) - at);
	}
	(void)snprintf(at + n, size - (size_t)n, "%s", unit); /* as above */
}

void stamp_duration(int64_t ns, char out[STAMP_DURATION_SIZE])
{
	const int64_t second = 1000000000, minute = 60 * second;
	int n = 0;

	if (ns > 0 && ns < 1000) {
		print_units(ns, 1, "ns", out, STAMP_DURATION_SIZE);
	} else if (ns > 0 && ns < 1000000) {
		print_units(ns, 1000, "\302\265s", out, STAMP_DURATION_SIZE);
	} else if (ns > 0 && ns < second) {
		print_units(ns, 1000000, "ms", out, STAMP_DURATION_SIZE);
	} else {
		if (ns >= 60 * minute)
			n = snprintf(out, STAMP_DURATION_SIZE, "%" PRId64 "h", ns / (60 * minute)); /* fits */
		if (ns >= minute)
			n += snprintf(out + n, STAMP_DURATION_SIZE - (size_t)n, "%dm",
				(int)(ns / minute % 60)); /* as above */
		print_units(ns % minute, second, "s", out + n, STAMP_DURATION_SIZE - (size_t)n);
	}
}

int stamp_cmp(const struct timespec *a, const struct timespec *b)
{
	if (a->tv_sec != b->tv_sec)
		return a->tv_sec < b->tv_sec ? -1 : 1;
	return a->tv_nsec < b->tv_nsec ? -1 : a->tv_nsec > b->tv_nsec;
}
