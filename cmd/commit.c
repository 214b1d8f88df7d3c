/* SPDX-License-Identifier: Apache-2.0 */
#include "commit.h"
#include "cmd.h"
#include "progress.h"
#include "image.h"
#include "ref.h"

#include <string.h>

struct commit_args {
	char *author, *message;
	struct strv changes;
	bool pause;
};

/* clang-format off */
static const struct opt rows[] = {
	{ 'a', "author",  "string", "Author (e.g., \"John Hannibal Smith <hannibal@a-team.com>\")", OPT_STR(struct commit_args, author) },
	{ 'c', "change",  "list",   "Apply Dockerfile instruction to the created image", OPT_LIST(struct commit_args, changes) },
	{ 'm', "message", "string", "Commit message", OPT_STR(struct commit_args, message) },
	{ 'p', "pause",   NULL,     "Pause container during commit (default true)", OPT_FLAG(struct commit_args, pause) },
	{ 0 },
};
/* clang-format on */

static void commit_init(void *target)
{
	struct commit_args *a = target;

	a->pause = true;
}

static void commit_done(void *target)
{
	struct commit_args *a = target;

	free(a->author);
	free(a->message);
	strv_done(&a->changes);
}

static int commit_main(void *target, int argc, char **argv)
{
	const struct commit_args *a = target;
	auto_free char *container = str_trim(argv[0]);
	struct commit_ask ask = {.what = container,
		.author = a->author,
		.message = a->message,
		.changes = a->changes,
		.pause = a->pause};
	auto_free char *name = NULL, *id = NULL;
	auto_store struct store s = {-1, -1, NULL, NULL};
	auto_progress struct progress bar = {0};
	struct err e = {0};
	int result;

	if (!*container) {
		(void)fputs("invalid container name or ID: value is empty\n", stderr);
		return 1;
	}
	if (argc > 1 && argv[1][0] && !(name = ref_familiar(argv[1], &e))) {
		(void)fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	ask.name = name;
	say_ended();
	ask.meter = progress_begin(&bar, "Committing", true);
	result = store_open(&s, &e) < 0 ? -1 : commit_container(&s, &ask, &id, &e);
	progress_end(&bar);
	if (result < 0) {
		say_daemon_error(&e);
		return 1;
	}
	say_print("%s\n", id);
	return 0;
}

const struct command cmd_commit = {
	.name = "commit",
	.args = "[OPTIONS] CONTAINER [REPOSITORY[:TAG]]",
	.about = "Create a new image from a container's changes",
	.aliases = "docker container commit, docker commit",
	.opts = rows,
	.target_size = sizeof(struct commit_args),
	.init = commit_init,
	.run = commit_main,
	.done = commit_done,
	.min_args = 1,
	.max_args = 2,
	.stop_at_operand = true,
};
