/* SPDX-License-Identifier: Apache-2.0 */
/* plugin: all of docker's plugin commands. There are no plugins, and scripts that ask for them are told so. */
#include "cmd.h"
#include "ls.h"
#include "parse.h"
#include "plugin.h"
#include "tmpl.h"

#include <string.h>

/* ---- ls ---- */

/* clang-format off */
static const struct opt ls_opts[] = {
	{ 'f', "filter",   "filter", "Provide filter values (e.g. \"enabled=true\")", OPT_CALL(ls_filter) },
	{ 0,   "format",   "string", FORMAT_HELP, OPT_STR(struct ls, format) },
	{ 0,   "no-trunc", NULL,     "Don't truncate output", OPT_FLAG(struct ls, no_trunc) },
	{ 'q', "quiet",    NULL,     "Only display plugin IDs", OPT_FLAG(struct ls, quiet) },
	{ 0 },
};
static const struct tmpl_method columns[] = {
	{ "ID",              NULL, 0, "ID" },
	{ "Name",            NULL, 0, "NAME" },
	{ "Description",     NULL, 0, "DESCRIPTION" },
	{ "Enabled",         NULL, 0, "ENABLED" },
	{ "PluginReference", NULL, 0, "IMAGE" },
	{ 0 },
};
/* clang-format on */

#define ROW_TYPE "*formatter.pluginContext"
static const struct listing_kind rows = {
	ROW_TYPE, columns, "table {{.ID}}\t{{.Name}}\t{{.Description}}\t{{.Enabled}}", ""};
static const struct listing_kind ids = {ROW_TYPE, columns, "{{.ID}}", ""};

/* The list is empty, but filters are checked. */
static int list(const struct ls *p, struct listing *l, struct strv *unread, struct err *e)
{
	(void)l, (void)unread;
	return plugin_check_filters(&p->filters, e) < 0 ? say_as_daemon(e) : 0;
}

static int ls_main(void *target, int argc, char **argv)
{
	struct ls *p = target;

	(void)argc, (void)argv;
	return ls_print(p, p->quiet ? &ids : &rows, "pluginsFormat", list);
}

const struct command cmd_plugin_ls = {
	.name = "plugin ls",
	.args = "[OPTIONS]",
	.about = "List plugins",
	.aliases = "docker plugin ls, docker plugin list",
	.opts = ls_opts,
	.target_size = sizeof(struct ls),
	.run = ls_main,
	.done = ls_done,
};

/* ---- commands on a plugin, of which there is none ---- */

/* Refuses each name as docker's client or its daemon does. before: a prefix of the errors. */
static int refuse(char *const *names, int n, const char *before)
{
	auto_strv struct strv failed = {0};

	for (int i = 0; i < n; i++) {
		auto_free char *name = NULL;
		struct err e;

		if (!names[i][strspn(names[i], STR_BLANKS)])
			(void)err_set(&e, ERR_USAGE, "invalid plugin name or ID: value is empty");
		else if ((name = parse_request_name(names[i], &e)))
			(void)plugin_find(name, &e);
		if (e.kind == ERR_NOT_FOUND)
			(void)err_ctx(&e, "Error response from daemon");
		strv_addf(&failed, "%s%s", before, e.text);
	}
	return say_failures(&failed);
}

struct inspect {
	char *format;
};

/* clang-format off */
static const struct opt inspect_opts[] = {
	{ 'f', "format", "string", INSPECT_FORMAT_HELP, OPT_STR(struct inspect, format) },
	{ 0 },
};
/* clang-format on */

static void inspect_done(void *target)
{
	free(((struct inspect *)target)->format);
}

static int inspect_main(void *target, int argc, char **argv)
{
	const char *format = ((const struct inspect *)target)->format;
	bool template = format && *format && !str_eq(format, "json");
	auto_tmpl struct tmpl *t = NULL;
	struct err e;

	if (template && !(t = tmpl_parse(format, &e))) {
		(void)err_ctx(&e, "template parsing error");
		return say_error(&e, 64);
	}
	say_print("%s\n", template ? "" : "[]");
	return refuse(argv, argc, "");
}

const struct command cmd_plugin_inspect = {
	.name = "plugin inspect",
	.args = "[OPTIONS] PLUGIN [PLUGIN...]",
	.about = "Display detailed information on one or more plugins",
	.opts = inspect_opts,
	.target_size = sizeof(struct inspect),
	.run = inspect_main,
	.done = inspect_done,
	.min_args = 1,
	.max_args = -1,
};

struct force {
	bool force;
};

/* clang-format off */
static const struct opt rm_opts[] = {
	{ 'f', "force", NULL, "Force the removal of an active plugin", OPT_FLAG(struct force, force) },
	{ 0 },
};
/* clang-format on */

static int rm_main(void *target, int argc, char **argv)
{
	(void)target;
	return refuse(argv, argc, "");
}

const struct command cmd_plugin_rm = {
	.name = "plugin rm",
	.args = "[OPTIONS] PLUGIN [PLUGIN...]",
	.about = "Remove one or more plugins",
	.aliases = "docker plugin rm, docker plugin remove",
	.opts = rm_opts,
	.target_size = sizeof(struct force),
	.run = rm_main,
	.min_args = 1,
	.max_args = -1,
};

/* Only the first argument is a plugin's name. */
static int one_main(void *target, int argc, char **argv)
{
	(void)target, (void)argc;
	return refuse(argv, 1, "");
}

static int upgrade_main(void *target, int argc, char **argv)
{
	(void)target, (void)argc;
	return refuse(argv, 1, "error reading plugin data: ");
}

/* clang-format off */
static const struct opt disable_opts[] = {
	{ 'f', "force", NULL, "Force the disable of an active plugin", OPT_FLAG(struct force, force) },
	{ 0 },
};

struct enable {
	int64_t timeout;
};

static const struct opt enable_opts[] = {
	{ 0, "timeout", "int", "HTTP client timeout (in seconds) (default 30)", OPT_INT(struct enable, timeout) },
	{ 0 },
};

struct upgrade {
	bool trust, grant, skip;
};

static const struct opt upgrade_opts[] = {
	{ 0, "disable-content-trust", NULL, "Skip image verification (default true)", OPT_FLAG(struct upgrade, trust) },
	{ 0, "grant-all-permissions", NULL, "Grant all permissions necessary to run the plugin", OPT_FLAG(struct upgrade, grant) },
	{ 0, "skip-remote-check",     NULL, "Do not check if specified remote plugin matches existing plugin image", OPT_FLAG(struct upgrade, skip) },
	{ 0 },
};
/* clang-format on */

const struct command cmd_plugin_enable = {
	.name = "plugin enable",
	.args = "[OPTIONS] PLUGIN",
	.about = "Enable a plugin",
	.opts = enable_opts,
	.target_size = sizeof(struct enable),
	.run = one_main,
	.min_args = 1,
	.max_args = 1,
	.hidden = true,
};

const struct command cmd_plugin_disable = {
	.name = "plugin disable",
	.args = "[OPTIONS] PLUGIN",
	.about = "Disable a plugin",
	.opts = disable_opts,
	.target_size = sizeof(struct force),
	.run = one_main,
	.min_args = 1,
	.max_args = 1,
	.hidden = true,
};

const struct command cmd_plugin_set = {
	.name = "plugin set",
	.args = "PLUGIN KEY=VALUE [KEY=VALUE...]",
	.about = "Change settings for a plugin",
	.run = one_main,
	.min_args = 2,
	.max_args = -1,
	.hidden = true,
};

const struct command cmd_plugin_upgrade = {
	.name = "plugin upgrade",
	.since = 26,
	.args = "[OPTIONS] PLUGIN [REMOTE]",
	.about = "Upgrade an existing plugin",
	.opts = upgrade_opts,
	.target_size = sizeof(struct upgrade),
	.run = upgrade_main,
	.min_args = 1,
	.max_args = 2,
	.hidden = true,
};
