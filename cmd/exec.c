/* SPDX-License-Identifier: Apache-2.0 */
/* exec: runs another program in a running container. */
#include "cmd.h"
#include "client_config.h"
#include "container_opts.h"

#include "enforce.h"
#include "engine.h"
#include "result.h"
#include "sys.h"

#include <string.h>

/* In docker the daemon has accepted the exec by then, and passes on the runtime's error as if the command had written it. */
static bool is_said_by_runtime(const struct exec_args *a, const struct err *e)
{
	return !a->detach &&
	       (e->kind == ERR_NO_COMMAND || e->kind == ERR_NOT_EXECUTABLE || e->kind == ERR_RUNTIME);
}

static int refused(const struct exec_args *a, const struct err *e, int status)
{
	return result_refuse(a->result, e, say_error(e, status));
}

/* The daemon looks for the container before it looks at the keys. */
static void say_first(const struct store *s, const id_text id, const char *said, struct err *e)
{
	auto_state struct state st = {0};
	struct err gone;

	if (state_load(s, id, &st, &gone) == 0)
		(void)engine_exec_may(&st, said, e);
}

static int exec_main(void *target, int argc, char **argv)
{
	struct exec_args *a = target;
	auto_store struct store s = {-1, -1, NULL, NULL};
	struct attach at = {.out = true, .err = true};
	auto_free char *result = NULL;
	auto_strv struct strv words = {0};
	struct err e = {0}, cut = {0};
	int status = 0, done = -1;
	bool detached = false, found;
	int killed_by = 0;
	id_text id;

	if (result_begin(a->result, &e) < 0)
		return say_error(&e, 125);
	if (!argv[0][strspn(argv[0], STR_BLANKS)]) {
		(void)err_set(&e, ERR_USAGE, "invalid container name or ID: value is empty");
		return refused(a, &e, 1);
	}
	if (exec_args_finish(a, argc - 1, argv + 1, &e) < 0)
		return refused(a, &e, 1);
	if (spec_check_limits(&a->spec, &e) < 0)
		return refused(a, &e, 125);
	at.in = a->spec.stdin_open && !a->detach;
	at.tty = a->spec.tty;
	found = store_open(&s, &e) == 0 && state_find_inspected(&s, argv[0], id, &e) == 0;
	if (found && at.in && at.tty && !isatty(STDIN_FILENO)) {
		(void)err_set(&e, ERR_USAGE, "the input device is not a TTY");
		return refused(a, &e, 1);
	}
	at.result = a->result ? &result : NULL;
	at.killed_by = a->result ? &killed_by : NULL;
	at.cut = &cut;
	at.detached = &detached;
	if (found && client_detach_keys(&a->detach_keys, true, &e) < 0) {
		say_first(&s, id, argv[0], &e);
	} else if (found) {
		enforce_warn_of_lone(&a->spec, &words);
		for (size_t i = 0; i < words.n; i++)
			(void)fprintf(stderr, "WARNING: %s\n", words.v[i]);
		at.detach_keys = a->detach_keys;
		done = engine_exec(&s, id, argv[0], &a->spec, a->detach ? NULL : &at, &status, &e);
	}
	if (done < 0)
		status = is_said_by_runtime(a, &e) ? err_exit_status(&e, 126) : 1;
	if (detached)
		status = say_detached();
	if (a->result && !a->detach)
		result_write(a->result, result, done < 0 ? &e : NULL, status);
	if (killed_by)
		sys_die_of(killed_by); /* as without --result, for which the signal was only held back */
	if (done == 0)
		return say_cut(&cut, status);
	if (is_said_by_runtime(a, &e))
		say_print("%s\r\n", e.text);
	else
		say_daemon_error(&e);
	return status;
}

const struct command cmd_exec = {
	.name = "exec",
	.args = "[OPTIONS] CONTAINER COMMAND [ARG...]",
	.about = "Execute a command in a running container",
	.aliases = "docker container exec, docker exec",
	.opts = exec_opts,
	.target_size = sizeof(struct exec_args),
	.init = exec_args_init,
	.run = exec_main,
	.done = exec_args_done,
	.min_args = 2,
	.max_args = -1,
	.stop_at_operand = true,
};
