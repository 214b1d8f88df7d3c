/* SPDX-License-Identifier: Apache-2.0 */
/* spec: `__spec`: prints the spec of a `run` command line as JSON, without the image's or the machine's defaults. For tests. */
#include "cmd.h"
#include "container_opts.h"

static int spec_main(void *target, int argc, char **argv)
{
	auto_json json_t *j = NULL;
	auto_free char *text = NULL;
	auto_buf struct buf out = {0};
	struct err e;

	if (run_args_finish(target, argc, argv, true, &e) < 0) {
		say_client_error("run", &e);
		return 125;
	}
	j = spec_to_json(&((struct run_args *)target)->spec);
	text = json_dumps(j, JSON_INDENT(2));
	buf_printf(&out, "%s\n", text ? text : "{}");
	return say_out(&out);
}

const struct command cmd_spec = {
	.name = "__spec",
	.args = "[OPTIONS] IMAGE [COMMAND] [ARG...]",
	.about = "Print what the same words after run would ask for",
	.opts = run_opts,
	.target_size = sizeof(struct run_args),
	.init = run_args_init,
	.run = spec_main,
	.done = run_args_done,
	.min_args = 1,
	.max_args = -1,
	.stop_at_operand = true,
	.hidden = true,
	.ours = true,
};
