/* SPDX-License-Identifier: Apache-2.0 */
/* engine_pause: pause and unpause, noted before they are done. */
#include "engine_parts.h"

#include "auto.h"
#include "event.h"
#include "pause.h"
#include "update.h"

struct pause_note {
	bool pause;
	json_t *how; /* see pause.h */
};

/* If it has ended in between there is nothing to record. */
static int note_pause(struct state *st, void *arg, struct err *e)
{
	const struct pause_note *n = arg;

	(void)e;
	if (st->status != ST_RUNNING && st->status != ST_PAUSED)
		return 0;
	st->status = n->pause ? ST_PAUSED : ST_RUNNING;
	if (n->pause)
		state_health_stands(st);
	if (!st->extra)
		st->extra = json_object();
	if (n->how)
		(void)json_object_set(st->extra, "pause", n->how); /* memory */
	else
		(void)json_object_del(st->extra, "pause"); /* it was there, or need not go */
	return 0;
}

static int note(const struct store *s, const char *id, bool pause, json_t *how, struct err *e)
{
	return state_update(s, id, note_pause, &(struct pause_note){pause, how}, e);
}

/* Pauses only after that was recorded, or nobody could unpause it. */
static int pause_noted(const struct store *s, const struct state *st, struct err *e)
{
	auto_json json_t *begun = pause_begun(), *how = NULL;
	struct err unused; /* the first error is reported */

	if (note(s, st->id, true, begun, e) < 0)
		return -1;
	if (pause_freeze(s, st, &how, e) < 0) {
		if (!how) /* else unpause can still be called */
			(void)note(s, st->id, false, NULL, &unused);
		return err_ctx(e, "Cannot pause container %s", st->id);
	}
	if (note(s, st->id, true, how, e) == 0)
		return 0;
	if (pause_thaw(st, how, &unused) == 0)
		(void)note(s, st->id, false, NULL, &unused);
	return -1;
}

/* What an update could not do meanwhile is done now. */
static int unpause_noted(const struct store *s, const struct state *st, struct err *e)
{
	if (pause_thaw(st, json_object_get(st->extra, "pause"), e) < 0)
		return err_ctx(e, "Cannot unpause container %s", st->id);
	if (note(s, st->id, false, NULL, e) < 0)
		return -1;
	if (state_was_changed(s, st->id))
		update_tell_supervisor(s, st->id);
	return 0;
}

int engine_pause(const struct store *s, const char *id, bool pause, struct err *e)
{
	auto_state struct state st = {0};

	if (state_load(s, id, &st, e) < 0 || state_is_in_reach(&st, e) < 0)
		return -1;
	if (pause && st.status == ST_PAUSED)
		return err_set(e, ERR_CONFLICT, "Container %s is already paused", st.id);
	if (pause && st.status == ST_RESTARTING)
		return engine_not_running(&st, e);
	if (pause && st.status != ST_RUNNING)
		return err_set(e, ERR_CONFLICT, "Container %s is not running", st.id);
	if (!pause && st.status != ST_PAUSED)
		return err_set(e, ERR_CONFLICT, "Container %s is not paused", st.id);
	if ((pause ? pause_noted(s, &st, e) : unpause_noted(s, &st, e)) < 0)
		return -1;
	event_container(s, &st, pause ? "pause" : "unpause", NULL, NULL);
	return 0;
}
