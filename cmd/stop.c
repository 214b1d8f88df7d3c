/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "each.h"
#include "engine.h"
#include "parse.h"

#include <stdio.h>

/* The options of stop and of restart. */
struct stop {
	char *signal;
	int64_t timeout;
	bool timeout_given, time_given;
};

static int set_timeout(void *target, const char *value, struct err *e)
{
	struct stop *stop = target;

	stop->timeout_given = true;
	return parse_int(value, &stop->timeout, e);
}

static int set_time(void *target, const char *value, struct err *e)
{
	struct stop *stop = target;

	stop->time_given = true;
	return parse_int(value, &stop->timeout, e);
}

/* clang-format off */
static const struct opt stop_opts[] = {
	{ 's', "signal",  "string", "Signal to send to the container", OPT_STR(struct stop, signal) },
	{ 't', "timeout", "int",    "Seconds to wait before killing the container", OPT_CALL(set_timeout) },
	{ 0,   "time",    "int",    "use --timeout instead", OPT_CALL(set_time), OPT_DEPRECATED },
	{ 0 },
};
/* clang-format on */

static void stop_init(void *target)
{
	struct stop *stop = target;

	stop->timeout = SPEC_UNSET;
}

static void stop_done(void *target)
{
	struct stop *stop = target;

	free(stop->signal);
}

static int stop_one(const struct store *s, const char *name, const void *arg, struct err *e)
{
	const struct stop *stop = arg;

	return engine_stop(s, name, stop->signal, stop->timeout, e);
}

static int restart_one(const struct store *s, const char *name, const void *arg, struct err *e)
{
	const struct stop *stop = arg;

	return engine_restart(s, name, stop->signal, stop->timeout, e);
}

static bool is_said_twice(const struct stop *stop)
{
	if (!stop->timeout_given || !stop->time_given)
		return false;
	(void)fputs("conflicting options: cannot specify both --timeout and --time\n", stderr);
	return true;
}

static int stop_main(void *target, int argc, char **argv)
{
	if (is_said_twice(target))
		return 1;
	say_ended();
	return each_container(argv, argc, stop_one, target, EACH_AT_ONCE | EACH_GOES_ON);
}

static int restart_main(void *target, int argc, char **argv)
{
	if (is_said_twice(target))
		return 1;
	say_ended();
	return each_container(argv, argc, restart_one, target, EACH_GOES_ON);
}

const struct command cmd_stop = {
	.name = "stop",
	.args = "[OPTIONS] CONTAINER [CONTAINER...]",
	.about = "Stop one or more running containers",
	.aliases = "docker container stop, docker stop",
	.opts = stop_opts,
	.target_size = sizeof(struct stop),
	.init = stop_init,
	.run = stop_main,
	.done = stop_done,
	.min_args = 1,
	.max_args = -1,
};

const struct command cmd_restart = {
	.name = "restart",
	.args = "[OPTIONS] CONTAINER [CONTAINER...]",
	.about = "Restart one or more containers",
	.aliases = "docker container restart, docker restart",
	.opts = stop_opts,
	.target_size = sizeof(struct stop),
	.init = stop_init,
	.run = restart_main,
	.done = stop_done,
	.min_args = 1,
	.max_args = -1,
};
