/* SPDX-License-Identifier: Apache-2.0 */
#include "save.h"
#include "cmd.h"
#include "output.h"
#include "progress.h"
#include "pull.h"

#include <signal.h>

struct save_args {
	char *output, *platform;
};

/* clang-format off */
static const struct opt rows[] = {
	{ 'o', "output", "string", "Write to a file, instead of STDOUT", OPT_STR(struct save_args, output) },
	{ 0, "platform", "string", "Save only the given platform variant. Formatted as \"os[/arch[/variant]]\" (e.g., \"linux/amd64\")", OPT_STR(struct save_args, platform), OPT_SINCE(48) },
	{ 0 },
};
/* clang-format on */

static void save_done(void *target)
{
	struct save_args *a = target;

	free(a->output);
	free(a->platform);
}

static int save_main(void *target, int argc, char **argv)
{
	struct save_args *a = target;
	auto_store struct store s = {-1, -1, NULL, NULL};
	auto_progress struct progress bar = {0};
	struct output out;
	struct err e = {0};
	int result;

	str_empty_is_none(&a->output);
	if (pull_check_platform(a->platform, &e) < 0) {
		(void)err_ctx(&e, "invalid platform");
		return say_error(&e, 1);
	}
	if (output_open(&out, a->output, &e) < 0) {
		(void)fprintf(stderr, "%s%s\n", a->output ? "failed to save image: " : "", e.text);
		return 1;
	}
	say_ended();
	(void)signal(SIGPIPE, SIG_DFL); /* a reader that wants only a part of the archive causes no complaint */
	result = store_open(&s, &e) < 0 ? -1
	                                : save_check_platform(&s, a->platform, argv, (size_t)argc, &e);
	if (result == 0)
		result = save_images(
			&s, argv, (size_t)argc, out.fd, progress_begin(&bar, "Saving", true), &e);
	progress_end(&bar);
	if (result < 0) {
		output_drop(&out);
		output_say(a->output, &e);
		return 1;
	}
	return output_close(&out, &e) < 0 ? say_error(&e, 1) : 0;
}

const struct command cmd_save = {
	.name = "save",
	.args = "[OPTIONS] IMAGE [IMAGE...]",
	.about = "Save one or more images to a tar archive (streamed to STDOUT by default)",
	.aliases = "docker image save, docker save",
	.opts = rows,
	.target_size = sizeof(struct save_args),
	.run = save_main,
	.done = save_done,
	.min_args = 1,
	.max_args = -1,
};
