/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "context.h"

#include <string.h>

/* How to add a command: cmd.h. */
const struct command *const commands[] = {
	&cmd_attach,
	&cmd_build,
	&cmd_builder_prune,
	&cmd_checkpoint,
	&cmd_commit,
	&cmd_compose,
	&cmd_complete,
	&cmd_complete_bare,
	&cmd_completion,
	&cmd_config,
	&cmd_container_inspect,
	&cmd_container_prune,
	&cmd_context_create,
	&cmd_context_export,
	&cmd_context_import,
	&cmd_context_inspect,
	&cmd_context_ls,
	&cmd_context_rm,
	&cmd_context_show,
	&cmd_context_update,
	&cmd_context_use,
	&cmd_cp,
	&cmd_create,
	&cmd_doctor,
	&cmd_diff,
	&cmd_eval,
	&cmd_events,
	&cmd_exec,
	&cmd_export,
	&cmd_help,
	&cmd_history,
	&cmd_image_inspect,
	&cmd_image_prune,
	&cmd_images,
	&cmd_import,
	&cmd_info,
	&cmd_inspect,
	&cmd_kill,
	&cmd_load,
	&cmd_login,
	&cmd_logout,
	&cmd_logs,
	&cmd_manifest,
	&cmd_network_connect,
	&cmd_network_create,
	&cmd_network_disconnect,
	&cmd_network_inspect,
	&cmd_network_ls,
	&cmd_network_prune,
	&cmd_network_rm,
	&cmd_node,
	&cmd_options,
	&cmd_pause,
	&cmd_plugin_create,
	&cmd_plugin_disable,
	&cmd_plugin_enable,
	&cmd_plugin_inspect,
	&cmd_plugin_install,
	&cmd_plugin_ls,
	&cmd_plugin_push,
	&cmd_plugin_rm,
	&cmd_plugin_set,
	&cmd_plugin_upgrade,
	&cmd_port,
	&cmd_plan,
	&cmd_ps,
	&cmd_pull,
	&cmd_push,
	&cmd_rename,
	&cmd_restart,
	&cmd_rm,
	&cmd_rmi,
	&cmd_run,
	&cmd_save,
	&cmd_search,
	&cmd_secret,
	&cmd_service,
	&cmd_stack,
	&cmd_start,
	&cmd_stats,
	&cmd_stop,
	&cmd_swarm,
	&cmd_system_df,
	&cmd_system_dial_stdio,
	&cmd_system_prune,
	&cmd_tag,
	&cmd_top,
	&cmd_trust,
	&cmd_unpause,
	&cmd_update,
	&cmd_version,
	&cmd_volume_create,
	&cmd_volume_inspect,
	&cmd_volume_ls,
	&cmd_volume_prune,
	&cmd_volume_rm,
	&cmd_volume_update,
	&cmd_wait,
	&cmd_serve,
	&cmd_spec,
	NULL,
};

const struct group groups[] = {
	{"builder", "Manage builds", "", 31},
	{"container", "Manage containers", "", 0},
	{"context", "Manage contexts", "", 0},
	{"image", "Manage images", "", 0},
	{"network", "Manage networks", "", 21},
	{"plugin", "Manage plugins", "", 25},
	{"system", "Manage Docker", "", 0},
	{"volume", "Manage volumes", "COMMAND", 21},
	{0},
};

const struct group *group_find(const char *name)
{
	for (const struct group *g = groups; g->name; g++)
		if (str_eq(g->name, name))
			return g;
	return NULL;
}

/* The next spelling in "docker container ls, docker ps", without its "docker "; NULL at the end. */
static const char *next_spelling(const char **at, size_t *n)
{
	const char *s = *at;

	if (!*s)
		return NULL;
	if (str_starts(s, "docker "))
		s += strlen("docker ");
	*n = strcspn(s, ",");
	*at = s + *n + strspn(s + *n, ", ");
	return s;
}

bool command_spelling(const struct command *c, const char *group, char *out, size_t size)
{
	const char *at = c->aliases ? c->aliases : c->name, *s;
	size_t n, prefix = strlen(group);

	while ((s = next_spelling(&at, &n))) {
		bool grouped = memchr(s, ' ', n);

		if (prefix ? n > prefix && memcmp(s, group, prefix) == 0 && s[prefix] == ' ' : !grouped) {
			(void)snprintf(out, size, "%.*s", (int)n, s);
			return true;
		}
	}
	return false;
}

char *command_lacking(const char *path, const struct command *c, const struct group *g)
{
	const char *api = context_api_version();
	unsigned since[] = {c ? c->since : 0, g ? g->since : 0};

	for (size_t i = 0; i < ARRAY_LEN(since); i++)
		if (opt_api_lacks(api, since[i]))
			return xasprintf("%s requires API version 1.%u, but the Docker daemon API version is %s",
				path, since[i], api);
	return NULL;
}

bool command_answers_to(const struct command *c, const char *words)
{
	const char *at = c->aliases ? c->aliases : c->name, *s;
	size_t n;

	while ((s = next_spelling(&at, &n)))
		if (strlen(words) == n && memcmp(s, words, n) == 0)
			return true;
	return false;
}

bool command_find(int argc, char *const *argv, struct call *out)
{
	const struct group *g = group_find(argv[0]);
	auto_free char *words = g && argc > 1 ? xasprintf("%s %s", argv[0], argv[1]) : xstrdup(argv[0]);
	char spelling[48];

	for (size_t i = 0; commands[i]; i++) {
		const struct command *c = commands[i];

		if (!command_answers_to(c, words) ||
			!command_spelling(c, g ? g->name : "", spelling, sizeof(spelling)))
			continue;
		*out = (struct call){.command = c, .words = g ? 2 : 1, .group = g};
		(void)snprintf(out->path, sizeof(out->path), "%s %s", c->ours ? "sbx" : "docker",
			spelling);
		return true;
	}
	return false;
}

bool command_member(struct call *at, const char *word)
{
	auto_free char *words = xasprintf("%s %s", at->path + strlen("docker "), word);

	for (const struct command *m = at->command->members; m && m->name; m++)
		if (command_answers_to(m, words)) {
			(void)snprintf(at->path, sizeof(at->path), "docker %s", m->name); /* fits */
			at->command = m;
			return true;
		}
	return false;
}
