/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "event.h"
#include "import.h"
#include "progress.h"
#include "ref.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

struct import_args {
	struct strv changes;
	char *message, *platform;
};

/* clang-format off */
static const struct opt rows[] = {
	{ 'c', "change",   "list",   "Apply Dockerfile instruction to the created image", OPT_LIST(struct import_args, changes) },
	{ 'm', "message",  "string", "Set commit message for imported image", OPT_STR(struct import_args, message) },
	{ 0,   "platform", "string", "Set platform if server is multi-platform capable", OPT_STR(struct import_args, platform), OPT_SINCE(32) },
	{ 0 },
};
/* clang-format on */

static void import_done(void *target)
{
	struct import_args *a = target;

	strv_done(&a->changes);
	free(a->message);
	free(a->platform);
}

static bool is_url(const char *s)
{
	return strstr(s, "://") != NULL;
}

static int open_source(const char *what, struct err *e)
{
	int fd;

	if (str_eq(what, "-"))
		return STDIN_FILENO;
	if (is_url(what))
		return err_set(e, ERR_UNSUPPORTED,
			"import from a URL is not supported: fetch %s and import the file", what);
	fd = open(what, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd >= 0)
		return fd;
	return err_go(e, "open %s", what);
}

static int import_main(void *target, int argc, char **argv)
{
	struct import_args *a = target;
	struct import_ask ask = {.changes = a->changes,
		.platform = a->platform && *a->platform ? a->platform : NULL};
	auto_free char *name = NULL, *id = NULL;
	auto_progress struct progress bar = {0};
	auto_store struct store s = {0};
	struct err e = {0};
	auto_close int file = -1;
	int result;

	say_ended();
	ask.in = open_source(argv[0], &e);
	file = ask.in == STDIN_FILENO ? -1 : ask.in;
	if (ask.in < 0 || (argc > 1 && *argv[1] && !(name = ref_familiar(argv[1], &e)))) {
		(void)fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	ask.name = name;
	ask.message = a->message && *a->message ? a->message : NULL;
	ask.meter = progress_begin(&bar, "Importing", true);
	result = store_open(&s, &e) < 0 ? -1 : import_image(&s, &ask, &id, &e);
	progress_end(&bar);
	if (result < 0) {
		say_daemon_error(&e);
		return 1;
	}
	event_image(&s, "import", id, NULL);
	say_print("%s\n", id);
	return 0;
}

const struct command cmd_import = {
	.name = "import",
	.args = "[OPTIONS] file|URL|- [REPOSITORY[:TAG]]",
	.about = "Import the contents from a tarball to create a filesystem image",
	.aliases = "docker image import, docker import",
	.opts = rows,
	.target_size = sizeof(struct import_args),
	.run = import_main,
	.done = import_done,
	.min_args = 1,
	.max_args = -1, /* docker ignores all after the second */
};
