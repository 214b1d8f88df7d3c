/* SPDX-License-Identifier: Apache-2.0 */
#include "top_parts.h"

#include "str.h"

#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/sysmacros.h>

static double elapsed(const struct entry *r)
{
	double s = r->v->now - (double)r->p->start / (double)r->v->hz;

	return s > 0 ? s : 0;
}

static double used(const struct entry *r)
{
	return (double)(r->p->user + r->p->system) / (double)r->v->hz;
}

static double percent(const struct entry *r)
{
	return elapsed(r) > 0 ? used(r) * 100 / elapsed(r) : 0;
}

static char *cell_pid(const struct entry *r)
{
	return xasprintf("%d", (int)r->p->pid);
}

static char *cell_ppid(const struct entry *r)
{
	return xasprintf("%d", (int)r->p->ppid);
}

static char *cell_pgid(const struct entry *r)
{
	return xasprintf("%d", (int)r->p->pgrp);
}

static char *cell_sid(const struct entry *r)
{
	return xasprintf("%d", (int)r->p->session);
}

char *top_cell_uid(const struct entry *r)
{
	return xasprintf("%u", r->id);
}

/* By the machine's own file, as docker's ps does. */
char *top_cell_user(const struct entry *r)
{
	auto_fclose FILE *f = fopen("/etc/passwd", "re");
	const struct passwd *p;

	while (f && (p = fgetpwent(f)))
		if (p->pw_uid == r->id)
			return xstrdup(p->pw_name);
	return top_cell_uid(r);
}

char *top_cell_gid(const struct entry *r)
{
	return xasprintf("%u", r->id);
}

/* Likewise. */
char *top_cell_group(const struct entry *r)
{
	auto_fclose FILE *f = fopen("/etc/group", "re");
	const struct group *g;

	while (f && (g = fgetgrent(f)))
		if (g->gr_gid == r->id)
			return xstrdup(g->gr_name);
	return top_cell_gid(r);
}

static char *cell_comm(const struct entry *r)
{
	return xasprintf("%s%s", r->p->comm, r->p->state == 'Z' ? " <defunct>" : "");
}

static char *cell_args(const struct entry *r)
{
	if (r->p->state == 'Z')
		return xasprintf("[%s] <defunct>", r->p->comm);
	return procs_command(r->p);
}

static char *cell_c(const struct entry *r)
{
	double c = percent(r);

	return xasprintf("%d", c > 99 ? 99 : (int)c);
}

static char *cell_cpu(const struct entry *r)
{
	double c = percent(r);

	return xasprintf(c > 99.9 ? "%.0f" : "%.1f", c);
}

static char *cell_mem(const struct entry *r)
{
	return xasprintf("%.1f", r->v->memory > 0 ? (double)r->p->resident * 100 / r->v->memory : 0);
}

static char *cell_vsz(const struct entry *r)
{
	return xasprintf("%llu", (unsigned long long)r->p->virtual / 1024);
}

static char *cell_rss(const struct entry *r)
{
	return xasprintf("%llu", (unsigned long long)r->p->resident / 1024);
}

static char *cell_s(const struct entry *r)
{
	return xasprintf("%c", r->p->state);
}

static char *cell_stat(const struct entry *r)
{
	const struct proc *p = r->p;

	return xasprintf("%c%s%s%s%s%s", p->state, p->nice < 0 ? "<" : "", p->nice > 0 ? "N" : "",
		p->session == p->pid ? "s" : "", p->threads > 1 ? "l" : "",
		p->tpgid > 0 && p->tpgid == p->pgrp ? "+" : "");
}

static char *cell_tty(const struct entry *r)
{
	unsigned int n = (unsigned int)r->p->tty, big = major(n), small = minor(n);

	if (!n)
		return xstrdup("?");
	if (big >= 136 && big <= 143)
		return xasprintf("pts/%u", small + (big - 136) * 256);
	return big == 4 && small < 64 ? xasprintf("tty%u", small) : xasprintf("%u:%u", big, small);
}

static char *cell_time(const struct entry *r)
{
	long long s = (long long)used(r), days = s / 86400;

	if (!r->wide_time)
		return xasprintf("%lld:%02lld", s / 60, s % 60);
	if (days)
		return xasprintf("%lld-%02lld:%02lld:%02lld", days, s / 3600 % 24, s / 60 % 60, s % 60);
	return xasprintf("%02lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
}

static char *cell_etime(const struct entry *r)
{
	long long s = (long long)elapsed(r), days = s / 86400;

	if (days)
		return xasprintf("%lld-%02lld:%02lld:%02lld", days, s / 3600 % 24, s / 60 % 60, s % 60);
	if (s >= 3600)
		return xasprintf("%02lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
	return xasprintf("%02lld:%02lld", s / 60, s % 60);
}

static char *cell_etimes(const struct entry *r)
{
	return xasprintf("%lld", (long long)elapsed(r));
}

static void start_of(const struct entry *r, struct tm *out)
{
	time_t t = r->v->clock - (time_t)elapsed(r);

	if (!localtime_r(&t, out))
		*out = (struct tm){.tm_mday = 1};
}

/* "06:02" today, "Nov21" this year, else the year. */
static char *cell_stime(const struct entry *r)
{
	char text[32];
	struct tm then, now;

	start_of(r, &then);
	if (!localtime_r(&r->v->clock, &now))
		now = then;
	(void)strftime(text, sizeof(text),
		then.tm_year != now.tm_year   ? "%Y"
		: then.tm_yday != now.tm_yday ? "%b%d"
					      : "%H:%M",
		&then);
	return xstrdup(text);
}

/* "06:02:03" in the first day, then "Nov 21". */
static char *cell_start(const struct entry *r)
{
	char text[32];
	struct tm then;

	start_of(r, &then);
	(void)strftime(text, sizeof(text), elapsed(r) < 86400 ? "%H:%M:%S" : "%b %d", &then);
	return xstrdup(text);
}

static char *cell_lstart(const struct entry *r)
{
	char text[64];
	struct tm then;

	start_of(r, &then);
	(void)strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &then);
	return xstrdup(text);
}

static char *cell_nlwp(const struct entry *r)
{
	return xasprintf("%lld", (long long)r->p->threads);
}

static char *cell_ni(const struct entry *r)
{
	return xasprintf("%d", r->p->nice);
}

static char *cell_pri(const struct entry *r)
{
	return xasprintf("%d", 39 - r->p->priority);
}

/* clang-format off */
static const struct column columns[] = {
	{ "%cpu",       "%CPU",    cell_cpu },
	{ "%mem",       "%MEM",    cell_mem },
	{ "args",       "COMMAND", cell_args },
	{ "c",          "C",       cell_c },
	{ "cmd",        "CMD",     cell_args },
	{ "comm",       "COMMAND", cell_comm },
	{ "command",    "COMMAND", cell_args },
	{ "cputime",    "TIME",    cell_time },
	{ "etime",      "ELAPSED", cell_etime },
	{ "etimes",     "ELAPSED", cell_etimes },
	{ "euid",       "EUID",    top_cell_uid },
	{ "euser",      "EUSER",   top_cell_user },
	{ "lstart",     "STARTED", cell_lstart },
	{ "ni",         "NI",      cell_ni },
	{ "nice",       "NI",      cell_ni },
	{ "nlwp",       "NLWP",    cell_nlwp },
	{ "pcpu",       "%CPU",    cell_cpu },
	{ "pgid",       "PGID",    cell_pgid },
	{ "pgrp",       "PGRP",    cell_pgid },
	{ "pid",        "PID",     cell_pid },
	{ "pmem",       "%MEM",    cell_mem },
	{ "ppid",       "PPID",    cell_ppid },
	{ "pri",        "PRI",     cell_pri },
	{ "rss",        "RSS",     cell_rss },
	{ "rssize",     "RSS",     cell_rss },
	{ "rsz",        "RSZ",     cell_rss },
	{ "ruser",      "RUSER",   top_cell_user },
	{ "s",          "S",       cell_s },
	{ "sess",       "SESS",    cell_sid },
	{ "sid",        "SID",     cell_sid },
	{ "start",      "STARTED", cell_start },
	{ "start_time", "START",   cell_stime },
	{ "stat",       "STAT",    cell_stat },
	{ "state",      "S",       cell_s },
	{ "stime",      "STIME",   cell_stime },
	{ "thcount",    "THCNT",   cell_nlwp },
	{ "time",       "TIME",    cell_time },
	{ "tname",      "TTY",     cell_tty },
	{ "tt",         "TT",      cell_tty },
	{ "tty",        "TT",      cell_tty },
	{ "ucmd",       "CMD",     cell_comm },
	{ "uid",        "UID",     top_cell_uid },
	{ "user",       "USER",    top_cell_user },
	{ "vsize",      "VSZ",     cell_vsz },
	{ "vsz",        "VSZ",     cell_vsz },
};
/* clang-format on */

const struct column *top_column(const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		if (str_eq(columns[i].key, key))
			return &columns[i];
	return NULL;
}
