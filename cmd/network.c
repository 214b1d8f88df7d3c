/* SPDX-License-Identifier: Apache-2.0 */
/* network: network create, ls, rm, connect, disconnect. */
#include "cmd.h"
#include "inspect.h"
#include "ipam.h"
#include "ls.h"
#include "network.h"
#include "network_sieve.h"
#include "parse.h"
#include "stamp.h"

#include <string.h>

/* ---- create ---- */

struct create {
	bool attachable, internal, ipv6, ingress, config_only;
	char *driver, *scope, *config_from, *ipam_driver;
	struct strv labels, options, ipam_options;
	struct ipam ipam;
};

/* Like docker, splits at commas. */
static int add_each(struct strv *list, const char *value)
{
	while (*value) {
		size_t n = strcspn(value, ",");

		strv_take(list, xstrndup(value, n));
		value += n + (value[n] == ',');
	}
	return 0;
}

static int add_subnet(void *target, const char *value, struct err *e)
{
	(void)e;
	return add_each(&((struct create *)target)->ipam.subnets, value);
}

static int add_range(void *target, const char *value, struct err *e)
{
	(void)e;
	return add_each(&((struct create *)target)->ipam.ranges, value);
}

static int add_gateway(void *target, const char *value, struct err *e)
{
	(void)e;
	return add_each(&((struct create *)target)->ipam.gateways, value);
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
	{ 0,   "attachable",  NULL,      "Enable manual container attachment", OPT_FLAG(struct create, attachable), OPT_SINCE(25) },
	{ 0,   "aux-address", "map",     "Auxiliary IPv4 or IPv6 addresses used by Network driver (default map[])", OPT_LIST(struct create, ipam.aux) },
	{ 0,   "config-from", "string",  "The network from which to copy the configuration", OPT_STR(struct create, config_from), OPT_SINCE(30) },
	{ 0,   "config-only", NULL,      "Create a configuration only network", OPT_FLAG(struct create, config_only), OPT_SINCE(30) },
	{ 'd', "driver",      "string",  "Driver to manage the Network (default \"bridge\")", OPT_STR(struct create, driver) },
	{ 0,   "gateway",     "strings", "IPv4 or IPv6 Gateway for the master subnet", OPT_CALL(add_gateway) },
	{ 0,   "ingress",     NULL,      "Create swarm routing-mesh network", OPT_FLAG(struct create, ingress), OPT_SINCE(29) },
	{ 0,   "internal",    NULL,      "Restrict external access to the network", OPT_FLAG(struct create, internal) },
	{ 0,   "ip-range",    "strings", "Allocate container ip from a sub-range", OPT_CALL(add_range) },
	{ 0,   "ipam-driver", "string",  "IP Address Management Driver (default \"default\")", OPT_STR(struct create, ipam_driver) },
	{ 0,   "ipam-opt",    "map",     "Set IPAM driver specific options (default map[])", OPT_LIST(struct create, ipam_options) },
	{ 0,   "ipv4",        NULL,      "Enable or disable IPv4 address assignment (default true)", OPT_NOTHING() },
	{ 0,   "ipv6",        NULL,      "Enable or disable IPv6 address assignment", OPT_FLAG(struct create, ipv6) },
	{ 0,   "label",       "list",    "Set metadata on a network", OPT_CALL(add_label) },
	{ 'o', "opt",         "map",     "Set driver specific options (default map[])", OPT_LIST(struct create, options) },
	{ 0,   "scope",       "string",  "Control the network's scope", OPT_STR(struct create, scope), OPT_SINCE(30) },
	{ 0,   "subnet",      "strings", "Subnet in CIDR format that represents a network segment", OPT_CALL(add_subnet) },
	{ 0 },
};
/* clang-format on */

static void create_done(void *target)
{
	struct create *p = target;

	free(p->driver);
	free(p->scope);
	free(p->config_from);
	free(p->ipam_driver);
	strv_done(&p->labels);
	strv_done(&p->options);
	strv_done(&p->ipam_options);
	ipam_done(&p->ipam);
}

static json_t *text(const char *word)
{
	return json_text(word ? word : "");
}

/* Addresses are stored and shown by inspect, but never given to a container. */
static json_t *ask_of(const struct create *p, struct err *e)
{
	json_t *config = ipam_config(&p->ipam, e);

	if (!config)
		return NULL;
	return json_pack("{s:o, s:o, s:b, s:b, s:b, s:b, s:b, s:{s:o}, s:o, s:o, s:{s:o, s:o, s:o}}",
		"Driver", text(p->driver), "Scope", text(p->scope), "Internal", p->internal,
		"Attachable", p->attachable, "Ingress", p->ingress, "EnableIPv6", p->ipv6,
		"ConfigOnly", p->config_only, "ConfigFrom", "Network", text(p->config_from), "Labels",
		json_from_map(&p->labels), "Options", json_from_map(&p->options), "IPAM", "Driver",
		text(p->ipam_driver), "Options", json_from_map(&p->ipam_options), "Config", config);
}

static int create_main(void *target, int argc, char **argv)
{
	auto_json json_t *ask = NULL, *made = NULL;
	auto_store struct store s = {.root = -1, .runtime = -1};
	struct err e;

	(void)argc;
	ask = ask_of(target, &e);
	if (!ask)
		return say_error(&e, 1);
	if (store_open(&s, &e) < 0 || !(made = network_create(&s, argv[0], ask, &e))) {
		say_daemon_error(&e);
		return 1;
	}
	say_print("%s\n", json_str(made, "Id", ""));
	return 0;
}

/* ---- ls ---- */

/* clang-format off */
static const struct opt ls_opts[] = {
	{ 'f', "filter",   "filter", "Provide filter values (e.g. \"driver=bridge\")", OPT_CALL(ls_filter) },
	{ 0,   "format",   "string", FORMAT_HELP, OPT_STR(struct ls, format) },
	{ 0,   "no-trunc", NULL,     "Do not truncate the output", OPT_FLAG(struct ls, no_trunc) },
	{ 'q', "quiet",    NULL,     "Only display network IDs", OPT_FLAG(struct ls, quiet) },
	{ 0 },
};
/* clang-format on */

struct row {
	const struct store *s;
	const struct network *n;
	bool trunc;
};

static const struct network *of(void *self)
{
	return ((const struct row *)self)->n;
}

static void col_id(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;

	(void)argv;
	buf_printf(out, "%.*s", r->trunc ? 12 : ID_LEN, r->n->id);
}

static void col_name(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_puts(out, of(self)->name);
}

static void col_driver(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_puts(out, of(self)->driver);
}

static void col_scope(void *self, const char *const *argv, struct buf *out)
{
	(void)self, (void)argv;
	buf_puts(out, "local");
}

static void put_truth(bool truth, struct buf *out)
{
	buf_puts(out, truth ? "true" : "false");
}

static void col_ipv4(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	put_truth(of(self)->ipv4, out);
}

static void col_ipv6(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	put_truth(of(self)->ipv6, out);
}

static void col_internal(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	put_truth(of(self)->internal, out);
}

static void col_created(void *self, const char *const *argv, struct buf *out)
{
	auto_free char *at = xstrdup(of(self)->created);

	(void)argv;
	at[strcspn(at, "Z")] = '\0';
	if (strchr(at, 'T'))
		*strchr(at, 'T') = ' ';
	buf_printf(out, "%s +0000 UTC", at);
}

static void col_labels(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	listing_labels(&of(self)->labels, out);
}

static void col_label(void *self, const char *const *argv, struct buf *out)
{
	listing_label(&of(self)->labels, argv[0], out);
}

/* clang-format off */
static const struct tmpl_method columns[] = {
	{ "ID",        col_id,       0, "NETWORK ID" },
	{ "Name",      col_name,     0, "NAME" },
	{ "Driver",    col_driver,   0, "DRIVER" },
	{ "Scope",     col_scope,    0, "SCOPE" },
	{ "IPv4",      col_ipv4,     0, "IPV4" },
	{ "IPv6",      col_ipv6,     0, "IPV6" },
	{ "Internal",  col_internal, 0, "INTERNAL" },
	{ "Labels",    col_labels,   0, "LABELS" },
	{ "Label",     col_label,    1, NULL },
	{ "CreatedAt", col_created,  0, "CREATED AT" },
	{ 0 },
};
/* clang-format on */

#define ROW_TYPE "*network.networkContext"

#define YEAR_1 62135596800 /* seconds from year 1, in which Go's time begins, to 1970 */

static json_t *whole(void *self)
{
	const struct row *r = self;
	struct err gone;
	json_t *j = network_find(r->s, r->n->name, &gone);
	struct timespec t = {0};

	if (!j)
		return NULL;
	(void)stamp_read(r->n->created, &t); /* written by us, so valid */
	(void)json_object_set_new(j, "Created",
		json_pack("{s:I, s:I, s:n}", "wall", (json_int_t)t.tv_nsec, "ext",
			(json_int_t)t.tv_sec + YEAR_1, "loc")); /* memory */
	return json_pack("{s:b, s:o}", "trunc", r->trunc, "n", j);
}

static const struct listing_kind rows = {ROW_TYPE, columns,
	"table {{.ID}}\t{{.Name}}\t{{.Driver}}\t{{.Scope}}",
	"network_id: {{.ID}}\nname: {{.Name}}\ndriver: {{.Driver}}\nscope: {{.Scope}}\n", whole,
	inspect_fields};
static const struct listing_kind ids = {
	ROW_TYPE, columns, "{{.ID}}", "network_id: {{.ID}}", whole, inspect_fields};

static int list(const struct ls *p, struct listing *l, struct strv *unread, struct err *e)
{
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_network_sieve struct network_sieve sieve = {0};
	struct network *all = NULL;
	size_t n = 0;
	int rc = 0;

	if (store_open(&s, e) < 0)
		return -1;
	if (network_sieve_make(&s, &p->filters, &sieve, e) < 0)
		return err_ctx(e, "Error response from daemon");
	if (network_list_brief(&s, &all, &n, unread, e) < 0)
		return -1;
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct row r = {&s, &all[i], !p->no_trunc};

		if (network_sieve_passes(&sieve, &all[i]))
			rc = listing_row(l, &r, e);
	}
	network_list_free(all, n);
	return rc;
}

static int ls_main(void *target, int argc, char **argv)
{
	struct ls *p = target;

	(void)argc, (void)argv;
	return ls_print(p, p->quiet ? &ids : &rows, "networksFormat", list);
}

/* ---- rm ---- */

struct rm {
	bool force;
};

/* clang-format off */
static const struct opt rm_opts[] = {
	{ 'f', "force", NULL, "Do not error if the network does not exist", OPT_FLAG(struct rm, force) },
	{ 0 },
};
/* clang-format on */

static int rm_main(void *target, int argc, char **argv)
{
	bool force = ((const struct rm *)target)->force;
	auto_store struct store s = {.root = -1, .runtime = -1};
	struct err e;
	int status = 0;

	if (store_open(&s, &e) < 0) {
		say_daemon_error(&e);
		return 1;
	}
	for (int i = 0; i < argc; i++) {
		bool named = argv[i][strspn(argv[i], STR_BLANKS)];
		int result =
			named ? network_remove(&s, argv[i], &e)
			      : err_set(&e, ERR_USAGE, "invalid network name or ID: value is empty");

		if (result == 0) {
			say_print("%s\n", argv[i]);
		} else if (!(force && e.kind == ERR_NOT_FOUND)) {
			say_flush(); /* keeps the order if stdout and stderr are the same file */
			say_daemon_error(&e);
			status = 1;
		}
	}
	if (status)
		(void)fprintf(stderr, "exit status 1\n"); /* docker prints this */
	return status;
}

/* ---- connect, disconnect ---- */

struct connect {
	bool force;
	struct strv driver_opts;
};

static void connect_done(void *target)
{
	struct connect *c = target;

	strv_done(&c->driver_opts);
}

static int check_link(void *target, const char *value, struct err *e)
{
	(void)target;
	return parse_link(value, e);
}

static int check_priority(void *target, const char *value, struct err *e)
{
	int64_t unused;

	(void)target;
	return parse_int(value, &unused, e);
}

/* clang-format off */
static const struct opt connect_opts[] = {
	{ 0, "alias",         "strings", "Add network-scoped alias for the container", OPT_NOTHING() },
	{ 0, "driver-opt",    "strings", "driver options for the network", OPT_LIST(struct connect, driver_opts) },
	{ 0, "gw-priority",   "int",     "Highest gw-priority provides the default gateway. Accepts positive and negative values.", OPT_CALL(check_priority) },
	{ 0, "ip",            "string",  "IPv4 address (e.g., \"172.30.100.104\")", OPT_NOTHING() },
	{ 0, "ip6",           "string",  "IPv6 address (e.g., \"2001:db8::33\")", OPT_NOTHING() },
	{ 0, "link",          "list",    "Add link to another container", OPT_CALL(check_link) },
	{ 0, "link-local-ip", "strings", "Add a link-local address for the container", OPT_NOTHING() },
	{ 0 },
};
static const struct opt disconnect_opts[] = {
	{ 'f', "force", NULL, "Force the container to disconnect from a network", OPT_FLAG(struct connect, force) },
	{ 0 },
};
/* clang-format on */

/* The checks of docker's client, before it asks its daemon. */
static int check_names(char *const *names, struct err *e)
{
	auto_free char *cleaned = NULL;

	for (int i = 0; i < 2; i++)
		if (!names[i][strspn(names[i], STR_BLANKS)])
			return err_set(e, ERR_USAGE, "invalid %s name or ID: value is empty",
				i ? "container" : "network");
	if ((cleaned = parse_request_name(names[0], e)))
		return 0;
	return say_as_daemon(e);
}

static int connect_it(char *const *names, bool on, bool force, struct err *e)
{
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_free char *container = str_trim(names[1]);
	int rc;

	if (check_names(names, e) < 0)
		return -1;
	rc = store_open(&s, e) < 0 ? -1
	     : force               ? network_disconnect_by_force(&s, names[0], container, e)
	                           : network_connect(&s, names[0], container, on, e);
	return rc < 0 ? say_as_daemon(e) : 0;
}

static int connect_main(void *target, int argc, char **argv)
{
	const struct connect *c = target;
	struct err e;

	(void)argc;
	for (size_t i = 0; i < c->driver_opts.n; i++) {
		const char *word = c->driver_opts.v[i] + strspn(c->driver_opts.v[i], " \t\n\v\f\r");

		if (c->driver_opts.v[i][0] && (!strchr(word, '=') || *word == '=')) {
			(void)fputs("invalid key/value pair format in driver options\n", stderr);
			return 1;
		}
	}
	return connect_it(argv, true, false, &e) < 0 ? say_error(&e, 1) : 0;
}

static int disconnect_main(void *target, int argc, char **argv)
{
	struct err e;

	(void)argc;
	return connect_it(argv, false, ((const struct connect *)target)->force, &e) < 0
	               ? say_error(&e, 1)
	               : 0;
}

const struct command cmd_network_create = {
	.name = "network create",
	.args = "[OPTIONS] NETWORK",
	.about = "Create a network",
	.opts = create_opts,
	.target_size = sizeof(struct create),
	.run = create_main,
	.done = create_done,
	.min_args = 1,
	.max_args = 1,
};

const struct command cmd_network_ls = {
	.name = "network ls",
	.args = "[OPTIONS]",
	.about = "List networks",
	.aliases = "docker network ls, docker network list",
	.opts = ls_opts,
	.target_size = sizeof(struct ls),
	.run = ls_main,
	.done = ls_done,
};

const struct command cmd_network_rm = {
	.name = "network rm",
	.args = "NETWORK [NETWORK...]",
	.about = "Remove one or more networks",
	.aliases = "docker network rm, docker network remove",
	.opts = rm_opts,
	.target_size = sizeof(struct rm),
	.run = rm_main,
	.min_args = 1,
	.max_args = -1,
};

const struct command cmd_network_connect = {
	.name = "network connect",
	.args = "[OPTIONS] NETWORK CONTAINER",
	.about = "Connect a container to a network",
	.opts = connect_opts,
	.target_size = sizeof(struct connect),
	.run = connect_main,
	.done = connect_done,
	.min_args = 2,
	.max_args = 2,
};

const struct command cmd_network_disconnect = {
	.name = "network disconnect",
	.args = "[OPTIONS] NETWORK CONTAINER",
	.about = "Disconnect a container from a network",
	.opts = disconnect_opts,
	.target_size = sizeof(struct connect),
	.run = disconnect_main,
	.min_args = 2,
	.max_args = 2,
};
