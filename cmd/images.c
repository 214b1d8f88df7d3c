/* SPDX-License-Identifier: Apache-2.0 */
/* images: lists the images, one line for each name. */
#include "client_config.h"
#include "cmd.h"

#include "filter.h"
#include "human.h"
#include "image.h"
#include "image_sieve.h"
#include "images_tree.h"
#include "listing.h"
#include "stamp.h"

#include <string.h>

struct images {
	bool all, digests, no_trunc, quiet, tree;
	char *format;
	struct filters filters;
};

static int add_filter(void *target, const char *value, struct err *e)
{
	return filter_add(&((struct images *)target)->filters, value, e);
}

/* clang-format off */
static const struct opt images_opts[] = {
	{ 'a', "all",      NULL,     "Show all images (default hides intermediate images)", OPT_FLAG(struct images, all) },
	{ 0,   "digests",  NULL,     "Show digests", OPT_FLAG(struct images, digests) },
	{ 'f', "filter",   "filter", "Filter output based on conditions provided", OPT_CALL(add_filter) },
	{ 0,   "format",   "string", FORMAT_HELP, OPT_STR(struct images, format) },
	{ 0,   "no-trunc", NULL,     "Don't truncate output", OPT_FLAG(struct images, no_trunc) },
	{ 'q', "quiet",    NULL,     "Only show image IDs", OPT_FLAG(struct images, quiet) },
	{ 0,   "tree",     NULL,     "List multi-platform images as a tree (EXPERIMENTAL)", OPT_FLAG(struct images, tree), OPT_SINCE(47) },
	{ 0 },
};
/* clang-format on */

static void images_done(void *target)
{
	struct images *p = target;

	free(p->format);
	filter_done(&p->filters);
}

/* ---- columns ---- */

struct row {
	const struct image *image;
	char *repository, *tag; /* "<none>" for an image without a name */
	bool trunc;
};

static void col_id(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;
	const char *id = r->image->id, *hex = strchr(id, ':');

	(void)argv;
	if (r->trunc && hex)
		buf_add(out, hex + 1, 12);
	else
		buf_puts(out, id);
}

static void col_repository(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_puts(out, ((const struct row *)self)->repository);
}

static void col_tag(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_puts(out, ((const struct row *)self)->tag);
}

/* Digests come from a registry, and no image here does. */
static void col_digest(void *self, const char *const *argv, struct buf *out)
{
	(void)self;
	(void)argv;
	buf_puts(out, "<none>");
}

static void col_created_since(void *self, const char *const *argv, struct buf *out)
{
	struct timespec t = image_created(((const struct row *)self)->image);

	(void)argv;
	if (t.tv_sec != STAMP_NEVER)
		buf_move(out, human_ago(&t));
}

static void col_created_at(void *self, const char *const *argv, struct buf *out)
{
	struct timespec t = image_created(((const struct row *)self)->image);

	(void)argv;
	buf_move(out, human_time(t.tv_sec));
}

static void col_size(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_move(out, human_size((double)((const struct row *)self)->image->size, 3));
}

static void col_virtual_size(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_move(out, human_size((double)((const struct row *)self)->image->size, 4));
}

static void col_unknown(void *self, const char *const *argv, struct buf *out)
{
	(void)self;
	(void)argv;
	buf_puts(out, "N/A");
}

/* clang-format off */
static const struct tmpl_method columns[] = {
	{ "Containers",   col_unknown,       0, "CONTAINERS" },
	{ "CreatedAt",    col_created_at,    0, "CREATED AT" },
	{ "CreatedSince", col_created_since, 0, "CREATED" },
	{ "Digest",       col_digest,        0, "DIGEST" },
	{ "ID",           col_id,            0, "IMAGE ID" },
	{ "Repository",   col_repository,    0, "REPOSITORY" },
	{ "SharedSize",   col_unknown,       0, "SHARED SIZE" },
	{ "Size",         col_size,          0, "SIZE" },
	{ "Tag",          col_tag,           0, "TAG" },
	{ "UniqueSize",   col_unknown,       0, "UNIQUE SIZE" },
	{ "VirtualSize",  col_virtual_size,  0, "SIZE" },
	{ 0 },
};
/* clang-format on */

#define ROW_TYPE "*formatter.imageContext"

static json_t *whole(void *self)
{
	const struct row *r = self;
	const struct image *i = r->image;
	struct timespec created = image_created(i);
	json_t *summary;

	summary = json_pack("{s:i, s:I, s:s, s:o, s:s, s:n, s:o, s:i, s:I, s:I}", "Containers", -1,
		"Created", (json_int_t)created.tv_sec, "Id", i->id, "Labels",
		json_from_map(&i->config.labels), "ParentID", i->parent ? i->parent : "",
		"Descriptor", "RepoTags", json_from_strv(&i->refs), "SharedSize", -1, "Size",
		(json_int_t)i->size, "VirtualSize", (json_int_t)i->size);
	return json_pack("{s:b, s:o, s:s, s:s, s:s}", "trunc", r->trunc, "i", summary, "repo",
		r->repository, "tag", r->tag, "digest", "<none>");
}

static const char *const context[] = {
	"{formatter.HeaderContext", "Header", "}", "trunc", "i", "repo", "tag", "digest", NULL};
static const char *const item[] = {"Containers", "Created", "Id", "Labels", "ParentID", "Descriptor",
	"Manifests", "RepoDigests", "RepoTags", "SharedSize", "Size", "VirtualSize", NULL};
/* clang-format off */
static const struct tmpl_field fields[] = {
	{ ROW_TYPE,      TMPL_STRUCT, .order = context },
	{ "i",           TMPL_STRUCT, .type = "image.Summary", .order = item },
	{ "Labels",      TMPL_MAP, TMPL_STRING },
	{ "Descriptor",  TMPL_PTR, .type = "*v1.Descriptor" },
	{ "Manifests",   TMPL_SLICE, .type = "[]image.ManifestSummary" },
	{ "RepoDigests", TMPL_SLICE },
	{ "RepoTags",    TMPL_SLICE },
	{ 0 },
};
/* clang-format on */

#define RAW(digest)                                           \
	"repository: {{.Repository}}\ntag: {{.Tag}}\n" digest \
	"image_id: {{.ID}}\ncreated_at: {{.CreatedAt}}\nvirtual_size: {{.Size}}\n"

#define SINCE "{{if .CreatedSince}}{{.CreatedSince}}{{else}}N/A{{end}}"

static const struct listing_kind rows = {ROW_TYPE, columns,
	"table {{.Repository}}\t{{.Tag}}\t{{.ID}}\t" SINCE "\t{{.Size}}", RAW(""), whole, fields};
static const struct listing_kind with_digests = {ROW_TYPE, columns,
	"table {{.Repository}}\t{{.Tag}}\t{{.Digest}}\t{{.ID}}\t" SINCE "\t{{.Size}}",
	RAW("digest: {{.Digest}}\n"), whole, fields};
static const struct listing_kind ids = {ROW_TYPE, columns, "{{.ID}}", "image_id: {{.ID}}", whole, fields};

/* ---- the command ---- */

static int print_row(struct listing *l, const struct images *p, const struct image *image,
	const char *ref, struct err *e)
{
	const char *tag = ref ? image_ref_tag(ref) : NULL;
	size_t n = ref ? (tag ? (size_t)(tag - ref) : strlen(ref)) : 0;
	auto_free char *repository = ref ? xstrndup(ref, n) : xstrdup("<none>");
	auto_free char *tag_text = xstrdup(tag ? tag + 1 : "<none>");
	struct row r = {image, repository, tag_text, !p->no_trunc};

	return listing_row(l, &r, e);
}

static int print_image(
	struct listing *l, const struct images *p, const struct image *image, struct err *e)
{
	for (size_t i = 0; i < image->refs.n; i++) {
		if (!image_sieve_name(&p->filters, image->refs.v[i]))
			continue;
		if (print_row(l, p, image, image->refs.v[i], e) < 0)
			return -1;
	}
	return image->refs.n ? 0 : print_row(l, p, image, NULL, e);
}

static bool is_wanted(const struct images *p, const struct image *image)
{
	if (!image->refs.n)
		return !filter_has(&p->filters, "reference") && (!p->tree || p->all);
	for (size_t i = 0; i < image->refs.n; i++)
		if (image_sieve_name(&p->filters, image->refs.v[i]))
			return true;
	return false;
}

/* Puts the images into `l` or, with --tree, into `out`. *any: whether there are any. */
static int list(const struct images *p, const struct store *s, struct listing *l, struct buf *out,
	bool *any, struct strv *unread, struct err *e)
{
	auto_free const struct image **shown = NULL;
	struct image *all = NULL;
	struct image_sieve sieve;
	size_t n = 0, m = 0;
	int rc = 0;

	if (image_sieve_make(s, &p->filters, &sieve, e) < 0)
		return err_ctx(e, "Error response from daemon");
	if (image_list(s, &all, &n, unread, e) < 0)
		return -1;
	sieve.all = p->all;
	shown = xcalloc(n + 1, sizeof(*shown));
	for (size_t i = 0; i < n; i++)
		if (image_sieve_passes(&sieve, &all[i]) && is_wanted(p, &all[i]))
			shown[m++] = &all[i];
	*any = m > 0;
	for (size_t i = 0; i < m && !p->tree && rc == 0; i++)
		rc = print_image(l, p, shown[i], e);
	if (p->tree)
		images_tree(shown, m, &p->filters, out);
	image_list_free(all, n);
	return rc;
}

static int check_tree(const struct images *p, struct err *e)
{
	const char *other = p->quiet                  ? "--quiet"
	                    : p->no_trunc             ? "--no-trunc"
	                    : p->digests              ? "--show-digest"
	                    : p->format && *p->format ? "--format"
	                                              : NULL;

	return p->tree && other ? err_set(e, ERR_USAGE, "%s is not yet supported with --tree", other)
	                        : 0;
}

/* `docker images ls` lists images named "ls": if there are none, docker suggests `docker image ls`. */
static void hint(const char *word)
{
	static const char *const commands[] = {"build", "history", "import", "inspect", "list",
		"load", "ls", "prune", "pull", "push", "rm", "save", "tag"};

	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (str_eq(word, commands[i]))
			(void)fprintf(stderr,
				"\nNo images found matching \"%s\": did you mean \"docker image %s\"?\n",
				word, word);
}

static int images_main(void *target, int argc, char **argv)
{
	struct images *p = target;
	const struct listing_kind *kind = p->quiet ? &ids : p->digests ? &with_digests : &rows;
	auto_listing struct listing l = {0};
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_strv struct strv unread = {0};
	auto_buf struct buf out = {0};
	bool any = false;
	struct err e;
	int status;

	if (argc > 0 && *argv[0]) {
		auto_free char *word = xasprintf("reference=%s", argv[0]);

		if (filter_add(&p->filters, word, &e) < 0)
			return say_error(&e, 1);
	}
	if (!p->quiet && !p->tree)
		client_config("imagesFormat", &p->format);
	if (!p->tree)
		listing_begin(&l, kind, p->format);
	if (check_tree(p, &e) < 0 || store_open(&s, &e) < 0 ||
		list(p, &s, &l, &out, &any, &unread, &e) < 0 ||
		(!p->tree && listing_end(&l, &out, &e) < 0))
		return say_error(&e, 1);
	status = say_unread(&unread, say_out(&out));
	if (argc > 0 && !any)
		hint(argv[0]);
	return status;
}

const struct command cmd_images = {
	.name = "images",
	.args = "[OPTIONS] [REPOSITORY[:TAG]]",
	.about = "List images",
	.aliases = "docker image ls, docker image list, docker images",
	.opts = images_opts,
	.target_size = sizeof(struct images),
	.run = images_main,
	.done = images_done,
	.max_args = 1,
};
