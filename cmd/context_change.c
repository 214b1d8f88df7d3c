/* SPDX-License-Identifier: Apache-2.0 */
/* context export; and create, update, import, which check their arguments as docker does, and then refuse: there is only one
 * context. */
#include "cmd.h"
#include "context.h"
#include "mask.h"
#include "parse.h"
#include "sys.h"
#include "tar.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct change {
	char *description, *from;
};

/* "host=unix:///x,ca=file". If there is only one pair, docker does not split it at commas. */
static int check_endpoint(void *target, const char *value, struct err *e)
{
	auto_strv struct strv pairs = {0};
	const char *first = strchr(value, '=');

	(void)target;
	if (!first || !strchr(first + 1, '='))
		strv_add(&pairs, value);
	else if (parse_csv(value, &pairs, e) < 0)
		return -1;
	for (size_t i = 0; i < pairs.n; i++)
		if (!strchr(pairs.v[i], '='))
			return err_set(e, ERR_USAGE, "%s must be formatted as key=value", pairs.v[i]);
	return 0;
}

/* clang-format off */
#define DESCRIPTION { 0, "description", "string", "Description of the context", OPT_STR(struct change, description) }
#define ENDPOINT    { 0, "docker", "stringToString", "set the docker endpoint (default [])", OPT_CALL(check_endpoint) }
static const struct opt create_opts[] = {
	DESCRIPTION,
	ENDPOINT,
	{ 0, "from", "string", "create context from a named context", OPT_STR(struct change, from) },
	{ 0 },
};
static const struct opt update_opts[] = {
	DESCRIPTION,
	ENDPOINT,
	{ 0 },
};
#define ENDPOINT_HELP(command) \
	"Docker endpoint config:\n\n" \
	"NAME                DESCRIPTION\n" \
	"from                Copy named context's Docker endpoint configuration\n" \
	"host                Docker endpoint on which to connect\n" \
	"ca                  Trust certs signed only by this CA\n" \
	"cert                Path to TLS certificate file\n" \
	"key                 Path to TLS key file\n" \
	"skip-tls-verify     Skip TLS certificate validation\n\n" \
	"Example:\n\n" \
	"$ docker context " command " my-context --description \"some description\" " \
	"--docker \"host=tcp://myserver:2376,ca=~/ca-file,cert=~/cert-file,key=~/key-file\"\n"
/* clang-format on */

static void change_done(void *target)
{
	struct change *c = target;

	free(c->description);
	free(c->from);
}

static int refuse(struct err *e)
{
	return err_set(e, ERR_UNSUPPORTED,
		"sbx has one context, \"default\": this machine and its own store");
}

static int create(const char *name, struct err *e)
{
	struct err missing;

	if (context_named(name, e) < 0)
		return -1;
	if (context_find(name, &missing) == 0)
		return err_set(e, ERR_CONFLICT, "context \"%s\" already exists", name);
	return refuse(e);
}

static int create_main(void *target, int argc, char **argv)
{
	struct err e;

	(void)target, (void)argc;
	return create(argv[0], &e) < 0 ? say_error(&e, 1) : 0;
}

static int update_main(void *target, int argc, char **argv)
{
	struct err e;

	(void)target, (void)argc;
	return context_named(argv[0], &e) < 0 || context_find(argv[0], &e) < 0 || refuse(&e) < 0
	               ? say_error(&e, 1)
	               : 0;
}

static int to_buf(void *context, const void *bytes, size_t n)
{
	buf_add(context, bytes, n);
	return 0;
}

/* The archive that docker's client makes: the context's metadata, and an empty directory for TLS keys. */
static int archive_of(const char *name, struct buf *out, struct err *e)
{
	struct tar_entry meta = {.type = TAR_FILE, .path = (char[]){"meta.json"}, .mode = 0644};
	struct tar_entry tls = {.type = TAR_DIR, .path = (char[]){"tls"}, .mode = 0700};
	struct tar_writer w = {.sink = to_buf, .context = out};
	auto_json json_t *object = context_describe(name, e);
	auto_free char *text = object ? json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;

	if (!text)
		return -1;
	meta.size = (int64_t)strlen(text);
	if (tar_add(&w, &meta, e) < 0 || tar_data(&w, text, strlen(text), e) < 0 ||
		tar_add(&w, &tls, e) < 0)
		return -1;
	return tar_finish(&w, e);
}

static int export_to(const char *path, const struct buf *bytes, struct err *e)
{
	auto_close int fd = mask_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_go(e, "open %s", path);
	if (sys_write_all(fd, bytes->s, bytes->len) < 0) {
		(void)err_go(e, "write %s", path);
		(void)unlink(path); /* unlike docker's client, which leaves an incomplete file */
		return -1;
	}
	(void)fprintf(stderr, "Written file \"%s\"\n", path);
	return 0;
}

static int export_out(const struct buf *bytes, struct err *e)
{
	if (isatty(STDOUT_FILENO))
		return err_set(e, ERR_USAGE,
			"cowardly refusing to export to a terminal, specify a file path");
	return sys_write_all(STDOUT_FILENO, bytes->s, bytes->len) < 0 ? err_go(e, "write /dev/stdout")
	                                                              : 0;
}

static int export_main(void *target, int argc, char **argv)
{
	auto_free char *own = xasprintf("%s.dockercontext", argv[0]);
	const char *path = argc > 1 ? argv[1] : own;
	auto_buf struct buf bytes = {0};
	struct err e;

	(void)target;
	if ((!str_eq(argv[0], "default") && context_named(argv[0], &e) < 0) ||
		archive_of(argv[0], &bytes, &e) < 0)
		return say_error(&e, 1);
	if ((str_eq(path, "-") ? export_out(&bytes, &e) : export_to(path, &bytes, &e)) < 0)
		return say_error(&e, 1);
	return 0;
}

static int import_main(void *target, int argc, char **argv)
{
	int fd = -1;
	struct err e;

	(void)target, (void)argc;
	if (context_named(argv[0], &e) < 0)
		return say_error(&e, 1);
	if (!str_eq(argv[1], "-") && (fd = open(argv[1], O_RDONLY | O_CLOEXEC)) < 0) {
		(void)err_go(&e, "open %s", argv[1]);
		return say_error(&e, 1);
	}
	if (fd >= 0)
		(void)close(fd); /* only opened to see whether it can be */
	(void)refuse(&e);
	return say_error(&e, 1);
}

const struct command cmd_context_create = {
	.name = "context create",
	.args = "[OPTIONS] CONTEXT",
	.about = "Create a context",
	.more = ENDPOINT_HELP("create"),
	.opts = create_opts,
	.target_size = sizeof(struct change),
	.run = create_main,
	.done = change_done,
	.min_args = 1,
	.max_args = 1,
	.hidden = true,
};

const struct command cmd_context_update = {
	.name = "context update",
	.args = "[OPTIONS] CONTEXT",
	.about = "Update a context",
	.more = ENDPOINT_HELP("update"),
	.opts = update_opts,
	.target_size = sizeof(struct change),
	.run = update_main,
	.done = change_done,
	.min_args = 1,
	.max_args = 1,
	.hidden = true,
};

const struct command cmd_context_export = {
	.name = "context export",
	.args = "[OPTIONS] CONTEXT [FILE|-]",
	.about = "Export a context to a tar archive FILE or a tar stream on STDOUT.",
	.run = export_main,
	.min_args = 1,
	.max_args = 2,
};

const struct command cmd_context_import = {
	.name = "context import",
	.args = "CONTEXT FILE|-",
	.about = "Import a context from a tar or zip file",
	.run = import_main,
	.min_args = 2,
	.max_args = 2,
	.hidden = true,
};
