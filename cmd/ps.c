/* SPDX-License-Identifier: Apache-2.0 */
/* ps: containers, one a line. */
#include "cmd.h"

#include "filter.h"
#include "human.h"
#include "image.h"
#include "inspect.h"
#include "listing.h"
#include "state.h"
#include "status.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

struct ps {
	bool all, latest, no_trunc, quiet, size;
	char *format;
	int64_t last;
	struct filters filters;
};

static int add_filter(void *target, const char *value, struct err *e)
{
	return filter_add(&((struct ps *)target)->filters, value, e);
}

/* clang-format off */
static const struct opt ps_opts[] = {
	{ 'a', "all",      NULL,     "Show all containers (default shows just running)", OPT_FLAG(struct ps, all) },
	{ 'f', "filter",   "filter", "Filter output based on conditions provided", OPT_CALL(add_filter) },
	{ 0,   "format",   "string", FORMAT_HELP, OPT_STR(struct ps, format) },
	{ 'n', "last",     "int",    "Show n last created containers (includes all states) (default -1)", OPT_INT(struct ps, last) },
	{ 'l', "latest",   NULL,     "Show the latest created container (includes all states)", OPT_FLAG(struct ps, latest) },
	{ 0,   "no-trunc", NULL,     "Don't truncate output", OPT_FLAG(struct ps, no_trunc) },
	{ 'q', "quiet",    NULL,     "Only display container IDs", OPT_FLAG(struct ps, quiet) },
	{ 's', "size",     NULL,     "Display total file sizes", OPT_FLAG(struct ps, size) },
	{ 0 },
};
/* clang-format on */

static void ps_init(void *target)
{
	((struct ps *)target)->last = -1;
}

static void ps_done(void *target)
{
	struct ps *p = target;

	free(p->format);
	filter_done(&p->filters);
}

/* ---- columns ---- */

struct row {
	const struct store *s; /* NULL: the empty row of try_format() */
	const struct state *st;
	bool trunc;
	bool size;    /* add up its files; of the empty row: somebody asked for that */
	json_t *spec; /* read when a column or a filter asks for it */
};

static const json_t *spec_of(struct row *r)
{
	struct err unused;

	/* one that cannot be read shows as one without ports and mounts */
	if (!r->spec && r->s)
		r->spec = state_load_spec(r->s, r->st->id, &unused);
	if (!r->spec)
		r->spec = json_object();
	return r->spec;
}

static json_t *text(const char *s)
{
	return json_stringn_nocheck(s, strlen(s));
}

static json_t *own(char *s)
{
	json_t *j = text(s);

	free(s);
	return j;
}

/* At most `max` characters, the last one "…" when there were more. */
static char *ellipsis(const char *s, size_t max)
{
	size_t chars = 0, keep = 0;

	for (size_t i = 0; s[i]; i++) {
		if (((unsigned char)s[i] & 0xc0) == 0x80)
			continue;
		keep = ++chars == max ? i : keep;
	}
	return chars <= max ? xstrdup(s) : xasprintf("%.*s…", (int)keep, s);
}

static json_t *col_id(void *self, const char *const *argv)
{
	const struct row *r = self;

	(void)argv;
	return json_stringn_nocheck(r->st->id, r->trunc ? 12 : strlen(r->st->id));
}

static json_t *col_names(void *self, const char *const *argv)
{
	const struct row *r = self;

	(void)argv;
	return text(r->st->name ? r->st->name : "");
}

static json_t *col_image(void *self, const char *const *argv)
{
	const struct row *r = self;
	const char *image = r->st->image ? r->st->image : "", *id = r->st->image_id;
	const char *hex = str_starts(image, "sha256:") ? image + 7 : image, *digest;

	(void)argv;
	if (!*image)
		return text("<no image>");
	/* started by its id: as short as the id column of images has it */
	if (r->trunc && id && strlen(hex) >= 12 && str_starts(id, "sha256:") && str_starts(id + 7, hex))
		return json_stringn_nocheck(hex, 12);
	digest = strstr(image, "@sha256:");
	if (r->trunc && digest && memchr(image, ':', (size_t)(digest - image)))
		return json_stringn_nocheck(image, (size_t)(digest - image));
	return text(image);
}

static json_t *col_command(void *self, const char *const *argv)
{
	const struct row *r = self;
	const char *command = r->st->command ? r->st->command : "";
	auto_free char *cut = r->trunc ? ellipsis(command, 20) : xstrdup(command);
	auto_buf struct buf quoted = {0};

	(void)argv;
	opt_quote(cut, &quoted);
	return text(quoted.s);
}

static json_t *col_created_at(void *self, const char *const *argv)
{
	(void)argv;
	return own(human_time(((const struct row *)self)->st->created.tv_sec));
}

static json_t *col_running_for(void *self, const char *const *argv)
{
	(void)argv;
	return own(human_ago(&((const struct row *)self)->st->created));
}

static json_t *col_state(void *self, const char *const *argv)
{
	(void)argv;
	return text(status_names[((const struct row *)self)->st->status]);
}

static json_t *col_status(void *self, const char *const *argv)
{
	(void)argv;
	return own(status_words(((const struct row *)self)->st));
}

static json_t *col_ports(void *self, const char *const *argv)
{
	struct row *r = self;
	auto_json json_t *ports = NULL;

	(void)argv;
	if (!status_runs(r->st))
		return text("");
	ports = status_ports(r->st, spec_of(r));
	return own(status_ports_words(ports));
}

static json_t *col_size(void *self, const char *const *argv)
{
	struct row *r = self;
	auto_free char *writable = NULL, *whole = NULL;
	auto_image struct image image = {0};
	struct err unused;
	int64_t bytes;

	(void)argv;
	r->size |= !r->s;
	if (!r->size || !r->s)
		return text("0B");
	bytes = container_size(r->s, r->st->id);
	writable = human_size((double)bytes, 3);
	/* an image that is gone has no size to tell */
	if (r->st->image_id && image_find(r->s, r->st->image_id, &image, &unused) == 0)
		bytes += image.size;
	if (!bytes)
		return text(writable);
	whole = human_size((double)bytes, 3);
	return own(xasprintf("%s (virtual %s)", writable, whole));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static json_t *col_labels(void *self, const char *const *argv)
{
	const struct strv *labels = &((const struct row *)self)->st->labels;
	auto_strv struct strv sorted = {0};
	auto_buf struct buf b = {0};

	(void)argv;
	strv_copy(&sorted, labels);
	if (sorted.n)
		qsort(sorted.v, sorted.n, sizeof(*sorted.v), by_text);
	for (size_t i = 0; i < sorted.n; i++)
		buf_printf(&b, "%s%s", i ? "," : "", sorted.v[i]);
	return own(buf_take(&b));
}

static json_t *col_label(void *self, const char *const *argv)
{
	const char *kv = strchr(argv[0], '=')
	                         ? NULL
	                         : strv_env(&((const struct row *)self)->st->labels, argv[0]);

	return text(kv && strchr(kv, '=') ? strchr(kv, '=') + 1 : "");
}

static json_t *col_mounts(void *self, const char *const *argv)
{
	struct row *r = self;
	auto_json json_t *mounts = container_mounts(r->s, spec_of(r));
	auto_buf struct buf b = {0};
	json_t *m;
	size_t i;

	(void)argv;
	json_array_foreach(mounts, i, m)
	{
		const char *name = json_str(m, "Name", json_str(m, "Source", ""));
		auto_free char *cut = r->trunc ? ellipsis(name, 15) : xstrdup(name);

		buf_printf(&b, "%s%s", b.len ? "," : "", cut);
	}
	return own(buf_take(&b));
}

static json_t *col_local_volumes(void *self, const char *const *argv)
{
	struct row *r = self;
	auto_json json_t *mounts = container_mounts(r->s, spec_of(r));
	int n = 0;
	json_t *m;
	size_t i;

	(void)argv;
	json_array_foreach(mounts, i, m) n += str_eq(json_str(m, "Driver", ""), "local");
	return own(xasprintf("%d", n));
}

static json_t *col_networks(void *self, const char *const *argv)
{
	const char *network = status_network(((const struct row *)self)->st);

	(void)argv;
	return text(str_starts(network, "container:") ? "" : network);
}

static json_t *col_platform(void *self, const char *const *argv)
{
	(void)self;
	(void)argv;
	return json_null();
}

/* clang-format off */
static const struct tmpl_method columns[] = {
	{ "ID",           col_id,            0, "CONTAINER ID" },
	{ "Names",        col_names,         0, "NAMES" },
	{ "Image",        col_image,         0, "IMAGE" },
	{ "Command",      col_command,       0, "COMMAND" },
	{ "CreatedAt",    col_created_at,    0, "CREATED AT" },
	{ "RunningFor",   col_running_for,   0, "CREATED" },
	{ "Ports",        col_ports,         0, "PORTS" },
	{ "State",        col_state,         0, "STATE" },
	{ "Status",       col_status,        0, "STATUS" },
	{ "Size",         col_size,          0, "SIZE" },
	{ "Labels",       col_labels,        0, "LABELS" },
	{ "Label",        col_label,         1, NULL },
	{ "Mounts",       col_mounts,        0, "MOUNTS" },
	{ "LocalVolumes", col_local_volumes, 0, "LOCAL VOLUMES" },
	{ "Networks",     col_networks,      0, "NETWORKS" },
	{ "Platform",     col_platform,      0, "PLATFORM" },
	{ 0 },
};
/* clang-format on */

#define ROW_TYPE "*formatter.ContainerContext"
#define TABLE \
	"table {{.ID}}\t{{.Image}}\t{{.Command}}\t{{.RunningFor}}\t{{.Status}}\t{{.Ports}}\t{{.Names}}"
#define RAW                                                                      \
	"container_id: {{.ID}}\nimage: {{.Image}}\ncommand: {{.Command}}\n"      \
	"created_at: {{.CreatedAt}}\nstate: {{- if .State}} {{.State}}{{end}}\n" \
	"status: {{- if .Status}} {{.Status}}{{end}}\nnames: {{.Names}}\n"       \
	"labels: {{- if .Labels}} {{.Labels}}{{end}}\nports: {{- if .Ports}} {{.Ports}}{{end}}\n"

static const struct listing_kind rows = {ROW_TYPE, columns, TABLE, RAW};
static const struct listing_kind sized = {ROW_TYPE, columns, TABLE "\t{{.Size}}", RAW "size: {{.Size}}\n"};
static const struct listing_kind ids = {ROW_TYPE, columns, "{{.ID}}", NULL};

/* ---- filters ---- */

static const char *const known[] = {"ancestor", "before", "exited", "expose", "health", "id", "is-task",
	"isolation", "label", "name", "network", "publish", "since", "status", "volume", NULL};

/* What the filters' values mean, found out once. */
struct sieve {
	const struct filters *f;
	struct strv images; /* ids of --filter ancestor= */
	struct timespec before, since;
	bool is_task; /* docker's word for swarm: nothing here is one */
};

static void sieve_done(struct sieve *v)
{
	strv_done(&v->images);
}
#define auto_sieve __attribute__((cleanup(sieve_done)))

static int status_known(const char *value, struct err *e)
{
	for (int i = 0; i < STATUSES; i++)
		if (str_eq(status_names[i], value))
			return 0;
	return err_set(e, ERR_USAGE, "invalid filter 'status=%s'", value);
}

static int created_at(const struct store *s, const char *name, struct timespec *out, struct err *e)
{
	auto_state struct state st = {0};
	id_text id;

	if (state_find(s, name, id, e) < 0 || state_load(s, id, &st, e) < 0)
		return e->kind == ERR_NOT_FOUND
		               ? err_set(e, ERR_NOT_FOUND, "no such container %s", name)
		               : -1;
	*out = st.created;
	return 0;
}

static int check_numbers(const struct filters *f, struct err *e)
{
	static const char *const health[] = {"starting", "healthy", "unhealthy", "none"};
	const char *v;
	char *end;

	for (size_t i = 0; (v = filter_next(f, "exited", &i));) {
		errno = 0;
		(void)strtol(v, &end, 10); /* only whether it is a number */
		if (errno || *end || end == v)
			return err_set(e, ERR_USAGE, "strconv.Atoi: parsing \"%s\": invalid syntax", v);
	}
	for (size_t i = 0; (v = filter_next(f, "health", &i));) {
		size_t k = 0;

		while (k < ARRAY_LEN(health) && !str_eq(health[k], v))
			k++;
		if (k == ARRAY_LEN(health))
			return err_set(e, ERR_USAGE, "unrecognized filter value for health: %s", v);
	}
	for (int publish = 0; publish < 2; publish++) {
		const char *key = publish ? "publish" : "expose";

		for (size_t i = 0; (v = filter_next(f, key, &i));)
			if (!isdigit((unsigned char)*v))
				return err_set(e, ERR_USAGE,
					"error while looking up for %s %s: strconv.ParseUint: parsing \"%s\": "
					"invalid syntax",
					key, v, v);
	}
	return 0;
}

static int sieve_make(const struct store *s, const struct filters *f, struct sieve *out, struct err *e)
{
	const char *v;

	out->f = f;
	if (filter_check(f, known, e) < 0 || check_numbers(f, e) < 0 ||
		filter_bool(f, "is-task", false, &out->is_task, e) < 0)
		return -1;
	for (size_t i = 0; (v = filter_next(f, "status", &i));)
		if (status_known(v, e) < 0)
			return -1;
	for (size_t i = 0; (v = filter_next(f, "before", &i));)
		if (created_at(s, v, &out->before, e) < 0)
			return -1;
	for (size_t i = 0; (v = filter_next(f, "since", &i));)
		if (created_at(s, v, &out->since, e) < 0)
			return -1;
	for (size_t i = 0; (v = filter_next(f, "ancestor", &i));) {
		auto_image struct image image = {0};

		if (image_find(s, v, &image, e) == 0) /* an unknown one has no containers */
			strv_add(&out->images, image.id);
	}
	return 0;
}

static bool earlier(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static bool passes_exited(const struct filters *f, const struct state *st)
{
	const char *v;

	if (!filter_has(f, "exited"))
		return true;
	for (size_t i = 0; (v = filter_next(f, "exited", &i));)
		if (atoi(v) == st->exit_code && !status_runs(st) && st->started.tv_sec)
			return true;
	return false;
}

static bool passes_ancestor(const struct sieve *v, const struct state *st)
{
	if (!filter_has(v->f, "ancestor"))
		return true;
	for (size_t i = 0; i < v->images.n; i++)
		if (str_eq(v->images.v[i], st->image_id))
			return true;
	return false;
}

/* "80", "80/tcp", "80-90/udp" among the ports. */
static bool has_port(const char *want, const json_t *ports, bool published)
{
	char *dash;
	long from = strtol(want, &dash, 10), to = *dash == '-' ? strtol(dash + 1, &dash, 10) : from;
	const char *protocol = *dash == '/' ? dash + 1 : "tcp", *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)ports, key, v)
	{
		const char *slash = strchr(key, '/');
		long inside = strtol(key, NULL, 10);

		if (!str_eq(slash ? slash + 1 : "tcp", protocol))
			continue;
		if (!published && inside >= from && inside <= to)
			return true;
		for (size_t i = 0; published && i < json_array_size(v); i++) {
			long outside = strtol(json_str(json_array_get(v, i), "HostPort", "0"), NULL, 10);

			if (outside >= from && outside <= to)
				return true;
		}
	}
	return false;
}

static bool passes_ports(const struct filters *f, struct row *r, const char *key, bool published)
{
	auto_json json_t *ports = NULL;
	const char *v;

	if (!filter_has(f, key))
		return true;
	ports = status_ports(r->st, spec_of(r));
	for (size_t i = 0; (v = filter_next(f, key, &i));)
		if (has_port(v, ports, published))
			return true;
	return false;
}

static bool passes_volume(const struct filters *f, struct row *r)
{
	auto_json json_t *mounts = NULL;
	json_t *m;
	size_t i;

	if (!filter_has(f, "volume"))
		return true;
	mounts = container_mounts(r->s, spec_of(r));
	json_array_foreach(mounts, i,
		m) if (filter_equal(f, "volume", json_str(m, "Name", json_str(m, "Source", ""))) ||
		       filter_equal(f, "volume", json_str(m, "Destination", ""))) return true;
	return false;
}

/* The cheap ones first: what reads a file comes last. */
static bool passes(const struct sieve *v, struct row *r)
{
	const struct state *st = r->st;
	const char *name = st->name ? st->name : "";
	auto_free char *slashed = xasprintf("/%s", name);
	const char *health = json_str(json_object_get(st->extra, "Health"), "Status", "none");

	if (!filter_match(v->f, "name", name) && !filter_match(v->f, "name", slashed))
		return false;
	if (!filter_match(v->f, "id", st->id) || !filter_labels(v->f, &st->labels) || v->is_task)
		return false;
	if (!filter_equal(v->f, "status", status_names[st->status]) || !passes_exited(v->f, st))
		return false;
	if (!filter_equal(v->f, "health", health) || !passes_ancestor(v, st))
		return false;
	if (v->before.tv_sec && !earlier(&st->created, &v->before))
		return false;
	if (v->since.tv_sec && !earlier(&v->since, &st->created))
		return false;
	if (!filter_equal(v->f, "network", status_network(st)))
		return false;
	return passes_volume(v->f, r) && passes_ports(v->f, r, "expose", false) &&
	       passes_ports(v->f, r, "publish", true);
}

/* ---- the command ---- */

/* Docker runs the template over an empty row first, so that a wrong one fails without containers,
 * and sizes are added up only where it shows them. */
static int try_format(const char *format, bool *size, struct err *e)
{
	static const struct state nobody; /* all zero */
	struct row empty = {.st = &nobody};
	struct tmpl_object o = {ROW_TYPE, columns, &empty};
	struct tmpl_data d = {.object = &o};
	auto_tmpl struct tmpl *t = NULL;
	auto_buf struct buf unused = {0};

	t = tmpl_parse(format ? format : "", e);
	if (!t)
		return err_ctx(e, "failed to parse template");
	if (tmpl_exec(t, &d, &unused, e) < 0)
		return err_ctx(e, "failed to execute template");
	*size |= empty.size;
	return 0;
}

static int list(const struct ps *p, const struct store *s, bool size, struct listing *l, struct err *e)
{
	int64_t limit = p->latest ? 1 : p->last;
	auto_sieve struct sieve sieve = {0};
	struct state *all = NULL;
	size_t n = 0;
	int rc = 0;

	if (sieve_make(s, &p->filters, &sieve, e) < 0)
		return err_ctx(e, "Error response from daemon");
	if (state_list(s, !p->all && limit <= 0 && !filter_has(&p->filters, "status"), &all, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n && rc == 0 && limit != 0; i++) {
		struct row r = {.s = s, .st = &all[i], .trunc = !p->no_trunc, .size = size};

		if (passes(&sieve, &r)) {
			rc = listing_row(l, &r, e);
			limit -= limit > 0;
		}
		json_decref(r.spec);
	}
	state_list_free(all, n);
	return rc;
}

static int ps_main(void *target, int argc, char **argv)
{
	struct ps *p = target;
	auto_listing struct listing l = {0};
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_buf struct buf out = {0};
	bool with_size = p->size;
	struct err e;

	(void)argc;
	(void)argv;
	if (p->last == 0)
		p->last = -1;
	if (try_format(p->format, &with_size, &e) < 0)
		return say_error(&e, 1);
	if (p->quiet && p->format && *p->format)
		(void)fprintf(stderr,
			"WARNING: Ignoring custom format, because both --format and --quiet are set.\n");
	if (listing_begin(&l,
		    p->quiet  ? &ids
		    : p->size ? &sized
			      : &rows,
		    p->quiet ? NULL : p->format, &e) < 0 ||
		store_open(&s, &e) < 0 || list(p, &s, with_size, &l, &e) < 0 ||
		listing_end(&l, &out, &e) < 0)
		return say_error(&e, 1);
	return say_out(&out);
}

const struct command cmd_ps = {
	.name = "ps",
	.args = "[OPTIONS]",
	.about = "List containers",
	.aliases = "docker container ls, docker container list, docker container ps, docker ps",
	.opts = ps_opts,
	.target_size = sizeof(struct ps),
	.init = ps_init,
	.run = ps_main,
	.done = ps_done,
};
