/* SPDX-License-Identifier: Apache-2.0 */
/* attach: connects the terminal to the streams of a running container. */
#include "client_config.h"
#include "cmd.h"

#include "engine.h"

struct attach_args {
	bool no_stdin, sig_proxy;
	char *detach_keys;
};

/* clang-format off */
static const struct opt attach_opts[] = {
	{ 0, "detach-keys", "string", "Override the key sequence for detaching a container", OPT_STR(struct attach_args, detach_keys) },
	{ 0, "no-stdin",    NULL,     "Do not attach STDIN", OPT_FLAG(struct attach_args, no_stdin) },
	{ 0, "sig-proxy",   NULL,     "Proxy all received signals to the process (default true)", OPT_FLAG(struct attach_args, sig_proxy) },
	{ 0 },
};
/* clang-format on */

static void attach_init(void *target)
{
	((struct attach_args *)target)->sig_proxy = true;
}

static void attach_done(void *target)
{
	free(((struct attach_args *)target)->detach_keys);
}

static int attach_to(
	const struct store *s, struct attach_args *a, const char *name, int *status, struct err *e)
{
	struct attach at = {
		.out = true, .err = true, .proxy_signals = a->sig_proxy, .third_ends = true, .redraw = true};
	auto_state struct state st = {0};
	auto_json json_t *spec = NULL;
	struct err lost = {0}, cut = {0};
	bool detached = false;
	id_text id;

	if (state_find_inspected(s, name, id, e) < 0 || state_load(s, id, &st, e) < 0)
		return -1;
	if (st.status == ST_PAUSED)
		return err_set(e, ERR_CONFLICT,
			"You cannot attach to a paused container, unpause it first");
	if (st.status == ST_RESTARTING)
		return err_set(e, ERR_CONFLICT,
			"You cannot attach to a restarting container, wait until it is running");
	if (st.status != ST_RUNNING)
		return err_set(e, ERR_CONFLICT,
			"You cannot attach to a stopped container, start it first");
	if (client_detach_keys(&a->detach_keys, false, e) < 0)
		return -1;
	at.detach_keys = a->detach_keys;
	spec = state_load_spec(s, id, e);
	if (!spec)
		return -1;
	at.tty = json_bool(spec, "Tty", false);
	at.in = !a->no_stdin && json_bool(spec, "OpenStdin", false);
	if (at.in && at.tty && !isatty(STDIN_FILENO))
		return err_set(e, ERR_USAGE, "the input device is not a TTY");
	at.lost = &lost;
	at.cut = &cut;
	at.detached = &detached;
	if (engine_attach(s, id, &at, status, e) < 0)
		return -1;
	if (detached)
		*status = say_detached();
	*status = say_cut(&cut, *status);
	if (lost.kind != ERR_NONE)
		say_daemon_error(&lost);
	return 0;
}

static int attach_main(void *target, int argc, char **argv)
{
	auto_store struct store s = {-1, -1, NULL, NULL};
	struct err e = {0};
	int status = 0;

	(void)argc; /* exactly one */
	if (store_open(&s, &e) == 0 && attach_to(&s, target, argv[0], &status, &e) == 0)
		return status;
	if (e.kind == ERR_CONFLICT || e.kind == ERR_USAGE)
		fprintf(stderr, "%s\n", e.text); /* docker's client says this, not its daemon */
	else
		say_daemon_error(&e);
	return 1;
}

const struct command cmd_attach = {
	.name = "attach",
	.args = "[OPTIONS] CONTAINER",
	.about = "Attach local standard input, output, and error streams to a running container",
	.aliases = "docker container attach, docker attach",
	.opts = attach_opts,
	.target_size = sizeof(struct attach_args),
	.init = attach_init,
	.run = attach_main,
	.done = attach_done,
	.min_args = 1,
	.max_args = 1,
};
