/* SPDX-License-Identifier: Apache-2.0 */
#include "pool_parts.h"

#include "auto.h"
#include "sys.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <sys/socket.h>

#define CLIENTS_MAX  256
#define TRIES_MAX    2 /* a template that died while it ran it: once more */
#define FAILURES_MAX 3
#define FDS_OF_ALL   32 /* descriptors of none in particular */
#define FDS_OF_EACH  16 /* of a worker, or a lane */
#define DEAF_NS      100000000

/* ---- the queue ------------------------------------------------------------------------ */

void pool_queue(struct pool *p, struct job *j)
{
	j->waiting = NULL;
	if (p->last)
		p->last->waiting = j;
	else
		p->first = j;
	p->last = j;
}

void pool_queue_again(struct pool *p, struct job *j)
{
	j->waiting = p->first;
	p->first = j;
	if (!p->last)
		p->last = j;
}

static struct job *take_job(struct pool *p)
{
	struct job *j = p->first;

	p->first = j->waiting;
	if (!p->first)
		p->last = NULL;
	j->waiting = NULL;
	return j;
}

/* Drops jobs whose clients have disconnected. */
static void clean_queue(struct pool *p)
{
	struct job *all = p->first, *next;

	p->first = p->last = NULL;
	for (; all; all = next) {
		next = all->waiting;
		if (all->client)
			pool_queue(p, all);
		else
			job_answered(p, all);
	}
}

static void refuse_all(struct pool *p, const struct err *e)
{
	while (p->first)
		job_refuse(p, take_job(p), "SetupError", e);
}

/* ---- the template --------------------------------------------------------------------- */

static int start_template(struct pool *p, struct err *e)
{
	const struct template_ask ask = {.place = p->ask->place,
		.preload = p->ask->preload,
		.memory = p->ask->defaults->memory,
		.workers = p->ask->workers,
		.lanes = p->homes.n};

	return template_start(&p->template, &ask, e);
}

/* Everything in it is over; what it was running comes first again. */
static void lose_template(struct pool *p, const char *why)
{
	struct err e;

	(void)err_set(&e, ERR_SYSTEM, "the warm python has ended: %s", why);
	template_stop(&p->template);
	for (size_t i = p->n_workers; i-- > 0;) {
		struct worker *w = &p->workers[i];
		struct job *j = w->job;
		bool tried = j && (j->tries >= TRIES_MAX || w->killed);

		worker_clear(p, w);
		if (j && tried)
			job_refuse(p, j, "SetupError", &e);
		else if (j)
			pool_queue_again(p, j);
	}
	if (++p->failures < FAILURES_MAX)
		return;
	p->why = e;
	p->broken = !p->was_ready;
	refuse_all(p, &e);
	p->failures = 0;
}

static struct worker *worker_of(struct pool *p, uint32_t number)
{
	for (size_t i = 0; i < p->n_workers; i++)
		if (p->workers[i].state != WORKER_EMPTY && p->workers[i].number == number)
			return &p->workers[i];
	return NULL;
}

static void say_ready(struct pool *p)
{
	if (!p->was_ready && p->ready)
		p->ready(p->ask->arg);
	p->was_ready = true;
}

/* Not on this machine, or not where we are on it; or not with this python. */
static void give_up_warm(struct pool *p)
{
	auto_free char *text = xasprintf(
		"no child of a warm python can be isolated here (%s): each request gets a container",
		p->failure);

	if (p->ask->warn)
		p->ask->warn(text, p->ask->arg);
	for (size_t i = 0; i < p->n_workers; i++)
		worker_clear(p, &p->workers[i]);
	template_stop(&p->template);
	p->fresh = true;
	say_ready(p);
}

static void on_cell(struct pool *p, const struct template_news *news)
{
	struct worker *w = worker_of(p, news->number);
	struct err e;

	if (w) {
		worker_hear(p, w, news);
	} else if (news->what == TEMPLATE_CELL) { /* its child has ended before this message came */
		(void)sys_pidfd_kill(news->pidfd, SIGKILL);
		(void)close(news->pidfd);
		(void)close(news->proc);
		(void)close(news->files);
	}
	if (p->failures < FAILURES_MAX || p->busy)
		return;
	if (!p->isolated) {
		give_up_warm(p);
		return;
	}
	(void)err_set(&e, ERR_SYSTEM, "a cell of the pool: %s", p->failure);
	if (!p->first)
		return; /* the next request hears it */
	job_refuse(p, take_job(p), "SetupError", &e);
	p->failures = 0;
}

static void warn_preload(struct pool *p, const char *lines)
{
	for (size_t n; *lines && p->ask->warn; lines += n + (lines[n] == '\n')) {
		auto_free char *text = NULL;

		n = strcspn(lines, "\n");
		text = xasprintf("cannot preload %.*s", (int)n, lines);
		p->ask->warn(text, p->ask->arg);
	}
}

static void hear_template(struct pool *p, size_t lane)
{
	struct template_news news;

	for (;;) {
		template_hear(&p->template, lane, &news);
		switch (news.what) {
		case TEMPLATE_QUIET:
			return;
		case TEMPLATE_GONE:
			lose_template(p, news.text);
			return;
		case TEMPLATE_READY:
			if (news.text[0] && !p->was_ready)
				warn_preload(p, news.text);
			say_ready(p);
			break;
		case TEMPLATE_UNABLE:
			(void)snprintf(p->failure, sizeof(p->failure), "%.250s", news.text); /* may be cut */
			give_up_warm(p);
			return;
		default:
			on_cell(p, &news);
		}
	}
}

/* ---- which worker runs what ------------------------------------------------------------ */

/* How many requests a lane runs at once; it has one more worker, whose cell is made ahead. */
static size_t most_of(const struct pool *p, size_t lane)
{
	size_t workers = (size_t)p->ask->workers, n = p->homes.n;

	return workers / n + (lane < workers % n);
}

static size_t count(const struct pool *p, size_t lane, unsigned states)
{
	size_t n = 0;

	for (size_t i = lane; i < p->n_workers; i += p->homes.n)
		n += states >> p->workers[i].state & 1;
	return n;
}

#define MADE (1U << WORKER_MAKING | 1U << WORKER_READY)
#define BUSY (1U << WORKER_BUSY | 1U << WORKER_ENDED)

/* Who could take a request: of the lane which has least to do. */
static struct worker *find(struct pool *p, int state)
{
	struct worker *found = NULL;
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < p->n_workers; i++) {
		struct worker *w = &p->workers[i];
		size_t busy;

		if ((int)w->state != state)
			continue;
		busy = count(p, w->lane, BUSY);
		if (busy < least && busy < most_of(p, w->lane)) {
			found = w;
			least = busy;
		}
	}
	return found;
}

static bool more_can_come(const struct pool *p)
{
	if (p->listener >= 0 || p->first)
		return true;
	for (const struct client *c = p->clients; c; c = c->next)
		if (c->in >= 0 || c->line.len)
			return true;
	return false;
}

/* How many cells a lane is to have ready in addition to busy ones. If no request waits, one, so that the next request
 * need not wait for it. If requests wait, also one in a lane of several workers, which all wait for their one keeper
 * and template; but none in a lane of one worker, which takes one processor and no more. A client that sends a request
 * now and then will not send the next one before this is answered, and gets its answer sooner if nothing is made at
 * the same time. */
static size_t wanted_cells(const struct pool *p, size_t lane, int64_t now)
{
	size_t most = most_of(p, lane), idle = most - count(p, lane, BUSY);

	if (p->first)
		return most > 1 ? idle + 1 : idle;
	for (size_t i = 0; p->rested && i < p->n_workers; i++)
		if (worker_is_brief(&p->workers[i], now))
			return idle;
	return idle ? idle : 1;
}

static void make_cells(struct pool *p, size_t lane, int64_t now)
{
	size_t wanted = wanted_cells(p, lane, now), made = count(p, lane, MADE);
	struct err e;

	for (size_t i = lane; made < wanted && i < p->n_workers; i += p->homes.n) {
		if (p->workers[i].state != WORKER_EMPTY)
			continue;
		if (worker_make(p, &p->workers[i], &e) < 0)
			return; /* its container is going: that is heard */
		made++;
	}
}

static void dispatch(struct pool *p)
{
	int free_one = p->fresh ? WORKER_EMPTY : WORKER_READY;
	struct worker *w;
	struct err e;

	if (!p->fresh && (p->first || !p->was_ready) && p->template.engine < 0 &&
		start_template(p, &e) < 0)
		refuse_all(p, &e);
	while (p->first && p->busy < (size_t)p->ask->workers && (w = find(p, free_one)) != NULL)
		worker_start(p, w, take_job(p));
	if (p->first && p->failures >= FAILURES_MAX && !p->busy)
		p->failures = 0; /* the failure does not count for this kind */
	if (p->fresh || p->failures >= FAILURES_MAX || !more_can_come(p))
		return;
	homes_look(&p->homes, sys_now_ns());
	for (size_t lane = 0; lane < p->template.n_lanes; lane++)
		if (p->template.lanes[lane].ready)
			make_cells(p, lane, sys_now_ns());
}

/* ---- the loop ------------------------------------------------------------------------- */

enum { ON_SIGNAL, ON_LISTEN, ON_LANES };
enum { ON_KEEPER, ON_PYTHON, LANE_FDS }; /* of each lane */

static nfds_t what_to_poll(struct pool *p, int64_t now, struct pollfd *fds)
{
	bool hears = p->n_clients < p->clients_max && now >= p->deaf_until;
	nfds_t n = ON_LANES;

	fds[ON_SIGNAL] = (struct pollfd){.fd = p->signals, .events = POLLIN};
	fds[ON_LISTEN] = (struct pollfd){.fd = hears ? p->listener : -1, .events = POLLIN};
	for (size_t i = 0; i < p->homes.n; i++, n += LANE_FDS) {
		const struct template_lane *l = &p->template.lanes[i];
		bool any = i < p->template.n_lanes;

		fds[n + ON_KEEPER] = (struct pollfd){.fd = any ? l->keeper : -1, .events = POLLIN};
		fds[n + ON_PYTHON] = (struct pollfd){.fd = any ? l->python : -1, .events = POLLIN};
	}
	for (size_t i = 0; i < p->n_workers; i++, n += WORKER_FDS)
		worker_poll(&p->workers[i], now, fds + n);
	for (const struct client *c = p->clients; c; c = c->next, n += CLIENT_FDS)
		client_poll(p, c, fds + n);
	return n;
}

static int64_t wakes(const struct pool *p, int64_t now)
{
	int64_t at = now < p->deaf_until ? p->deaf_until : 0;

	for (size_t i = 0; i < p->n_workers; i++) {
		int64_t one = worker_wakes(&p->workers[i], now);

		if (one && (!at || one < at))
			at = one;
	}
	return at;
}

static void on_listener(struct pool *p)
{
	int fd = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC);
	struct ucred peer;
	socklen_t n = sizeof(peer);

	/* The client is still waiting, and nothing tells when a descriptor becomes free. */
	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS))
		p->deaf_until = sys_now_ns() + DEAF_NS;
	if (fd < 0)
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0 || peer.uid != geteuid())
		(void)close(fd); /* another user's process */
	else
		(void)client_add(p, fd, fd);
}

static void on_signal(struct pool *p)
{
	struct signalfd_siginfo info;

	if (read(p->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		p->ended_by = (int)info.ssi_signo;
}

static bool any_lost(const struct pool *p, int64_t now)
{
	for (size_t i = 0; i < p->n_workers; i++)
		if (worker_is_lost(&p->workers[i], now))
			return true;
	return false;
}

static void step(struct pool *p, const struct pollfd *fds)
{
	int64_t now = sys_now_ns();
	nfds_t n = ON_LANES + p->homes.n * LANE_FDS;
	struct client *next;

	for (size_t i = 0; i < p->n_workers; i++, n += WORKER_FDS)
		if (p->workers[i].state == WORKER_BUSY || p->workers[i].state == WORKER_ENDED)
			worker_step(p, &p->workers[i], fds + n);
	for (size_t i = 0; i < p->homes.n; i++) {
		const struct pollfd *lane = fds + ON_LANES + i * LANE_FDS;

		if (lane[ON_KEEPER].revents || lane[ON_PYTHON].revents)
			hear_template(p, i);
	}
	for (size_t i = 0; i < p->n_workers; i++)
		worker_look(&p->workers[i], now);
	if (any_lost(p, now))
		lose_template(p, "it did not answer");
	for (struct client *c = p->clients; c; c = next, n += CLIENT_FDS) {
		next = c->next;
		client_step(p, c, fds + n);
	}
	clean_queue(p);
	for (struct client *c = p->clients; c; c = next) {
		next = c->next;
		if (client_is_over(c))
			client_free(p, c);
	}
	if (fds[ON_SIGNAL].revents)
		on_signal(p);
	if (fds[ON_LISTEN].revents)
		on_listener(p);
}

static void loop(struct pool *p)
{
	struct pollfd *fds = xcalloc(ON_LANES + p->homes.n * LANE_FDS + p->n_workers * WORKER_FDS +
					     CLIENTS_MAX * CLIENT_FDS,
		sizeof(*fds));

	while (!p->ended_by && !p->broken && (p->n_clients || p->listener >= 0)) {
		int64_t now;
		nfds_t n;

		dispatch(p);
		now = sys_now_ns();
		n = what_to_poll(p, now, fds);
		if (poll(fds, n, sys_poll_ms(wakes(p, now))) < 0) {
			if (errno == EINTR)
				continue;
			(void)err_sys(&p->why, "poll");
			p->broken = true;
			break;
		}
		step(p, fds);
	}
	free(fds);
}

/* ---- from begin to end ---------------------------------------------------------------- */

static int open_signals(sigset_t *before, struct err *e)
{
	sigset_t set;
	int fd;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &set, before);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_sys(e, "signalfd") : fd;
}

/* So many that enough descriptors are left for the workers, and that one poll() can take them all, in which each
 * client may be twice. */
static size_t most_clients(const struct pool *p)
{
	size_t work = FDS_OF_ALL + (p->n_workers + p->homes.n) * FDS_OF_EACH;
	struct rlimit r = {.rlim_cur = 64};

	(void)getrlimit(RLIMIT_NOFILE, &r); /* cannot fail with these arguments */
	if (r.rlim_cur >= work + (size_t)CLIENTS_MAX * CLIENT_FDS)
		return CLIENTS_MAX;
	return r.rlim_cur > work + CLIENT_FDS ? (r.rlim_cur - work) / CLIENT_FDS : 1;
}

static int begin(struct pool *p, const struct pool_ask *ask, struct err *e)
{
	sigset_t unused;

	*p = (struct pool){.ask = ask, .template = TEMPLATE_NONE, .fresh = ask->fresh, .listener = -1};
	homes_begin(&p->homes, (size_t)ask->workers);
	p->n_workers = (size_t)ask->workers + p->homes.n; /* one of each lane is made ahead */
	p->workers = xcalloc(p->n_workers, sizeof(*p->workers));
	for (size_t i = 0; i < p->n_workers; i++) {
		p->workers[i].lane = i % p->homes.n;
		worker_clear(p, &p->workers[i]);
	}
	p->clients_max = most_clients(p);
	(void)signal(SIGPIPE, SIG_IGN);
	p->signals = open_signals(&unused, e);
	if (p->signals < 0)
		return -1;
	return ask->fresh ? 0 : start_template(p, e);
}

static int end(struct pool *p, struct err *e)
{
	for (size_t i = 0; i < p->n_workers; i++) {
		struct worker *w = &p->workers[i];
		struct job *j = w->job;

		worker_kill(w, "client-gone");
		if (w->pid > 0)
			(void)waitpid(w->pid, NULL, 0); /* our child, killed */
		worker_clear(p, w);
		if (j)
			pool_queue_again(p, j);
	}
	template_stop(&p->template);
	while (p->clients) {
		client_lose(p, p->clients);
		client_free(p, p->clients);
	}
	clean_queue(p);
	auto_close_(&p->signals);
	homes_done(&p->homes);
	free(p->workers);
	if (!p->broken)
		return 0;
	*e = p->why;
	return -1;
}

int pool_run(const struct pool_ask *ask, int in, int out, struct err *lost, struct err *e)
{
	struct pool p;
	int result = begin(&p, ask, e);

	if (result == 0) {
		struct client *c = client_add(&p, in, out);

		(void)c;
		loop(&p);
		result = p.ended_by;
	}
	*lost = p.lost;
	return end(&p, result < 0 ? &(struct err){0} : e) < 0 ? -1 : result;
}

int pool_serve(const struct pool_ask *ask, int listener, void (*ready)(void *arg), struct err *e)
{
	struct pool p;
	int result = begin(&p, ask, e);

	if (result == 0) {
		p.listener = listener;
		p.ready = ready;
		if (ask->fresh && ready)
			ready(ask->arg);
		loop(&p);
	}
	return end(&p, result < 0 ? &(struct err){0} : e) < 0 ? -1 : result;
}
