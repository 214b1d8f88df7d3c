/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "each.h"
#include "engine.h"

static int one(const struct store *s, const char *name, bool pause, struct err *e)
{
	id_text id;

	return state_find(s, name, id, e) < 0 ? -1 : engine_pause(s, id, pause, e);
}

static int pause_one(const struct store *s, const char *name, const void *arg, struct err *e)
{
	(void)arg;
	return one(s, name, true, e);
}

static int unpause_one(const struct store *s, const char *name, const void *arg, struct err *e)
{
	(void)arg;
	return one(s, name, false, e);
}

static int pause_main(void *target, int argc, char **argv)
{
	(void)target;
	return each_container(argv, argc, pause_one, NULL, 0);
}

static int unpause_main(void *target, int argc, char **argv)
{
	(void)target;
	return each_container(argv, argc, unpause_one, NULL, 0);
}

const struct command cmd_pause = {
	.name = "pause",
	.args = "CONTAINER [CONTAINER...]",
	.about = "Pause all processes within one or more containers",
	.aliases = "docker container pause, docker pause",
	.run = pause_main,
	.min_args = 1,
	.max_args = -1,
};

const struct command cmd_unpause = {
	.name = "unpause",
	.args = "CONTAINER [CONTAINER...]",
	.about = "Unpause all processes within one or more containers",
	.aliases = "docker container unpause, docker unpause",
	.run = unpause_main,
	.min_args = 1,
	.max_args = -1,
};
