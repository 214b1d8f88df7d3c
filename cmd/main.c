/* SPDX-License-Identifier: Apache-2.0 */
/* main: finds out under which name the program was called, and which command is meant; parses its options and runs it. */
#include "client_config.h"
#include "commands.h"
#include "context.h"
#include "enroot_main.h"
#include "init.h"
#include "json.h"
#include "keeper.h"
#include "mask.h"
#include "result.h"
#include "sys.h"

#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>

#define STACK_LEAST (256 << 10)

struct globals {
	bool debug, tls, tlsverify, version;
	char *config, *context, *log_level, *tlscacert, *tlscert, *tlskey;
	struct strv host;
};

static int set_log_level(void *target, const char *value, struct err *e);

/* As there is no daemon, all but --help, --version and --config are only checked (context.h). */
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

const struct command cmd_docker = {
	.name = "",
	.args = "[OPTIONS] COMMAND [ARG...]",
	.opts = global_opts,
	.target_size = sizeof(struct globals),
	.max_args = -1,
	.stop_at_operand = true,
};

static int set_log_level(void *target, const char *value, struct err *e)
{
	static const char *const levels[] = {
		"panic", "fatal", "error", "warn", "warning", "info", "debug", "trace"};
	struct globals *g = target;

	if (!*value) /* the default */
		return 0;
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

static void usage(const char *path, const char *args, const char *verb)
{
	(void)fprintf(stderr, "\nUsage:  %s%s%s\n\n%s '%s --help' for more information\n", path,
		*args ? " " : "", args, verb, path);
}

/* Whether help is asked for, which docker's client gives even for an unknown command. out: a warning to print before the help. */
static bool asks_help(int argc, char *const *argv, struct buf *out)
{
	for (int i = 1; i < argc && !str_eq(argv[i], "--"); i++) {
		if (str_eq(argv[i], "-h"))
			buf_puts(out, "Flag shorthand -h has been deprecated, use --help\n");
		if (str_eq(argv[i], "-h") || str_eq(argv[i], "--help"))
			return true;
	}
	return false;
}

/* The API version lacks the command. As docker does, the message is an error; but if help was asked for, it is the help. */
static int lacking(char *why, bool asked)
{
	auto_free char *line = why;

	(void)fprintf(asked ? stdout : stderr, "%s\n", line);
	return say_written(!asked);
}

/* The words name no command of the group. As docker's client does, options among them are parsed all the same, and errors in
 * these come first. c: the group as a command; help: its help. */
static int no_member(const struct command *c, const char *path, int argc, char *const *argv,
	const struct buf *help)
{
	auto_parsed struct parsed p = {0};
	struct err e;

	if (opt_parse(c, argc, argv, NULL, &p, &e) < 0) {
		(void)fprintf(stderr, "%s\n", e.text);
		usage(path, c->args, "Run");
		return 125;
	}
	for (size_t i = 0; p.help && i < p.warnings.n; i++)
		say_print("%s\n", p.warnings.v[i]);
	if (p.help)
		return say_out(help);
	if (!p.n) /* no command: as in docker, the help goes to stderr, but the status is 0 */
		return fwrite(help->s, 1, help->len, stderr) == help->len ? 0 : 1;
	(void)fprintf(stderr, "docker: unknown command: %s %s\n", path, p.operands[0]);
	usage(path, c->args, "Run");
	return 1;
}

/* "docker container", "docker container --help", "docker container nosuch" */
static int run_group(const struct group *g, int argc, char *const *argv)
{
	const struct command c = {.name = g->name, .args = g->args, .max_args = -1};
	auto_buf struct buf help = {0}, ignored = {0};
	auto_free char *path = xasprintf("docker %s", g->name);
	char *why = command_lacking(path, NULL, g);

	if (why)
		return lacking(why, asks_help(argc, argv, &ignored));
	help_group(g, &help);
	return no_member(&c, path, argc - 1, argv + 1, &help);
}

static void arity_usage(const struct call *call, const struct err *why)
{
	const struct command *c = call->command;

	(void)fprintf(stderr, "docker: '%s' %s\n", call->path, why->text);
	/* docker has three wordings, one of them with a typing error */
	usage(call->path, c->args,
		c->max_args < 0                   ? "See"
		: c->max_args > 0 && !c->min_args ? "SRun"
						  : "Run");
}

static int run_parsed(const struct call *call, void *target, const struct parsed *p)
{
	const struct command *c = call->command;
	auto_buf struct buf out = {0};
	struct err e;

	/* docker's client prints these on standard output, too; first of all */
	for (size_t i = 0; i < p->warnings.n; i++)
		say_print("%s\n", p->warnings.v[i]);
	if (p->warnings.n)
		say_flush();
	if (p->help && p->refused.n) {
		strv_join(&p->refused, "\n", &out);
		return lacking(take(out.s), true);
	}
	if (p->help) {
		opt_help(c, call->path, context_api_version(), help_columns(), &out);
		return say_out(&out);
	}
	if (p->refused.n) {
		(void)err_set(&e, ERR_UNSUPPORTED, "%s", p->refused.v[0]);
		return result_refuse_call(c, target, &e, say_failures(&p->refused));
	}
	if (opt_arity(c, p->n, &e) < 0) {
		arity_usage(call, &e);
		return result_refuse_call(c, target, &e, 1);
	}
	if (c->refusal || call->refusal) {
		(void)fprintf(stderr, "%s\n", c->refusal ? c->refusal : call->refusal);
		return 1;
	}
	if (!c->ours && !str_starts(c->name, "context ") && c != &cmd_help && context_check(&e) < 0)
		return result_refuse_call(c, target, &e, say_error(&e, 1));
	return c->run(target, p->n, p->operands);
}

/* A refused command whose options are unknown: only --help is recognized. */
static int refuse(const struct call *call, int argc, char *const *argv)
{
	auto_buf struct buf out = {0};
	struct err e;
	bool options = false;

	if (asks_help(argc + 1, argv - 1, &out)) {
		help_command(call->command, call->path, &out);
		return say_out(&out);
	}
	for (int i = 0; i < argc; i++)
		options |= argv[i][0] == '-' && argv[i][1];
	/* options may have values, so operands can only be counted without any */
	if (!options && opt_arity(call->command, argc, &e) < 0)
		arity_usage(call, &e);
	else
		(void)fprintf(stderr, "%s\n", call->command->refusal);
	return 1;
}

static int run_command(const struct call *call, int argc, char *const *argv);

/* Commands like "docker swarm" and their members */
static int refuse_group(const struct call *call, int argc, char *const *argv)
{
	const struct group whole = {.since = call->command->since};
	struct call at = *call;
	auto_buf struct buf help = {0}, ignored = {0};
	char *why;

	at.refusal = call->command->refusal;
	at.group = call->group ? call->group : &whole;
	while (argc > 0 && command_member(&at, argv[0])) {
		argc--;
		argv++;
	}
	if (!at.command->members)
		return run_command(&at, argc, argv);
	if ((why = command_lacking(at.path, at.command, at.group)))
		return lacking(why, asks_help(argc + 1, argv - 1, &ignored));
	/* docker's `manifest` without arguments prints its help as after a mistake, with an empty line before it */
	if (argc == 0 && str_eq(at.command->args, "COMMAND"))
		buf_putc(&help, '\n');
	help_command(at.command, at.path, &help);
	return no_member(at.command, at.path, argc, argv, &help);
}

static int run_command(const struct call *call, int argc, char *const *argv)
{
	const struct command *c = call->command;
	auto_free void *target = xcalloc(1, c->target_size);
	auto_parsed struct parsed p = {.api = context_api_version()};
	struct err e;
	int status;
	char *why;

	if (c->members)
		return refuse_group(call, argc, argv);
	if (c->refusal && c->verbatim)
		return refuse(call, argc, argv);
	if (c->verbatim)
		return c->run(target, argc, (char **)(uintptr_t)argv);
	if (c->init)
		c->init(target);
	status = opt_parse(c, argc, argv, target, &p, &e);
	if ((why = command_lacking(call->path, c, call->group))) {
		status = lacking(why, status == 0 && p.help);
	} else if (status < 0 && !p.refused.n) {
		(void)fprintf(stderr, "%s\n", e.text);
		usage(call->path, c->args, "Run");
		status = result_refuse_call(c, target, &e, 125);
	} else {
		strv_sort(&p.refused, 0);
		status = run_parsed(call, target, &p);
	}
	if (c->done)
		c->done(target);
	return say_written(status);
}

static int dispatch(int argc, char *const *argv);

/* --help before the last word of a command's name asks for that command's help. (Docker's client ignores it for run and create,
 * and runs them.) */
static int dispatch_help(int argc, char *const *argv)
{
	auto_strv struct strv words = {0};
	struct call call;
	int n = command_find(argc, argv, &call) ? call.words : 1;

	for (int i = 0; i < argc; i++) {
		if (i == n)
			strv_add(&words, "--help");
		strv_add(&words, argv[i]);
	}
	if (n == argc)
		strv_add(&words, "--help");
	return dispatch((int)words.n, words.v);
}

/* "docker container --help ls"; words: the same without --help. */
static bool asks_member_help(const struct group *g, int argc, char *const *argv, struct strv *words)
{
	struct call call;

	if (!g || argc < 3 || !str_eq(argv[1], "--help"))
		return false;
	for (int i = 0; i < argc; i++)
		if (i != 1)
			strv_add(words, argv[i]);
	return command_find((int)words->n, words->v, &call);
}

static int dispatch(int argc, char *const *argv)
{
	const struct group *g = group_find(argv[0]);
	auto_strv struct strv words = {0};
	struct call call;

	if (asks_member_help(g, argc, argv, &words))
		return dispatch_help((int)words.n, words.v);
	if (command_find(argc, argv, &call))
		return run_command(&call, argc - call.words, argv + call.words);
	return g ? run_group(g, argc, argv) : 1;
}

static bool names_command(int argc, char *const *argv)
{
	struct call call;

	return argc > 0 && (command_find(argc, argv, &call) || group_find(argv[0]));
}

/* Whether docker treats an alias's target, whose words are separated by single blanks, as a builtin command. */
static bool is_builtin(const char *words)
{
	auto_strv struct strv each = {0};
	auto_free char *copy = xstrdup(words);
	char *rest = copy;

	for (char *word; (word = strsep(&rest, " ")) != NULL;)
		strv_add(&each, word);
	if (!*words || *words == ' ' || *words == '-')
		return true;
	return strcmp(each.v[0], "help") != 0 && names_command((int)each.n, each.v);
}

static int print_version(void)
{
	say_print("Docker version %s, build sbx-%s\n", DOCKER_VERSION, SBX_VERSION);
	return say_written(0);
}

/* An error about --log-level, which docker prints without prefix and usage; NULL: e is another error. */
static const char *log_level_words(const struct err *e)
{
	return strstr(e->text, "Unable to parse logging level");
}

static int bad_words(const struct err *e)
{
	(void)fprintf(stderr, "%s\n", e->text);
	usage("docker", cmd_docker.args, "Run");
	return 125;
}

/* The words name no command. Then docker's client looks for its own options among all of them. */
static int unknown(int argc, char *const *argv)
{
	auto_globals struct globals g = {0};
	auto_parsed struct parsed p = {0};
	auto_buf struct buf help = {0};
	struct command all = cmd_docker;
	struct err e;

	all.stop_at_operand = false;
	if (opt_parse(&all, argc, argv, &g, &p, &e) < 0 && !log_level_words(&e))
		return bad_words(&e);
	if (p.help) {
		for (size_t i = 0; i < p.warnings.n; i++)
			buf_printf(&help, "%s\n", p.warnings.v[i]);
		help_top(&help);
		return say_out(&help);
	}
	if (g.version)
		return print_version();
	(void)fprintf(stderr,
		"docker: unknown command: docker %s\n\nRun 'docker --help' for more information\n",
		p.operands[0]);
	return 1;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Only under another name may this program be a bundle, for which its own file must be opened. */
static bool is_renamed(const char *name)
{
	return !str_eq(name, "sbx") && !str_eq(name, "docker");
}

/* Opens standard streams that the caller has closed, as Go's runtime does; else the first file to be opened would get descriptor 1. */
static void open_streams(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
			return; /* if nothing can be opened, the next step will fail and report it */
}

struct refusal {
	int argc;
	char *const *argv;
	const struct err *why;
};

/* Only writes the refusal to the file of --result, if there is one. */
static void *refuse_words(void *arg)
{
	const struct refusal *r = arg;
	auto_globals struct globals g = {0};
	auto_parsed struct parsed p = {0}, words = {0};
	const struct command *c;
	auto_free void *target = NULL;
	struct call call;
	struct err e;

	if (opt_parse(&cmd_docker, r->argc - 1, r->argv + 1, &g, &p, &e) < 0 || p.n == 0 ||
		!command_find(p.n, p.operands, &call) || call.command->verbatim)
		return NULL;
	c = call.command;
	target = xcalloc(1, c->target_size);
	if (c->init)
		c->init(target);
	(void)opt_parse(c, p.n - call.words, p.operands + call.words, target, &words, &e); /* up to the first error */
	if (!words.help)
		(void)result_refuse_call(c, target, r->why, 125);
	if (c->done)
		c->done(target);
	return NULL;
}

/* Our stack is too small to parse the command line, so a thread with a larger one does it. */
static void refuse_all(int argc, char *const *argv, const struct err *why)
{
	struct refusal r = {argc, argv, why};
	pthread_attr_t attr;
	pthread_t id;

	if (argc < 1)
		return;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 4 * STACK_LEAST);
	if (pthread_create(&id, &attr, refuse_words, &r) == 0)
		pthread_join(id, NULL);
	pthread_attr_destroy(&attr);
}

/*
 * Undoes or refuses inherited settings that would break us silently. With SIGXFSZ ignored, a write beyond the file size limit is
 * an error like a full disk. The stack must hold paths (4 KiB) and buffers (128 KiB).
 */
static void heed_caller(int argc, char *const *argv)
{
	struct rlimit r;
	struct err e;

	(void)signal(SIGCHLD, SIG_DFL); /* if it were ignored, wait() would not tell how children ended */
	(void)signal(SIGXFSZ, SIG_IGN); /* the default again for programs that we start: sys_default_signals() */
	if (getrlimit(RLIMIT_STACK, &r) == 0 && r.rlim_cur < STACK_LEAST) {
		(void)err_set(&e, ERR_SYSTEM, "a stack of %llu KiB (ulimit -s) is too small: %d at least",
			(unsigned long long)r.rlim_cur / 1024, STACK_LEAST / 1024);
		(void)fprintf(stderr, "sbx: %s\n", e.text);
		refuse_all(argc, argv, &e);
		exit(125);
	}
}

/* A script's background commands ignore SIGINT, and systemd's services SIGPIPE; docker's client heeds them all the same. */
static void hear_ends(void)
{
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGTERM, SIG_DFL);
}

/* Seeds jansson's hashes with the kernel's random bytes for this process (libc uses the first half): to open /dev/urandom, as
 * jansson does, takes ten times as long. */
static void seed_json(void)
{
	const char *bytes = (const char *)getauxval(AT_RANDOM);
	size_t seed;

	if (!bytes)
		return;
	memcpy(&seed, bytes + 8, sizeof(seed));
	json_object_seed(seed | 1); /* 0 means that jansson chooses */
}

int main(int argc, char **argv)
{
	auto_globals struct globals g = {0};
	struct context_ask ask = {.hosts = &g.host};
	auto_parsed struct parsed p = {0};
	auto_buf struct buf help = {0};
	struct err e;
	int status, parsed;

	sys_args(argc, argv);
	json_begin();
	seed_json();
	if (argc > 0 && str_eq(base_name(argv[0]), INIT_NAME))
		return init_main(argc, argv);
	open_streams();
	heed_caller(argc, argv);
	if (argc > 0 && str_eq(base_name(argv[0]), KEEPER_NAME))
		return keeper_main(argc, argv);
	if (argc > 0 && str_eq(base_name(argv[0]), "enroot"))
		return enroot_main(argc, argv);
	if (argc > 0 && is_renamed(base_name(argv[0])) && enroot_bundle_main(argc, argv, &status))
		return status;
	hear_ends();
	mask_begin();
	parsed = opt_parse(&cmd_docker, argc > 0 ? argc - 1 : 0, argv + 1, &g, &p, &e);
	ask.config = g.config;
	ask.context = g.context;
	context_remember(&ask);
	client_config_begin();
	if (parsed < 0) {
		const char *level = log_level_words(&e);

		if (!level)
			return bad_words(&e);
		(void)fprintf(stderr, "%s\n", level);
		return 1;
	}
	if (client_check_aliases(is_builtin, &e) < 0)
		return say_error(&e, 1);
	if (p.n && !names_command(p.n, p.operands))
		return unknown(argc - 1, argv + 1);
	for (size_t i = 0; i < p.warnings.n; i++)
		(void)fprintf(stderr, "%s\n", p.warnings.v[i]);
	if (g.version && !p.help && !p.n) /* docker ignores it before a command */
		return print_version();
	if (p.help && p.n)
		return dispatch_help(p.n, p.operands);
	if (p.help || p.n == 0) {
		help_top(&help);
		if (p.help)
			return say_out(&help);
		/* no command: as in docker, the help goes to stderr, but the status is 0 */
		return fwrite(help.s, 1, help.len, stderr) == help.len ? 0 : 1;
	}
	return dispatch(p.n, p.operands);
}
