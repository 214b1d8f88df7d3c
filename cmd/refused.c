/* SPDX-License-Identifier: Apache-2.0 */
/* refused: docker's commands for things which there are not here. Each says so in one sentence, so that
 * nobody has to find out by the word "unknown" whether he mistyped; those without rows whatever their options. */
#include "cmd.h"
#include "pause.h"
#include "plugin.h"
#include "registry.h"

#define REFUSED(id, words, what, sentence)              \
	const struct command cmd_##id = {.name = words, \
		.args = "[OPTIONS] [ARG...]",           \
		.about = what,                          \
		.refusal = sentence,                    \
		.max_args = -1,                         \
		.hidden = true}

#define DAEMON "Error response from daemon: "
#define NO_SWARM \
	DAEMON "This node is not a swarm manager: sbx runs containers on one machine and has no swarm."

const struct command cmd_build = {
	.name = "build",
	.args = "[OPTIONS] PATH | URL | -",
	.about = "Build an image from a Dockerfile",
	.aliases = "docker image build, docker build, docker builder build, docker buildx build",
	.refusal = "ERROR: sbx builds no images from a Dockerfile: build it where docker or buildah is, and "
		   "`sbx load` the saved image, or change a container and `sbx commit` it",
	.max_args = -1,
	.hidden = true,
};

REFUSED(swarm, "swarm", "Manage Swarm", NO_SWARM);
REFUSED(node, "node", "Manage Swarm nodes", NO_SWARM);
REFUSED(service, "service", "Manage Swarm services", NO_SWARM);
REFUSED(stack, "stack", "Manage Swarm stacks", NO_SWARM);
REFUSED(secret, "secret", "Manage Swarm secrets", NO_SWARM);
REFUSED(config, "config", "Manage Swarm configs", NO_SWARM);
REFUSED(plugin_create, "plugin create", "Create a plugin from a rootfs and configuration",
	DAEMON NO_PLUGINS);
REFUSED(plugin_install, "plugin install", "Install a plugin", DAEMON NO_PLUGINS);
REFUSED(plugin_push, "plugin push", "Push a plugin to a registry", DAEMON NO_PLUGINS);
REFUSED(trust, "trust", "Manage trust on Docker images", NO_REGISTRY "there are no signatures to manage");
REFUSED(manifest, "manifest", "Manage Docker image manifests and manifest lists",
	NO_REGISTRY "there are no manifests to manage");
REFUSED(checkpoint, "checkpoint", "Manage checkpoints", DAEMON NO_CHECKPOINTS);
