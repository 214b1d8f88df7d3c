/* SPDX-License-Identifier: Apache-2.0 */
/* refused: docker's commands for things which there are not here. Each says so in one sentence, so that
 * nobody has to find out by the word "unknown" whether he mistyped; those without rows whatever their options. */
#include "cmd.h"
#include "pause.h"
#include "plugin.h"
#include "registry.h"

#define REFUSED(id, words, usage, what, sentence, least, most) \
	const struct command cmd_##id = {.name = words,        \
		.args = usage,                                 \
		.about = what,                                 \
		.refusal = sentence,                           \
		.min_args = least,                             \
		.max_args = most,                              \
		.hidden = true}

/* What docker has behind these words: who asks for help or has mistyped is not refused by that. */
#define MEMBER(word, usage, what, spellings, least, most)                         \
	{                                                                         \
		.name = word, .args = usage, .about = what, .aliases = spellings, \
		.min_args = least, .max_args = most                               \
	}
#define MEMBER_SINCE(minor, word, usage, what, spellings, least, most)            \
	{                                                                         \
		.name = word, .args = usage, .about = what, .aliases = spellings, \
		.min_args = least, .max_args = most, .since = (minor)             \
	}
#define SUBGROUP(word, what, has)                                       \
	{                                                               \
		.name = word, .args = "", .about = what, .members = has \
	}
/* clang-format off */
static const struct command trust_key_members[] = {
	MEMBER("trust key generate", "NAME", "Generate and load a signing key-pair", NULL, 1, 1),
	MEMBER("trust key load", "[OPTIONS] KEYFILE", "Load a private key file for signing", NULL, 1, 1),
	{0},
};
static const struct command trust_signer_members[] = {
	MEMBER("trust signer add", "OPTIONS NAME REPOSITORY [REPOSITORY...]", "Add a signer", NULL, 2, -1),
	MEMBER("trust signer remove", "[OPTIONS] NAME REPOSITORY [REPOSITORY...]", "Remove a signer", NULL, 2, -1),
	{0},
};
static const struct command swarm_members[] = {
	MEMBER_SINCE(30, "swarm ca", "[OPTIONS]", "Display and rotate the root CA", NULL, 0, 0),
	MEMBER("swarm init", "[OPTIONS]", "Initialize a swarm", NULL, 0, 0),
	MEMBER("swarm join", "[OPTIONS] HOST:PORT", "Join a swarm as a node and/or manager", NULL, 1, 1),
	MEMBER("swarm join-token", "[OPTIONS] (worker|manager)", "Manage join tokens", NULL, 1, 1),
	MEMBER("swarm leave", "[OPTIONS]", "Leave the swarm", NULL, 0, 0),
	MEMBER("swarm unlock", "", "Unlock swarm", NULL, 0, 0),
	MEMBER("swarm unlock-key", "[OPTIONS]", "Manage the unlock key", NULL, 0, 0),
	MEMBER("swarm update", "[OPTIONS]", "Update the swarm", NULL, 0, 0),
	{0},
};
static const struct command node_members[] = {
	MEMBER("node demote", "NODE [NODE...]", "Demote one or more nodes from manager in the swarm", NULL, 1, -1),
	MEMBER("node inspect", "[OPTIONS] self|NODE [NODE...]", "Display detailed information on one or more nodes", NULL, 1, -1),
	MEMBER("node ls", "[OPTIONS]", "List nodes in the swarm", "docker node ls, docker node list", 0, 0),
	MEMBER("node promote", "NODE [NODE...]", "Promote one or more nodes to manager in the swarm", NULL, 1, -1),
	MEMBER("node ps", "[OPTIONS] [NODE...]", "List tasks running on one or more nodes, defaults to current node", NULL, 0, -1),
	MEMBER("node rm", "[OPTIONS] NODE [NODE...]", "Remove one or more nodes from the swarm", "docker node rm, docker node remove", 1, -1),
	MEMBER("node update", "[OPTIONS] NODE", "Update a node", NULL, 1, 1),
	{0},
};
static const struct command service_members[] = {
	MEMBER("service create", "[OPTIONS] IMAGE [COMMAND] [ARG...]", "Create a new service", NULL, 1, -1),
	MEMBER("service inspect", "[OPTIONS] SERVICE [SERVICE...]", "Display detailed information on one or more services", NULL, 1, -1),
	MEMBER_SINCE(29, "service logs", "[OPTIONS] SERVICE|TASK", "Fetch the logs of a service or task", NULL, 1, 1),
	MEMBER("service ls", "[OPTIONS]", "List services", "docker service ls, docker service list", 0, 0),
	MEMBER("service ps", "[OPTIONS] SERVICE [SERVICE...]", "List the tasks of one or more services", NULL, 1, -1),
	MEMBER("service rm", "SERVICE [SERVICE...]", "Remove one or more services", "docker service rm, docker service remove", 1, -1),
	MEMBER_SINCE(31, "service rollback", "[OPTIONS] SERVICE", "Revert changes to a service's configuration", NULL, 1, 1),
	MEMBER("service scale", "SERVICE=REPLICAS [SERVICE=REPLICAS...]", "Scale one or multiple replicated services", NULL, 1, -1),
	MEMBER("service update", "[OPTIONS] SERVICE", "Update a service", NULL, 1, 1),
	{0},
};
static const struct command stack_members[] = {
	MEMBER("stack config", "[OPTIONS]", "Outputs the final config file, after doing merges and interpolations", NULL, 0, 0),
	MEMBER("stack deploy", "[OPTIONS] STACK", "Deploy a new stack or update an existing stack", "docker stack deploy, docker stack up", 1, 1),
	MEMBER("stack ls", "[OPTIONS]", "List stacks", "docker stack ls, docker stack list", 0, 0),
	MEMBER("stack ps", "[OPTIONS] STACK", "List the tasks in the stack", NULL, 1, 1),
	MEMBER("stack rm", "[OPTIONS] STACK [STACK...]", "Remove one or more stacks", "docker stack rm, docker stack remove, docker stack down", 1, -1),
	MEMBER("stack services", "[OPTIONS] STACK", "List the services in the stack", NULL, 1, 1),
	{0},
};
static const struct command secret_members[] = {
	MEMBER("secret create", "[OPTIONS] SECRET [file|-]", "Create a secret from a file or STDIN as content", NULL, 1, 2),
	MEMBER("secret inspect", "[OPTIONS] SECRET [SECRET...]", "Display detailed information on one or more secrets", NULL, 1, -1),
	MEMBER("secret ls", "[OPTIONS]", "List secrets", "docker secret ls, docker secret list", 0, 0),
	MEMBER("secret rm", "SECRET [SECRET...]", "Remove one or more secrets", "docker secret rm, docker secret remove", 1, -1),
	{0},
};
static const struct command config_members[] = {
	MEMBER("config create", "[OPTIONS] CONFIG file|-", "Create a config from a file or STDIN", NULL, 2, 2),
	MEMBER("config inspect", "[OPTIONS] CONFIG [CONFIG...]", "Display detailed information on one or more configs", NULL, 1, -1),
	MEMBER("config ls", "[OPTIONS]", "List configs", "docker config ls, docker config list", 0, 0),
	MEMBER("config rm", "CONFIG [CONFIG...]", "Remove one or more configs", "docker config rm, docker config remove", 1, -1),
	{0},
};
static const struct command trust_members[] = {
	SUBGROUP("trust key", "Manage keys for signing Docker images", trust_key_members),
	SUBGROUP("trust signer", "Manage entities who can sign Docker images", trust_signer_members),
	MEMBER("trust inspect", "IMAGE[:TAG] [IMAGE[:TAG]...]", "Return low-level information about keys and signatures", NULL, 1, -1),
	MEMBER("trust revoke", "[OPTIONS] IMAGE[:TAG]", "Remove trust for an image", NULL, 1, 1),
	MEMBER("trust sign", "IMAGE:TAG", "Sign an image", NULL, 1, 1),
	{0},
};
static const struct command manifest_members[] = {
	MEMBER("manifest annotate", "[OPTIONS] MANIFEST_LIST MANIFEST", "Add additional information to a local image manifest", NULL, 2, 2),
	MEMBER("manifest create", "MANIFEST_LIST MANIFEST [MANIFEST...]", "Create a local manifest list for annotating and pushing to a registry", NULL, 2, -1),
	MEMBER("manifest inspect", "[OPTIONS] [MANIFEST_LIST] MANIFEST", "Display an image manifest, or manifest list", NULL, 1, 2),
	MEMBER("manifest push", "[OPTIONS] MANIFEST_LIST", "Push a manifest list to a repository", NULL, 1, 1),
	MEMBER("manifest rm", "MANIFEST_LIST [MANIFEST_LIST...]", "Delete one or more manifest lists from local storage", NULL, 1, -1),
	{0},
};
static const struct command checkpoint_members[] = {
	MEMBER("checkpoint create", "[OPTIONS] CONTAINER CHECKPOINT", "Create a checkpoint from a running container", NULL, 2, 2),
	MEMBER("checkpoint ls", "[OPTIONS] CONTAINER", "List checkpoints for a container", "docker checkpoint ls, docker checkpoint list", 1, 1),
	MEMBER("checkpoint rm", "[OPTIONS] CONTAINER CHECKPOINT", "Remove a checkpoint", "docker checkpoint rm, docker checkpoint remove", 2, 2),
	{0},
};
/* clang-format on */

/* usage: as docker's has it behind a word that it does not know. */
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

const struct command cmd_build = {
	.name = "build",
	.args = "[OPTIONS] PATH | URL | -",
	.about = "Build an image from a Dockerfile",
	.aliases = "docker image build, docker build, docker builder build, docker buildx build",
	.refusal = "ERROR: sbx builds no images from a Dockerfile: build it where docker or buildah is, and "
		   "`sbx load` the saved image, or change a container and `sbx commit` it",
	.min_args = 1,
	.max_args = 1,
	.hidden = true,
};

GROUP(swarm, 24, "", "Manage Swarm", NO_SWARM);
GROUP(node, 24, "", "Manage Swarm nodes", NO_SWARM);
GROUP(service, 24, "", "Manage Swarm services", NO_SWARM);
GROUP(stack, 25, "[OPTIONS]", "Manage Swarm stacks", NO_SWARM);
GROUP(secret, 25, "", "Manage Swarm secrets", NO_SWARM);
GROUP(config, 30, "", "Manage Swarm configs", NO_SWARM);
REFUSED(plugin_create, "plugin create", "[OPTIONS] PLUGIN PLUGIN-DATA-DIR",
	"Create a plugin from a rootfs and configuration. Plugin data directory must contain config.json and rootfs directory.",
	DAEMON NO_PLUGINS, 2, -1);
REFUSED(plugin_install, "plugin install", "[OPTIONS] PLUGIN [KEY=VALUE...]", "Install a plugin",
	DAEMON NO_PLUGINS, 1, -1);
REFUSED(plugin_push, "plugin push", "[OPTIONS] PLUGIN[:TAG]", "Push a plugin to a registry",
	DAEMON NO_PLUGINS, 1, 1);
REFUSED(system_dial_stdio, "system dial-stdio", "",
	"Proxy the stdio stream to the daemon connection. Should not be invoked manually.",
	"sbx has no daemon to dial: `sbx serve` answers docker's API at a socket", 0, 0);

const struct command cmd_volume_update = {
	.name = "volume update",
	.args = "[OPTIONS] [VOLUME]",
	.about = "Update a volume (cluster volumes only)",
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
