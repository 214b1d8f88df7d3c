/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include "auto.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define FIRST_MS 1000
#define AGAIN_MS 100
#define CLEAR    "\r\033[K"

static int columns(void)
{
	struct winsize w;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
}

static void draw(const struct meter *m, const char *what, int64_t elapsed_ms)
{
	uint64_t total = m->total, done = total && m->done > total ? total : m->done;
	double mb = (double)done / 1e6, rate = mb * 1e3 / (double)elapsed_ms;
	int room = columns() - 50, full;
	auto_free char *line = NULL;
	char bar[64];

	if (room > (int)sizeof(bar) - 1)
		room = (int)sizeof(bar) - 1;
	if (total == 0 || room < 8) {
		line = xasprintf("\r%s  %.1fMB  %.0fMB/s\033[K", what, mb, rate);
	} else {
		full = (int)((double)room * (double)done / (double)total);
		memset(bar, ' ', (size_t)room);
		memset(bar, '=', (size_t)full);
		if (full < room)
			bar[full] = '>';
		bar[room] = '\0';
		line = xasprintf("\r%s  [%s]  %.1fMB/%.1fMB  %.0fMB/s\033[K", what, bar, mb,
			(double)total / 1e6, rate);
	}
	(void)sys_write_all(STDERR_FILENO, line, strlen(line)); /* fails if the terminal is gone, which is fine */
}

/* Draws until it is killed by progress_end(), or its parent is gone. */
static void __attribute__((noreturn)) drawer(struct meter *m, const char *what, int parent)
{
	struct pollfd gone = {.fd = parent, .events = POLLIN};
	int64_t start = sys_now_ns();
	int wait = FIRST_MS;

	(void)prctl(PR_SET_NAME, "sbx-progress");
	/* when these kill the parent, the drawer must live on to erase the bar */
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGQUIT, SIG_IGN);
	(void)signal(SIGTERM, SIG_IGN);
	sys_keep_only((int[]){STDERR_FILENO, parent}, 2);
	while (poll(&gone, 1, wait) == 0 || errno == EINTR) {
		if (gone.revents)
			break;
		m->shown = 1;
		draw(m, what, (sys_now_ns() - start) / 1000000);
		wait = AGAIN_MS;
	}
	if (m->shown)
		(void)sys_write_all(STDERR_FILENO, CLEAR, strlen(CLEAR)); /* as above */
	_exit(0);
}

struct meter *progress_begin(struct progress *p, const char *what, bool wanted)
{
	auto_close int self = wanted && isatty(STDERR_FILENO) ? sys_pidfd_open(getpid()) : -1;
	struct err unused; /* without a meter there is no bar */

	if (self < 0)
		return NULL;
	p->meter = meter_new(&unused);
	if (!p->meter)
		return NULL;
	p->drawer = fork();
	if (p->drawer == 0)
		drawer(p->meter, what, self);
	return p->meter;
}

void progress_end(struct progress *p)
{
	if (p->drawer > 0) {
		(void)kill(p->drawer, SIGKILL); /* our child, not yet waited for */
		while (waitpid(p->drawer, NULL, 0) < 0 && errno == EINTR)
			;
		if (p->meter->shown)
			(void)sys_write_all(STDERR_FILENO, CLEAR, strlen(CLEAR)); /* as above */
	}
	meter_free(p->meter);
	*p = (struct progress){0};
}
