/* SPDX-License-Identifier: Apache-2.0 */
/* system df: how much disk space images, containers and volumes take. */
#include "cmd.h"
#include "disk.h"
#include "human.h"
#include "image_sieve.h"
#include "inspect.h"
#include "listing.h"
#include "stamp.h"
#include "status.h"
#include "table.h"

#include <string.h>

struct df {
	bool verbose;
	char *format;
};

/* clang-format off */
static const struct opt df_opts[] = {
	{ 0,   "format",  "string", FORMAT_HELP, OPT_STR(struct df, format) },
	{ 'v', "verbose", NULL,     "Show detailed information on space usage", OPT_FLAG(struct df, verbose) },
	{ 0 },
};
/* clang-format on */

static void df_done(void *target)
{
	free(((struct df *)target)->format);
}

/* ---- the short form: one row for each kind of object ---- */

struct row {
	const char *kind, *key; /* key: the member of docker's struct */
	size_t total, active;
	int64_t size, reclaimable;
};

#define ROWS 4

static void sum_up(const struct disk *u, struct row rows[ROWS])
{
	rows[0] = (struct row){"Images", "images", u->n_images, 0, u->layers_size, u->layers_size};
	rows[1] = (struct row){"Containers", "containers", u->n_containers, 0, 0, 0};
	rows[2] = (struct row){"Local Volumes", "volumes", u->n_volumes, 0, 0, 0};
	rows[3] = (struct row){"Build Cache", "buildCache", 0, 0, 0, 0};
	for (size_t i = 0; i < u->n_images; i++) {
		if (!u->image_uses[i].users)
			continue;
		rows[0].active++;
		rows[0].reclaimable -= u->images[i].size - u->image_uses[i].shared;
	}
	for (size_t i = 0; i < u->n_containers; i++) {
		bool runs = state_runs(&u->containers[i]);

		rows[1].active += runs;
		rows[1].size += u->container_sizes[i];
		rows[1].reclaimable += runs ? 0 : u->container_sizes[i];
	}
	for (size_t i = 0; i < u->n_volumes; i++) {
		rows[2].active += disk_links(u, i) > 0;
		rows[2].size += u->volume_sizes[i];
		rows[2].reclaimable += disk_links(u, i) ? 0 : u->volume_sizes[i];
	}
	if (rows[0].reclaimable < 0)
		rows[0].reclaimable = 0; /* containers use layers that are not in the store any more */
}

static void col_type(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_puts(out, ((const struct row *)self)->kind);
}

static void col_total(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_printf(out, "%zu", ((const struct row *)self)->total);
}

static void col_active(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_printf(out, "%zu", ((const struct row *)self)->active);
}

static void col_size(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_move(out, human_size((double)((const struct row *)self)->size, 4));
}

static void col_reclaimable(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;

	(void)argv;
	buf_move(out, human_size((double)r->reclaimable, 4));
	if (r->size > 0)
		buf_printf(out, " (%lld%%)", (long long)(r->reclaimable * 100 / r->size));
}

/* clang-format off */
static const struct tmpl_method columns[] = {
	{ "Type",        col_type,        0, "TYPE" },
	{ "TotalCount",  col_total,       0, "TOTAL" },
	{ "Active",      col_active,      0, "ACTIVE" },
	{ "Size",        col_size,        0, "SIZE" },
	{ "Reclaimable", col_reclaimable, 0, "RECLAIMABLE" },
	{ 0 },
};
/* clang-format on */

static json_t *whole(void *self)
{
	const struct row *r = self;
	json_t *all = json_array();

	for (size_t i = 0; i < r->total; i++)
		(void)json_array_append_new(all,
			json_object()); /* memory; templates show only addresses of these objects */
	if (str_eq(r->key, "images"))
		return json_pack("{s:I, s:o}", "totalSize", (json_int_t)r->size, r->key, all);
	if (str_eq(r->key, "buildCache"))
		return json_pack("{s:i, s:o}", "builderSize", 0, r->key, all);
	return json_pack("{s:o}", r->key, all);
}

#define TYPES  "*formatter.diskUsage"
#define HEADER "{formatter.HeaderContext", "Header", "}"

static const char *const of_images[] = {HEADER, "totalSize", "images", NULL};
static const char *const of_containers[] = {HEADER, "containers", NULL};
static const char *const of_volumes[] = {HEADER, "volumes", NULL};
static const char *const of_builder[] = {HEADER, "builderSize", "buildCache", NULL};
/* clang-format off */
static const struct tmpl_field fields[] = {
	{ TYPES "ImagesContext",     TMPL_STRUCT, .order = of_images },
	{ TYPES "ContainersContext", TMPL_STRUCT, .order = of_containers },
	{ TYPES "VolumesContext",    TMPL_STRUCT, .order = of_volumes },
	{ TYPES "BuilderContext",    TMPL_STRUCT, .order = of_builder },
	{ "images",     TMPL_SLICE, .type = "[]*image.Summary" },
	{ "containers", TMPL_SLICE, .type = "[]*container.Summary" },
	{ "volumes",    TMPL_SLICE, .type = "[]*volume.Volume" },
	{ "buildCache", TMPL_SLICE, .type = "[]*build.CacheRecord" },
	{ 0 },
};
/* clang-format on */

#define KIND(what)                                                                                    \
	{                                                                                             \
		TYPES what "Context", columns,                                                        \
			"table {{.Type}}\t{{.TotalCount}}\t{{.Active}}\t{{.Size}}\t{{.Reclaimable}}", \
			"type: {{.Type}}\ntotal: {{.TotalCount}}\nactive: {{.Active}}\n"              \
			"size: {{.Size}}\nreclaimable: {{.Reclaimable}}\n",                           \
			whole, fields                                                                 \
	}

/* In the order of sum_up()'s rows. */
static const struct listing_kind row_kinds[ROWS] = {
	KIND("Images"), KIND("Containers"), KIND("Volumes"), KIND("Builder")};

static int in_short(const struct disk *u, struct listing *l, struct buf *out, struct err *e)
{
	struct row sums[ROWS];

	sum_up(u, sums);
	for (size_t i = 0; i < ARRAY_LEN(sums); i++) {
		l->kind = &row_kinds[i];
		if (listing_row(l, &sums[i], e) < 0)
			return -1;
	}
	return listing_end(l, out, e);
}

/* ---- --verbose: each thing by itself ---- */

struct full {
	const struct store *s;
	const struct disk *u;
	bool trunc; /* in a table */
	struct strv *unread;
};

static json_t *image_row(const struct full *f, size_t i, const char *ref)
{
	const struct disk *u = f->u;
	const struct image *image = &u->images[i];
	const char *slash = ref ? strrchr(ref, '/') : NULL, *tag = strchr(slash ? slash
									  : ref ? ref
										: "",
								    ':');
	struct timespec created = image_created(image);
	auto_free char *size = human_size((double)image->size, 3),
		       *whole = human_size((double)image->size, 4);
	auto_free char *shared = human_size((double)u->image_uses[i].shared, 4);
	auto_free char *unique = human_size((double)(image->size - u->image_uses[i].shared), 4);
	auto_free char *id =
		f->trunc ? xstrndup(image->id + strlen("sha256:"), 12) : xstrdup(image->id);
	auto_free char *name =
		ref && tag ? xstrndup(ref, (size_t)(tag - ref)) : xstrdup(ref ? ref : "<none>");
	auto_free char *since = NULL, *at = NULL, *users = xasprintf("%d", u->image_uses[i].users);

	since = created.tv_sec == STAMP_NEVER ? xstrdup("") : human_ago(&created);
	at = human_time(created.tv_sec);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "Containers",
		users, "CreatedAt", at, "CreatedSince", since, "Digest", "", "ID", id, "Repository",
		name, "SharedSize", shared, "Size", size, "Tag", tag ? tag + 1 : "<none>",
		"UniqueSize", unique, "VirtualSize", whole);
}

static json_t *image_rows(const struct full *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->u->n_images; i++) { /* under the first of its names */
		const struct strv *refs = &f->u->images[i].refs;

		(void)json_array_append_new(list, image_row(f, i, refs->n ? refs->v[0] : NULL)); /* memory */
	}
	return list;
}

/* The sources of all mounts, joined by commas; *volumes: how many of them are volumes. */
static char *mount_names(const struct full *f, const json_t *spec, size_t *volumes)
{
	auto_json json_t *mounts = container_mounts(f->s, spec);
	auto_buf struct buf out = {0};
	json_t *m;
	size_t i;

	json_array_foreach(mounts, i, m)
	{
		const char *name = json_str(m, "Name", json_str(m, "Source", ""));

		*volumes += str_eq(json_str(m, "Driver", ""), "local");
		buf_puts(&out, i ? "," : "");
		buf_move(&out, f->trunc ? human_cut(name, 15) : xstrdup(name));
	}
	return buf_take(&out);
}

static char *port_words(const struct state *st, const json_t *spec)
{
	auto_json json_t *ports = state_runs(st) ? status_ports(st, spec) : NULL;

	return ports ? status_ports_words(ports) : xstrdup("");
}

static char *name_words(const struct full *f, const struct state *st)
{
	auto_strv struct strv all = {0};
	auto_buf struct buf out = {0};

	state_names(st, f->trunc ? &(const struct strv){0} : &f->u->aliases, &all);
	strv_join(&all, ",", &out);
	return buf_take(&out);
}

static json_t *container_row(const struct full *f, size_t i)
{
	const struct state *st = &f->u->containers[i];
	struct err why = {0}; /* a damaged container's row lacks what is in its spec */
	auto_json json_t *spec =
		st->mountless && !state_runs(st) ? NULL : state_load_spec(f->s, st->id, &why);
	auto_free char *size = human_size((double)f->u->container_sizes[i], 3),
		       *since = human_ago(&st->created);
	auto_free char *at = human_time(st->created.tv_sec), *status = status_words(st);
	auto_free char *names = name_words(f, st), *ports = port_words(st, spec);
	auto_free char *cut = f->trunc ? human_cut(st->command ? st->command : "", 20)
	                               : xstrdup(st->command ? st->command : "");
	auto_free char *id = xstrndup(st->id, f->trunc ? 12 : ID_LEN);
	auto_buf struct buf command = {0}, labels = {0};
	size_t volumes = 0;
	auto_free char *mounts = mount_names(f, spec, &volumes), *count = xasprintf("%zu", volumes);

	if (why.kind == ERR_SYSTEM)
		strv_take(f->unread,
			xasprintf("container %.12s: what it was made of cannot be read", st->id));
	buf_quote(&command, cut);
	listing_labels(&st->labels, &labels);
	return json_pack("{s:o, s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:s, s:n, s:s, s:s, s:s, s:s, s:s}",
		"Command", json_text(command.s), "CreatedAt", at, "ID", id, "Image",
		json_text(st->image ? st->image : ""), "Labels", json_text(labels.len ? labels.s : ""),
		"LocalVolumes", count, "Mounts", json_text(mounts), "Names", json_text(names),
		"Networks", status_network(st), "Platform", "Ports", ports, "RunningFor", since,
		"Size", size, "State", status_names[st->status], "Status", status);
}

static json_t *container_rows(const struct full *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->u->n_containers; i++)
		(void)json_array_append_new(list, container_row(f, i)); /* memory */
	return list;
}

static json_t *volume_row(const struct disk *u, size_t i)
{
	auto_free char *size = human_size((double)u->volume_sizes[i], 4);
	auto_free char *count = xasprintf("%zu", disk_links(u, i));
	auto_buf struct buf labels = {0};

	listing_labels(&u->volumes[i].labels, &labels);
	return json_pack("{s:s, s:s, s:s, s:o, s:s, s:o, s:s, s:s, s:s, s:s}", "Availability", "N/A",
		"Driver", "local", "Group", "N/A", "Labels", json_text(labels.len ? labels.s : ""),
		"Links", count, "Mountpoint", json_text(u->volumes[i].path), "Name",
		u->volumes[i].name, "Scope", "local", "Size", size, "Status", "N/A");
}

static json_t *volume_rows(const struct disk *u)
{
	json_t *list = json_array();

	for (size_t i = 0; i < u->n_volumes; i++)
		(void)json_array_append_new(list, volume_row(u, i)); /* memory */
	return list;
}

static json_t *all_rows(const struct full *f)
{
	return json_pack("{s:o, s:o, s:o, s:[]}", "Images", image_rows(f), "Containers",
		container_rows(f), "Volumes", volume_rows(f->u), "BuildCache");
}

static const struct section {
	const char *key, *title, *headings, *row, *raw;
} sections[] = {
	{"Images", "Images space usage:",
		"REPOSITORY\tTAG\tIMAGE ID\tCREATED\tSIZE\tSHARED SIZE\tUNIQUE SIZE\tCONTAINERS",
		"{{.Repository}}\t{{.Tag}}\t{{.ID}}\t{{.CreatedSince}}\t{{.Size}}\t{{.SharedSize}}\t"
		"{{.UniqueSize}}\t{{.Containers}}",
		"type: Image\nrepository: {{.Repository}}\ntag: {{.Tag}}\ndigest: {{.Digest}}\nimage_id: {{.ID}}\n"
		"created_at: {{.CreatedAt}}\nvirtual_size: {{.Size}}\n\n"},
	{"Containers", "\nContainers space usage:",
		"CONTAINER ID\tIMAGE\tCOMMAND\tLOCAL VOLUMES\tSIZE\tCREATED\tSTATUS\tNAMES",
		"{{.ID}}\t{{.Image}}\t{{.Command}}\t{{.LocalVolumes}}\t{{.Size}}\t{{.RunningFor}}\t"
		"{{.Status}}\t{{.Names}}",
		"type: Container\ncontainer_id: {{.ID}}\nimage: {{.Image}}\ncommand: {{.Command}}\n"
		"created_at: {{.CreatedAt}}\nstate: {{.State}}\nstatus: {{.Status}}\nnames: {{.Names}}\n"
		"labels:{{pad .Labels 1 0}}\nports:{{pad .Ports 1 0}}\nsize: {{.Size}}\n\n"},
	{"Volumes", "\nLocal Volumes space usage:", "VOLUME NAME\tLINKS\tSIZE",
		"{{.Name}}\t{{.Links}}\t{{.Size}}",
		"type: Volume\nname: {{.Name}}\ndriver: {{.Driver}}\n\n"},
	{"BuildCache", "\nBuild cache usage: 0B",
		"CACHE ID\tCACHE TYPE\tSIZE\tCREATED\tLAST USED\tUSAGE\tSHARED", "", ""},
};

static int in_tables(const json_t *all, struct buf *out, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
		const struct section *section = &sections[i];
		auto_buf struct buf text = {0};
		json_t *row;
		size_t k;

		buf_printf(out, "%s\n\n", section->title);
		buf_printf(&text, "%s\n", section->headings);
		json_array_foreach(json_object_get(all, section->key), k, row)
		{
			if (tmpl_render(section->row, row, &text, e) < 0)
				return -1;
			buf_putc(&text, '\n');
		}
		table_align(text.s, text.len, out);
	}
	return 0;
}

static int in_raw(const json_t *all, struct buf *out, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(sections); i++) {
		json_t *row;
		size_t k;

		json_array_foreach(json_object_get(all, sections[i].key), k, row)
		{
			if (tmpl_render(sections[i].raw, row, out, e) < 0)
				return -1;
		}
	}
	return 0;
}

/* clang-format off */
static const struct tmpl_field full_fields[] = {
	{ "Images",     TMPL_SLICE, 0, "[]*formatter.imageContext" },
	{ "Containers", TMPL_SLICE, 0, "[]*formatter.ContainerContext" },
	{ "Volumes",    TMPL_SLICE, 0, "[]*formatter.volumeContext" },
	{ "BuildCache", TMPL_SLICE, 0, "[]*formatter.buildCacheContext" },
	{ 0 },
};
/* clang-format on */

static int in_full(
	const char *format, const struct store *s, struct disk *u, struct buf *out, struct err *e)
{
	const char *text = format && *format ? format : "table";
	const struct full f = {s, u, str_starts(text, "table"), &u->unread};
	auto_json json_t *all = all_rows(&f);
	struct tmpl_data d = {.json = all, .fields = full_fields, .type = "*formatter.diskUsageContext"};
	auto_tmpl struct tmpl *t = NULL;

	if (str_eq(text, "table"))
		return in_tables(all, out, e);
	if (str_eq(text, "raw"))
		return in_raw(all, out, e);
	if (f.trunc)
		text += strlen("table") + strspn(text + strlen("table"), " ");
	t = tmpl_parse(str_eq(text, "json") ? "{{json .}}" : text, e);
	return t ? tmpl_exec(t, &d, out, e) : -1;
}

static int df_main(void *target, int argc, char **argv)
{
	const struct df *p = target;
	auto_listing struct listing l = {0};
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_disk struct disk u = {0};
	auto_buf struct buf out = {0};
	struct err e;

	(void)argc, (void)argv;
	if (!p->verbose)
		listing_begin(&l, &row_kinds[0], p->format);
	if (store_open(&s, &e) < 0 || disk_measure(&s, &u, &e) < 0 ||
		(p->verbose ? in_full(p->format, &s, &u, &out, &e) : in_short(&u, &l, &out, &e)) < 0)
		return say_error(&e, 1);
	return say_unread(&u.unread, say_out(&out));
}

const struct command cmd_system_df = {
	.name = "system df",
	.since = 25,
	.args = "[OPTIONS]",
	.about = "Show docker disk usage",
	.opts = df_opts,
	.target_size = sizeof(struct df),
	.run = df_main,
	.done = df_done,
};
