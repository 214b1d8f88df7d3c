/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "each.h"
#include "engine.h"

#include <string.h>

struct rm {
	bool force, link, volumes;
};

/* clang-format off */
static const struct opt rm_opts[] = {
	{ 'f', "force",   NULL, "Force the removal of a running container (uses SIGKILL)", OPT_FLAG(struct rm, force) },
	{ 'l', "link",    NULL, "Remove the specified link", OPT_FLAG(struct rm, link) },
	{ 'v', "volumes", NULL, "Remove anonymous volumes associated with the container", OPT_FLAG(struct rm, volumes) },
	{ 0 },
};
/* clang-format on */

static int rm_one(const struct store *s, const char *name, const void *arg, struct err *e)
{
	const struct rm *rm = arg;
	id_text id;

	if (strspn(name, "/") == strlen(name))
		return err_set(e, ERR_USAGE, "container name cannot be empty");
	if (state_find(s, name, id, e) < 0)
		return -1;
	if (rm->link)
		return engine_remove_link(s, name, e);
	return engine_remove_named(s, id, name, rm->force, rm->volumes, e);
}

static int rm_main(void *target, int argc, char **argv)
{
	const struct rm *rm = target;

	return each_container(argv, argc, rm_one, rm,
		EACH_AT_ONCE | (rm->force ? EACH_MISSING_OK | EACH_GOES_ON : 0U));
}

const struct command cmd_rm = {
	.name = "rm",
	.args = "[OPTIONS] CONTAINER [CONTAINER...]",
	.about = "Remove one or more containers",
	.aliases = "docker container rm, docker container remove, docker rm",
	.opts = rm_opts,
	.target_size = sizeof(struct rm),
	.run = rm_main,
	.min_args = 1,
	.max_args = -1,
};
