/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmpl_time: Go's time.Time in templates: {{.Created.Year}}, {{.Created.Format "2006-01-02"}}.
 *
 * A time is kept as the text that JSON has; after .Local or .In the name of its zone follows: "2025-01-02T03:04:05.6+01:00 CET".
 */
#include "stamp.h"
#include "tmpl_layout.h"
#include "tmpl_node.h"

#include <stdlib.h>
#include <string.h>

#define DAY     86400LL
#define SECOND  1000000000LL
#define TO_1970 62135596800LL /* seconds from the year 1, from which Go counts */
#define RFC3339 "2006-01-02T15:04:05.999999999Z07:00"

static int64_t floored(int64_t n, int64_t by)
{
	return n / by - (n % by < 0);
}

static void fill_in(struct moment *m)
{
	int64_t there = m->s + m->offset, days = floored(there, DAY), rest = there - days * DAY;

	stamp_date(days, &m->year, &m->month, &m->day);
	m->hour = (int)(rest / 3600);
	m->minute = (int)(rest / 60 % 60);
	m->second = (int)(rest % 60);
	m->weekday = (int)(((days + 4) % 7 + 7) % 7);
	m->yearday = (int)(days - floored(stamp_moment((int)m->year, 1, 1, 0, 0).tv_sec, DAY)) + 1;
}

static struct moment moment_of(const struct val *v)
{
	struct moment m = {0};
	struct timespec t = {.tv_sec = -TO_1970};
	const char *space = memchr(v->s, ' ', v->len);
	size_t n = space ? (size_t)(space - v->s) : v->len;
	auto_free char *text = xstrndup(v->s, n);

	(void)stamp_read(text, &t); /* else: Go's zero, as where none is */
	m.s = t.tv_sec;
	m.ns = (int)t.tv_nsec;
	if (n > 6 && text[n - 3] == ':' && text[n - 1] != 'Z') {
		m.offset = atoi(text + n - 5) * 3600 + atoi(text + n - 2) * 60;
		m.offset = text[n - 6] == '-' ? -m.offset : m.offset;
	} else {
		memcpy(m.zone, "UTC", sizeof("UTC"));
	}
	m.local = space != NULL;
	if (space)
		(void)snprintf(m.zone, sizeof(m.zone), "%s", space + 1); /* such names are short */
	fill_in(&m);
	return m;
}

/* ---- what they give ---- */

static int give(const struct method_call *c, struct buf *b)
{
	size_t len = b->len;

	*c->out = run_keep(c->r, buf_take(b), len);
	return 0;
}

static int give_int(const struct method_call *c, int64_t i, const char *type)
{
	*c->out = val_int(i);
	c->out->type = type;
	return 0;
}

static int give_moment(const struct method_call *c, struct moment *m)
{
	auto_buf struct buf b = {0};

	fill_in(m);
	moment_print(m, RFC3339, &b);
	if (m->local)
		buf_printf(&b, " %s", m->zone);
	(void)give(c, &b);
	c->out->kind = V_TIME;
	c->out->type = GO_TIME;
	return 0;
}

enum {
	YEAR,
	MONTH,
	MDAY,
	HOUR,
	MINUTE,
	SEC,
	NANOSECOND,
	YEARDAY,
	WEEKDAY,
	UNIX,
	MILLI,
	MICRO,
	NANO
};

/* n: which. */
static int number(const struct method_call *c)
{
	struct moment m = moment_of(c->self);
	uint64_t s = (uint64_t)m.s; /* overflows like Go's integers */

	switch (c->m->n) {
	case YEAR:
		return give_int(c, m.year, NULL);
	case MONTH:
		return give_int(c, m.month, "time.Month");
	case MDAY:
		return give_int(c, m.day, NULL);
	case HOUR:
		return give_int(c, m.hour, NULL);
	case MINUTE:
		return give_int(c, m.minute, NULL);
	case SEC:
		return give_int(c, m.second, NULL);
	case NANOSECOND:
		return give_int(c, m.ns, NULL);
	case YEARDAY:
		return give_int(c, m.yearday, NULL);
	case WEEKDAY:
		return give_int(c, m.weekday, "time.Weekday");
	case UNIX:
		return give_int(c, m.s, "int64");
	case MILLI:
		return give_int(c, (int64_t)(s * 1000 + (uint64_t)m.ns / 1000000), "int64");
	case MICRO:
		return give_int(c, (int64_t)(s * 1000000 + (uint64_t)m.ns / 1000), "int64");
	default:
		return give_int(c, (int64_t)(s * SECOND + (uint64_t)m.ns), "int64");
	}
}

static int string(const struct method_call *c)
{
	struct moment m = moment_of(c->self);
	auto_buf struct buf b = {0};

	moment_print(&m, "2006-01-02 15:04:05.999999999 -0700 MST", &b);
	return give(c, &b);
}

static int format(const struct method_call *c)
{
	struct moment m = moment_of(c->self);
	auto_buf struct buf b = {0};

	moment_print(&m, c->args[0].s, &b);
	return give(c, &b);
}

static int go_string(const struct method_call *c)
{
	struct moment m = moment_of(c->self);
	auto_buf struct buf b = {0};

	buf_printf(&b, "time.Date(%lld, time.%s, %d, %d, %d, %d, %d, ", (long long)m.year,
		go_months[m.month - 1], m.day, m.hour, m.minute, m.second, m.ns);
	buf_puts(&b, m.local ? "time.Local)" : *m.zone ? "time.UTC)" : "time.Location(\"\"))");
	return give(c, &b);
}

static int marshal(const struct method_call *c)
{
	struct moment m = moment_of(c->self);
	auto_buf struct buf b = {0};

	buf_puts(&b, c->m->word);
	moment_print(&m, RFC3339, &b);
	buf_puts(&b, c->m->word);
	*c->out = val_bytes(c->r, b.s, b.len);
	return 0;
}

static int is_zero(const struct method_call *c)
{
	struct moment m = moment_of(c->self);

	*c->out = val_bool(m.s == -TO_1970 && m.ns == 0);
	return 0;
}

static int is_dst(const struct method_call *c)
{
	struct moment m = moment_of(c->self);
	struct tm tm = {0};
	time_t t = m.s;

	*c->out = val_bool(m.local && localtime_r(&t, &tm) && tm.tm_isdst > 0);
	return 0;
}

static int utc(const struct method_call *c)
{
	struct moment m = moment_of(c->self);

	m.offset = 0;
	m.local = false;
	return give_moment(c, &m);
}

static int local(const struct method_call *c)
{
	struct moment m = moment_of(c->self);
	struct tm tm = {0};
	time_t t = m.s;

	if (localtime_r(&t, &tm)) {
		m.offset = (int)tm.tm_gmtoff;
		(void)snprintf(m.zone, sizeof(m.zone), "%s", tm.tm_zone ? tm.tm_zone : ""); /* as above */
	}
	m.local = true;
	return give_moment(c, &m);
}

/* Go's name of the local zone. */
static const char *local_name(void)
{
	const char *tz = getenv("TZ");

	if (!tz)
		return "Local";
	tz += *tz == ':';
	return *tz ? tz : "UTC";
}

static int location(const struct method_call *c)
{
	struct moment m = moment_of(c->self);
	const char *name = m.local ? local_name() : m.zone;

	*c->out = run_keep(c->r, xstrdup(name), strlen(name));
	c->out->type = "*time.Location";
	return 0;
}

static int in(const struct method_call *c)
{
	if (c->args[0].kind != V_STRING)
		return buf_puts(c->why, "time: missing Location in call to Time.In"), -1;
	if (str_eq(c->args[0].s, "UTC"))
		return utc(c);
	if (str_eq(c->args[0].s, local_name()))
		return local(c);
	*c->out = *c->self;
	return 0;
}

static int location_name(const struct method_call *c)
{
	*c->out = val_string(c->self->s, c->self->len);
	return 0;
}

/* ---- with durations and with others ---- */

static __int128 since_year_1(const struct moment *m)
{
	return ((__int128)m->s + TO_1970) * SECOND + m->ns;
}

static int give_at(const struct method_call *c, struct moment *m, __int128 ns)
{
	__int128 s = ns / SECOND - (ns % SECOND < 0);

	m->s = (int64_t)(s - TO_1970);
	m->ns = (int)(ns - s * SECOND);
	return give_moment(c, m);
}

static int add(const struct method_call *c)
{
	struct moment m = moment_of(c->self);

	return give_at(c, &m, since_year_1(&m) + c->args[0].i);
}

static int add_date(const struct method_call *c)
{
	struct moment m = moment_of(c->self);
	int64_t month, year;

	for (int i = 0; i < 3; i++)
		if (c->args[i].i > 1000000 || c->args[i].i < -1000000)
			return buf_puts(c->why, "too far"), -1;
	month = m.month - 1 + c->args[1].i;
	year = m.year + c->args[0].i + floored(month, 12);
	month -= floored(month, 12) * 12;
	m.s = stamp_moment((int)year, (int)month + 1, 1, 0, 0).tv_sec +
	      (m.day - 1 + c->args[2].i) * DAY + m.hour * 3600 + m.minute * 60 + m.second - m.offset;
	return give_moment(c, &m);
}

static int sub(const struct method_call *c)
{
	struct moment m = moment_of(c->self), other = moment_of(&c->args[0]);
	__int128 ns = since_year_1(&m) - since_year_1(&other);

	return give_int(c,
		ns > INT64_MAX   ? INT64_MAX
		: ns < INT64_MIN ? INT64_MIN
				 : (int64_t)ns,
		GO_DURATION);
}

static int to_unit(const struct method_call *c, bool nearest)
{
	struct moment m = moment_of(c->self);
	__int128 ns = since_year_1(&m), unit = c->args[0].i, rest;

	if (unit <= 0)
		return give_moment(c, &m);
	rest = (ns % unit + unit) % unit;
	return give_at(c, &m, ns - rest + (nearest && rest * 2 >= unit ? unit : 0));
}

static int truncated(const struct method_call *c)
{
	return to_unit(c, false);
}

static int rounded(const struct method_call *c)
{
	return to_unit(c, true);
}

static int order_of(const struct method_call *c)
{
	struct moment m = moment_of(c->self), other = moment_of(&c->args[0]);
	__int128 a = since_year_1(&m), b = since_year_1(&other);

	return (a > b) - (a < b);
}

static int compare(const struct method_call *c)
{
	return give_int(c, order_of(c), NULL);
}

/* n: which order it must be. */
static int is_order(const struct method_call *c)
{
	*c->out = val_bool(order_of(c) == c->m->n);
	return 0;
}

/* ---- time.Month, time.Weekday ---- */

static int name(const struct method_call *c, const char *const *names, int64_t first, int64_t n,
	const char *type)
{
	int64_t i = c->self->i - first;
	auto_buf struct buf b = {0};

	if (i >= 0 && i < n)
		buf_puts(&b, names[i]);
	else
		buf_printf(&b, "%%!%s(%lld)", type, (long long)c->self->i);
	return give(c, &b);
}

static int month_name(const struct method_call *c)
{
	return name(c, go_months, 1, ARRAY_LEN(go_months), "Month");
}

static int weekday_name(const struct method_call *c)
{
	return name(c, go_days, 0, ARRAY_LEN(go_days), "Weekday");
}

const struct go_method go_time_methods[] = {
	/* clang-format off */
	{ GO_TIME, "Add",         add,       "d" },
	{ GO_TIME, "AddDate",     add_date,  "iii" },
	{ GO_TIME, "After",       is_order,  "t", .n = 1 },
	{ GO_TIME, "Before",      is_order,  "t", .n = -1 },
	{ GO_TIME, "Compare",     compare,   "t" },
	{ GO_TIME, "Day",         number,    "", .n = MDAY },
	{ GO_TIME, "Equal",       is_order,  "t", .n = 0 },
	{ GO_TIME, "Format",      format,    "s" },
	{ GO_TIME, "GoString",    go_string, "" },
	{ GO_TIME, "Hour",        number,    "", .n = HOUR },
	{ GO_TIME, "In",          in,        "l" },
	{ GO_TIME, "IsDST",       is_dst,    "" },
	{ GO_TIME, "IsZero",      is_zero,   "" },
	{ GO_TIME, "Local",       local,     "" },
	{ GO_TIME, "Location",    location,  "" },
	{ GO_TIME, "MarshalJSON", marshal,   "", "\"" },
	{ GO_TIME, "MarshalText", marshal,   "", "" },
	{ GO_TIME, "Minute",      number,    "", .n = MINUTE },
	{ GO_TIME, "Month",       number,    "", .n = MONTH },
	{ GO_TIME, "Nanosecond",  number,    "", .n = NANOSECOND },
	{ GO_TIME, "Round",       rounded,   "d" },
	{ GO_TIME, "Second",      number,    "", .n = SEC },
	{ GO_TIME, "String",      string,    "" },
	{ GO_TIME, "Sub",         sub,       "t" },
	{ GO_TIME, "Truncate",    truncated, "d" },
	{ GO_TIME, "UTC",         utc,       "" },
	{ GO_TIME, "Unix",        number,    "", .n = UNIX },
	{ GO_TIME, "UnixMicro",   number,    "", .n = MICRO },
	{ GO_TIME, "UnixMilli",   number,    "", .n = MILLI },
	{ GO_TIME, "UnixNano",    number,    "", .n = NANO },
	{ GO_TIME, "Weekday",     number,    "", .n = WEEKDAY },
	{ GO_TIME, "Year",        number,    "", .n = YEAR },
	{ GO_TIME, "YearDay",     number,    "", .n = YEARDAY },
	{ "time.Location", "String", location_name, "" },
	{ "time.Month",    "String", month_name,    "" },
	{ "time.Weekday",  "String", weekday_name,  "" },
	{ 0 },
	/* clang-format on */
};
