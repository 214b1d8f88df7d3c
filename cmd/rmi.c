/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "event.h"
#include "image.h"
#include "parse.h"
#include "pull.h"
#include "spec.h"

#include <stdio.h>
#include <string.h>

struct rmi_args {
	bool force, no_prune;
	struct strv platforms;
};

/* clang-format off */
static const struct opt rows[] = {
	{ 'f', "force",    NULL, "Force removal of the image", OPT_FLAG(struct rmi_args, force) },
	{ 0,   "platform", "strings", "Remove only the given platform variant. Formatted as \"os[/arch[/variant]]\" (e.g., \"linux/amd64\")", OPT_LIST(struct rmi_args, platforms), OPT_SINCE(50) },
	{ 0,   "no-prune", NULL, "Do not delete untagged parents", OPT_FLAG(struct rmi_args, no_prune) },
	{ 0 },
};
/* clang-format on */

static void rmi_done(void *target)
{
	strv_done(&((struct rmi_args *)target)->platforms);
}

static int check_platforms(
	const struct rmi_args *a, const char *name, const struct image *i, struct err *e)
{
	for (size_t k = 0; i->id && k < a->platforms.n; k++)
		if (spec_check_platform(a->platforms.v[k], name, i->architecture, e) < 0) {
			e->kind = ERR_CONFLICT; /* not ERR_NOT_FOUND, which -f would ignore: the image exists */
			return -1;
		}
	return 0;
}

/* A failure does not keep the others from being removed. */
static int rmi_main(void *target, int argc, char **argv)
{
	const struct rmi_args *a = target;
	auto_store struct store s = {0};
	auto_strv struct strv failed = {0};
	struct err e = {0};
	int status = 0;

	for (size_t i = 0; i < a->platforms.n; i++)
		if (pull_check_platform(a->platforms.v[i], &e) < 0)
			return say_error(&e, 1);
	if (store_open(&s, &e) < 0) {
		say_daemon_error(&e);
		return 1;
	}
	for (int i = 0; i < argc; i++) {
		auto_strv struct strv report = {0};
		auto_image struct image was = {0};
		auto_free char *name = parse_request_name(argv[i], &e);
		int result = -1;

		if (name && *argv[i] && !argv[i][strspn(argv[i], STR_BLANKS)]) {
			(void)err_set(&e, ERR_USAGE, "image name cannot be blank");
		} else if (name) {
			(void)image_find_ref(&s, name, &was, &e); /* for events: image_remove() reports errors */
			if (check_platforms(a, argv[i], &was, &e) == 0)
				result = image_remove(&s, name, a->force, !a->no_prune, &report, &e);
		}

		for (size_t k = 0; k < report.n; k++)
			say_print("%s\n", report.v[k]);
		if (was.id)
			event_image_removed(&s, was.id, &was.config.labels, &report);
		if (result == 0)
			continue;
		strv_addf(&failed, "Error response from daemon: %s", e.text);
		/* with -f a missing image is no failure */
		if (!a->force || e.kind != ERR_NOT_FOUND)
			status = 1;
	}
	(void)say_failures(&failed); /* as docker does, after all that was removed */
	return status;
}

const struct command cmd_rmi = {
	.name = "rmi",
	.args = "[OPTIONS] IMAGE [IMAGE...]",
	.about = "Remove one or more images",
	.aliases = "docker image rm, docker image remove, docker rmi",
	.opts = rows,
	.target_size = sizeof(struct rmi_args),
	.run = rmi_main,
	.done = rmi_done,
	.min_args = 1,
	.max_args = -1,
};
