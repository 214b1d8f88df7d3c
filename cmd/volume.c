/* SPDX-License-Identifier: Apache-2.0 */
/* volume: volume create, ls, rm. */
#include "cmd.h"
#include "inspect.h"
#include "ls.h"
#include "parse.h"
#include "volume.h"

#include <string.h>

/* ---- create ---- */

struct create {
	char *driver, *name;
	struct strv labels, options;
	bool cluster;
};

/* Options of swarm's volumes: docker's client parses them, and its daemon refuses them without a swarm. */
static int want_cluster(void *target, const char *value, struct err *e)
{
	(void)value, (void)e;
	((struct create *)target)->cluster = true;
	return 0;
}

static int add_label(void *target, const char *value, struct err *e)
{
	if (parse_label(value, e) < 0)
		return -1;
	strv_add(&((struct create *)target)->labels, value);
	return 0;
}

/* clang-format off */
static const struct opt create_opts[] = {
	{ 'd', "driver", "string", "Specify volume driver name (default \"local\")", OPT_STR(struct create, driver) },
	{ 0,   "label",  "list",   "Set metadata for a volume", OPT_CALL(add_label) },
	{ 0,   "name",   "string", "Specify volume name", OPT_STR(struct create, name), OPT_HIDDEN },
	{ 'o', "opt",    "map",    "Set driver specific options (default map[])", OPT_LIST(struct create, options) },
	{ 0,   "availability",       "string", "Cluster Volume availability (\"active\", \"pause\", \"drain\") (default \"active\")", OPT_CALL(want_cluster), OPT_HIDDEN | OPT_SINCE(42) },
	{ 0,   "group",              "string", "Cluster Volume group (cluster volumes)", OPT_CALL(want_cluster), OPT_HIDDEN | OPT_SINCE(42) },
	{ 0,   "limit-bytes",        "bytes",  "Minimum size of the Cluster Volume in bytes", OPT_CALL(want_cluster), OPT_HIDDEN | OPT_SINCE(42) },
	{ 0,   "required-bytes",     "bytes",  "Maximum size of the Cluster Volume in bytes", OPT_CALL(want_cluster), OPT_HIDDEN | OPT_SINCE(42) },
	{ 0,   "scope",              "string", "Cluster Volume access scope (\"single\", \"multi\") (default \"single\")", OPT_CALL(want_cluster), OPT_HIDDEN | OPT_SINCE(42) },
	{ 0,   "secret",             "map",    "Cluster Volume secrets", OPT_CALL(want_cluster), OPT_HIDDEN | OPT_SINCE(42) },
	{ 0,   "sharing",            "string", "Cluster Volume access sharing (\"none\", \"readonly\", \"onewriter\", \"all\") (default \"none\")", OPT_CALL(want_cluster), OPT_HIDDEN | OPT_SINCE(42) },
	{ 0,   "topology-preferred", "list",   "A topology that the Cluster Volume would be preferred in", OPT_CALL(want_cluster), OPT_HIDDEN | OPT_SINCE(42) },
	{ 0,   "topology-required",  "list",   "A topology that the Cluster Volume must be accessible from", OPT_CALL(want_cluster), OPT_HIDDEN | OPT_SINCE(42) },
	{ 0,   "type",               "string", "Cluster Volume access type (\"mount\", \"block\") (default \"block\")", OPT_CALL(want_cluster), OPT_HIDDEN | OPT_SINCE(42) },
	{ 0 },
};
/* clang-format on */

static void create_done(void *target)
{
	struct create *p = target;

	free(p->driver);
	free(p->name);
	strv_done(&p->labels);
	strv_done(&p->options);
}

static int create_main(void *target, int argc, char **argv)
{
	const struct create *p = target;
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_volume struct volume v = {0};
	const char *name = argc ? argv[0] : p->name;
	struct err e;

	if (argc && p->name && *p->name) {
		(void)err_set(&e, ERR_USAGE,
			"conflicting options: cannot specify a volume-name through both --name and as a "
			"positional arg");
		return say_error(&e, 1);
	}
	if (p->cluster) {
		(void)err_set(&e, ERR_UNSUPPORTED,
			"This node is not a swarm manager: sbx runs containers on one machine and has no swarm.");
		say_daemon_error(&e);
		return 1;
	}
	if (store_open(&s, &e) < 0 ||
		volume_create(&s, name, p->driver, &p->labels, &p->options, &v, &e) < 0) {
		say_daemon_error(&e);
		return 1;
	}
	say_print("%s\n", v.name);
	return 0;
}

/* ---- ls ---- */

/* clang-format off */
static const struct opt ls_opts[] = {
	{ 0,   "cluster", NULL,    "Display only cluster volumes, and use cluster volume list formatting", OPT_FLAG(struct ls, cluster), OPT_HIDDEN | OPT_SINCE(42) },
	{ 'f', "filter", "filter", "Provide filter values (e.g. \"dangling=true\")", OPT_CALL(ls_filter) },
	{ 0,   "format", "string", FORMAT_HELP, OPT_STR(struct ls, format) },
	{ 'q', "quiet",  NULL,     "Only display volume names", OPT_FLAG(struct ls, quiet) },
	{ 0 },
};
/* clang-format on */

static void col_name(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_puts(out, ((const struct volume *)self)->name);
}

static void col_local(void *self, const char *const *argv, struct buf *out)
{
	(void)self, (void)argv;
	buf_puts(out, "local");
}

static void col_mountpoint(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_puts(out, ((const struct volume *)self)->path);
}

/* Columns that docker fills only in `system df -v` and for swarm's volumes. */
static void col_unknown(void *self, const char *const *argv, struct buf *out)
{
	(void)self, (void)argv;
	buf_puts(out, "N/A");
}

static void col_labels(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	listing_labels(&((const struct volume *)self)->labels, out);
}

static void col_label(void *self, const char *const *argv, struct buf *out)
{
	listing_label(&((const struct volume *)self)->labels, argv[0], out);
}

/* clang-format off */
static const struct tmpl_method columns[] = {
	{ "Name",         col_name,       0, "VOLUME NAME" },
	{ "Driver",       col_local,      0, "DRIVER" },
	{ "Scope",        col_local,      0, "SCOPE" },
	{ "Availability", col_unknown,    0, "AVAILABILITY" },
	{ "Mountpoint",   col_mountpoint, 0, "MOUNTPOINT" },
	{ "Labels",       col_labels,     0, "LABELS" },
	{ "Label",        col_label,      1, NULL },
	{ "Links",        col_unknown,    0, "LINKS" },
	{ "Size",         col_unknown,    0, "SIZE" },
	{ "Group",        col_unknown,    0, "GROUP" },
	{ "Status",       col_unknown,    0, "STATUS" },
	{ 0 },
};
/* clang-format on */

#define ROW_TYPE "*formatter.volumeContext"

static json_t *whole(void *self)
{
	return json_pack("{s:o}", "v", volume_inspect(self));
}

static const struct listing_kind rows = {ROW_TYPE, columns, "table {{.Driver}}\t{{.Name}}",
	"name: {{.Name}}\ndriver: {{.Driver}}\n", whole, inspect_fields};
/* --cluster: swarm's volumes, of which there are none. */
static const struct listing_kind clustered = {ROW_TYPE, columns,
	"table {{.Name}}\t{{.Group}}\t{{.Driver}}\t{{.Availability}}\t{{.Status}}", NULL, whole,
	inspect_fields};
static const struct listing_kind names = {
	ROW_TYPE, columns, "{{.Name}}", "name: {{.Name}}", whole, inspect_fields};

static int list(const struct ls *p, struct listing *l, struct strv *unread, struct err *e)
{
	auto_store struct store s = {.root = -1, .runtime = -1};
	static const char *const known[] = {"dangling", "driver", "label", "name", NULL};
	bool picky = filter_has(&p->filters, "dangling"), dangling;
	auto_json json_t *uses = NULL;
	struct volume *all = NULL;
	size_t n = 0;
	int rc = 0;

	if (filter_check(&p->filters, known, e) < 0 ||
		filter_bool(&p->filters, "dangling", false, &dangling, e) < 0)
		return err_ctx(e, "Error response from daemon");
	if (store_open(&s, e) < 0 || (picky && !(uses = volume_uses(&s, e))) ||
		volume_list(&s, &all, &n, unread, e) < 0)
		return -1;
	for (size_t i = 0; i < n && rc == 0 && !p->cluster; i++) {
		bool used = volume_users(uses, all[i].name) != NULL;

		if ((!picky || used != dangling) && filter_match(&p->filters, "name", all[i].name) &&
			filter_equal(&p->filters, "driver", "local") &&
			filter_labels(&p->filters, &all[i].labels))
			rc = listing_row(l, &all[i], e);
	}
	volume_list_free(all, n);
	return rc;
}

static int ls_main(void *target, int argc, char **argv)
{
	struct ls *p = target;

	(void)argc, (void)argv;
	return ls_print(p,
		p->quiet     ? &names
		: p->cluster ? &clustered
			     : &rows,
		"volumesFormat", list);
}

/* ---- rm ---- */

struct rm {
	bool force;
};

/* clang-format off */
static const struct opt rm_opts[] = {
	{ 'f', "force", NULL, "Force the removal of one or more volumes", OPT_FLAG(struct rm, force), OPT_SINCE(25) },
	{ 0 },
};
/* clang-format on */

/* False for a name like "..", about which docker's client never asks its daemon: so -f, which is the daemon's, does not
 * hide the error. */
static bool leads_somewhere(const char *name)
{
	struct err e;
	auto_free char *cleaned = parse_request_name(name, &e);

	return cleaned;
}

static int rm_main(void *target, int argc, char **argv)
{
	bool force = ((const struct rm *)target)->force;
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_json json_t *uses = NULL;
	auto_strv struct strv failed = {0};
	struct err e;

	if (store_open(&s, &e) < 0 || !(uses = volume_uses(&s, &e))) {
		say_daemon_error(&e);
		return 1;
	}
	for (int i = 0; i < argc; i++) {
		if (!argv[i][strspn(argv[i], STR_BLANKS)])
			strv_add(&failed, "invalid volume name or ID: value is empty");
		else if (volume_remove(&s, argv[i], uses, &e) < 0 &&
			 !(force && e.kind == ERR_NOT_FOUND && leads_somewhere(argv[i])))
			strv_addf(&failed, "Error response from daemon: %s", e.text);
		else
			say_print("%s\n", argv[i]);
	}
	return say_failures(&failed);
}

const struct command cmd_volume_create = {
	.name = "volume create",
	.args = "[OPTIONS] [VOLUME]",
	.about = "Create a volume",
	.opts = create_opts,
	.target_size = sizeof(struct create),
	.run = create_main,
	.done = create_done,
	.max_args = 1,
};

const struct command cmd_volume_ls = {
	.name = "volume ls",
	.args = "[OPTIONS]",
	.about = "List volumes",
	.aliases = "docker volume ls, docker volume list",
	.opts = ls_opts,
	.target_size = sizeof(struct ls),
	.run = ls_main,
	.done = ls_done,
};

const struct command cmd_volume_rm = {
	.name = "volume rm",
	.args = "[OPTIONS] VOLUME [VOLUME...]",
	.about = "Remove one or more volumes. You cannot remove a volume that is in use by a container.",
	.aliases = "docker volume rm, docker volume remove",
	.opts = rm_opts,
	.target_size = sizeof(struct rm),
	.run = rm_main,
	.min_args = 1,
	.max_args = -1,
};
