/* SPDX-License-Identifier: Apache-2.0 */
/* start: starts containers that were created or have ended. */
#include "client_config.h"
#include "cmd.h"

#include "engine.h"

#include <string.h>

struct start_args {
	bool attach, interactive;
	char *detach_keys;
};

/* clang-format off */
static const struct opt start_opts[] = {
	{ 'a', "attach",         NULL,     "Attach STDOUT/STDERR and forward signals", OPT_FLAG(struct start_args, attach) },
	{ 0,   "checkpoint",     "string", "Restore from this checkpoint", OPT_NOTHING(), OPT_EXPERIMENTAL },
	{ 0,   "checkpoint-dir", "string", "Use a custom checkpoint storage directory", OPT_NOTHING(), OPT_EXPERIMENTAL },
	{ 0,   "detach-keys",    "string", "Override the key sequence for detaching a container", OPT_STR(struct start_args, detach_keys) },
	{ 'i', "interactive",    NULL,     "Attach container's STDIN", OPT_FLAG(struct start_args, interactive) },
	{ 0 },
};
/* clang-format on */

static void start_done(void *target)
{
	struct start_args *a = target;

	free(a->detach_keys);
}

static int start_attached(
	const struct store *s, struct start_args *a, const char *name, int *status, struct err *e)
{
	struct attach at = {.out = true, .err = true, .proxy_signals = true, .third_ends = true};
	auto_json json_t *spec = NULL;
	struct err lost = {0}, cut = {0};
	auto_state struct state st = {0};
	id_text id;

	if (state_find_inspected(s, name, id, e) < 0)
		return -1;
	spec = state_load_spec(s, id, e);
	if (!spec)
		return -1;
	at.tty = json_bool(spec, "Tty", false);
	at.in = a->interactive && json_bool(spec, "OpenStdin", false);
	at.die_with_me = json_bool(json_object_get(spec, "HostConfig"), "AutoRemove", false);
	if (client_detach_keys(&a->detach_keys, false, e) < 0) { /* an error of the client: without prefix */
		(void)fprintf(stderr, "%s\n", e->text);
		*status = 1;
		return 0;
	}
	if (state_load(s, id, &st, e) < 0)
		return -1;
	if (st.status == ST_PAUSED ||
		st.status == ST_RESTARTING) { /* nor can be attached to, which is docker's first step */
		(void)fputs("unable to upgrade to tcp, received 409\n", stderr);
		*status = 1;
		return 0;
	}
	at.detach_keys = a->detach_keys;
	at.lost = &lost;
	at.cut = &cut;
	if (engine_start(s, id, &at, status, e) < 0)
		return -1;
	*status = say_cut(&cut, *status);
	if (lost.kind != ERR_NONE)
		say_daemon_error(&lost);
	return 0;
}

static int start_main(void *target, int argc, char **argv)
{
	struct start_args *a = target;
	auto_store struct store s = {-1, -1, NULL, NULL};
	struct err e = {0};
	auto_buf struct buf failed = {0};
	int status = 0, n_failed = 0;
	id_text id;

	if (store_open(&s, &e) < 0) {
		say_daemon_error(&e);
		return 1;
	}
	if (a->attach || a->interactive) {
		if (argc > 1) {
			fputs("you cannot start and attach multiple containers at once\n", stderr);
			return 1;
		}
		if (start_attached(&s, a, argv[0], &status, &e) == 0)
			return status;
		say_daemon_error(&e);
		return 1; /* even where run's status would be 127 */
	}
	state_know_ids(&s, argv);
	for (int i = 0; i < argc; i++) {
		err_clear(&e);
		if (state_find(&s, argv[i], id, &e) == 0 && engine_start(&s, id, NULL, NULL, &e) == 0) {
			say_print("%s\n", argv[i]);
			continue;
		}
		say_daemon_error(&e);
		buf_printf(&failed, "%s%s", n_failed++ ? ", " : "", argv[i]);
	}
	if (!n_failed)
		return 0;
	say_flush(); /* keeps the order if stdout and stderr are the same file */
	(void)fprintf(stderr, "Error: failed to start containers: %s\n", failed.s ? failed.s : "");
	return 1;
}

const struct command cmd_start = {
	.name = "start",
	.args = "[OPTIONS] CONTAINER [CONTAINER...]",
	.about = "Start one or more stopped containers",
	.aliases = "docker container start, docker start",
	.opts = start_opts,
	.target_size = sizeof(struct start_args),
	.run = start_main,
	.done = start_done,
	.min_args = 1,
	.max_args = -1,
};
