/* SPDX-License-Identifier: Apache-2.0 */
/* help: "docker --help", "docker container --help", "docker help run"; and a table of all options, for tests. */
#include "commands.h"
#include "context.h"

#include <string.h>
#include <sys/ioctl.h>

int help_columns(void)
{
	struct winsize w;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : 80;
}

/* docker's list of common commands, in its order. */
static const char *const common[] = {"run", "exec", "ps", "build", "pull", "push", "images",
	"login", "logout", "search", "version", "info"};

static bool is_common(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(common); i++)
		if (str_eq(common[i], name))
			return true;
	return false;
}

/* The length of the first sentence, without its full stop unless the text ends there; as in docker. */
static int first_sentence(const char *about)
{
	size_t n = strcspn(about, ".");

	return (int)(n + (about[n] && !about[n + 1]));
}

static void list_one(const struct command *c, const char *name, struct buf *out)
{
	buf_printf(out, "  %-11s %.*s\n", name, first_sentence(c->about), c->about);
}

/* The commands of a group ("": outside of groups), sorted. */
static void list_group(const char *group, bool ours, struct buf *out)
{
	auto_strv struct strv lines = {0};
	size_t prefix = *group ? strlen(group) + 1 : 0;
	char spelling[48];

	for (size_t i = 0; commands[i]; i++) {
		const struct command *c = commands[i];

		if (c->hidden || c->ours != ours || opt_api_lacks(context_api_version(), c->since) ||
			!command_spelling(c, group, spelling, sizeof(spelling)))
			continue;
		if (!*group && is_common(spelling))
			continue;
		strv_addf(&lines, "  %-11s %.*s\n", spelling + prefix, first_sentence(c->about), c->about);
	}
	strv_sort(&lines, 0);
	for (size_t i = 0; i < lines.n; i++)
		buf_puts(out, lines.v[i]);
}

void help_top(struct buf *out)
{
	auto_buf struct buf ours = {0};
	const char *hide = getenv("DOCKER_HIDE_LEGACY_COMMANDS");

	buf_puts(out, "Usage:  docker [OPTIONS] COMMAND\n\n"
		      "Containers for users without root, by docker's command line\n\n"
		      "Common Commands:\n");
	for (size_t i = 0; i < ARRAY_LEN(common); i++)
		for (size_t k = 0; commands[k]; k++)
			if (!commands[k]->hidden && command_answers_to(commands[k], common[i]))
				list_one(commands[k], common[i], out);
	buf_puts(out, "\nManagement Commands:\n");
	for (const struct group *g = groups; g->name; g++)
		if (!opt_api_lacks(context_api_version(), g->since))
			buf_printf(out, "  %-11s %s\n", g->name, g->about);
	if (!hide || !*hide) {
		buf_puts(out, "\nCommands:\n");
		list_group("", false, out);
	}
	list_group("", true, &ours);
	if (ours.len)
		buf_printf(out, "\nCommands that docker does not have:\n%s", ours.s);
	buf_puts(out, "\nGlobal Options:\n");
	opt_help_rows(cmd_docker.opts, &(struct opt_rows){.without = OPT_HIDDEN}, help_columns(), out);
	buf_puts(out, "\nRun 'docker COMMAND --help' for more information on a command.\n");
}

void help_group(const struct group *g, struct buf *out)
{
	buf_printf(out, "Usage:  docker %s COMMAND\n\n%s\n\nCommands:\n", g->name, g->about);
	list_group(g->name, false, out);
	buf_printf(out, "\nRun 'docker %s COMMAND --help' for more information on a command.\n", g->name);
}

static void list_members(const struct command *c, bool groups_of_them, const char *title, struct buf *out)
{
	auto_buf struct buf list = {0};

	for (const struct command *m = c->members; m->name; m++)
		if ((m->members != NULL) == groups_of_them)
			list_one(m, strrchr(m->name, ' ') + 1, &list); /* "swarm init" */
	if (list.len)
		buf_printf(out, "%s:\n%s\n", title, list.s);
}

void help_command(const struct command *c, const char *path, struct buf *out)
{
	if (!c->members) {
		opt_help(c, path, context_api_version(), help_columns(), out);
		return;
	}
	buf_printf(out, "Usage:  %s COMMAND\n\n%s\n\n", path, c->about);
	list_members(c, true, "Management Commands", out);
	list_members(c, false, "Commands", out);
	buf_printf(out, "Run '%s COMMAND --help' for more information on a command.\n", path);
}

static int no_topic(char *const *words, int n)
{
	(void)fputs("unknown help topic:", stderr);
	for (int i = 0; i < n; i++)
		(void)fprintf(stderr, " %s", words[i]);
	(void)fputc('\n', stderr);
	return 1;
}

static int help_main(void *target, int argc, char **argv)
{
	auto_buf struct buf out = {0};
	const struct group *g;
	struct call call;
	auto_free char *path = NULL, *why = NULL;
	bool found;

	(void)target;
	if (argc == 0) {
		help_top(&out);
		return say_out(&out);
	}
	g = group_find(argv[0]);
	found = command_find(argc, argv, &call);
	while (found && call.words < argc && command_member(&call, argv[call.words]))
		call.words++;
	if (found && call.words < argc)
		return no_topic(argv + call.words, argc - call.words);
	path = xasprintf("docker %s", argv[0]);
	if (found || (g && argc == 1))
		why = command_lacking(found ? call.path : path, found ? call.command : NULL, g);
	if (why) {
		buf_printf(&out, "%s\n", why);
	} else if (found) {
		help_command(call.command, call.path, &out);
	} else if (g && argc == 1) {
		help_group(g, &out);
	} else {
		return no_topic(g ? argv + 1 : argv, g ? argc - 1 : argc);
	}
	return say_out(&out);
}

const struct command cmd_help = {
	.name = "help",
	.args = "[command]",
	.about = "Help about the command",
	.run = help_main,
	.max_args = -1,
	.hidden = true,
};

/* For tests: every option of every command, one a line. */
static int options_main(void *target, int argc, char **argv)
{
	auto_buf struct buf out = {0};

	(void)target;
	if (argc == 0)
		opt_dump("", cmd_docker.opts, &out);
	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden && (argc == 0 || command_answers_to(commands[i], argv[0])))
			opt_dump(commands[i]->name, commands[i]->opts, &out);
	return say_out(&out);
}

const struct command cmd_options = {
	.name = "__options",
	.args = "[COMMAND]",
	.about = "All options, one a line",
	.run = options_main,
	.max_args = 1,
	.hidden = true,
	.ours = true,
};
