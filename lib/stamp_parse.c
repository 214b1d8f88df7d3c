/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stamp_parse: --since and --until as docker reads them: a duration before now, a date in one of eight layouts, chosen by the
 * characters in it, or Unix time. If it does not match the layout, the error is that of Go's time.Parse, which tells how
 * far it came.
 */
#include "parse.h"
#include "stamp.h"

#include <ctype.h>
#include <string.h>

/* Go quotes here by bytes, not as it quotes strings elsewhere. */
static void quote(const char *s, struct buf *out)
{
	buf_putc(out, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < ' ' || c >= 0x80)
			buf_printf(out, "\\x%02x", c);
		else
			buf_printf(out, "%s%c", c == '"' || c == '\\' ? "\\" : "", c);
	}
	buf_putc(out, '"');
}

/* ---- a layout --------------------------------------------------------------------------- */

enum part { YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, FRACTION, ZONE, PARTS };

static const struct {
	const char *text;  /* as the layout has it */
	const char *range; /* the part that is "out of range" */
	int min, max;
	bool two; /* exactly two digits, or one or two */
} parts[PARTS] = {
	[YEAR] = {"2006", NULL, 0, 9999, false},
	[MONTH] = {"01", "month", 1, 12, true},
	[DAY] = {"02", "day", 0, 99, true},
	[HOUR] = {"15", "hour", 0, 23, false},
	[MINUTE] = {"04", "minute", 0, 59, true},
	[SECOND] = {"05", "second", 0, 59, true},
	[FRACTION] = {".999999999", NULL, 0, 0, false},
	[ZONE] = {"Z07:00", NULL, 0, 0, false},
};

struct reading {
	const char *layout, *value; /* whole */
	const char *at;
	int number[SECOND + 1];
	long ns;
	long offset;       /* of the zone, seconds */
	const char *range; /* what was out of range, or NULL */
	bool zoned;
};

static bool digits(const char *s, int n)
{
	for (int i = 0; i < n; i++)
		if (!isdigit((unsigned char)s[i]))
			return false;
	return true;
}

static bool read_number(struct reading *r, enum part part)
{
	int n = part == YEAR ? 4 : 2, value = 0;

	if (part != YEAR && !parts[part].two && digits(r->at, 1) && !digits(r->at + 1, 1))
		n = 1;
	if (!digits(r->at, n))
		return false;
	for (int i = 0; i < n; i++)
		value = value * 10 + (*r->at++ - '0');
	r->number[part] = value;
	if (value < parts[part].min || value > parts[part].max)
		r->range = parts[part].range;
	return true;
}

/* One that is not there is none. */
static void read_fraction(struct reading *r)
{
	long unit = 100000000L;

	if ((*r->at != '.' && *r->at != ',') || !digits(r->at + 1, 1))
		return;
	for (r->at++; digits(r->at, 1); r->at++, unit /= 10)
		r->ns += (*r->at - '0') * unit;
}

static bool read_zone(struct reading *r)
{
	const char *s = r->at;
	int hours, minutes;

	r->zoned = true;
	if (*s == 'Z') {
		r->at++;
		return true;
	}
	if (strlen(s) < 6 || s[3] != ':' || !digits(s + 1, 2) || !digits(s + 4, 2) ||
		(*s != '+' && *s != '-'))
		return false;
	hours = (s[1] - '0') * 10 + s[2] - '0';
	minutes = (s[4] - '0') * 10 + s[5] - '0';
	r->at += 6;
	r->range = hours > 24     ? "time zone offset hour"
	           : minutes > 60 ? "time zone offset minute"
	                          : NULL;
	r->offset = (*s == '-' ? -60L : 60L) * (hours * 60L + minutes);
	return true;
}

static bool read_part(struct reading *r, enum part part)
{
	switch (part) {
	case FRACTION:
		read_fraction(r);
		return true;
	case ZONE:
		return read_zone(r);
	case SECOND:
		if (!read_number(r, part))
			return false;
		/* a fraction is read where the layout has none, too */
		if (!r->range)
			read_fraction(r);
		return true;
	default:
		return read_number(r, part);
	}
}

static int days_in(int month, int year)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

static int cannot(
	const struct reading *r, const char *rest, const char *expected, size_t n, struct err *e)
{
	auto_buf struct buf text = {0};
	auto_free char *element = xstrndup(expected, n);

	buf_puts(&text, "parsing time ");
	quote(r->value, &text);
	buf_puts(&text, " as ");
	quote(r->layout, &text);
	buf_puts(&text, ": cannot parse ");
	quote(rest, &text);
	buf_puts(&text, " as ");
	quote(element, &text);
	return err_set(e, ERR_USAGE, "%s", text.s);
}

/* `rest`: to be quoted behind `what`, or NULL. */
static int wrong(const struct reading *r, const char *what, const char *rest, struct err *e)
{
	auto_buf struct buf text = {0};

	buf_puts(&text, "parsing time ");
	quote(r->value, &text);
	buf_printf(&text, ": %s", what);
	if (rest)
		quote(rest, &text);
	return err_set(e, ERR_USAGE, "%s", text.s);
}

static enum part part_at(const char *layout)
{
	for (int i = 0; i < PARTS; i++)
		if (str_starts(layout, parts[i].text))
			return (enum part)i;
	return PARTS;
}

/* Skips the text between two parts. */
static int skip(struct reading *r, const char *layout, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (r->at[0] != layout[i])
			return cannot(r, r->at, layout, n, e);
		else
			r->at++;
	return 0;
}

static int read_layout(struct reading *r, struct err *e)
{
	const char *layout = r->layout;

	while (*layout) {
		const char *begun;
		size_t n = 0;
		enum part part;

		while (part_at(layout + n) == PARTS)
			n++;
		if (skip(r, layout, n, e) < 0)
			return -1;
		layout += n;
		part = part_at(layout);
		begun = r->at;
		if (!read_part(r, part))
			return cannot(r, begun, parts[part].text, strlen(parts[part].text), e);
		if (r->range) {
			auto_free char *words = xasprintf("%s out of range", r->range);

			return wrong(r, words, NULL, e);
		}
		layout += strlen(parts[part].text);
	}
	if (*r->at)
		return wrong(r, "extra text: ", r->at, e);
	if (r->number[DAY] < 1 || r->number[DAY] > days_in(r->number[MONTH], r->number[YEAR]))
		return wrong(r, "day out of range", NULL, e);
	return 0;
}

/* ---- which layout ----------------------------------------------------------------------- */

static int count(const char *s, char c)
{
	int n = 0;

	for (; *s; s++)
		n += *s == c;
	return n;
}

static const char *layout_of(const char *s)
{
	static const char *const timed[][2] = {{"2006-01-02T15", "2006-01-02T15Z07:00"},
		{"2006-01-02T15:04", "2006-01-02T15:04Z07:00"},
		{"2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00"}};
	bool zone = strpbrk(s, "zZ+") || count(s, '-') == 3;
	int colons = count(s, ':');

	if (strchr(s, '.'))
		return zone ? "2006-01-02T15:04:05.999999999Z07:00" : "2006-01-02T15:04:05.999999999";
	if (!strchr(s, 'T'))
		return zone ? "2006-01-02Z07:00" : "2006-01-02";
	if (zone && !strpbrk(s, "zZ") && colons > 0)
		colons--; /* the zone's */
	return timed[colons > 2 ? 2 : colons][zone];
}

bool stamp_unix(const char *s, struct timespec *out)
{
	bool before = *s == '-'; /* 1970 */
	long unit = 100000000L, ns = 0;
	int64_t seconds = 0;

	s += before || *s == '+';
	if (!digits(s, 1))
		return false;
	for (; digits(s, 1); s++) {
		if (seconds > INT64_MAX / 100)
			return false;
		seconds = seconds * 10 + (*s - '0');
	}
	if (*s == '.' && !digits(++s, 1))
		return false;
	for (; digits(s, 1); s++, unit /= 10)
		ns += (*s - '0') * unit;
	if (*s)
		return false;
	*out = before && ns ? (struct timespec){-seconds - 1, 1000000000L - ns}
	                    : (struct timespec){before ? -seconds : seconds, ns};
	return true;
}

int stamp_sent(const char *s, struct timespec *out, struct err *e)
{
	const char *point = strchr(s, '.');
	auto_free char *seconds = point ? xstrndup(s, (size_t)(point - s)) : xstrdup(s);
	int64_t whole, part = 0;

	if (stamp_unix(s, out))
		return 0;
	if (parse_decimal(seconds, &whole, e) < 0 || (point && parse_decimal(point + 1, &part, e) < 0))
		return -1;
	/* with a sign before either number, which Go reads */
	*out = (struct timespec){whole, 0};
	return 0;
}

int stamp_parse(const char *s, const struct timespec *now, struct timespec *out, struct err *e)
{
	struct reading r = {.layout = layout_of(s), .value = s, .at = s};
	struct tm local = {0};
	int64_t ago;

	if (!str_eq(s, "0") && parse_duration(s, false, &ago, e) == 0) {
		/* docker counts whole seconds here. */
		out->tv_sec = now->tv_sec - ago / 1000000000;
		if (now->tv_nsec < ago % 1000000000)
			out->tv_sec--;
		out->tv_nsec = 0;
		return 0;
	}
	if (read_layout(&r, e) < 0) {
		if (strchr(s, '-'))
			return -1;
		return stamp_unix(s, out)
		               ? 0
		               : err_set(e, ERR_USAGE,
					 "failed to parse value as time or duration: %s", QUOTED(s));
	}
	(void)localtime_r(&now->tv_sec, &local); /* a year beyond int is no time of now */
	*out = stamp_moment(r.number[YEAR], r.number[MONTH], r.number[DAY],
		r.number[HOUR] * 3600L + r.number[MINUTE] * 60L + r.number[SECOND] -
			(r.zoned ? r.offset : local.tm_gmtoff),
		r.ns);
	return 0;
}
