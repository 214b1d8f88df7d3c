/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "each.h"
#include "engine.h"

#include <stdlib.h>

struct kill_words {
	char *signal;
};

/* clang-format off */
static const struct opt kill_opts[] = {
	{ 's', "signal", "string", "Signal to send to the container", OPT_STR(struct kill_words, signal) },
	{ 0 },
};
/* clang-format on */

static void kill_done(void *target)
{
	struct kill_words *k = target;

	free(k->signal);
}

static int kill_one(const struct store *s, const char *name, const void *arg, struct err *e)
{
	return engine_kill(s, name, ((const struct kill_words *)arg)->signal, e);
}

static int kill_main(void *target, int argc, char **argv)
{
	return each_container(argv, argc, kill_one, target, EACH_GOES_ON);
}

const struct command cmd_kill = {
	.name = "kill",
	.args = "[OPTIONS] CONTAINER [CONTAINER...]",
	.about = "Kill one or more running containers",
	.aliases = "docker container kill, docker kill",
	.opts = kill_opts,
	.target_size = sizeof(struct kill_words),
	.run = kill_main,
	.done = kill_done,
	.min_args = 1,
	.max_args = -1,
};
