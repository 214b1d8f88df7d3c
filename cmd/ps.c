/* SPDX-License-Identifier: Apache-2.0 */
/* ps: lists containers, one a line. */
#include "client_config.h"
#include "cmd.h"

#include "human.h"
#include "image.h"
#include "inspect.h"
#include "listing.h"
#include "parse.h"
#include "sieve.h"
#include "size.h"
#include "status.h"
#include "sys.h"

#include <errno.h>
#include <string.h>

struct ps {
	bool all, latest, no_trunc, quiet, size, size_said;
	char *format;
	int64_t last;
	struct filters filters;
};

static int set_size(void *target, const char *value, struct err *e)
{
	struct ps *p = target;

	p->size_said = true;
	return parse_bool(value, &p->size, e);
}

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
	{ 's', "size",     NULL,     "Display total file sizes", OPT_CALL(set_size) },
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

/* A cache of look-ups, as most containers are of few images. */
struct names {
	struct {
		const char *image, *id; /* of a state */
		bool same;              /* the name still means the id: is_called() */
	} v[16];
	size_t next;
	const char *sized; /* the id of the image whose size is `size` */
	int64_t size;
	int64_t own, whole;  /* the sizes of the row before, often the same as in the next */
	struct buf told;     /* and their text */
	struct strv aliases; /* all there are, see state_aliases() */
	bool aliases_known;
	struct strv *unread; /* an error for each container that could not be read completely */
};

struct row {
	const struct store *s; /* NULL: the empty row of try_format() */
	struct names *names;
	const struct state *st;
	bool trunc;
	bool size; /* show the size of its files; of the empty row: set if the template uses the size */
	int64_t bytes;
	json_t *spec; /* read when a column or a filter asks for it */
};

static void note(const struct row *r, const char *what)
{
	strv_take(r->names->unread, xasprintf("container %.12s: %s cannot be read", r->st->id, what));
}

static const json_t *spec_of(struct row *r)
{
	struct err e = {0};

	/* a container with a damaged spec is shown without ports and mounts */
	if (r->s && !r->spec && !(r->spec = state_load_spec(r->s, r->st->id, &e)) && e.kind == ERR_SYSTEM)
		note(r, "what it was made of");
	return sieve_spec(r->s, r->st, &r->spec);
}

static json_t *mounts_of(struct row *r)
{
	return r->st->mountless ? json_array() : container_mounts(r->s, spec_of(r));
}

static void col_id(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;

	(void)argv;
	buf_add(out, r->st->id, strnlen(r->st->id, r->trunc ? 12 : ID_LEN));
}

static void col_names(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;
	auto_strv struct strv names = {0};

	(void)argv;
	if (r->trunc || !r->s) {
		buf_puts(out, r->st->name ? r->st->name : "");
		return;
	}
	if (!r->names->aliases_known)
		state_aliases(r->s, &r->names->aliases);
	r->names->aliases_known = true;
	state_names(r->st, &r->names->aliases, &names);
	strv_join(&names, ",", out);
}

/* Whether the name with which the container was created still refers to its image. */
static bool is_called(const struct row *r, const char *image, const char *id)
{
	struct names *n = r->names;
	bool same;

	for (size_t i = 0; i < ARRAY_LEN(n->v); i++)
		if (str_eq(n->v[i].id, id) && str_eq(n->v[i].image, image))
			return n->v[i].same;
	errno = 0;
	same = image_is_called(r->s, image, id);
	if (!same && errno && errno != ENOENT && errno != ENAMETOOLONG && errno != ELOOP)
		note(r, "the name of its image");
	n->v[n->next].image = image;
	n->v[n->next].id = id;
	n->v[n->next].same = same;
	n->next = (n->next + 1) % ARRAY_LEN(n->v);
	return same;
}

static void col_image(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;
	const char *image = r->st->image ? r->st->image : "", *id = r->st->image_id;
	const char *hex = str_starts(image, "sha256:") ? image + 7 : image;
	const char *digest = strstr(image, "@sha256:");

	(void)argv;
	if (!*image)
		buf_puts(out, "<no image>");
	/* created from an id, which is shown as short as `images` shows it */
	else if (r->trunc && id && strlen(hex) >= 12 && str_starts(id, "sha256:") &&
		 str_starts(id + 7, hex))
		buf_add(out, hex, 12);
	else if (r->trunc && digest && memchr(image, ':', (size_t)(digest - image)))
		buf_add(out, image, (size_t)(digest - image));
	else if (r->s && id && str_starts(id, "sha256:") && !str_starts(id + 7, hex) &&
		 !is_called(r, image, id))
		buf_add(out, r->trunc ? id + 7 : id, r->trunc ? 12 : strlen(id));
	else
		buf_puts(out, image);
}

static void col_command(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;
	const char *command = r->st->command ? r->st->command : "";
	auto_free char *cut = r->trunc ? human_cut(command, 20) : xstrdup(command);

	(void)argv;
	buf_quote(out, cut);
}

static void col_created_at(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_move(out, human_time(((const struct row *)self)->st->created.tv_sec));
}

static void col_running_for(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_move(out, human_ago(&((const struct row *)self)->st->created));
}

static void col_state(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_puts(out, status_names[((const struct row *)self)->st->status]);
}

static void col_status(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_move(out, status_words(((const struct row *)self)->st));
}

static void col_ports(void *self, const char *const *argv, struct buf *out)
{
	struct row *r = self;
	auto_json json_t *ports = NULL;

	(void)argv;
	if (!state_runs(r->st))
		return;
	ports = status_ports(r->st, spec_of(r));
	buf_move(out, status_ports_words(ports));
}

/* 0 if the image does not exist any more. */
static int64_t image_size(struct row *r)
{
	struct names *n = r->names;
	auto_image struct image image = {0};
	struct err e = {0};

	if (r->st->image_id && !str_eq(n->sized, r->st->image_id)) {
		n->sized = r->st->image_id;
		n->size = image_find(r->s, n->sized, &image, &e) == 0 ? image.size : 0;
		if (e.kind == ERR_SYSTEM)
			note(r, "the size of its image");
	}
	return r->st->image_id ? n->size : 0;
}

static void col_size(void *self, const char *const *argv, struct buf *out)
{
	struct row *r = self;
	struct names *n = r->names;
	int64_t whole;

	(void)argv;
	r->size |= !r->s;
	if (!r->size || !r->s) {
		buf_puts(out, "0B");
		return;
	}
	whole = r->bytes + image_size(r);
	if (!n->told.len || n->own != r->bytes || n->whole != whole) {
		n->own = r->bytes;
		n->whole = whole;
		n->told.len = 0;
		buf_move(&n->told, human_size((double)r->bytes, 3));
		if (whole) {
			buf_puts(&n->told, " (virtual ");
			buf_move(&n->told, human_size((double)whole, 3));
			buf_putc(&n->told, ')');
		}
	}
	buf_add(out, n->told.s, n->told.len);
}

static void col_labels(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	listing_labels(&((const struct row *)self)->st->labels, out);
}

static void col_label(void *self, const char *const *argv, struct buf *out)
{
	listing_label(&((const struct row *)self)->st->labels, argv[0], out);
}

static void col_mounts(void *self, const char *const *argv, struct buf *out)
{
	struct row *r = self;
	auto_json json_t *mounts = mounts_of(r);
	json_t *m;
	size_t i;

	(void)argv;
	json_array_foreach(mounts, i, m)
	{
		const char *name = json_str(m, "Name", json_str(m, "Source", ""));

		buf_puts(out, i ? "," : "");
		buf_move(out, r->trunc ? human_cut(name, 15) : xstrdup(name));
	}
}

static void col_local_volumes(void *self, const char *const *argv, struct buf *out)
{
	struct row *r = self;
	auto_json json_t *mounts = mounts_of(r);
	int n = 0;
	json_t *m;
	size_t i;

	(void)argv;
	if (json_array_size(mounts) == 0) {
		buf_putc(out, '0');
		return;
	}
	json_array_foreach(mounts, i, m) n += str_eq(json_str(m, "Driver", ""), "local");
	buf_printf(out, "%d", n);
}

static void col_networks(void *self, const char *const *argv, struct buf *out)
{
	const char *network = status_network(((const struct row *)self)->st);

	(void)argv;
	buf_puts(out, str_starts(network, "container:") ? "" : network);
}

static json_t *col_platform(void *self, const char *const *argv)
{
	(void)self;
	(void)argv;
	return json_null();
}

/* clang-format off */
static const struct tmpl_method columns[] = {
	{ "Command",      col_command,       0, "COMMAND" },
	{ "CreatedAt",    col_created_at,    0, "CREATED AT" },
	{ "ID",           col_id,            0, "CONTAINER ID" },
	{ "Image",        col_image,         0, "IMAGE" },
	{ "Label",        col_label,         1, NULL },
	{ "Labels",       col_labels,        0, "LABELS" },
	{ "LocalVolumes", col_local_volumes, 0, "LOCAL VOLUMES" },
	{ "Mounts",       col_mounts,        0, "MOUNTS" },
	{ "Names",        col_names,         0, "NAMES" },
	{ "Networks",     col_networks,      0, "NETWORKS" },
	{ "Platform",     NULL,              0, "PLATFORM", col_platform },
	{ "Ports",        col_ports,         0, "PORTS" },
	{ "RunningFor",   col_running_for,   0, "CREATED" },
	{ "Size",         col_size,          0, "SIZE" },
	{ "State",        col_state,         0, "STATE" },
	{ "Status",       col_status,        0, "STATUS" },
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

/* The members of docker's struct, by which templates are checked. Not printable as a whole: it points to other structs. */
static const char *const context[] = {
	"{formatter.HeaderContext", "Header", "}", "trunc", "c", "FieldsUsed", NULL};
static const struct tmpl_field fields[] = {{ROW_TYPE, TMPL_STRUCT, .order = context}, {0}};

static const struct listing_kind rows = {ROW_TYPE, columns, TABLE, RAW, NULL, fields};
static const struct listing_kind sized = {
	ROW_TYPE, columns, TABLE "\t{{.Size}}", RAW "size: {{.Size}}\n", NULL, fields};
static const struct listing_kind ids = {
	ROW_TYPE, columns, "{{.ID}}", "container_id: {{.ID}}", NULL, fields};

/* ---- the command ---- */

/* Like docker, executes the template with an empty row first, so that a wrong one fails even if there are no containers, and
 * sizes are computed only if it uses them. */
static int try_format(const char *format, bool *size, struct err *e)
{
	static const struct state nobody; /* all zero */
	struct row empty = {.st = &nobody};
	struct tmpl_object o = {ROW_TYPE, columns, &empty, NULL, fields};
	struct tmpl_data d = {.object = &o};
	auto_tmpl struct tmpl *t = NULL;
	auto_buf struct buf unused = {0};
	int result;

	t = tmpl_parse(format ? format : "", e);
	if (!t)
		return err_ctx(e, "failed to parse template");
	result = tmpl_exec(t, &d, &unused, e);
	json_decref(empty.spec);
	if (result < 0)
		return err_ctx(e, "failed to execute template");
	*size |= empty.size;
	return 0;
}

static void weigh_rows(const struct store *s, struct row *shown, size_t n, int64_t began_ns)
{
	auto_free struct sized *sizes = xcalloc(n + 1, sizeof(*sizes));

	for (size_t i = 0; i < n; i++)
		sizes[i].st = shown[i].st;
	container_sizes(s, sizes, n, began_ns);
	for (size_t i = 0; i < n; i++) {
		shown[i].bytes = sizes[i].bytes < 0 ? 0 : sizes[i].bytes;
		if (sizes[i].bytes < 0)
			note(&shown[i], "its size");
	}
}

static int list(const struct ps *p, const struct store *s, bool size, struct listing *l,
	struct strv *unread, struct err *e)
{
	int64_t limit = p->latest && p->last == -1 ? 1 : p->last, began_ns = sys_now_ns();
	auto_sieve struct sieve sieve = {0};
	struct names names = {.unread = unread};
	auto_free struct row *shown = NULL;
	struct state *all = NULL;
	size_t n = 0, passed = 0;
	int rc = 0;

	if (sieve_make(s, &p->filters, &sieve, e) < 0)
		return err_ctx(e, "Error response from daemon");
	if (state_list(s, !p->all && limit <= 0 && !filter_has(&p->filters, "status"), &all, &n, e) < 0)
		return -1;
	shown = xcalloc(n, sizeof(*shown));
	for (size_t i = 0; i < n && limit != 0; i++) {
		struct row *r = &shown[passed];

		*r = (struct row){
			.s = s, .names = &names, .st = &all[i], .trunc = !p->no_trunc, .size = size};
		if (sieve_passes(&sieve, &all[i], &r->spec)) {
			passed++;
			limit -= limit > 0;
		} else {
			json_decref(r->spec);
		}
	}
	if (size)
		weigh_rows(s, shown, passed, began_ns);
	for (size_t i = 0; i < passed; i++) {
		rc = rc == 0 ? listing_row(l, &shown[i], e) : rc;
		json_decref(shown[i].spec);
	}
	buf_done(&names.told);
	strv_done(&names.aliases);
	state_list_free(all, n);
	return rc;
}

static int ps_main(void *target, int argc, char **argv)
{
	struct ps *p = target;
	auto_listing struct listing l = {0};
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_buf struct buf out = {0};
	auto_strv struct strv unread = {0};
	bool with_size = p->size, format_said = p->format && *p->format;
	struct err e;

	(void)argc;
	(void)argv;
	if (p->last == 0)
		p->last = -1;
	if (p->quiet && format_said)
		(void)fprintf(stderr,
			"WARNING: Ignoring custom format, because both --format and --quiet are set.\n");
	client_config("psFormat", &p->format);
	if (try_format(p->format, &with_size, &e) < 0)
		return say_error(&e, 1);
	if (p->size_said || p->quiet)
		with_size = p->size;
	listing_begin(&l,
		p->quiet  ? &ids
		: p->size ? &sized
			  : &rows,
		p->quiet && !str_eq(p->format, "raw") ? NULL : p->format);
	if (store_open(&s, &e) < 0 || list(p, &s, with_size, &l, &unread, &e) < 0 ||
		listing_end(&l, &out, &e) < 0)
		return say_error(&e, 1);
	return say_unread(&unread, say_out(&out));
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
