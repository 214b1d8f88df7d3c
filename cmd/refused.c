/* SPDX-License-Identifier: Apache-2.0 */
/* refused: docker's commands for things which there are not here. Each says so in one sentence, so that
 * nobody has to find out by the word "unknown" whether he mistyped; those without rows whatever their options. */
#include "cmd.h"

#define REFUSED(id, words, what, sentence)              \
	const struct command cmd_##id = {.name = words, \
		.args = "[OPTIONS] [ARG...]",           \
		.about = what,                          \
		.refusal = sentence,                    \
		.max_args = -1,                         \
		.hidden = true}

#define DAEMON      "Error response from daemon: "
#define NO_REGISTRY "sbx has no client for registries yet: "
#define ONE_CONTEXT "sbx has one context, \"default\": this machine and its own store"
#define NO_SWARM \
	DAEMON "This node is not a swarm manager: sbx runs containers on one machine and has no swarm."

/* Those that a script may call with options: a mistyped one is told before that nothing comes of it. */
/* clang-format off */
static const struct opt search_opts[] = {
	{ 'f', "filter",   "filter", "Filter output based on conditions provided", OPT_NOTHING() },
	{ 0,   "format",   "string", "Pretty-print search using a Go template", OPT_NOTHING() },
	{ 0,   "limit",    "int",    "Max number of search results", OPT_NOTHING() },
	{ 0,   "no-trunc", NULL,     "Don't truncate output", OPT_NOTHING() },
	{ 0 },
};
static const struct opt login_opts[] = {
	{ 'p', "password",       "string", "Password or Personal Access Token (PAT)", OPT_NOTHING() },
	{ 0,   "password-stdin", NULL,     "Take the Password or Personal Access Token (PAT) from stdin", OPT_NOTHING() },
	{ 'u', "username",       "string", "Username", OPT_NOTHING() },
	{ 0 },
};
static const struct opt push_opts[] = {
	{ 'a', "all-tags",              NULL,     "Push all tags of an image to the repository", OPT_NOTHING() },
	{ 0,   "disable-content-trust", NULL,     "Skip image signing (default true)", OPT_NOTHING() },
	{ 0,   "platform",              "string", "Push a platform-specific manifest as a single-platform image to the registry. Image index won't be pushed, meaning that other manifests, including attestations won't be preserved. 'os[/arch[/variant]]': Explicit platform (eg. linux/amd64)", OPT_NOTHING() },
	{ 'q', "quiet",                 NULL,     "Suppress verbose output", OPT_NOTHING() },
	{ 0 },
};
/* clang-format on */

const struct command cmd_search = {
	.name = "search",
	.args = "[OPTIONS] TERM",
	.about = "Search Docker Hub for images",
	.refusal = DAEMON NO_REGISTRY "nothing can be searched",
	.opts = search_opts,
	.min_args = 1,
	.max_args = 1,
	.hidden = true,
};

const struct command cmd_login = {
	.name = "login",
	.args = "[OPTIONS] [SERVER]",
	.about = "Authenticate to a registry.\nDefaults to Docker Hub if no server is specified.",
	.refusal = DAEMON NO_REGISTRY "there is nothing to log in to",
	.opts = login_opts,
	.max_args = 1,
	.hidden = true,
};

const struct command cmd_logout = {
	.name = "logout",
	.args = "[SERVER]",
	.about = "Log out from a registry.\nIf no server is specified, the default is defined by the daemon.",
	.refusal = DAEMON NO_REGISTRY "nobody is logged in",
	.opts = search_opts + ARRAY_LEN(search_opts) - 1, /* none, but they are looked at */
	.max_args = 1,
	.hidden = true,
};

const struct command cmd_push = {
	.name = "push",
	.args = "[OPTIONS] NAME[:TAG]",
	.about = "Upload an image to a registry",
	.aliases = "docker image push, docker push",
	.refusal = DAEMON NO_REGISTRY "`sbx save` writes an image to an archive",
	.opts = push_opts,
	.min_args = 1,
	.max_args = 1,
	.hidden = true,
};

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
REFUSED(plugin, "plugin", "Manage plugins", DAEMON "sbx has no plugins");
REFUSED(trust, "trust", "Manage trust on Docker images", NO_REGISTRY "there are no signatures to manage");
REFUSED(manifest, "manifest", "Manage Docker image manifests and manifest lists",
	NO_REGISTRY "there are no manifests to manage");
REFUSED(checkpoint, "checkpoint", "Manage checkpoints",
	DAEMON "sbx cannot checkpoint containers: `sbx pause` makes one stand still");
REFUSED(context_create, "context create", "Create a context", ONE_CONTEXT);
REFUSED(context_update, "context update", "Update a context", ONE_CONTEXT);
REFUSED(context_export, "context export",
	"Export a context to a tar archive FILE or a tar stream on STDOUT.", ONE_CONTEXT);
REFUSED(context_import, "context import", "Import a context from a tar or zip file", ONE_CONTEXT);
REFUSED(builder, "builder", "Manage builds", "sbx builds no images, so there are no builds to manage");
