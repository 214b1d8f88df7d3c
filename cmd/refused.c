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

/* What docker lists behind these words, which are asked for as help is: nobody is refused by that. */
/* clang-format off */
#define SWARM_HAS \
	"Commands:\n" \
	"  ca          Display and rotate the root CA\n" \
	"  init        Initialize a swarm\n" \
	"  join        Join a swarm as a node and/or manager\n" \
	"  join-token  Manage join tokens\n" \
	"  leave       Leave the swarm\n" \
	"  unlock      Unlock swarm\n" \
	"  unlock-key  Manage the unlock key\n" \
	"  update      Update the swarm\n"
#define NODE_HAS \
	"Commands:\n" \
	"  demote      Demote one or more nodes from manager in the swarm\n" \
	"  inspect     Display detailed information on one or more nodes\n" \
	"  ls          List nodes in the swarm\n" \
	"  promote     Promote one or more nodes to manager in the swarm\n" \
	"  ps          List tasks running on one or more nodes, defaults to current node\n" \
	"  rm          Remove one or more nodes from the swarm\n" \
	"  update      Update a node\n"
#define SERVICE_HAS \
	"Commands:\n" \
	"  create      Create a new service\n" \
	"  inspect     Display detailed information on one or more services\n" \
	"  logs        Fetch the logs of a service or task\n" \
	"  ls          List services\n" \
	"  ps          List the tasks of one or more services\n" \
	"  rm          Remove one or more services\n" \
	"  rollback    Revert changes to a service's configuration\n" \
	"  scale       Scale one or multiple replicated services\n" \
	"  update      Update a service\n"
#define STACK_HAS \
	"Commands:\n" \
	"  config      Outputs the final config file, after doing merges and interpolations\n" \
	"  deploy      Deploy a new stack or update an existing stack\n" \
	"  ls          List stacks\n" \
	"  ps          List the tasks in the stack\n" \
	"  rm          Remove one or more stacks\n" \
	"  services    List the services in the stack\n"
#define SECRET_HAS \
	"Commands:\n" \
	"  create      Create a secret from a file or STDIN as content\n" \
	"  inspect     Display detailed information on one or more secrets\n" \
	"  ls          List secrets\n" \
	"  rm          Remove one or more secrets\n"
#define CONFIG_HAS \
	"Commands:\n" \
	"  create      Create a config from a file or STDIN\n" \
	"  inspect     Display detailed information on one or more configs\n" \
	"  ls          List configs\n" \
	"  rm          Remove one or more configs\n"
#define TRUST_HAS \
	"Management Commands:\n" \
	"  key         Manage keys for signing Docker images\n" \
	"  signer      Manage entities who can sign Docker images\n" \
	"\n" \
	"Commands:\n" \
	"  inspect     Return low-level information about keys and signatures\n" \
	"  revoke      Remove trust for an image\n" \
	"  sign        Sign an image\n"
#define MANIFEST_HAS \
	"Commands:\n" \
	"  annotate    Add additional information to a local image manifest\n" \
	"  create      Create a local manifest list for annotating and pushing to a registry\n" \
	"  inspect     Display an image manifest, or manifest list\n" \
	"  push        Push a manifest list to a repository\n" \
	"  rm          Delete one or more manifest lists from local storage\n"
/* clang-format on */

#define GROUP(id, what, sentence, has)                \
	const struct command cmd_##id = {.name = #id, \
		.args = "COMMAND",                    \
		.about = what,                        \
		.refusal = sentence,                  \
		.members = has,                       \
		.max_args = -1,                       \
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

GROUP(swarm, "Manage Swarm", NO_SWARM, SWARM_HAS);
GROUP(node, "Manage Swarm nodes", NO_SWARM, NODE_HAS);
GROUP(service, "Manage Swarm services", NO_SWARM, SERVICE_HAS);
GROUP(stack, "Manage Swarm stacks", NO_SWARM, STACK_HAS);
GROUP(secret, "Manage Swarm secrets", NO_SWARM, SECRET_HAS);
GROUP(config, "Manage Swarm configs", NO_SWARM, CONFIG_HAS);
REFUSED(plugin_create, "plugin create", "Create a plugin from a rootfs and configuration",
	DAEMON NO_PLUGINS);
REFUSED(plugin_install, "plugin install", "Install a plugin", DAEMON NO_PLUGINS);
REFUSED(plugin_push, "plugin push", "Push a plugin to a registry", DAEMON NO_PLUGINS);
GROUP(trust, "Manage trust on Docker images", NO_REGISTRY "there are no signatures to manage", TRUST_HAS);
GROUP(manifest,
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
	NO_REGISTRY "there are no manifests to manage", MANIFEST_HAS);
REFUSED(checkpoint, "checkpoint", "Manage checkpoints", DAEMON NO_CHECKPOINTS);
