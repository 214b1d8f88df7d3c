/* SPDX-License-Identifier: Apache-2.0 */
/* main: the table of commands; finds the one that is meant, reads its options, calls it. */
#include "cmd.h"
#include "complete.h"
#include "enroot_main.h"
#include "init.h"
#include "keeper.h"

#include <string.h>
#include <sys/ioctl.h>

static const struct command cmd_complete, cmd_help, cmd_options;

/* A new command: its line in cmd.h and its row here. */
static const struct command *const commands[] = {
	&cmd_attach,
	&cmd_build,
	&cmd_builder,
	&cmd_checkpoint,
	&cmd_commit,
	&cmd_complete,
	&cmd_config,
	&cmd_container_inspect,
	&cmd_container_prune,
	&cmd_context,
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
	&cmd_plugin,
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
	&cmd_wait,
	&cmd_serve,
	&cmd_spec,
};

/* The order in which docker shows what people type most. */
static const char *const common[] = {"run", "exec", "ps", "build", "pull", "push", "images",
	"login", "logout", "search", "version", "info"};

/* args: as docker's usage has it behind a word that it does not know. */
static const struct group {
	const char *name, *about, *args;
} groups[] = {
	{"container", "Manage containers", ""},
	{"image", "Manage images", ""},
	{"network", "Manage networks", ""},
	{"system", "Manage Docker", ""},
	{"volume", "Manage volumes", " COMMAND"},
};

struct globals {
	bool debug, tls, tlsverify, version;
	char *config, *context, *log_level, *tlscacert, *tlscert, *tlskey;
	struct strv host;
};

static int set_log_level(void *target, const char *value, struct err *e);

/* There is no daemon: all but --help, --version and the level's spelling is accepted and forgotten. */
/* clang-format off */
static const struct opt global_opts[] = {
	{ 0,   "config",    "string", "Location of client config files", OPT_STR(struct globals, config) },
	{ 'c', "context",   "string", "Name of the context to use to connect to the daemon (overrides DOCKER_HOST env var and default context set with \"docker context use\")", OPT_STR(struct globals, context) },
	{ 'D', "debug",     NULL,     "Enable debug mode", OPT_FLAG(struct globals, debug) },
	{ 'H', "host",      "list",   "Daemon socket to connect to", OPT_LIST(struct globals, host) },
	{ 'l', "log-level", "string", "Set the logging level (\"debug\", \"info\", \"warn\", \"error\", \"fatal\") (default \"info\")", OPT_CALL(set_log_level) },
	{ 0,   "tls",       NULL,     "Use TLS; implied by --tlsverify", OPT_FLAG(struct globals, tls) },
	{ 0,   "tlscacert", "string", "Trust certs signed only by this CA", OPT_STR(struct globals, tlscacert) },
	{ 0,   "tlscert",   "string", "Path to TLS certificate file", OPT_STR(struct globals, tlscert) },
	{ 0,   "tlskey",    "string", "Path to TLS key file", OPT_STR(struct globals, tlskey) },
	{ 0,   "tlsverify", NULL,     "Use TLS and verify the remote", OPT_FLAG(struct globals, tlsverify) },
	{ 'v', "version",   NULL,     "Print version information and quit", OPT_FLAG(struct globals, version) },
	{ 0 },
};
/* clang-format on */

static const struct command top = {
	.name = "",
	.args = "[OPTIONS] COMMAND [ARG...]",
	.opts = global_opts,
	.target_size = sizeof(struct globals),
	.max_args = -1,
	.stop_at_operand = true,
};

/* One command as it was called. */
struct call {
	const struct command *command;
	char path[64]; /* "docker container ls" */
	int words;     /* of the command line which named it */
};

static int set_log_level(void *target, const char *value, struct err *e)
{
	static const char *const levels[] = {
		"panic", "fatal", "error", "warn", "warning", "info", "debug", "trace"};
	struct globals *g = target;

	for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
		if (strcasecmp(value, levels[i]) == 0) {
			free(g->log_level);
			g->log_level = xstrdup(value);
			return 0;
		}
	}
	return err_set(e, ERR_USAGE, "Unable to parse logging level: %s", value);
}

static void globals_done(struct globals *g)
{
	free(g->config);
	free(g->context);
	free(g->log_level);
	free(g->tlscacert);
	free(g->tlscert);
	free(g->tlskey);
	strv_done(&g->host);
}
#define auto_globals __attribute__((cleanup(globals_done)))

static int columns(void)
{
	struct winsize w;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : 80;
}

static const struct group *group_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		if (str_eq(groups[i].name, name))
			return &groups[i];
	return NULL;
}

/* Walks "docker container ls, docker ps": the next spelling without its "docker ", or NULL. */
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

/* The spelling of the command in a group ("" for none): the first of its aliases there. False: it has none. */
static bool spelling_in(const struct command *c, const char *group, char *out, size_t size)
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

static bool answers_to(const struct command *c, const char *words)
{
	const char *at = c->aliases ? c->aliases : c->name, *s;
	size_t n;

	while ((s = next_spelling(&at, &n)))
		if (strlen(words) == n && memcmp(s, words, n) == 0)
			return true;
	return false;
}

/* argv[0] names the command, or the group and argv[1] the command. */
static bool find(int argc, char *const *argv, struct call *out)
{
	const struct group *g = group_find(argv[0]);
	auto_free char *words = g && argc > 1 ? xasprintf("%s %s", argv[0], argv[1]) : xstrdup(argv[0]);
	char spelling[48];

	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		const struct command *c = commands[i];

		if (!answers_to(c, words) ||
			!spelling_in(c, g ? g->name : "", spelling, sizeof(spelling)))
			continue;
		out->command = c;
		out->words = g ? 2 : 1;
		(void)snprintf(out->path, sizeof(out->path), "%s %s", c->ours ? "sbx" : "docker",
			spelling);
		return true;
	}
	return false;
}

static void usage(const char *path, const char *args, const char *verb)
{
	(void)fprintf(stderr, "\nUsage:  %s%s%s\n\n%s '%s --help' for more information\n", path,
		*args ? " " : "", args, verb, path);
}

static bool is_common(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(common); i++)
		if (str_eq(common[i], name))
			return true;
	return false;
}

static void list_one(const struct command *c, const char *name, struct buf *out)
{
	buf_printf(out, "  %-11s %.*s\n", name, (int)strcspn(c->about, "."), c->about);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The commands of a group, "" being those without one, as a sorted block. */
static void list_group(const char *group, bool ours, struct buf *out)
{
	auto_strv struct strv lines = {0};
	size_t prefix = *group ? strlen(group) + 1 : 0;
	char spelling[48];

	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		const struct command *c = commands[i];

		if (c->hidden || c->ours != ours || !spelling_in(c, group, spelling, sizeof(spelling)))
			continue;
		if (!*group && is_common(spelling))
			continue;
		strv_addf(&lines, "  %-11s %.*s\n", spelling + prefix, (int)strcspn(c->about, "."),
			c->about);
	}
	if (lines.n)
		qsort(lines.v, lines.n, sizeof(*lines.v), by_text);
	for (size_t i = 0; i < lines.n; i++)
		buf_puts(out, lines.v[i]);
}

static void help_top(struct buf *out)
{
	auto_buf struct buf ours = {0};

	buf_puts(out, "Usage:  docker [OPTIONS] COMMAND\n\n"
		      "Containers for users without root, by docker's command line\n\n"
		      "Common Commands:\n");
	for (size_t i = 0; i < ARRAY_LEN(common); i++)
		for (size_t k = 0; k < ARRAY_LEN(commands); k++)
			if (!commands[k]->hidden && answers_to(commands[k], common[i]))
				list_one(commands[k], common[i], out);
	buf_puts(out, "\nManagement Commands:\n");
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		buf_printf(out, "  %-11s %s\n", groups[i].name, groups[i].about);
	buf_puts(out, "\nCommands:\n");
	list_group("", false, out);
	list_group("", true, &ours);
	if (ours.len)
		buf_printf(out, "\nCommands that docker does not have:\n%s", ours.s);
	buf_puts(out, "\nGlobal Options:\n");
	opt_help_rows(global_opts, 0, OPT_HIDDEN, columns(), out);
	buf_puts(out, "\nRun 'docker COMMAND --help' for more information on a command.\n");
}

static void help_group(const struct group *g, struct buf *out)
{
	buf_printf(out, "Usage:  docker %s COMMAND\n\n%s\n\nCommands:\n", g->name, g->about);
	list_group(g->name, false, out);
	buf_printf(out, "\nRun 'docker %s COMMAND --help' for more information on a command.\n", g->name);
}

static int unknown(const char *word)
{
	(void)fprintf(stderr,
		"docker: unknown command: docker %s\n\nRun 'docker --help' for more information\n",
		word);
	return 1;
}

static int group_usage(const struct group *g, int status)
{
	(void)fprintf(stderr, "\nUsage:  docker %s%s\n\nRun 'docker %s --help' for more information\n",
		g->name, g->args, g->name);
	return status;
}

/* "docker container", "docker container --help", "docker container nosuch" */
static int run_group(const struct group *g, int argc, char *const *argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	auto_buf struct buf out = {0};

	if (word && word[0] != '-') {
		(void)fprintf(stderr, "docker: unknown command: docker %s %s\n", g->name, word);
		return group_usage(g, 1);
	}
	if (word && !str_eq(word, "--help") && !str_eq(word, "-h")) {
		if (word[1] == '-')
			(void)fprintf(stderr, "unknown flag: %.*s\n", (int)strcspn(word, "="), word);
		else
			(void)fprintf(stderr, "unknown shorthand flag: '%c' in %s\n", word[1], word);
		return group_usage(g, 125);
	}
	help_group(g, &out);
	if (word)
		return say_out(&out);
	/* who named no command was not asking for help */
	return fwrite(out.s, 1, out.len, stderr) == out.len ? 0 : 1;
}

static int run_parsed(const struct call *call, void *target, const struct parsed *p)
{
	const struct command *c = call->command;
	auto_buf struct buf out = {0};
	struct err e;

	for (size_t i = 0; i < p->warnings.n; i++)
		(void)fprintf(stderr, "%s\n", p->warnings.v[i]);
	if (p->help) {
		opt_help(c, call->path, columns(), &out);
		return say_out(&out);
	}
	if (opt_arity(c, p->n, &e) < 0) {
		(void)fprintf(stderr, "docker: '%s' %s\n", call->path, e.text);
		/* docker itself says it in two ways */
		usage(call->path, c->args, c->max_args < 0 ? "See" : "Run");
		return 1;
	}
	if (c->refusal) {
		(void)fprintf(stderr, "%s\n", c->refusal);
		return 1;
	}
	return c->run(target, p->n, p->operands);
}

/* Its options are docker's to know: none is looked at but --help. */
static int refuse(const struct call *call, int argc, char *const *argv)
{
	for (int i = 0; i < argc; i++)
		if (str_eq(argv[i], "--help") || str_eq(argv[i], "-h"))
			(void)printf("Usage:  %s %s\n\n%s\n\n", call->path, call->command->args,
				call->command->about);
	(void)fflush(stdout); /* in order where both go to one file */
	(void)fprintf(stderr, "%s\n", call->command->refusal);
	return 1;
}

static int run_command(const struct call *call, int argc, char *const *argv)
{
	const struct command *c = call->command;
	auto_free void *target = xcalloc(1, c->target_size);
	auto_parsed struct parsed p = {0};
	struct err e;
	int status;

	if (c->refusal && !c->opts)
		return refuse(call, argc, argv);
	if (c->init)
		c->init(target);
	if (opt_parse(c, argc, argv, target, &p, &e) < 0) {
		(void)fprintf(stderr, "%s\n", e.text);
		usage(call->path, c->args, "Run");
		status = 125;
	} else {
		status = run_parsed(call, target, &p);
	}
	if (c->done)
		c->done(target);
	return status;
}

static int dispatch(int argc, char *const *argv)
{
	const struct group *g;
	struct call call;

	if (find(argc, argv, &call))
		return run_command(&call, argc - call.words, argv + call.words);
	g = group_find(argv[0]);
	if (g)
		return run_group(g, argc, argv);
	return unknown(argv[0]);
}

static int help_main(void *target, int argc, char **argv)
{
	auto_buf struct buf out = {0};
	const struct group *g;
	struct call call;

	(void)target;
	if (argc == 0) {
		help_top(&out);
		return say_out(&out);
	}
	g = group_find(argv[0]);
	if (find(argc, argv, &call)) {
		opt_help(call.command, call.path, columns(), &out);
	} else if (g) {
		help_group(g, &out);
	} else {
		(void)fprintf(stderr, "unknown help topic: %s\n", argv[0]);
		return 1;
	}
	return say_out(&out);
}

static const struct command cmd_help = {
	.name = "help",
	.args = "[COMMAND]",
	.about = "Help about the command",
	.run = help_main,
	.max_args = -1,
	.hidden = true,
};

/* For tests and shell completion: every option of every command, one a line. */
static int options_main(void *target, int argc, char **argv)
{
	auto_buf struct buf out = {0};

	(void)target;
	if (argc == 0)
		opt_dump("", global_opts, &out);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (!commands[i]->hidden && (argc == 0 || answers_to(commands[i], argv[0])))
			opt_dump(commands[i]->name, commands[i]->opts, &out);
	return say_out(&out);
}

static const struct command cmd_options = {
	.name = "__options",
	.args = "[COMMAND]",
	.about = "All options, one a line",
	.run = options_main,
	.max_args = 1,
	.hidden = true,
	.ours = true,
};

/* The commands of a group, or (NULL) those without one and the groups. */
static void offer_commands(const struct group *g, const char *current, struct buf *out)
{
	const char *group = g ? g->name : "";
	size_t prefix = g ? strlen(group) + 1 : 0;
	char spelling[48];

	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (!commands[i]->hidden && spelling_in(commands[i], group, spelling, sizeof(spelling)))
			complete_offer(spelling + prefix, commands[i]->about, current, out);
	for (size_t i = 0; !g && i < ARRAY_LEN(groups); i++)
		complete_offer(groups[i].name, groups[i].about, current, out);
}

/* Where a command line stands before the word that is being completed. */
struct place {
	const struct command *c; /* NULL: no command of ours */
	const struct group *g;   /* whose command is still to come */
	const struct opt *value_of;
	int operands;
};

static void step(struct place *p, char *word)
{
	char *two[] = {(char *)(uintptr_t)(p->g ? p->g->name : word), word};
	struct call call;

	p->value_of = NULL;
	if (word[0] == '-' && word[1] && !(p->c && p->c->stop_at_operand && p->operands)) {
		p->value_of = p->c ? complete_row(p->c->opts, word) : NULL;
		if (p->value_of && !p->value_of->arg)
			p->value_of = NULL;
	} else if (p->c != &top) {
		p->operands++;
	} else if (!p->g && (p->g = group_find(word))) {
		;
	} else {
		p->c = find(p->g ? 2 : 1, two, &call) ? call.command : NULL;
		p->g = NULL;
	}
}

static int complete_main(void *target, int argc, char **argv)
{
	const char *current = argc ? argv[argc - 1] : "";
	struct place p = {.c = &top};
	auto_buf struct buf out = {0};

	(void)target;
	for (int i = 0; i + 1 < argc; i++) {
		if (p.value_of)
			p.value_of = NULL;
		else
			step(&p, argv[i]);
	}
	if (p.value_of)
		complete_values(p.value_of, current, &out);
	else if (!p.c || (p.c->stop_at_operand && p.c != &top && p.operands))
		;
	else if (*current == '-')
		complete_options(p.c->opts, current, &out);
	else if (p.c == &top)
		offer_commands(p.g, current, &out);
	else if (p.c == &cmd_help)
		offer_commands(NULL, current, &out);
	else
		complete_operand(p.c->name, p.operands, current, &out);
	return say_out(&out);
}

static const struct command cmd_complete = {
	.name = "__complete",
	.args = "-- WORD... CURRENT",
	.about = "What a shell may offer for the last word",
	.run = complete_main,
	.max_args = -1,
	.hidden = true,
	.ours = true,
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A bundle has any name but these, which need not look into their own file. */
static bool is_renamed(const char *name)
{
	return !str_eq(name, "sbx") && !str_eq(name, "docker");
}

int main(int argc, char **argv)
{
	auto_globals struct globals g = {0};
	auto_parsed struct parsed p = {0};
	struct err e;
	int status;

	if (argc > 0 && str_eq(base_name(argv[0]), INIT_NAME))
		return init_main(argc, argv);
	if (argc > 0 && str_eq(base_name(argv[0]), KEEPER_NAME))
		return keeper_main(argc, argv);
	if (argc > 0 && str_eq(base_name(argv[0]), "enroot"))
		return enroot_main(argc, argv);
	if (argc > 0 && is_renamed(base_name(argv[0])) && enroot_bundle_main(argc, argv, &status))
		return status;
	if (opt_parse(&top, argc > 0 ? argc - 1 : 0, argv + 1, &g, &p, &e) < 0) {
		const char *level = strstr(e.text, "Unable to parse logging level");

		(void)fprintf(stderr, "%s\n", level ? level : e.text);
		if (level)
			return 1;
		usage("docker", top.args, "Run");
		return 125;
	}
	for (size_t i = 0; i < p.warnings.n; i++)
		(void)fprintf(stderr, "%s\n", p.warnings.v[i]);
	if (g.version && !p.help) {
		(void)printf("Docker version %s, build sbx-%s\n", DOCKER_VERSION, SBX_VERSION);
		return fflush(stdout) == 0 ? 0 : 1;
	}
	if (p.help || p.n == 0)
		return help_main(NULL, 0, NULL);
	return dispatch(p.n, p.operands);
}
