/* SPDX-License-Identifier: Apache-2.0 */
/* context ls, inspect, show, use, rm: there is one context, "default". */
#include "context.h"

#include "client_config.h"
#include "cmd.h"
#include "endpoint.h"
#include "listing.h"
#include "parse.h"
#include "sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define DEFAULT_NAME "default"
#define NOT_OURS     "context \"%s\" is docker's own: sbx has one context, \"default\""
#define HEADERS      "DOCKER_CUSTOM_HEADERS"
#define BAD_HEADER   "failed to set custom headers from " HEADERS " environment variable: "
#define ABOUT        "Current DOCKER_HOST based configuration"

static const struct context_ask *asked;

void context_remember(const struct context_ask *ask)
{
	asked = ask;
}

const struct context_ask *context_asked(void)
{
	return asked;
}

static const char *setting(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* ---- which ---- */

static const char *current(void)
{
	const char *name = asked->context;

	if (name && *name)
		return name;
	if (asked->hosts->n || setting("DOCKER_HOST"))
		return DEFAULT_NAME;
	name = setting("DOCKER_CONTEXT");
	return name ? name : client_config_str("currentContext", DEFAULT_NAME);
}

static int default_host(char **out, struct err *e)
{
	const char *host = setting("DOCKER_HOST");

	if (asked->hosts->n > 1)
		return err_set(e, ERR_USAGE, "Specify only one -H");
	return endpoint_parse(asked->hosts->n ? asked->hosts->v[0] : host ? host : "", out, e);
}

static bool is_name(const char *s)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";

	return s[0] && s[1] && !strchr("_.+-", s[0]) && s[strspn(s, letters)] == '\0';
}

int context_named(const char *name, struct err *e)
{
	if (!*name)
		return err_set(e, ERR_USAGE, "context name cannot be empty");
	if (str_eq(name, DEFAULT_NAME))
		return err_set(e, ERR_USAGE, "\"default\" is a reserved context name");
	if (is_name(name))
		return 0;
	return err_set(e, ERR_USAGE,
		"context name %s is invalid, names are validated against regexp "
		"\"^[a-zA-Z0-9][a-zA-Z0-9_.+-]+$\"",
		QUOTED(name));
}

/* Where docker's client keeps a context: under the digest of its name. */
static char *meta_path(const char *name)
{
	auto_free char *own = client_config_dir();
	char hex[SHA256_HEX + 1];

	sha256_hex(name, strlen(name), hex);
	return xasprintf("%s/contexts/meta/%s/meta.json", own, hex);
}

int context_find(const char *name, struct err *e)
{
	auto_free char *path = NULL;
	auto_close int fd = -1;

	if (str_eq(name, DEFAULT_NAME))
		return 0;
	path = meta_path(name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return 0;
	return err_go(e, "context %s: context not found: open %s", QUOTED(name), path);
}

/* Headers for requests to the daemon: of no use here, but checked as docker does. */
static int check_headers(const char *text, struct err *e)
{
	auto_strv struct strv fields = {0};

	if (!text)
		return 0;
	if (parse_csv(text, &fields, e) < 0)
		return err_set(e, ERR_USAGE,
			"failed to parse custom headers from " HEADERS " environment variable: value must be "
			"formatted as comma-separated key=value pairs");
	for (size_t i = 0; i < fields.n; i++) {
		size_t n = strspn(fields.v[i], " \t\n\v\f\r");

		if (fields.v[i][n] == '=' || !fields.v[i][n])
			return err_set(e, ERR_USAGE,
				BAD_HEADER "value contains a key=value pair with an empty key: '%s'",
				fields.v[i]);
		if (!strchr(fields.v[i], '='))
			return err_set(e, ERR_USAGE,
				BAD_HEADER "missing \"=\" in key=value pair: '%s'", fields.v[i]);
	}
	return 0;
}

const char *context_api_version(void)
{
	const char *word = setting("DOCKER_API_VERSION");

	return word ? word + (*word == 'v') : API_VERSION;
}

/* What docker's daemon answers if it does not support the client's API version. */
static int check_version(struct err *e)
{
	const char *asked_for = context_api_version();

	if (asked_for[strspn(asked_for, "0123456789.")])
		return err_set(e, ERR_USAGE, "Error response from daemon: page not found");
	if (strverscmp(asked_for, API_VERSION_MIN) < 0)
		return err_set(e, ERR_USAGE,
			"Error response from daemon: client version %s is too old. Minimum supported API version is "
			"%s, please upgrade your client to a newer version",
			asked_for, API_VERSION_MIN);
	if (strverscmp(asked_for, API_VERSION) > 0)
		return err_set(e, ERR_USAGE,
			"Error response from daemon: client version %s is too new. Maximum supported API version is %s",
			asked_for, API_VERSION);
	return 0;
}

int context_check(struct err *e)
{
	auto_free char *host = NULL;

	if (asked->hosts->n && asked->context && *asked->context)
		return err_set(e, ERR_USAGE,
			"conflicting options: cannot specify both --host and --context");
	if (context_find(current(), e) < 0 ||
		(str_eq(current(), DEFAULT_NAME) && default_host(&host, e) < 0))
		return err_ctx(e, "Failed to initialize: unable to resolve docker endpoint");
	if ((host && endpoint_usable(host, e) < 0) || check_headers(setting(HEADERS), e) < 0)
		return err_ctx(e, "Failed to initialize");
	return check_version(e);
}

/* Docker's warning that the context just chosen has no effect. */
static void say_overridden(void)
{
	if (!asked->hosts->n && setting("DOCKER_HOST") && str_eq(current(), DEFAULT_NAME))
		(void)fputs("Warning: DOCKER_HOST environment variable overrides the active context. To use a "
			    "context, either set the global --context flag, or unset DOCKER_HOST environment "
			    "variable.\n",
			stderr);
}

/* ---- ls ---- */

struct ls {
	bool quiet;
	char *format;
};

struct row {
	const char *name, *about, *host, *error;
	bool current;
};

/* clang-format off */
static const struct opt ls_opts[] = {
	{ 0,   "format", "string", FORMAT_HELP, OPT_STR(struct ls, format) },
	{ 'q', "quiet",  NULL,     "Only show context names", OPT_FLAG(struct ls, quiet) },
	{ 0 },
};
/* clang-format on */

static void ls_done(void *target)
{
	free(((struct ls *)target)->format);
}

static json_t *col_current(void *self, const char *const *argv)
{
	(void)argv;
	return json_boolean(((const struct row *)self)->current);
}

static void col_name(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_puts(out, ((const struct row *)self)->name);
}

static void col_about(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_puts(out, ((const struct row *)self)->about);
}

static void col_host(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_puts(out, ((const struct row *)self)->host);
}

/* Truncated as docker does. */
static void col_error(void *self, const char *const *argv, struct buf *out)
{
	const char *error = ((const struct row *)self)->error;
	enum { SHOWN = 45 };

	(void)argv;
	if (strlen(error) <= SHOWN)
		buf_puts(out, error);
	else
		buf_printf(out, "%.*s…", SHOWN - 1, error);
}

/* clang-format off */
static const struct tmpl_method columns[] = {
	{ "Current",        NULL,        0, NULL, col_current },
	{ "Name",           col_name,    0, "NAME" },
	{ "Description",    col_about,   0, "DESCRIPTION" },
	{ "DockerEndpoint", col_host,    0, "DOCKER ENDPOINT" },
	{ "Error",          col_error,   0, "ERROR" },
	{ 0 },
};
/* clang-format on */

#define ROW_TYPE "*formatter.clientContextContext"
static const char *const context_row[] = {"{formatter.HeaderContext", "Header", "}", "c", NULL};
static const struct tmpl_field row_fields[] = {{ROW_TYPE, TMPL_STRUCT, .order = context_row}, {0}};

static const struct listing_kind rows = {ROW_TYPE, columns,
	"table {{.Name}}{{if .Current}} *{{end}}\t{{.Description}}\t{{.DockerEndpoint}}\t{{.Error}}",
	NULL, NULL, row_fields};
static const struct listing_kind names = {ROW_TYPE, columns, "{{.Name}}", NULL, NULL, row_fields};

static int ls_main(void *target, int argc, char **argv)
{
	const struct ls *p = target;
	auto_listing struct listing l = {0};
	auto_buf struct buf out = {0};
	auto_free char *host = NULL;
	struct row row = {DEFAULT_NAME, ABOUT, NULL, "", str_eq(current(), DEFAULT_NAME)};
	struct err e, missing;

	(void)argc, (void)argv;
	if (default_host(&host, &e) < 0)
		return say_error(&e, 1);
	row.host = host;
	listing_begin(&l, p->quiet ? &names : &rows, p->quiet ? NULL : p->format);
	if (listing_row(&l, &row, &e) < 0)
		return say_error(&e, 1);
	if (!row.current) {
		row = (struct row){current(), "", "",
			context_find(current(), &missing) < 0 ? missing.text : "", true};
		if (listing_row(&l, &row, &e) < 0)
			return say_error(&e, 1);
	}
	if (listing_end(&l, &out, &e) < 0)
		return say_error(&e, 1);
	if (say_out(&out) != 0)
		return 1;
	say_overridden();
	return 0;
}

const struct command cmd_context_ls = {
	.name = "context ls",
	.args = "[OPTIONS]",
	.about = "List contexts",
	.aliases = "docker context ls, docker context list",
	.opts = ls_opts,
	.target_size = sizeof(struct ls),
	.run = ls_main,
	.done = ls_done,
};

/* ---- inspect ---- */

struct inspect {
	char *format;
};

/* clang-format off */
static const struct opt inspect_opts[] = {
	{ 'f', "format", "string", INSPECT_FORMAT_HELP, OPT_STR(struct inspect, format) },
	{ 0 },
};
static const struct tmpl_field fields[] = {
	{ "Metadata",    TMPL_MAP, TMPL_PTR },
	{ "Endpoints",   TMPL_MAP, TMPL_PTR },
	{ "TLSMaterial", TMPL_MAP, TMPL_SLICE },
	{ 0 },
};
/* clang-format on */

static void inspect_done(void *target)
{
	free(((struct inspect *)target)->format);
}

json_t *context_describe(const char *name, struct err *e)
{
	auto_free char *host = NULL;

	if (context_find(name, e) < 0)
		return NULL;
	if (!str_eq(name, DEFAULT_NAME)) {
		(void)err_set(e, ERR_UNSUPPORTED, NOT_OURS, name);
		return NULL;
	}
	if (default_host(&host, e) < 0)
		return NULL;
	return json_pack("{s:s, s:{}, s:{s:{s:o, s:b}}}", "Name", name, "Metadata", "Endpoints",
		"docker", "Host", json_text(host), "SkipTLSVerify", 0);
}

static json_t *describe(const char *name, struct err *e)
{
	json_t *object = context_describe(name, e);

	if (object)
		(void)json_object_update_new(object,
			json_pack("{s:{}, s:{s:s, s:s}}", "TLSMaterial", "Storage", "MetadataPath",
				"<IN MEMORY>", "TLSPath", "<IN MEMORY>")); /* memory */
	return object;
}

/* Like Go's encoding/json, which docker uses for this list: with <, > and & escaped. */
static void as_json(const json_t *list, bool indented, struct buf *out)
{
	auto_free char *text =
		json_dumps(list, indented ? (size_t)JSON_INDENT(4) : (size_t)JSON_COMPACT);

	json_go(text ? text : "[]", true, out);
	buf_putc(out, '\n');
}

/* Adds one object to the list, and, if there is a template, its text to `out`. */
static int add(const char *name, const struct tmpl *t, json_t *list, struct buf *out, struct err *e)
{
	json_t *object = describe(name, e);
	struct tmpl_data d = {.json = object, .fields = fields, .type = "context.contextWithTLSListing"};
	auto_buf struct buf one = {0};

	if (!object)
		return -1;
	(void)json_array_append_new(list, object); /* memory */
	if (!t)
		return 0;
	if (tmpl_exec(t, &d, &one, e) < 0)
		return err_ctx(e, "template parsing error");
	buf_printf(out, "%s\n", one.s ? one.s : "");
	return 0;
}

static int inspect_main(void *target, int argc, char **argv)
{
	const char *format = ((const struct inspect *)target)->format;
	char *only[] = {(char *)(uintptr_t)current(), NULL};
	bool template = format && *format && !str_eq(format, "json");
	auto_tmpl struct tmpl *t = NULL;
	auto_json json_t *list = json_array();
	auto_strv struct strv failed = {0};
	auto_buf struct buf out = {0};
	struct err e;

	if (template && !(t = tmpl_parse(format, &e))) {
		(void)err_ctx(&e, "template parsing error");
		return say_error(&e, 64);
	}
	for (char **name = argc ? argv : only; *name; name++)
		if (add(*name, t, list, &out, &e) < 0)
			strv_add(&failed, e.text);
	if (!template)
		as_json(list, !(format && *format), &out);
	else if (!out.len)
		buf_putc(&out, '\n');
	if (say_out(&out) != 0)
		return 1;
	return say_failures(&failed);
}

const struct command cmd_context_inspect = {
	.name = "context inspect",
	.args = "[OPTIONS] [CONTEXT] [CONTEXT...]",
	.about = "Display detailed information on one or more contexts",
	.opts = inspect_opts,
	.target_size = sizeof(struct inspect),
	.run = inspect_main,
	.done = inspect_done,
	.max_args = -1,
};

/* ---- rm ---- */

struct rm {
	bool force;
};

/* clang-format off */
static const struct opt rm_opts[] = {
	{ 'f', "force", NULL, "Force the removal of a context in use", OPT_FLAG(struct rm, force) },
	{ 0 },
};
/* clang-format on */

static int remove_it(const char *name, bool force, struct err *e)
{
	struct err missing;

	if (str_eq(name, DEFAULT_NAME))
		return err_set(e, ERR_USAGE, "context \"default\" cannot be removed");
	if (context_find(name, &missing) == 0)
		return err_set(e, ERR_UNSUPPORTED, NOT_OURS, name);
	return force ? 0 : err_set(e, ERR_NOT_FOUND, "context %s does not exist", QUOTED(name));
}

static int rm_main(void *target, int argc, char **argv)
{
	bool force = ((const struct rm *)target)->force;
	auto_strv struct strv failed = {0};
	struct err e;

	for (int i = 0; i < argc; i++) {
		if (remove_it(argv[i], force, &e) < 0)
			strv_add(&failed, e.text);
		else
			say_print("%s\n", argv[i]);
	}
	return say_failures(&failed);
}

const struct command cmd_context_rm = {
	.name = "context rm",
	.args = "CONTEXT [CONTEXT...]",
	.about = "Remove one or more contexts",
	.aliases = "docker context rm, docker context remove",
	.opts = rm_opts,
	.target_size = sizeof(struct rm),
	.run = rm_main,
	.min_args = 1,
	.max_args = -1,
};

/* ---- show, use ---- */

static int show_main(void *target, int argc, char **argv)
{
	(void)target, (void)argc, (void)argv;
	say_print("%s\n", current());
	return 0;
}

const struct command cmd_context_show = {
	.name = "context show",
	.args = "",
	.about = "Print the name of the current context",
	.run = show_main,
};

static int use(const char *name, struct err *e)
{
	if (str_eq(name, DEFAULT_NAME))
		return 0;
	if (context_named(name, e) < 0 || context_find(name, e) < 0)
		return -1;
	return err_set(e, ERR_UNSUPPORTED, NOT_OURS, name);
}

static int use_main(void *target, int argc, char **argv)
{
	struct err e;

	(void)target;
	if (argc != 1) {
		(void)fprintf(stderr, "accepts 1 arg(s), received %d\n", argc);
		return 1;
	}
	if (use(argv[0], &e) < 0)
		return say_error(&e, 1);
	say_print("%s\n", argv[0]);
	say_flush(); /* keeps docker's order if stdout and stderr are the same file */
	(void)fprintf(stderr, "Current context is now \"%s\"\n", argv[0]);
	return 0;
}

const struct command cmd_context_use = {
	.name = "context use",
	.args = "CONTEXT",
	.about = "Set the current docker context",
	.run = use_main,
	.max_args = -1,
};
