/* SPDX-License-Identifier: Apache-2.0 */
#include "supervise_parts.h"

#include "auto.h"
#include "await.h"
#include "epitaph.h"
#include "event.h"
#include "fallback.h"
#include "spec.h"
#include "sys.h"
#include "upper_lock.h"
#include "volume.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

/* ---- the loop ------------------------------------------------------------------------- */

enum {
	ON_PID,
	ON_TIMER,
	ON_LISTEN,
	ON_LEASE,
	ON_IN,
	ON_OUT,
	ON_ERR,
	ON_QUOTA,
	ON_HEALTH,
	ON_CLIENTS = ON_HEALTH + HEALTH_FDS
};

/* Good until it is asked again. */
static struct pollfd *what_to_poll(struct sup *s, nfds_t *n)
{
	struct pollfd *p = s->polls = xrealloc(s->polls, ON_CLIENTS + s->n_clients, sizeof(*s->polls));
	bool full = sup_any_pending(s);

	p[ON_PID] = (struct pollfd){.fd = s->c.pidfd, .events = POLLIN};
	p[ON_TIMER] = (struct pollfd){.fd = s->timer, .events = POLLIN};
	p[ON_LISTEN] = (struct pollfd){.fd = s->deaf_until ? -1 : s->listener, .events = POLLIN};
	p[ON_LEASE] = (struct pollfd){.fd = s->ask->lease->conn};
	p[ON_IN] = (struct pollfd){.fd = s->stdin_len ? s->in : -1, .events = POLLOUT};
	p[ON_OUT] = (struct pollfd){.fd = full ? -1 : s->out[0], .events = POLLIN};
	p[ON_ERR] = (struct pollfd){.fd = full ? -1 : s->out[1], .events = POLLIN};
	p[ON_QUOTA] = (struct pollfd){.fd = s->quota.pidfd, .events = POLLIN};
	health_poll(&s->health, p + ON_HEALTH);
	for (size_t i = 0; i < s->n_clients; i++) {
		struct client *c = &s->clients[i];
		short events = c->pending ? POLLOUT : 0;

		if (!c->over && (s->stdin_len < STDIN_MAX || !c->wants.in))
			events |= POLLIN;
		p[ON_CLIENTS + i] = (struct pollfd){.fd = c->sock, .events = events};
	}
	*n = ON_CLIENTS + s->n_clients;
	return p;
}

#define AT_ONCE_MS 2

/* A container that is over before anyone could look for it, and is removed then, need not be recorded as running;
 * unless a client is to get its output first, or the event of its start, or a limit is watched. */
static bool ends_at_once(struct sup *s)
{
	const struct supervise *a = s->ask;
	nfds_t n;
	struct pollfd *p = what_to_poll(s, &n);
	bool more;

	if (!a->state->auto_remove || a->attach.in || !(a->attach.out || a->attach.err) ||
		a->plan->memory || a->plan->cpu_time_ns || s->n_clients > 1 ||
		json_object_get(a->state->extra, "upper")) /* which must be known for removing it */
		return false;
	do {
		more = false;
		if (poll(p, n, AT_ONCE_MS) <= 0)
			return false;
		/* The end of its output comes a little before the end of the process. */
		for (int i = ON_OUT; i <= ON_ERR; i++)
			if (p[i].revents == POLLHUP) {
				p[i].fd = -1;
				more = true;
			}
	} while (more && !p[ON_PID].revents);
	return p[ON_PID].revents;
}

/* The process that serves the root with a limited size was killed: the container cannot reach its files any more. */
static void lose_storage(struct sup *s)
{
	struct state *st = s->ask->state;

	quota_end(&s->quota);
	free(st->error);
	st->error = xstrdup("the process that held --storage-opt size was killed, and the root with it");
	sup_end_container(s, END_STORAGE);
}

/* A client announces that it ends the container before it kills it: both may have been noticed at once, and the
 * message not read yet. */
static void hear_rest(struct sup *s)
{
	struct pollfd *p;
	nfds_t n;

	sup_heed_signals(s);
	while (sup_accept(s))
		;
	p = what_to_poll(s, &n);
	if (poll(p, n, 0) > 0)
		sup_on_clients(s, p + ON_CLIENTS);
}

static void run(struct sup *s)
{
	for (;;) {
		nfds_t n;
		struct pollfd *p = what_to_poll(s, &n);
		size_t clients = s->n_clients;

		if (ppoll(p, n, NULL, s->watch.waking.on ? &s->waiting : NULL) < 0 && errno != EINTR)
			break;
		if (watch_woken())
			sup_look_soon(s);
		if (p[ON_OUT].revents)
			(void)sup_take_output(s, 0);
		if (p[ON_ERR].revents)
			(void)sup_take_output(s, 1);
		if (p[ON_IN].revents)
			sup_feed(s);
		if (p[ON_TIMER].revents)
			sup_on_timer(s);
		/* sup_take_output() may have removed a client: then the poll results do not match any more. */
		if (clients == s->n_clients)
			sup_on_clients(s, p + ON_CLIENTS);
		sup_on_health(s, p + ON_HEALTH);
		if (p[ON_LISTEN].revents)
			sup_on_listener(s);
		if (p[ON_LEASE].revents)
			layers_go_on(s->ask->store, s->ask->lease);
		if (p[ON_QUOTA].revents)
			lose_storage(s);
		if (p[ON_PID].revents)
			break;
		sup_heed_signals(s);
		if (s->restart_at && (s->by_hand || sys_now_ns() >= s->restart_at))
			return;
	}
	publish_end(&s->publish);
	hear_rest(s);
	sup_reap(s);
	s->ended = sys_now_ns(); /* what it wrote may still have to be read */
	toll_add(&s->toll, &s->usage);
	toll_add_spent(&s->watch.spent, &s->usage);
	sup_end_rest(s);
}

/* ---- restart -------------------------------------------------------------------------- */

#define RESTART_FIRST_NS 100000000LL
#define RESTART_MAX_NS   60000000000LL
#define RAN_WELL_NS      10000000000LL
#define BUSY_NS          20000000LL

static bool restarts(const struct sup *s)
{
	const char *policy = s->ask->spec->restart;
	int64_t max = s->ask->spec->restart_max;

	if (!policy || !*policy || s->by_hand || strcmp(policy, "no") == 0 || s->end == END_TIMEOUT)
		return false;
	if (strcmp(policy, "on-failure") != 0)
		return true;
	return sup_exit_code(s) != 0 && (max <= 0 || s->ask->state->restart_count < max);
}

/* Waits like docker: a tenth of a second, twice as long each time, at most a minute; serves clients meanwhile. False:
 * the container was stopped by the user. */
static bool wait_to_restart(struct sup *s)
{
	auto_free char *home = upper_home(s->ask->dir, s->ask->state->extra);
	int64_t wait;

	s->restart_delay = s->restart_delay && sys_now_ns() - s->began < RAN_WELL_NS
	                           ? 2 * s->restart_delay
	                           : RESTART_FIRST_NS;
	if (s->restart_delay > RESTART_MAX_NS)
		s->restart_delay = RESTART_MAX_NS;
	/* For attached and waiting clients it is: docker's get each end. */
	sup_tell_end(s);
	sup_close_streams(s);
	s->deadline = s->kill_at = s->kill_again = s->next_look = 0;
	quota_end(&s->quota);
	state_life_between(s->life);
	wait = s->restart_delay;
	do {
		s->restart_at = sys_now_ns() + wait;
		sup_set_timer(s);
		run(s);
		wait = BUSY_NS;
	} while (!s->by_hand &&
		 (upper_is_held(home) || !state_life_again(s->ask->store, s->ask->state->id, s->life)));
	s->restart_at = 0;
	return !s->by_hand;
}

/* The layers were attached in the mount namespace that is gone: they are leased anew. */
static int launch_again(struct sup *s, struct err *e)
{
	struct supervise *a = s->ask;
	struct strv lower = {0};
	struct lease fresh = {.conn = -1, .userns = -1};

	if (fallback_lease(a->store, layers_ids(a->lease), a->layers, &fresh, &lower, e) < 0)
		return -1;
	lease_done(a->lease);
	*a->lease = fresh;
	strv_done(&lower); /* the same directories as before */
	s->end = END_EXITED;
	s->sent = 0;
	s->kill_again = 0;
	s->bytes[0] = s->bytes[1] = s->dropped = 0;
	s->toll = (struct toll){0};
	spent_done(&s->watch.spent);
	return sup_launch(s, e);
}

/* Between the end of one run and the start of the next; false: there is no next one after all. */
static bool live_again(struct sup *s)
{
	struct err e = {0};

	hear_rest(s);
	if (s->by_hand || !wait_to_restart(s))
		return false;
	if (launch_again(s, &e) < 0) {
		(void)launch_words(false, &e); /* the code is that of the last life */
		free(s->ask->state->error);
		s->ask->state->error = xstrdup(e.text);
		return false;
	}
	if (sup_record_start(s, &e) < 0) {
		s->ask->state->error = xstrdup(e.text); /* there is none of a life that had begun */
		sup_record_end(s, false);
		return false;
	}
	event_life_begin(s->ask->store, s->ask->state, s->ask->spec, true);
	return true;
}

/* Up to the moment in which the client is told that the container runs. */
static void begin(struct sup *s)
{
	struct supervise *a = s->ask;
	enum status before = a->state->status;
	struct err e = {0};

	(void)fcntl(a->client, F_SETFL, O_NONBLOCK);
	sup_add_client(s, a->client);
	s->clients[0].wants = a->attach;
	if (sup_begin(s, &e) < 0)
		sup_fail(s, &e);
	await_join(a->store, a->state->id, sup_join_client, s);
	if (ends_at_once(s))
		(void)clock_gettime(CLOCK_REALTIME, &a->state->started); /* always there */
	else if (sup_record_start(s, &e) < 0)
		sup_fail(s, &e);
	event_life_begin(a->store, a->state, a->spec, true);
	/* Before any output, which a client would take for the start. */
	if (sup_tell_start(s, before, &e) < 0)
		sup_fail(s, &e);
	/* Nobody is attached: it is going to be a long sleep. */
	if (!a->attach.out && !a->attach.err)
		sys_trim();
}

/* What is killed at once and ends otherwise did so by itself, before the kill came. */
static void see_who_ended_it(struct sup *s)
{
	bool at_once = s->end == END_OOM || s->end == END_PIDS || s->end == END_OUTPUT ||
	               s->end == END_CPU || (s->end == END_TIMEOUT && !s->ask->plan->kill_after_ns);

	if (at_once && s->signo != SIGKILL) /* also of a command whose --init exits for it */
		s->end = END_EXITED;
}

/* The container runs, and again as often as its restart policy wants; records each end. */
static void live(struct sup *s)
{
	bool again;

	do {
		run(s);
		watch_end(&s->watch);
		sup_drain(s);
		see_who_ended_it(s);
		s->ooms_before = s->used.ooms > 0 ? s->used.ooms : 0;
		cgroup_stats(&s->cgroup, &s->used);
		/* Before the state says that it is over: if a command finds the container of a dead supervisor
		 * running, it cleans up. */
		again = restarts(s);
		if (!again)
			cgroup_remove(&s->cgroup);
		sup_record_end(s, again);
	} while (again && live_again(s));
	log_end(&s->log);
	publish_done(&s->publish); /* a process that starts it again finds its ports free */
	cgroup_remove(&s->cgroup);
	/* The last end was told already; no run has followed. */
	if (s->ask->state->status == ST_RESTARTING) {
		struct err e;

		state_life_ending(s->life);
		s->ask->state->status = ST_EXITED;
		(void)state_save_life(s->ask->store, s->ask->state, &e); /* the life file has the exit code, too */
	}
}

/* The container disappears for everybody, with its anonymous volumes. Returns the directory that holds what is left; -1: it
 * could not be removed, which the next command does. */
static int retire(struct sup *s)
{
	struct supervise *a = s->ask;
	struct err e;
	int files = -1;

	epitaph_write(a->store, a->state->id, a->state->exit_code);
	(void)volume_retire_container(a->store, a->state, a->spec, 0, &files, &e);
	event_container(a->store, a->state, "destroy", NULL, NULL);
	return files;
}

void supervise(struct supervise *a)
{
	struct sup s = {.ask = a,
		.c = LAUNCHED_NONE,
		.claim = -1,
		.life = -1,
		.listener = -1,
		.timer = -1,
		.in = -1,
		.out = {-1, -1},
		.quota = QUOTA_NONE};
	struct err e = {0};
	int files = -1;

	sup_leave_client(a);
	begin(&s);
	live(&s);
	(void)state_life_end(s.life, a->state, &e); /* a waiter then learns it from the state */
	if (a->state->auto_remove)
		files = retire(&s);
	/* A process that waits for the end waits neither for unmounting nor for removing files. One that then starts the
	 * container again, or removes it, waits for the life file: what it wrote takes up room as long as the root is
	 * mounted. */
	while (sup_accept(&s))
		; /* also tells clients that have come meanwhile */
	sup_tell_end(&s);
	auto_close_(&s.c.root);
	auto_close_(&s.c.mounts); /* the last descriptor: the mounts are undone */
	quota_end(&s.quota);
	(void)close(take_fd(&s.claim));
	(void)close(take_fd(&s.life));
	if (files >= 0)
		(void)state_remove_rest(a->store, a->state, &e); /* else the next command does */
	(void)close(take_fd(&s.listener)); /* who comes now, or has not been heard, is told that nobody is here */
	sup_let_clients_go(&s); /* a client that is stopped keeps only us from ending */
	_exit(0);
}
