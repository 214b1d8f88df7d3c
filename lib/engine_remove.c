/* SPDX-License-Identifier: Apache-2.0 */
/* engine_remove: what is left of a container goes. */
#include "engine_parts.h"

#include "auto.h"
#include "event.h"
#include "owner.h"
#include "volume.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static int remove_rest_as_owner(const struct store *s, const void *arg, struct err *e)
{
	return state_remove_rest(s, arg, e);
}

/* spec: for removing its anonymous volumes, too; or NULL. */
static int remove_all(
	const struct store *s, const struct state *st, const struct spec *spec, struct err *e)
{
	auto_close int dir = -1;

	if (volume_retire_container(s, st, spec, RETIRE_STOPPED, &dir, e) < 0)
		return -1;
	if (state_remove_rest(s, st, e) == 0)
		return 0;
	if (e->kind != ERR_DENIED)
		return -1;
	return owner_do(s, remove_rest_as_owner, st, e) < 0 ? err_ctx(e, "remove container %s", st->id)
	                                                    : 0;
}

/* Its supervisor knows what its files do not tell any more. */
static void end_damaged(const struct store *s, const char *id)
{
	const uint64_t killed = 1ULL << SIGKILL;
	struct err gone;
	auto_close int life = state_life_open(s, id, &gone), sock = ctl_connect(s, id, &gone);
	int code;

	if (life < 0 || sock < 0 || ctl_send(sock, CTL_STOP, &killed, sizeof(killed)) < 0 ||
		ctl_send(sock, CTL_SIGNAL, &(int32_t){SIGKILL}, sizeof(int32_t)) < 0)
		return;                            /* it does not run */
	(void)state_life_wait(life, &code, &gone); /* killed, too, it has ended */
}

static bool is_damage(const struct err *e)
{
	return e->kind == ERR_CORRUPT || e->sys == EIO;
}

/* Even a container whose files cannot be read any more can be removed. */
static int remove_damaged(const struct store *s, const char *id, struct err *e)
{
	auto_state struct state st = {0};

	err_clear(e);
	(void)snprintf(st.id, sizeof(st.id), "%s", id);
	end_damaged(s, id);
	if (remove_all(s, &st, NULL, e) == 0)
		return 0;
	if (e->kind == ERR_NOT_FOUND) { /* it was one of --rm */
		err_clear(e);
		return 0;
	}
	if (e->kind == ERR_CONFLICT)
		e->kind = ERR_SYSTEM; /* no other try would get through to its supervisor */
	return -1;
}

void engine_unmake(const struct store *s, const struct made *m, const struct spec *spec)
{
	struct err other; /* there is another one to tell */

	(void)volume_remove_anonymous(s, m->st.id, spec, &other);
	(void)remove_all(s, &m->st, NULL, &other);
}

static int refuse_running(const struct state *st, struct err *e)
{
	if (st->status == ST_PAUSED)
		return err_set(e, ERR_CONFLICT, "container is paused and must be unpaused first");
	return err_set(e, ERR_CONFLICT,
		"container is %s: stop the container before removing or force remove",
		status_names[st->status]);
}

/* tell: its supervisor, if it is just being started, that it is not to be. *starts: whether it failed because of that. */
static int remove_once(const struct store *s, const char *id, bool force, bool volumes, bool tell,
	bool *starts, struct err *e)
{
	auto_made struct made m = {0};
	auto_state struct state now = {0};

	*starts = false;
	if (engine_load(s, id, &m, e) < 0)
		return force && is_damage(e) ? remove_damaged(s, id, e) : -1;
	if (state_runs(&m.st)) {
		if (!force)
			return refuse_running(&m.st, e);
		if (m.st.status == ST_RESTARTING) {
			engine_tell_by_hand(s, &m, CTL_STOP, 0);
			return err_set(e, ERR_CONFLICT, "container \"/%s\" is restarting", m.st.name);
		}
		if (engine_kill_id(s, m.st.id, SIGKILL, e) < 0) {
			if ((e->sys ? e->sys != ESRCH : e->kind == ERR_SYSTEM) && e->kind != ERR_NOT_FOUND)
				return err_ctx(e, "could not kill"); /* no other try would */
		} else if (state_load(s, m.st.id, &now, e) < 0 && e->kind == ERR_NOT_FOUND) {
			return 0; /* it was one of --rm */
		}
		err_clear(e);
	}
	if (remove_all(s, &m.st, volumes ? &m.spec : NULL, e) < 0) {
		*starts = e->kind == ERR_CONFLICT;
		if (tell && *starts)
			engine_tell_by_hand(s, &m, CTL_STOP, 0);
		return -1;
	}
	event_container(s, &m.st, "destroy", NULL, NULL);
	return 0;
}

#define STARTING_TRIES 1000

int engine_remove_named(const struct store *s, const char *id, const char *name, bool force,
	bool volumes, struct err *e)
{
	size_t slashes = strspn(name, "/"), n = strlen(name + slashes);

	if (engine_remove(s, id, force, volumes, e) == 0)
		return 0;
	while (n && name[slashes + n - 1] == '/')
		n--;
	return e->kind == ERR_NOT_FOUND
	               ? -1 /* another process has removed it meanwhile */
	               : err_ctx(e, "cannot remove container %s", QUOTED_N(name + slashes, n));
}

static bool is_supervised(const struct store *s, const char *id)
{
	struct err gone;
	auto_close int life = state_life_open(s, id, &gone);

	return life >= 0 && state_life_alive(life);
}

int engine_remove(const struct store *s, const char *id, bool force, bool volumes, struct err *e)
{
	bool starts;

	/* While the supervisor is putting the container together, that runs but its state does not say so yet, and it
	 * cannot be killed. Its client may be gone, so that nobody else waits for it. However long a start takes,
	 * docker waits for it, too. */
	for (int tries = 0; remove_once(s, id, force, volumes, force && tries == 0, &starts, e) < 0;
		tries++) {
		if ((!force && !starts) || e->kind != ERR_CONFLICT ||
			(tries >= STARTING_TRIES && !is_supervised(s, id)))
			return -1;
		err_clear(e);
		engine_let_it_go_on();
	}
	return 0;
}
