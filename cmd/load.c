/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"
#include "cmd.h"
#include "progress.h"
#include "pull.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>

struct load_args {
	char *input, *platform;
	bool quiet;
};

/* clang-format off */
static const struct opt rows[] = {
	{ 'i', "input", "string", "Read from tar archive file, instead of STDIN", OPT_STR(struct load_args, input) },
	{ 0, "platform", "string", "Load only the given platform variant. Formatted as \"os[/arch[/variant]]\" (e.g., \"linux/amd64\")", OPT_STR(struct load_args, platform), OPT_SINCE(48) },
	{ 'q', "quiet", NULL,     "Suppress the load output", OPT_FLAG(struct load_args, quiet) },
	{ 0 },
};
/* clang-format on */

static void load_done(void *target)
{
	struct load_args *a = target;

	free(a->input);
	free(a->platform);
}

static int load_main(void *target, int argc, char **argv)
{
	struct load_args *a = target;
	auto_store struct store s = {-1, -1, NULL, NULL};
	auto_strv struct strv report = {0};
	auto_progress struct progress bar = {0};
	auto_close int file = -1;
	struct err e = {0};
	int result;

	(void)argc, (void)argv;
	str_empty_is_none(&a->input);
	if (a->input && (file = open(a->input, O_RDONLY | O_CLOEXEC | O_NOCTTY)) < 0) {
		(void)err_go(&e, "open %s", a->input);
		(void)fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	if (!a->input && isatty(STDIN_FILENO)) {
		(void)fprintf(stderr, "requested load from stdin, but stdin is empty\n");
		return 1;
	}
	say_ended();
	(void)signal(SIGPIPE, SIG_IGN); /* if a helper process gives up, its own error is to be reported */
	if (pull_check_platform(a->platform, &e) < 0) {
		(void)err_ctx(&e, "invalid platform");
		return say_error(&e, 1);
	}
	if (store_open(&s, &e) < 0) {
		say_daemon_error(&e);
		return 1;
	}
	result = load_images(&s, file >= 0 ? file : STDIN_FILENO, a->platform,
		progress_begin(&bar, "Loading", !a->quiet), &report, &e);
	progress_end(&bar);
	for (size_t i = 0; i < report.n; i++)
		say_print("%s\n", report.v[i]);
	if (result < 0) {
		say_flush(); /* images loaded before the error are kept, and reported first */
		return say_error(&e, 1); /* docker's client gets it in the answer's body, so it has no prefix */
	}
	return 0;
}

const struct command cmd_load = {
	.name = "load",
	.args = "[OPTIONS]",
	.about = "Load an image from a tar archive or STDIN",
	.aliases = "docker image load, docker load",
	.opts = rows,
	.target_size = sizeof(struct load_args),
	.run = load_main,
	.done = load_done,
	.max_args = 0,
};
