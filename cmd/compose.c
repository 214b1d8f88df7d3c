/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compose: finds docker's compose plugin and runs it as docker's client does, passing on all words, under `serve`, which
 * provides the Engine API as long as the plugin runs.
 */
#include "client_config.h"
#include "cmd.h"
#include "context.h"
#include "mask.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Where docker's client looks for plugins, after the user's own directory. */
static const char *const plugin_dirs[] = {"/usr/local/lib/docker/cli-plugins",
	"/usr/local/libexec/docker/cli-plugins", "/usr/lib/docker/cli-plugins",
	"/usr/libexec/docker/cli-plugins"};

static char *program_in(const char *dir)
{
	auto_free char *path = xasprintf("%s/docker-compose", dir);

	return access(path, X_OK) == 0 ? take(path) : NULL;
}

static char *users_plugin(void)
{
	auto_free char *config = client_config_dir(), *dir = xasprintf("%s/cli-plugins", config);

	return program_in(dir);
}

static char *find_plugin(void)
{
	char *found = users_plugin();

	for (size_t i = 0; !found && i < ARRAY_LEN(plugin_dirs); i++)
		found = program_in(plugin_dirs[i]);
	return found;
}

/* docker-compose outside of the plugin directories: it takes the same words except the first, "compose". */
static char *find_alone(void)
{
	const char *path = getenv("PATH");
	char *found = NULL;

	while (!found && path && *path) {
		size_t n = strcspn(path, ":");
		auto_free char *dir = xstrndup(path, n);

		found = *dir == '/' ? program_in(dir) : NULL;
		path += n + (path[n] == ':');
	}
	return found;
}

static int compose_main(void *target, int argc, char **argv)
{
	auto_free char *plugin = find_plugin(), *alone = plugin ? NULL : find_alone();
	const char *config = context_asked()->config,
		   *words[7] = {"sbx", "serve", "--", plugin ? plugin : alone};
	size_t n = 4;
	auto_free char **args = xcalloc(ARRAY_LEN(words) + (size_t)argc + 1, sizeof(*args));

	(void)target;
	if (!plugin && !alone) {
		if (argc == 1 && (str_eq(argv[0], "--help") || str_eq(argv[0], "-h")))
			say_print("Usage:  docker compose %s\n\n%s\n", cmd_compose.args,
				cmd_compose.about);
		say_flush(); /* keeps the order if stdout and stderr are the same file */
		(void)fprintf(stderr,
			"sbx compose runs docker's compose plugin on the containers of sbx, and it is not here: "
			"install it (package docker-compose or docker-compose-v2)\n");
		return 1;
	}
	if (plugin && config) { /* docker hands on all global options; the others name a daemon, which is ours here */
		words[n++] = "--config";
		words[n++] = config;
	}
	if (plugin)
		words[n++] = "compose";
	for (size_t i = 0; i < n; i++)
		args[i] = (char *)(uintptr_t)words[i];
	for (int i = 0; i < argc; i++)
		args[n + (size_t)i] = argv[i];
	/* The plugin sees by this variable that it is run as one. */
	if (plugin)
		(void)setenv("DOCKER_CLI_PLUGIN_ORIGINAL_CLI_COMMAND", "docker", 1);
	mask_end();
	(void)execv("/proc/self/exe", args);
	(void)fprintf(stderr, "sbx compose: /proc/self/exe: %s\n", errno_text(errno));
	return 126;
}

const struct command cmd_compose = {
	.name = "compose",
	.args = "[OPTIONS] COMMAND [ARG...]",
	.about = "Run docker's compose plugin on these containers",
	.run = compose_main,
	.max_args = -1,
	.verbatim = true,
};
