/* SPDX-License-Identifier: Apache-2.0 */
/* engine_wait: until a container has ended. */
#include "engine_parts.h"

#include "auto.h"
#include "epitaph.h"
#include "sys.h"

#include <poll.h>

bool engine_ends_within(int fd, int64_t timeout_s)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int64_t until = sys_now_ns() + timeout_s * 1000000000;
	int64_t left = timeout_s * 1000;

	if (timeout_s < 0)
		return poll(&p, 1, -1) > 0;
	for (; left >= 0; left = (until - sys_now_ns()) / 1000000) {
		if (poll(&p, 1, left > 86400000 ? 86400000 : (int)left) > 0)
			return true;
		if (left == 0)
			break;
	}
	return false;
}

int engine_wait_life(
	const struct store *s, const struct state *st, int life, int *exit_code, struct err *e)
{
	auto_state struct state now = {0};
	auto_close int supervisor = -1;

	if (life >= 0 && state_life_alive(life) && state_life_wait(life, exit_code, e) == 0)
		return 0;
	/* It has ended, or its supervisor was killed, which loading the state repairs; or its life file is not where we look. */
	if (state_load(s, st->id, &now, e) < 0)
		return -1;
	if (now.sup == st->sup && now.sup_serial == st->sup_serial && now.sup_start == st->sup_start)
		supervisor = state_supervisor(&now);
	if (supervisor >= 0) {
		if (now.auto_remove)
			epitaph_begin(s); /* it has nowhere else to leave the code */
		while (!engine_ends_within(supervisor, -1))
			; /* a signal */
		state_done(&now);
		if (state_load(s, st->id, &now, e) < 0)
			return e->kind == ERR_NOT_FOUND && epitaph_read(s, st->id, exit_code) ? 0 : -1;
	}
	*exit_code = now.exit_code;
	return 0;
}

/* Blocks until it does not run. */
static int wait_for_end(const struct store *s, const char *id, int *exit_code, struct err *e)
{
	auto_state struct state st = {0};
	auto_close int life = state_life_open(s, id, e);

	if (life >= 0 && state_life_alive(life) && state_life_wait(life, exit_code, e) == 0)
		return 0;
	if (state_load(s, id, &st, e) < 0 || state_is_here(&st, e) < 0)
		return -1;
	return engine_wait_life(s, &st, -1, exit_code, e);
}

int engine_wait_exit(const struct store *s, const char *id, int *exit_code, char **result, struct err *e)
{
	auto_json json_t *spec = state_load_spec(s, id, e);
	const json_t *policy = json_object_get(json_object_get(spec, "HostConfig"), "RestartPolicy");
	const char *name = json_str(policy, "Name", "");
	auto_close int sock = -1, life = -1;
	auto_free char *heard = NULL;
	struct err gone;

	if (!spec)
		return -1;
	if (result)
		life = state_life_open(s, id, &gone);
	if (result || (*name && !str_eq(name, "no")))
		sock = ctl_connect(s, id, e);
	if (sock < 0) /* it does not run; or only the exit code is wanted, and the container is not restarted */
		return wait_for_end(s, id, exit_code, e);
	while (!engine_hear(sock, exit_code, &heard))
		;
	/* The supervisor was killed, or had looked for new clients for the last time just before. */
	if (!heard && (life < 0 || state_life_wait(life, exit_code, &gone) < 0))
		return wait_for_end(s, id, exit_code, e);
	if (result)
		*result = take(heard);
	return 0;
}
