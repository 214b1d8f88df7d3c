/* SPDX-License-Identifier: Apache-2.0 */
/* history: lists the steps by which an image was made. */
#include "cmd.h"
#include "human.h"
#include "image.h"
#include "listing.h"
#include "pull.h"
#include "spec.h"
#include "stamp.h"

#include <string.h>

struct history {
	bool human, no_trunc, quiet;
	char *format, *platform;
};

/* clang-format off */
static const struct opt history_opts[] = {
	{ 0,   "format",   "string", FORMAT_HELP, OPT_STR(struct history, format) },
	{ 'H', "human",    NULL,     "Print sizes and dates in human readable format (default true)", OPT_FLAG(struct history, human) },
	{ 0,   "no-trunc", NULL,     "Don't truncate output", OPT_FLAG(struct history, no_trunc) },
	{ 0, "platform", "string", "Show history for the given platform. Formatted as \"os[/arch[/variant]]\" (e.g., \"linux/amd64\")", OPT_STR(struct history, platform), OPT_SINCE(48) },
	{ 'q', "quiet",    NULL,     "Only show image IDs", OPT_FLAG(struct history, quiet) },
	{ 0 },
};
/* clang-format on */

static void history_init(void *target)
{
	((struct history *)target)->human = true;
}

static void history_done(void *target)
{
	free(((struct history *)target)->format);
	free(((struct history *)target)->platform);
}

#define NO_TIME 946684800 /* the year 2000: what is not later docker takes for no time */

struct row {
	const json_t *step;
	bool human, trunc;
	const struct store *s;
	const char *id; /* of the image, if this is its last step; else NULL */
};

static void col_id(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;
	const char *id = json_str(r->step, "Id", "");

	(void)argv;
	if (r->trunc && str_starts(id, "sha256:"))
		buf_printf(out, "%.12s", id + 7);
	else
		buf_puts(out, id);
}

static void col_created_at(void *self, const char *const *argv, struct buf *out)
{
	struct timespec t = {.tv_sec = json_int(((const struct row *)self)->step, "Created", 0)};
	char stamp[STAMP_SIZE];

	(void)argv;
	stamp_print(&t, stamp);
	buf_puts(out, stamp);
}

static void col_created(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;
	struct timespec t = {.tv_sec = json_int(r->step, "Created", 0)};

	if (!r->human)
		col_created_at(self, argv, out);
	else if (t.tv_sec > NO_TIME)
		buf_move(out, human_ago(&t));
	else
		buf_puts(out, "N/A");
}

/* Tabs would break the table. */
static void col_created_by(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;
	auto_free char *by = xstrdup(json_str(r->step, "CreatedBy", ""));

	(void)argv;
	for (char *c = by; *c; c++)
		*c = *c == '\t' ? ' ' : *c;
	buf_move(out, r->trunc ? human_cut(by, 45) : xstrdup(by));
}

static void col_size(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;
	int64_t size = json_int(r->step, "Size", 0);

	(void)argv;
	buf_move(out, r->human ? human_size((double)size, 3) : xasprintf("%lld", (long long)size));
}

static void col_comment(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_puts(out, json_str(((const struct row *)self)->step, "Comment", ""));
}

/* clang-format off */
static const struct tmpl_method columns[] = {
	{ "ID",           col_id,         0, "IMAGE" },
	{ "CreatedAt",    col_created_at, 0, "CREATED AT" },
	{ "CreatedSince", col_created,    0, "CREATED" },
	{ "CreatedBy",    col_created_by, 0, "CREATED BY" },
	{ "Size",         col_size,       0, "SIZE" },
	{ "Comment",      col_comment,    0, "COMMENT" },
	{ 0 },
};
/* clang-format on */

#define ROW_TYPE "*image.historyContext"

static json_t *whole(void *self)
{
	const struct row *r = self;
	auto_image struct image image = {.id = r->id ? xstrdup(r->id) : NULL};
	json_t *step = json_copy((json_t *)(uintptr_t)r->step); /* json_copy() only reads */
	struct err unused;

	if (image.id && image_load_refs(r->s, &image, &unused) == 0)
		json_set(step, "Tags", json_from_strv(&image.refs));
	return json_pack("{s:b, s:b, s:o}", "trunc", r->trunc, "human", r->human, "h", step);
}

static const char *const context[] = {
	"{formatter.HeaderContext", "Header", "}", "trunc", "human", "h", NULL};
static const char *const item[] = {"Comment", "Created", "CreatedBy", "Id", "Size", "Tags", NULL};
/* clang-format off */
static const struct tmpl_field fields[] = {
	{ ROW_TYPE, TMPL_STRUCT, .order = context },
	{ "h",      TMPL_STRUCT, .type = "image.HistoryResponseItem", .order = item },
	{ "Tags",   TMPL_SLICE },
	{ 0 },
};
/* clang-format on */

static const struct listing_kind rows = {ROW_TYPE, columns,
	"table {{.ID}}\t{{.CreatedSince}}\t{{.CreatedBy}}\t{{.Size}}\t{{.Comment}}", NULL, whole,
	fields};
static const struct listing_kind exact = {ROW_TYPE, columns,
	"table {{.ID}}\t{{.CreatedAt}}\t{{.CreatedBy}}\t{{.Size}}\t{{.Comment}}", NULL, whole, fields};
static const struct listing_kind ids = {ROW_TYPE, columns, "{{.ID}}", NULL, whole, fields};

static int list(const struct history *p, const char *name, struct listing *l, struct err *e)
{
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_image struct image image = {0};
	auto_json json_t *steps = NULL;
	json_t *step;
	size_t i;

	if (store_open(&s, e) < 0 || image_find_named(&s, name, &image, e) < 0 ||
		spec_check_platform(p->platform, name, image.architecture, e) < 0 ||
		!(steps = image_history(&s, &image, e)))
		return err_ctx(e, "Error response from daemon");
	json_array_foreach(steps, i, step)
	{
		struct row r = {step, p->human, !p->no_trunc, &s, i ? NULL : image.id};

		if (listing_row(l, &r, e) < 0)
			return -1;
	}
	return 0;
}

static int history_main(void *target, int argc, char **argv)
{
	const struct history *p = target;
	auto_listing struct listing l = {0};
	auto_buf struct buf out = {0};
	struct err e;

	(void)argc;
	if (pull_check_platform(p->platform, &e) < 0) {
		(void)err_ctx(&e, "invalid platform");
		return say_error(&e, 1);
	}
	listing_begin(&l, p->quiet ? &ids : p->human ? &rows : &exact, p->format);
	if (list(p, argv[0], &l, &e) < 0 || listing_end(&l, &out, &e) < 0)
		return say_error(&e, 1);
	return say_out(&out);
}

const struct command cmd_history = {
	.name = "history",
	.args = "[OPTIONS] IMAGE",
	.about = "Show the history of an image",
	.aliases = "docker image history, docker history",
	.opts = history_opts,
	.target_size = sizeof(struct history),
	.init = history_init,
	.run = history_main,
	.done = history_done,
	.min_args = 1,
	.max_args = 1,
};
