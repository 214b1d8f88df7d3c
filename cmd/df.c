/* SPDX-License-Identifier: Apache-2.0 */
/* system df: what takes how much of the disk. */
#include "cmd.h"
#include "disk.h"
#include "human.h"
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

/* ---- the short form: a row a kind ---- */

struct row {
	const char *kind;
	size_t total, active;
	int64_t size, reclaimable;
};

static void sum_up(const struct disk *u, struct row rows[4])
{
	rows[0] = (struct row){"Images", u->n_images, 0, u->layers_size, u->layers_size};
	rows[1] = (struct row){"Containers", u->n_containers, 0, 0, 0};
	rows[2] = (struct row){"Local Volumes", u->n_volumes, 0, 0, 0};
	rows[3] = (struct row){"Build Cache", 0, 0, 0, 0};
	for (size_t i = 0; i < u->n_images; i++) {
		if (!u->image_uses[i].users)
			continue;
		rows[0].active++;
		rows[0].reclaimable -= u->images[i].size - u->image_uses[i].shared;
	}
	for (size_t i = 0; i < u->n_containers; i++) {
		bool runs = status_runs(&u->containers[i]);

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
		rows[0].reclaimable = 0; /* layers which are not in the store any more */
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

static const struct listing_kind kind = {"*formatter.diskUsageImagesContext", columns,
	"table {{.Type}}\t{{.TotalCount}}\t{{.Active}}\t{{.Size}}\t{{.Reclaimable}}",
	"type: {{.Type}}\ntotal: {{.TotalCount}}\nactive: {{.Active}}\nsize: {{.Size}}\n"
	"reclaimable: {{.Reclaimable}}\n"};

static int in_short(const struct disk *u, struct listing *l, struct buf *out, struct err *e)
{
	struct row sums[4];

	sum_up(u, sums);
	for (size_t i = 0; i < ARRAY_LEN(sums); i++)
		if (listing_row(l, &sums[i], e) < 0)
			return -1;
	return listing_end(l, out, e);
}

/* ---- --verbose: each thing by itself ---- */

static json_t *image_row(const struct disk *u, size_t i, const char *ref)
{
	const struct image *image = &u->images[i];
	const char *slash = ref ? strrchr(ref, '/') : NULL, *tag = strchr(slash ? slash
									  : ref ? ref
										: "",
								    ':');
	struct timespec created = {0};
	auto_free char *size = human_size((double)image->size, 3),
		       *whole = human_size((double)image->size, 4);
	auto_free char *shared = human_size((double)u->image_uses[i].shared, 4);
	auto_free char *unique = human_size((double)(image->size - u->image_uses[i].shared), 4);
	auto_free char *name =
		ref && tag ? xstrndup(ref, (size_t)(tag - ref)) : xstrdup(ref ? ref : "<none>");
	auto_free char *since = NULL, *at = NULL, *users = xasprintf("%d", u->image_uses[i].users);

	(void)stamp_read(image->created ? image->created : "", &created); /* else: N/A */
	since = created.tv_sec ? human_ago(&created) : xstrdup("N/A");
	at = human_time(created.tv_sec);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "Containers",
		users, "CreatedAt", at, "CreatedSince", since, "Digest", "", "ID", image->id,
		"Repository", name, "SharedSize", shared, "Size", size, "Tag",
		tag ? tag + 1 : "<none>", "UniqueSize", unique, "VirtualSize", whole);
}

static json_t *image_rows(const struct disk *u)
{
	json_t *list = json_array();

	for (size_t i = 0; i < u->n_images; i++) { /* by the first of its names */
		const struct strv *refs = &u->images[i].refs;

		(void)json_array_append_new(list, image_row(u, i, refs->n ? refs->v[0] : NULL)); /* memory */
	}
	return list;
}

static json_t *container_row(const struct disk *u, size_t i, const struct strv *aliases)
{
	const struct state *st = &u->containers[i];
	auto_free char *size = human_size((double)u->container_sizes[i], 3),
		       *since = human_ago(&st->created);
	auto_free char *at = human_time(st->created.tv_sec), *status = status_words(st);
	auto_buf struct buf command = {0}, names = {0};
	auto_strv struct strv all = {0};
	size_t volumes = 0, k;
	const char *name;
	json_t *ids, *id;

	json_object_foreach(u->uses, name, ids)
	{
		json_array_foreach(ids, k, id) volumes += str_eq(json_string_value(id), st->id);
	}
	state_names(st, aliases, &all);
	strv_join(&all, ",", &names);
	auto_free char *count = xasprintf("%zu", volumes);
	opt_quote(st->command ? st->command : "", &command);
	return json_pack("{s:s, s:o, s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:s}", "ID", st->id,
		"Image", json_text(st->image ? st->image : ""), "Command", command.s, "LocalVolumes",
		count, "Size", size, "RunningFor", since, "Names", json_text(names.s), "Status", status,
		"State", status_names[st->status], "CreatedAt", at, "Networks", status_network(st));
}

static json_t *container_rows(const struct disk *u, const struct strv *aliases)
{
	json_t *list = json_array();

	for (size_t i = 0; i < u->n_containers; i++)
		(void)json_array_append_new(list, container_row(u, i, aliases)); /* memory */
	return list;
}

static json_t *volume_rows(const struct disk *u)
{
	json_t *list = json_array();

	for (size_t i = 0; i < u->n_volumes; i++) {
		auto_free char *size = human_size((double)u->volume_sizes[i], 4);
		auto_free char *count = xasprintf("%zu", disk_links(u, i));

		(void)json_array_append_new(list,
			json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "Name", u->volumes[i].name,
				"Driver", "local", "Scope", "local", "Links", count, "Mountpoint",
				u->volumes[i].path, "Size", size)); /* memory */
	}
	return list;
}

static json_t *all_rows(const struct disk *u, const struct strv *aliases)
{
	return json_pack("{s:o, s:o, s:o, s:[]}", "Images", image_rows(u), "Containers",
		container_rows(u, aliases), "Volumes", volume_rows(u), "BuildCache");
}

static const struct section {
	const char *key, *title, *headings, *row;
} sections[] = {
	{"Images", "Images space usage:",
		"REPOSITORY\tTAG\tIMAGE ID\tCREATED\tSIZE\tSHARED SIZE\tUNIQUE SIZE\tCONTAINERS",
		"{{.Repository}}\t{{.Tag}}\t{{slice .ID 7 19}}\t{{.CreatedSince}}\t{{.Size}}\t{{.SharedSize}}\t"
		"{{.UniqueSize}}\t{{.Containers}}"},
	{"Containers", "\nContainers space usage:",
		"CONTAINER ID\tIMAGE\tCOMMAND\tLOCAL VOLUMES\tSIZE\tCREATED\tSTATUS\tNAMES",
		"{{slice .ID 0 12}}\t{{.Image}}\t{{.Command}}\t{{.LocalVolumes}}\t{{.Size}}\t{{.RunningFor}}\t"
		"{{.Status}}\t{{.Names}}"},
	{"Volumes", "\nLocal Volumes space usage:", "VOLUME NAME\tLINKS\tSIZE",
		"{{.Name}}\t{{.Links}}\t{{.Size}}"},
	{"BuildCache", "\nBuild cache usage: 0B",
		"CACHE ID\tCACHE TYPE\tSIZE\tCREATED\tLAST USED\tUSAGE\tSHARED", ""},
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

static int in_full(const char *format, const struct disk *u, struct buf *out, struct err *e)
{
	static const struct strv none;
	bool table = !format || !*format || str_eq(format, "table");
	auto_json json_t *all = all_rows(u, table ? &none : &u->aliases);
	struct tmpl_data d = {.json = all,
		.fields = (const struct tmpl_field[]){{0}},
		.type = "*formatter.diskUsageContext"};
	auto_tmpl struct tmpl *t = NULL;

	if (table)
		return in_tables(all, out, e);
	t = tmpl_parse(str_eq(format, "json") ? "{{json .}}" : format, e);
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
		listing_begin(&l, &kind, p->format);
	if (store_open(&s, &e) < 0 || disk_measure(&s, &u, &e) < 0 ||
		(p->verbose ? in_full(p->format, &u, &out, &e) : in_short(&u, &l, &out, &e)) < 0)
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
