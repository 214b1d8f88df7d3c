/* SPDX-License-Identifier: Apache-2.0 */
#include "tmpl_layout.h"

#include "auto.h"

#include <stddef.h>
#include <string.h>

/* "-07:00"; colon: with one; parts: of hours, minutes and seconds so many. */
static void put_offset(const struct moment *m, bool colon, int parts, struct buf *out)
{
	int n = m->offset < 0 ? -m->offset : m->offset;

	buf_printf(out, "%c%02d", m->offset < 0 ? '-' : '+', n / 3600);
	if (parts > 1)
		buf_printf(out, "%s%02d", colon ? ":" : "", n / 60 % 60);
	if (parts > 2)
		buf_printf(out, "%s%02d", colon ? ":" : "", n % 60);
}

/* So many digits of the second; trim: without zeros at the end, and the point if nothing is behind it. */
static void put_fraction(const struct moment *m, char point, int digits, bool trim, struct buf *out)
{
	char text[10];

	(void)snprintf(text, sizeof(text), "%09d", m->ns);
	digits = digits > 9 ? 9 : digits;
	while (trim && digits > 0 && text[digits - 1] == '0')
		digits--;
	if (digits > 0)
		buf_printf(out, "%c%.*s", point, digits, text);
}

const char *const go_months[12] = {"January", "February", "March", "April", "May", "June", "July",
	"August", "September", "October", "November", "December"};
const char *const go_days[7] = {
	"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

/* Go's layouts are made of pieces of "Mon Jan 2 15:04:05 MST 2006"; of two that begin alike the longer is first. */
enum piece {
	P_MONTH,
	P_MON,
	P_WEEKDAY,
	P_DAY_NAME,
	P_ZONE,
	P_MONTH_2,
	P_DAY_2,
	P_HOUR12_2,
	P_MINUTE_2,
	P_SECOND_2,
	P_YEAR_2,
	P_YEARDAY_3,
	P_MONTH_1,
	P_HOUR24,
	P_YEAR,
	P_DAY_1,
	P_DAY_SPACE,
	P_YEARDAY_SPACE,
	P_HOUR12,
	P_MINUTE,
	P_SECOND,
	P_PM,
	P_PM_SMALL,
	P_OFFSET,
	P_NONE,
};

static const struct {
	const char *text;
	enum piece piece;
	int parts; /* of an offset */
} pieces[] = {{"January", P_MONTH, 0}, {"Jan", P_MON, 0}, {"Monday", P_WEEKDAY, 0},
	{"Mon", P_DAY_NAME, 0}, {"MST", P_ZONE, 0}, {"002", P_YEARDAY_3, 0}, {"01", P_MONTH_2, 0},
	{"02", P_DAY_2, 0}, {"03", P_HOUR12_2, 0}, {"04", P_MINUTE_2, 0}, {"05", P_SECOND_2, 0},
	{"06", P_YEAR_2, 0}, {"15", P_HOUR24, 0}, {"1", P_MONTH_1, 0}, {"2006", P_YEAR, 0},
	{"2", P_DAY_1, 0}, {"__2", P_YEARDAY_SPACE, 0}, {"_2", P_DAY_SPACE, 0}, {"3", P_HOUR12, 0},
	{"4", P_MINUTE, 0}, {"5", P_SECOND, 0}, {"PM", P_PM, 0}, {"pm", P_PM_SMALL, 0},
	{"-07:00:00", P_OFFSET, 3}, {"-07:00", P_OFFSET, 2}, {"-070000", P_OFFSET, 3},
	{"-0700", P_OFFSET, 2}, {"-07", P_OFFSET, 1}, {"Z07:00:00", P_OFFSET, 3},
	{"Z07:00", P_OFFSET, 2}, {"Z070000", P_OFFSET, 3}, {"Z0700", P_OFFSET, 2},
	{"Z07", P_OFFSET, 1}};

/* The row of the piece at the beginning of the layout, or ARRAY_LEN(pieces). */
static size_t piece_at(const char *at)
{
	size_t i = 0;

	for (; i < ARRAY_LEN(pieces); i++) {
		if (!str_starts(at, pieces[i].text))
			continue;
		if (pieces[i].piece == P_MON && at[3] >= 'a' && at[3] <= 'z')
			continue; /* "Janus" is a word */
		if (pieces[i].piece == P_DAY_NAME && at[3] >= 'a' && at[3] <= 'z')
			continue;
		if (pieces[i].piece == P_DAY_SPACE && str_starts(at, "_2006"))
			continue; /* a year behind a "_" */
		break;
	}
	return i;
}

static void put_piece(const struct moment *m, size_t row, struct buf *out)
{
	int twelve = m->hour % 12 ? m->hour % 12 : 12;
	long long year = (long long)m->year;
	const char *text = pieces[row].text;

	switch (pieces[row].piece) {
	case P_MONTH:
		buf_puts(out, go_months[m->month - 1]);
		break;
	case P_MON:
		buf_add(out, go_months[m->month - 1], 3);
		break;
	case P_WEEKDAY:
		buf_puts(out, go_days[m->weekday]);
		break;
	case P_DAY_NAME:
		buf_add(out, go_days[m->weekday], 3);
		break;
	case P_ZONE:
		if (*m->zone)
			buf_puts(out, m->zone);
		else
			put_offset(m, false, 2, out);
		break;
	case P_MONTH_1:
	case P_MONTH_2:
		buf_printf(out, text[1] ? "%02d" : "%d", m->month);
		break;
	case P_DAY_1:
	case P_DAY_2:
		buf_printf(out, text[1] ? "%02d" : "%d", m->day);
		break;
	case P_DAY_SPACE:
		buf_printf(out, "%2d", m->day);
		break;
	case P_YEARDAY_3:
	case P_YEARDAY_SPACE:
		buf_printf(out, *text == '0' ? "%03d" : "%3d", m->yearday);
		break;
	case P_HOUR24:
		buf_printf(out, "%02d", m->hour);
		break;
	case P_HOUR12:
	case P_HOUR12_2:
		buf_printf(out, text[1] ? "%02d" : "%d", twelve);
		break;
	case P_MINUTE:
	case P_MINUTE_2:
		buf_printf(out, text[1] ? "%02d" : "%d", m->minute);
		break;
	case P_SECOND:
	case P_SECOND_2:
		buf_printf(out, text[1] ? "%02d" : "%d", m->second);
		break;
	case P_YEAR:
		buf_printf(out, "%04lld", year);
		break;
	case P_YEAR_2:
		buf_printf(out, "%02lld", (year % 100 + 100) % 100);
		break;
	case P_PM:
		buf_puts(out, m->hour >= 12 ? "PM" : "AM");
		break;
	case P_PM_SMALL:
		buf_puts(out, m->hour >= 12 ? "pm" : "am");
		break;
	default:
		if (*text == 'Z' && m->offset == 0)
			buf_putc(out, 'Z');
		else
			put_offset(m, strchr(text, ':') != NULL, pieces[row].parts, out);
	}
}

/* ".000" or ",999" with no digit behind it: how long it is; 0: none. */
static size_t fraction_at(const char *at)
{
	size_t n;

	if ((*at != '.' && *at != ',') || (at[1] != '0' && at[1] != '9'))
		return 0;
	n = strspn(at + 1, at[1] == '0' ? "0" : "9");
	return at[1 + n] >= '0' && at[1 + n] <= '9' ? 0 : 1 + n;
}

void moment_print(const struct moment *m, const char *layout, struct buf *out)
{
	while (*layout) {
		size_t row = piece_at(layout), n = fraction_at(layout);

		if (row < ARRAY_LEN(pieces)) {
			put_piece(m, row, out);
			layout += strlen(pieces[row].text);
		} else if (n) {
			put_fraction(m, *layout, (int)n - 1, layout[1] == '9', out);
			layout += n;
		} else {
			buf_putc(out, *layout++);
		}
	}
}
