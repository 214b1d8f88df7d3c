/* SPDX-License-Identifier: Apache-2.0 */
#include "archive.h"
#include "cmd.h"
#include "output.h"
#include "progress.h"

#include <signal.h>

struct export_args {
	char *output;
};

/* clang-format off */
static const struct opt rows[] = {
	{ 'o', "output", "string", "Write to a file, instead of STDOUT", OPT_STR(struct export_args, output) },
	{ 0 },
};
/* clang-format on */

static void export_done(void *target)
{
	struct export_args *a = target;

	free(a->output);
}

static int export_to(const char *what, int out, struct meter *meter, struct err *e)
{
	auto_archive struct archive work = ARCHIVE_NONE;
	auto_store struct store s = {-1, -1, NULL, NULL};

	if (store_open(&s, e) < 0 || archive_export(&s, what, out, meter, &work, e) < 0)
		return -1;
	return archive_end(&work, e);
}

static int export_main(void *target, int argc, char **argv)
{
	struct export_args *a = target;
	auto_progress struct progress bar = {0};
	struct output out;
	struct err e = {0};
	int result;

	(void)argc;
	str_empty_is_none(&a->output);
	if (output_open(&out, a->output, &e) < 0) {
		(void)fprintf(stderr, "%s%s\n", a->output ? "failed to export container: " : "", e.text);
		return 1;
	}
	say_ended();
	(void)signal(SIGPIPE, SIG_DFL); /* a reader that wants only a part of the archive causes no complaint */
	result = export_to(argv[0], out.fd, progress_begin(&bar, "Exporting", true), &e);
	progress_end(&bar);
	if (result < 0) {
		output_drop(&out);
		if (!a->output)
			output_check_reader(&e);
		output_say(a->output, &e);
		return 1;
	}
	return output_close(&out, &e) < 0 ? say_error(&e, 1) : 0;
}

const struct command cmd_export = {
	.name = "export",
	.args = "[OPTIONS] CONTAINER",
	.about = "Export a container's filesystem as a tar archive",
	.aliases = "docker container export, docker export",
	.opts = rows,
	.target_size = sizeof(struct export_args),
	.run = export_main,
	.done = export_done,
	.min_args = 1,
	.max_args = 1,
};
