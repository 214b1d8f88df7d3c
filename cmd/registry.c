/* SPDX-License-Identifier: Apache-2.0 */
/* registry: docker's commands for registries, for which sbx has no client yet. They print and check what docker's client does
 * before it asks a registry, and then say that none can be asked. */
#include "cmd.h"

#include "filter.h"
#include "pull.h"
#include "registry.h"

#include <string.h>

#define HUB "https://index.docker.io/v1/"

/* ---- login, logout ---- */

struct login {
	char *username, *password;
	bool from_stdin;
};

/* clang-format off */
static const struct opt login_opts[] = {
	{ 'p', "password",       "string", "Password or Personal Access Token (PAT)", OPT_STR(struct login, password) },
	{ 0,   "password-stdin", NULL,     "Take the Password or Personal Access Token (PAT) from stdin", OPT_FLAG(struct login, from_stdin) },
	{ 'u', "username",       "string", "Username", OPT_STR(struct login, username) },
	{ 0 },
};
/* clang-format on */

static void login_done(void *target)
{
	struct login *l = target;

	free(l->username);
	free(l->password);
}

/* An error of docker's client itself; NULL: none. */
static const char *login_refusal(const struct login *l)
{
	int first = EOF;

	if (l->password && l->from_stdin)
		return "conflicting options: cannot specify both --password and --password-stdin";
	if (l->username && !*l->username)
		return "username is empty";
	if (l->from_stdin && !l->username)
		return "the --password-stdin option requires --username to be set";
	if (l->password && !*l->password)
		return "password is empty";
	if (l->password)
		(void)fputs("WARNING! Using --password via the CLI is insecure. Use --password-stdin.\n",
			stderr);
	if (l->from_stdin)
		first = fgetc(stdin);
	if (!isatty(STDIN_FILENO) && (!l->username || (!l->password && first == EOF)))
		return "Error: Cannot perform an interactive login from a non TTY device";
	return NULL;
}

static int login_main(void *target, int argc, char **argv)
{
	const char *refusal = login_refusal(target);

	(void)argc;
	(void)argv;
	if (!refusal)
		refusal = "Error response from daemon: " NO_REGISTRY "there is nothing to log in to";
	(void)fprintf(stderr, "%s\n", refusal);
	return 1;
}

/* Like docker, does not care whether there is a login. */
static int logout_main(void *target, int argc, char **argv)
{
	const char *server = argc && *argv[0] ? argv[0] : NULL,
		   *end = server ? strstr(server, "://") : NULL;

	(void)target;
	if (!server) {
		say_print("Removing login credentials for " HUB "\n");
		return 0;
	}
	server = end ? end + 3 : server;
	say_print("Removing login credentials for %.*s\n", (int)strcspn(server, "/"), server);
	return 0;
}

const struct command cmd_login = {
	.name = "login",
	.args = "[OPTIONS] [SERVER]",
	.about = "Authenticate to a registry.\nDefaults to Docker Hub if no server is specified.",
	.opts = login_opts,
	.target_size = sizeof(struct login),
	.run = login_main,
	.done = login_done,
	.max_args = 1,
	.hidden = true,
};

const struct command cmd_logout = {
	.name = "logout",
	.args = "[SERVER]",
	.about = "Log out from a registry.\nIf no server is specified, the default is defined by the daemon.",
	.opts = login_opts + ARRAY_LEN(login_opts) - 1, /* no rows, not NULL: options are parsed, and are errors */
	.run = logout_main,
	.max_args = 1,
	.hidden = true,
};

/* ---- push ---- */

struct push {
	bool all_tags, quiet;
	char *platform;
};

/* What docker's client prints for --platform. */
#define ONE_PLATFORM                                                                                                 \
	"\n Info -> Using --platform pushes only the specified platform manifest of a multi-platform image index.\n" \
	"         Other components, like attestations, will not be included.\n"                                      \
	"         To push the complete multi-platform image, remove the --platform flag.\n"                          \
	"         \n"

static void push_done(void *target)
{
	free(((struct push *)target)->platform);
}

/* clang-format off */
static const struct opt push_opts[] = {
	{ 'a', "all-tags",              NULL,     "Push all tags of an image to the repository", OPT_FLAG(struct push, all_tags) },
	{ 0,   "disable-content-trust", NULL,     "Skip image signing (default true)", OPT_NOTHING() },
	{ 0,   "platform",              "string", "Push a platform-specific manifest as a single-platform image to the registry. Image index won't be pushed, meaning that other manifests, including attestations won't be preserved. 'os[/arch[/variant]]': Explicit platform (eg. linux/amd64)", OPT_STR(struct push, platform), OPT_SINCE(46) },
	{ 'q', "quiet",                 NULL,     "Suppress verbose output", OPT_FLAG(struct push, quiet) },
	{ 0 },
};
/* clang-format on */

static int push_main(void *target, int argc, char **argv)
{
	const struct push *p = target;
	const char *slash = strrchr(argv[0], '/');
	bool has_tag = strpbrk(slash ? slash : argv[0], ":@") != NULL;
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_ref struct ref r = {0};
	struct err e;

	(void)argc;
	if (pull_check_platform(p->platform, &e) < 0) {
		(void)fprintf(stderr, "Invalid platform %s", p->platform);
		return say_error(&e, 1);
	}
	if (p->platform && *p->platform)
		say_print(ONE_PLATFORM);
	if (ref_parse(argv[0], &r, &e) < 0)
		return say_error(&e, 1);
	if (p->all_tags && has_tag)
		(void)err_set(&e, ERR_USAGE, "tag can't be used with --all-tags/-a");
	else if (r.digest)
		(void)err_set(&e, ERR_USAGE, "cannot push a digest reference");
	else
		e.kind = ERR_NONE;
	if (e.kind != ERR_NONE)
		return say_error(&e, 1);
	if (!p->quiet && !p->all_tags && !has_tag)
		say_print("Using default tag: latest\n");
	if (!p->quiet)
		say_print("The push refers to repository [%s/%s]\n", r.domain, r.path);
	say_flush(); /* before errors, if stdout and stderr are the same file */
	if (store_open(&s, &e) == 0)
		(void)registry_push(&s, &r, p->all_tags, &e); /* always fails */
	return say_error(&e, 1);
}

const struct command cmd_push = {
	.name = "push",
	.args = "[OPTIONS] NAME[:TAG]",
	.about = "Upload an image to a registry",
	.aliases = "docker image push, docker push",
	.opts = push_opts,
	.target_size = sizeof(struct push),
	.run = push_main,
	.done = push_done,
	.min_args = 1,
	.max_args = 1,
	.hidden = true,
};

/* ---- search ---- */

struct search {
	struct filters filters;
	int64_t limit;
};

static int add_filter(void *target, const char *value, struct err *e)
{
	return filter_add(&((struct search *)target)->filters, value, e);
}

/* clang-format off */
static const struct opt search_opts[] = {
	{ 'f', "filter",   "filter", "Filter output based on conditions provided", OPT_CALL(add_filter) },
	{ 0,   "format",   "string", "Pretty-print search using a Go template", OPT_NOTHING() },
	{ 0,   "limit",    "int",    "Max number of search results", OPT_INT(struct search, limit) },
	{ 0,   "no-trunc", NULL,     "Don't truncate output", OPT_NOTHING() },
	{ 0 },
};
/* clang-format on */

static void search_done(void *target)
{
	filter_done(&((struct search *)target)->filters);
}

static int search_main(void *target, int argc, char **argv)
{
	const struct search *s = target;
	struct err e;

	(void)argc;
	if (filter_has(&s->filters, "is-automated"))
		(void)fprintf(stderr,
			"WARNING: the \"is-automated\" filter is deprecated, and searching for "
			"\"is-automated=true\" will not yield any results in future.\n");
	/* docker's client sends only positive limits; the search always fails */
	(void)registry_search(argv[0], &s->filters, s->limit > 0 ? s->limit : REGISTRY_LIMIT_UNSET, &e);
	say_daemon_error(&e);
	return 1;
}

const struct command cmd_search = {
	.name = "search",
	.args = "[OPTIONS] TERM",
	.about = "Search Docker Hub for images",
	.opts = search_opts,
	.target_size = sizeof(struct search),
	.run = search_main,
	.done = search_done,
	.min_args = 1,
	.max_args = 1,
	.hidden = true,
};
