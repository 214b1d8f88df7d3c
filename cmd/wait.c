/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "each.h"
#include "engine.h"

static int wait_one(const struct store *s, const char *name, const void *arg, struct err *e)
{
	int code;
	id_text id;

	(void)arg;
	if (state_find(s, name, id, e) < 0 || engine_wait(s, id, &code, e) < 0)
		return -1;
	(void)printf("%d\n", code);
	(void)fflush(stdout); /* seen at once; main looks at what became of it */
	return 0;
}

static int wait_main(void *target, int argc, char **argv)
{
	return each_container(argv, argc, wait_one, target, EACH_QUIET);
}

const struct command cmd_wait = {
	.name = "wait",
	.args = "CONTAINER [CONTAINER...]",
	.about = "Block until one or more containers stop, then print their exit codes",
	.aliases = "docker container wait, docker wait",
	.run = wait_main,
	.min_args = 1,
	.max_args = -1,
};
