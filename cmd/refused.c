/* SPDX-License-Identifier: Apache-2.0 */
/* refused: docker's commands for things that sbx does not have. Each says so in one sentence, so that users do not take
 * "unknown command" for a typing error of theirs. Commands without option rows accept any options. */
#include "cmd.h"
#include "pause.h"
#include "plugin.h"
#include "refused_members.h"
#include "registry.h"

#define REFUSED(id, words, usage, what, sentence, least, most, rows) \
	const struct command cmd_##id = {.name = words,              \
		.args = usage,                                       \
		.about = what,                                       \
		.opts = rows,                                        \
		.target_size = sizeof(struct ignored),               \
		.done = ignored_done,                                \
		.refusal = sentence,                                 \
		.min_args = least,                                   \
		.max_args = most,                                    \
		.hidden = true}

/* usage: the arguments in docker's usage after an unknown member. */
#define GROUP(id, minor, usage, what, sentence)       \
	const struct command cmd_##id = {.name = #id, \
		.args = usage,                        \
		.about = what,                        \
		.refusal = sentence,                  \
		.since = (minor),                     \
		.members = id##_members,              \
		.max_args = -1,                       \
		.hidden = true}

#define DAEMON "Error response from daemon: "
#define NO_SWARM \
	DAEMON "This node is not a swarm manager: sbx runs containers on one machine and has no swarm."

GROUP(swarm, 24, "", "Manage Swarm", NO_SWARM);
GROUP(node, 24, "", "Manage Swarm nodes", NO_SWARM);
GROUP(service, 24, "", "Manage Swarm services", NO_SWARM);
GROUP(stack, 25, "[OPTIONS]", "Manage Swarm stacks", NO_SWARM);
GROUP(secret, 25, "", "Manage Swarm secrets", NO_SWARM);
GROUP(config, 30, "", "Manage Swarm configs", NO_SWARM);
REFUSED(plugin_create, "plugin create", "[OPTIONS] PLUGIN PLUGIN-DATA-DIR",
	"Create a plugin from a rootfs and configuration. Plugin data directory must contain config.json and rootfs directory.",
	DAEMON NO_PLUGINS, 2, -1, plugin_create_opts);
REFUSED(plugin_install, "plugin install", "[OPTIONS] PLUGIN [KEY=VALUE...]", "Install a plugin",
	DAEMON NO_PLUGINS, 1, -1, plugin_install_opts);
REFUSED(plugin_push, "plugin push", "[OPTIONS] PLUGIN[:TAG]", "Push a plugin to a registry",
	DAEMON NO_PLUGINS, 1, 1, plugin_push_opts);
REFUSED(system_dial_stdio, "system dial-stdio", "",
	"Proxy the stdio stream to the daemon connection. Should not be invoked manually.",
	"sbx has no daemon to dial: `sbx serve` answers docker's API at a socket", 0, 0, NULL);

const struct command cmd_volume_update = {
	.name = "volume update",
	.args = "[OPTIONS] [VOLUME]",
	.about = "Update a volume (cluster volumes only)",
	.opts = volume_update_opts,
	.target_size = sizeof(struct ignored),
	.done = ignored_done,
	.refusal = DAEMON
	"volume update only valid for cluster volumes: sbx runs containers on one machine and has no swarm",
	.since = 42,
	.min_args = 1,
	.max_args = 1,
	.hidden = true,
};

GROUP(trust, 0, "", "Manage trust on Docker images", NO_REGISTRY "there are no signatures to manage");
GROUP(manifest, 0, "COMMAND",
	"The **docker manifest** command has subcommands for managing image manifests and\n"
	"manifest lists. A manifest list allows you to use one name to refer to the same image\n"
	"built for multiple architectures.\n"
	"\n"
	"To see help for a subcommand, use:\n"
	"\n"
	"    docker manifest CMD --help\n"
	"\n"
	"For full details on using docker manifest lists, see the registry v2 specification.\n"
	"\n"
	"EXPERIMENTAL:\n"
	"  docker manifest is an experimental feature.\n"
	"  Experimental features provide early access to product functionality. These\n"
	"  features may change between releases without warning, or can be removed from a\n"
	"  future release. Learn more about experimental features in our documentation:\n"
	"  https://docs.docker.com/go/experimental/",
	NO_REGISTRY "there are no manifests to manage");
GROUP(checkpoint, 25, "", "Manage checkpoints", DAEMON NO_CHECKPOINTS);
