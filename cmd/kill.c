/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "each.h"
#include "engine.h"

#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

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

/* One that Go reads and that is none of those which nobody can mean. */
static bool is_number(const char *s)
{
	char *end;

	return s && *s && strtoll(s, &end, 10) != 0 && !*end && !isspace((unsigned char)*s);
}

static int kill_one(const struct store *s, const char *name, const void *arg, struct err *e)
{
	const struct kill_words *k = arg;
	int signo;
	id_text id;

	if (!is_number(k->signal) && each_signal(k->signal, &signo, e) < 0)
		return -1;
	if (state_find(s, name, id, e) < 0)
		return e->kind == ERR_NOT_FOUND
		               ? err_ctx(e, "cannot kill container: %s", name + strspn(name, "/"))
		               : -1;
	/* a number is looked at by who sends it */
	if (is_number(k->signal) && each_signal(k->signal, &signo, e) < 0)
		return err_set(e, ERR_CONFLICT,
			"cannot kill container: %s: The linux daemon does not support signal %llu",
			name, strtoull(k->signal, NULL, 10));
	return engine_kill(s, id, signo ? signo : SIGKILL, e);
}

static int kill_main(void *target, int argc, char **argv)
{
	return each_container(argv, argc, kill_one, target, 0);
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
