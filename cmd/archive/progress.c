/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define FIRST_MS 1000
#define AGAIN_MS 100

static int64_t ms_between(const struct timespec *a, const struct timespec *b)
{
	return (b->tv_sec - a->tv_sec) * 1000 + (b->tv_nsec - a->tv_nsec) / 1000000;
}

static int columns(void)
{
	struct winsize w;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
}

static void draw(const struct progress *p, int64_t elapsed_ms)
{
	char bar[64];
	double mb = (double)p->done / 1e6, seconds = (double)elapsed_ms / 1e3;
	int room = columns() - 50, full = 0;

	if (room > (int)sizeof(bar) - 1)
		room = (int)sizeof(bar) - 1;
	if (p->total == 0 || room < 8) {
		(void)fprintf(stderr, "\r%s  %.1fMB  %.0fMB/s\033[K", p->what, mb, mb / seconds);
		return;
	}
	full = (int)((double)room * (double)p->done / (double)p->total);
	full = full > room ? room : full;
	memset(bar, ' ', (size_t)room);
	memset(bar, '=', (size_t)full);
	if (full < room)
		bar[full] = '>';
	bar[room] = '\0';
	(void)fprintf(stderr, "\r%s  [%s]  %.1fMB/%.1fMB  %.0fMB/s\033[K", p->what, bar, mb,
		(double)p->total / 1e6, mb / seconds);
}

void progress_show(void *progress, uint64_t done)
{
	struct progress *p = progress;
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail with this clock */
	if (p->start.tv_sec == 0)
		p->start = now;
	p->done = done;
	if (ms_between(&p->start, &now) < FIRST_MS || (p->shown && ms_between(&p->last, &now) < AGAIN_MS))
		return;
	p->last = now;
	p->shown = true;
	draw(p, ms_between(&p->start, &now));
}

void progress_end(struct progress *p)
{
	if (p->shown)
		(void)fputs("\r\033[K", stderr);
}
