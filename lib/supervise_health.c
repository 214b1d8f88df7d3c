/* SPDX-License-Identifier: Apache-2.0 */
/* supervise_health: puts the results of health checks into the state, and emits their events. */
#include "supervise_parts.h"

#include "auto.h"
#include "event.h"
#include "sys.h"

#include <string.h>

/* Not the whole state, as another process may have paused or renamed the container. */
static int note_health(struct state *st, void *arg, struct err *e)
{
	const struct state *ours = arg;

	(void)e;
	free(st->health);
	st->health = xstrdup(ours->health);
	if (!st->extra)
		st->extra = json_object();
	(void)json_object_set(st->extra, "Health", json_object_get(ours->extra, "Health")); /* memory */
	if (st->status == ST_PAUSED)
		state_health_stands(st);
	return 0;
}

static void store_health(struct sup *s)
{
	struct state *st = s->ask->state;
	struct err e;

	free(s->ask->state->health);
	s->ask->state->health = xstrdup(s->health.status);
	(void)json_object_set_new(s->ask->state->extra, "Health", health_json(&s->health));
	(void)state_update(s->ask->store, st->id, note_health, st, &e); /* the next result tries again */
}

/* Pausing has set the health to unhealthy: it stays so after an unpause until a check says otherwise. */
static bool is_paused(struct sup *s)
{
	auto_state struct state now = {0};
	struct err unused; /* then it is not known to be */

	if (state_load(s->ask->store, s->ask->state->id, &now, &unused) < 0)
		return false;
	if (now.health && str_eq(now.health, "unhealthy"))
		s->health.status = "unhealthy";
	return now.status == ST_PAUSED;
}

void sup_on_health(struct sup *s, const struct pollfd *p)
{
	const char *before;
	bool paused, due;
	int64_t now = sys_now_ns();

	if (!s->health.spec)
		return;
	due = health_is_due(&s->health, now);
	paused = (due || p[0].revents) && is_paused(s); /* before a result is counted, too */
	/* docker does not check a paused container */
	if (due && paused) {
		health_put_off(&s->health, now);
		return;
	}
	before = s->health.status;
	if (health_run(&s->health, p, sys_now_ns())) {
		store_health(s);
		if (strcmp(before, s->health.status) != 0)
			event_container(s->ask->store, s->ask->state,
				strcmp(s->health.status, "healthy") == 0 ? "health_status: healthy"
									 : "health_status: unhealthy",
				NULL, NULL);
	}
	sup_set_timer(s);
}
