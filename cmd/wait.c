/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "each.h"
#include "engine.h"
#include "result.h"

struct wait {
	char *result;
};

/* clang-format off */
static const struct opt wait_opts[] = {
	{ 0, "result", "file", "Write how the container ended as one JSON object to a file, or to the open descriptor fd:N", OPT_STR(struct wait, result), OPT_OURS },
	{ 0 },
};
/* clang-format on */

static void wait_done(void *target)
{
	free(((struct wait *)target)->result);
}

/* heard: the result from the supervisor; NULL: the container had ended before, so its state has the result. If --rm has just
 * removed that, only the exit code is known. */
static void write_result(
	const struct store *s, const char *id, int code, const char *heard, const char *where)
{
	auto_state struct state st = {0};
	auto_json json_t *bare = json_pack("{s:s, s:i}", "id", id, "exit_code", code);
	auto_free char *text = NULL;
	struct err e;

	if (heard) {
		result_write(where, heard, NULL, code);
		return;
	}
	if (state_load(s, id, &st, &e) == 0 && st.result)
		text = json_dumps(st.result, JSON_LINE);
	else
		text = json_dumps(bare, JSON_COMPACT);
	result_write(where, text, NULL, code);
}

static int wait_one(const struct store *s, const char *name, const void *arg, struct err *e)
{
	const struct wait *w = arg;
	auto_free char *heard = NULL;
	int code;
	id_text id;

	if (state_find(s, name, id, e) < 0 ||
		engine_wait_exit(s, id, &code, w->result ? &heard : NULL, e) < 0) {
		(void)result_refuse(w->result, e, 1); /* the caller prints the error */
		return -1;
	}
	say_print("%d\n", code);
	say_flush(); /* visible at once; a failed write is reported by main() */
	if (w->result)
		write_result(s, id, code, heard, w->result);
	return 0;
}

static int wait_main(void *target, int argc, char **argv)
{
	struct err e;

	if (result_begin(((struct wait *)target)->result, &e) < 0)
		return say_error(&e, 1);
	say_ended();
	return each_container(argv, argc, wait_one, target, EACH_QUIET);
}

const struct command cmd_wait = {
	.name = "wait",
	.args = "CONTAINER [CONTAINER...]",
	.about = "Block until one or more containers stop, then print their exit codes",
	.aliases = "docker container wait, docker wait",
	.opts = wait_opts,
	.target_size = sizeof(struct wait),
	.done = wait_done,
	.run = wait_main,
	.min_args = 1,
	.max_args = -1,
};
