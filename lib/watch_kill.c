/* SPDX-License-Identifier: Apache-2.0 */
#include "watch_parts.h"

#include "str.h"
#include "sys.h"
#include "turns.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long a victim may take to free its memory before the whole container has to end. It allocates no more meanwhile, but on
 * a busy machine it may have to wait for a processor to die on. */
#define VICTIM_NS 5000000000

/* How often at most those who are held are looked at, and for which part of the time; and how often one may be woken. */
#define CHECK_NS    2000000
#define CHECK_SHARE 16
#define WOKEN_MAX   3
/* How long to wait for those who are told of others' stops to stop first: on a busy machine two milliseconds were too short. */
#define HEEDS_NS 10000000

static void forget(struct watch *w, int i)
{
	(void)close(w->victims[i].dir); /* only looked at */
	w->victims[i] = w->victims[--w->n_victims];
	w->shm.stale = true;
}

void watch_forget_victims(struct watch *w)
{
	while (w->n_victims > 0)
		forget(w, 0);
}

bool watch_await(struct watch *w)
{
	char text[64];

	for (int i = w->n_victims; i-- > 0;) {
		const struct watch_victim *v = &w->victims[i];

		if (sys_get(v->dir, "statm", text, sizeof(text)) <= 0 || str_starts(text, "0 "))
			forget(w, i);
		else if (sys_now_ns() - v->since > VICTIM_NS)
			return false;
	}
	return true;
}

bool watch_is_victim(const struct watch *w, const char *process)
{
	for (int i = 0; i < w->n_victims; i++)
		if (str_eq(w->victims[i].process, process))
			return true;
	return false;
}

static bool is_held(const struct watch *w, const char *process)
{
	for (int i = 0; i < w->n_held; i++)
		if (str_eq(w->held[i].process, process))
			return true;
	return false;
}

static void make_victim(struct watch *w, int dir, const char *process)
{
	struct watch_victim *v = &w->victims[w->n_victims++];
	int memory;

	(void)sys_pidfd_kill(dir, SIGKILL); /* it may have ended */
	memory = watch_open(w, process);
	if (memory >= 0) {
		(void)close(dir); /* only looked at */
		dir = memory;
	}
	w->shm.stale = true;
	*v = (struct watch_victim){.dir = dir, .since = sys_now_ns()};
	(void)snprintf(v->process, sizeof(v->process), "%.15s", process); /* a number fits */
}

struct holding {
	enum watch_hold how;
	int64_t until; /* how long to wait for those who are to stop before others */
};

/* What something else has stopped must not be stopped by us: we would wake it later. */
static bool stop_one(int dir, struct watch_standing *s, int64_t until)
{
	bool heeds;

	if (watch_stands(dir, s))
		return false;
	heeds = s->asleep && watch_heeds_stops(dir);
	if (sys_pidfd_kill(dir, SIGSTOP) < 0)
		return false;
	if (heeds)
		watch_await_stop(dir, until);
	return true;
}

/* (A process that fills memory inside of one system call does not stop; it can only be killed.) */
static void hold_one(struct watch *w, const char *process, void *arg)
{
	struct watch_standing s;
	const struct watch_known *k = watch_known(w, process);
	const struct holding *on = arg;
	bool kill = on->how == WATCH_KILL_GROWING && w->n_victims < WATCH_VICTIMS_MAX;
	int dir;

	/* Only a process that is known to grow is killed. */
	if ((kill ? !k || k->grew < WATCH_FILLS : k && k->grew <= 0 && on->how != WATCH_HOLD_ALL) ||
		watch_is_victim(w, process) ||
		(!kill && (!w->in_turn || w->n_held == WATCH_HELD_MAX || is_held(w, process))))
		return;
	dir = openat(w->proc, process, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return; /* it has ended */
	if (w->ns && !watch_is_ours(w, dir)) {
		(void)close(dir); /* only looked at */
	} else if (kill) {
		make_victim(w, dir, process);
	} else if (!stop_one(dir, &s, on->until)) {
		(void)close(dir); /* as above */
	} else {
		struct watch_held *h = &w->held[w->n_held++];

		*h = (struct watch_held){.dir = dir, .resident = s.resident};
		(void)snprintf(h->process, sizeof(h->process), "%.15s", process); /* fits */
	}
}

/* Memory may not be short; but as long as it goes on, nobody can tell. */
static void kill_held(struct watch *w, int i)
{
	struct watch_held h = w->held[i];

	if (w->n_victims == WATCH_VICTIMS_MAX) {
		(void)sys_pidfd_kill(h.dir, SIGKILL); /* it may have ended */
		return;
	}
	w->held[i] = w->held[--w->n_held];
	w->killed = true;
	if (w->on_kill && w->n_victims == 0) /* else the caller knows already */
		w->on_kill(w->arg);
	make_victim(w, h.dir, h.process);
}

void watch_keep_still(struct watch *w)
{
	int64_t began = w->n_held > 0 ? sys_now_ns() : 0, most;

	if (began < w->check_at || w->n_held == 0)
		return;
	for (int i = w->n_held; i-- > 0;) {
		struct watch_held *h = &w->held[i];

		if (!watch_takes_more(h))
			continue;
		if (h->woken++ < WOKEN_MAX)
			(void)sys_pidfd_kill(h->dir, SIGSTOP); /* it may have ended */
		else
			kill_held(w, i);
	}
	most = CHECK_SHARE * (sys_now_ns() - began);
	w->check_at = began + (most > CHECK_NS ? most : CHECK_NS);
}

/* No longer than all processors need to write what the limit is. */
static int64_t patience(const struct watch *w)
{
	int64_t most = w->memory / w->per_ns;

	return most < HEEDS_NS ? most : HEEDS_NS;
}

bool watch_hold(struct watch *w, enum watch_hold how)
{
	struct holding on = {how, sys_now_ns() + patience(w)};

	w->in_turn = true;
	if (!turns_hold(w->turns))
		watch_go_on(w);
	watch_keep_still(w);
	if (w->in_turn || how == WATCH_KILL_GROWING)
		watch_each(w, hold_one, &on);
	if (!w->check_at)
		w->check_at = sys_now_ns() + CHECK_NS;
	return w->in_turn;
}

void watch_go_on(struct watch *w)
{
	w->fillings = 0;
	w->check_at = 0;
	if (w->n_held > 0)
		w->idle = false; /* nothing changed only because they were stopped */
	while (w->n_held > 0) {
		int dir = w->held[--w->n_held].dir;

		(void)sys_pidfd_kill(dir, SIGCONT); /* it may have been killed */
		(void)close(dir);                   /* only looked at */
	}
	if (w->in_turn)
		turns_let_go(w->turns);
	w->in_turn = false;
}

/* A descriptor of a process's directory in /proc serves as a pidfd, and can be had for a number in the container's pid
 * namespace, which pidfd_open() cannot. */
void watch_kill(struct watch *w, const char *process)
{
	int dir = openat(w->proc, process, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	w->killed = true;
	if (dir < 0)
		return; /* it has ended by itself */
	if (w->ns && !watch_is_ours(w, dir)) {
		(void)close(dir); /* likewise, and its number is another one's by now */
		return;
	}
	/* on_kill() writes a file, so all are stopped first, lest they grow meanwhile; the victim before the others. */
	(void)sys_pidfd_kill(dir, SIGSTOP);  /* it may have ended */
	(void)watch_hold(w, WATCH_HOLD_ALL); /* a pause stops them, too */
	if (w->on_kill && w->n_victims == 0) /* else the caller knows already */
		w->on_kill(w->arg);
	make_victim(w, dir, process);
}
