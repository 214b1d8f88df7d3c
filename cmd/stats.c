/* SPDX-License-Identifier: Apache-2.0 */
/* stats: shows what containers use, once or continuously. */
#include "client_config.h"
#include "cmd.h"
#include "human.h"
#include "listing.h"
#include "state.h"
#include "usage.h"

#include <string.h>
#include <time.h>

struct stats {
	bool all, no_stream, no_trunc;
	char *format;
};

/* clang-format off */
static const struct opt stats_opts[] = {
	{ 'a', "all",       NULL,     "Show all containers (default shows just running)", OPT_FLAG(struct stats, all) },
	{ 0,   "format",    "string", FORMAT_HELP, OPT_STR(struct stats, format) },
	{ 0,   "no-stream", NULL,     "Disable streaming stats and only pull the first result", OPT_FLAG(struct stats, no_stream) },
	{ 0,   "no-trunc",  NULL,     "Do not truncate output", OPT_FLAG(struct stats, no_trunc) },
	{ 0 },
};
/* clang-format on */

enum { FIRST_MS = 500, NEXT_MS = 1000 }; /* between two measurements */

static void stats_done(void *target)
{
	free(((struct stats *)target)->format);
}

/* ---- a row ---- */

struct row {
	struct state st;
	struct usage before, now;
	char *asked;        /* the container's name on the command line */
	int64_t limit;      /* of memory; 0: it does not run */
	bool trunc, unseen; /* unseen: it runs where its processes cannot be looked at */
};

/* docker's sign for what is not known. */
static bool is_unknown(const struct row *r, const char *dashes, struct buf *out)
{
	if (r->unseen)
		buf_puts(out, dashes);
	return r->unseen;
}

static void pair(char *a, char *b, struct buf *out)
{
	buf_move(out, a);
	buf_puts(out, " / ");
	buf_move(out, b);
}

static void col_container(void *self, const char *const *argv, struct buf *out)
{
	(void)argv;
	buf_puts(out, ((const struct row *)self)->asked);
}

static void col_name(void *self, const char *const *argv, struct buf *out)
{
	const char *name = ((const struct row *)self)->st.name;

	(void)argv;
	buf_puts(out, name ? name : "");
}

static void col_id(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;

	(void)argv;
	buf_add(out, r->st.id, r->trunc ? 12 : ID_LEN);
}

static void col_cpu(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;

	(void)argv;
	if (!is_unknown(r, "--", out))
		buf_printf(out, "%.2f%%", usage_cpu_percent(&r->before, &r->now));
}

static void col_memory(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;

	(void)argv;
	if (!is_unknown(r, "-- / --", out))
		pair(human_bytes((double)r->now.memory), human_bytes((double)r->limit), out);
}

static void col_memory_percent(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;

	(void)argv;
	if (!is_unknown(r, "--", out))
		buf_printf(out, "%.2f%%",
			r->limit > 0 ? (double)r->now.memory * 100 / (double)r->limit : 0);
}

static void col_net(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;

	(void)argv;
	if (!is_unknown(r, "--", out))
		pair(human_size((double)r->now.received, 3), human_size((double)r->now.sent, 3), out);
}

static void col_block(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;

	(void)argv;
	if (!is_unknown(r, "--", out))
		pair(human_size((double)r->now.read, 3), human_size((double)r->now.written, 3), out);
}

static void col_pids(void *self, const char *const *argv, struct buf *out)
{
	const struct row *r = self;

	(void)argv;
	if (!is_unknown(r, "--", out))
		buf_printf(out, "%lld", (long long)r->now.tasks);
}

/* clang-format off */
static const struct tmpl_method columns[] = {
	{ "Container", col_container,      0, "CONTAINER" },
	{ "Name",      col_name,           0, "NAME" },
	{ "ID",        col_id,             0, "CONTAINER ID" },
	{ "CPUPerc",   col_cpu,            0, "CPU %" },
	{ "MemUsage",  col_memory,         0, "MEM USAGE / LIMIT" },
	{ "MemPerc",   col_memory_percent, 0, "MEM %" },
	{ "NetIO",     col_net,            0, "NET I/O" },
	{ "BlockIO",   col_block,          0, "BLOCK I/O" },
	{ "PIDs",      col_pids,           0, "PIDS" },
	{ 0 },
};
/* clang-format on */

static json_t *whole(void *self)
{
	const struct row *r = self;
	double memory = (double)r->now.memory;
	auto_free char *name = xasprintf("/%s", r->st.name ? r->st.name : "");
	json_t *entry = json_pack("{s:o, s:o, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:b}",
		"Container", json_text(r->asked), "Name", json_text(name), "ID", r->st.id,
		"CPUPercentage", usage_cpu_percent(&r->before, &r->now), "Memory", memory,
		"MemoryLimit", (double)r->limit, "MemoryPercentage",
		r->limit > 0 ? memory * 100 / (double)r->limit : 0.0, "NetworkRx",
		(double)r->now.received, "NetworkTx", (double)r->now.sent, "BlockRead",
		(double)r->now.read, "BlockWrite", (double)r->now.written, "PidsCurrent",
		(json_int_t)r->now.tasks, "IsInvalid", r->unseen);

	return json_pack("{s:o, s:s, s:b}", "s", entry, "os", "linux", "trunc", r->trunc);
}

#define ROW_TYPE "*container.statsContext"

static const char *const context[] = {"{formatter.HeaderContext", "Header", "}", "s", "os", "trunc", NULL};
/* clang-format off */
static const struct tmpl_field fields[] = {
	{ ROW_TYPE,      TMPL_STRUCT, .order = context },
	{ "s",           TMPL_STRUCT, .type = "container.StatsEntry" },
	{ "PidsCurrent", TMPL_STRUCT, .type = "uint64" },
	{ 0 },
};
/* clang-format on */

static const struct listing_kind kind = {ROW_TYPE, columns,
	"table {{.ID}}\t{{.Name}}\t{{.CPUPerc}}\t{{.MemUsage}}\t{{.MemPerc}}\t{{.NetIO}}\t{{.BlockIO}}\t"
	"{{.PIDs}}",
	NULL, whole, fields};

/* ---- the containers ---- */

struct rows {
	struct row *v;
	size_t n;
};

static void rows_done(struct rows *r)
{
	for (size_t i = 0; i < r->n; i++) {
		state_done(&r->v[i].st);
		free(r->v[i].asked);
	}
	free(r->v);
	*r = (struct rows){0};
}
#define auto_rows __attribute__((cleanup(rows_done)))

static int look(const struct store *s, struct rows *rows, struct err *e)
{
	for (size_t i = 0; i < rows->n; i++) {
		struct row *r = &rows->v[i];
		struct err elsewhere;

		r->unseen = state_is_in_reach(&r->st, &elsewhere) < 0;
		r->before = r->now;
		if (usage_read(&r->st, &r->now, e) < 0 ||
			(state_runs(&r->st) && usage_limit(s, r->st.id, &r->limit, e) < 0))
			return say_as_daemon(e);
	}
	return 0;
}

static int add(const struct store *s, struct rows *rows, const struct stats *p, const char *id,
	const char *asked, struct err *e)
{
	struct row r = {.trunc = !p->no_trunc};

	if (state_load(s, id, &r.st, e) < 0)
		return -1;
	r.asked = asked ? xstrdup(asked) : xstrndup(id, p->no_trunc ? ID_LEN : 12);
	rows->v = xrealloc(rows->v, rows->n + 1, sizeof(*rows->v));
	rows->v[rows->n++] = r;
	return 0;
}

/* Whether a name is repeated: docker shows its container only once. */
static bool is_shown(const struct rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->n; i++)
		if (str_eq(rows->v[i].asked, name))
			return true;
	return false;
}

/* The containers in `names`, which must exist; without names, all that run, or all (--all). */
static int gather(const struct store *s, const struct stats *p, char **names, struct rows *rows,
	struct err *e)
{
	struct state *all = NULL;
	size_t n = 0;
	int result = 0;
	id_text id;

	for (; *names; names++) {
		n++;
		if (is_shown(rows, *names))
			continue;
		if (state_find(s, *names, id, e) < 0 || add(s, rows, p, id, *names, e) < 0)
			return -1;
	}
	if (n)
		return 0;
	if (state_list(s, !p->all, &all, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n && result == 0; i++) /* one may have been removed meanwhile */
		if (add(s, rows, p, all[i].id, NULL, e) < 0 && e->sys && e->kind != ERR_NOT_FOUND)
			result = -1;
	state_list_free(all, n);
	return result;
}

/* Copies each container's last figures, with which the next ones are compared. */
static void inherit(struct rows *new, const struct rows *old)
{
	for (size_t i = 0; i < new->n; i++)
		for (size_t k = 0; k < old->n; k++)
			if (str_eq(new->v[i].st.id, old->v[k].st.id))
				new->v[i].now = old->v[k].now;
}

static void nap(long ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	(void)nanosleep(&t, NULL); /* it does no harm if this is interrupted */
}

/* Overwrites the last output: moves the cursor home, clears the rest of each line, and then the rest of the screen. */
static void on_screen(const struct buf *text, struct buf *out)
{
	buf_puts(out, "\033[H");
	for (size_t i = 0; i < text->len; i++) {
		if (text->s[i] == '\n')
			buf_puts(out, "\033[K");
		buf_putc(out, text->s[i]);
	}
	buf_puts(out, "\033[J");
}

static int print(const struct stats *p, struct rows *rows, struct err *e)
{
	auto_listing struct listing l = {0};
	auto_buf struct buf text = {0}, out = {0};

	listing_begin(&l, &kind, p->format);
	for (size_t i = 0; i < rows->n; i++)
		if (listing_row(&l, &rows->v[i], e) < 0)
			return -1;
	if (listing_end(&l, &text, e) < 0)
		return -1;
	if (!p->no_stream)
		on_screen(&text, &out);
	return say_put(p->no_stream ? &text : &out, e);
}

static int show(const struct stats *p, char **names, struct err *e)
{
	auto_store struct store s = {.root = -1, .runtime = -1};
	auto_listing struct listing check = {0};
	auto_rows struct rows rows = {0};

	listing_begin(&check, &kind, p->format);
	if (store_open(&s, e) < 0)
		return err_ctx(e, "Error response from daemon");
	state_know_ids(&s, names);
	if (gather(&s, p, names, &rows, e) < 0)
		return say_as_daemon(e);
	if (listing_check(&check, e) < 0)
		return -1;
	if (look(&s, &rows, e) < 0)
		return -1;
	for (long ms = FIRST_MS;; ms = NEXT_MS) {
		auto_rows struct rows old = {0};

		nap(rows.n || !p->no_stream ? ms : 0);
		old = rows;
		rows = (struct rows){0};
		if (gather(&s, p, names, &rows, e) < 0)
			return *names && e->kind == ERR_NOT_FOUND && !p->no_stream ? 0 : -1;
		inherit(&rows, &old);
		if (look(&s, &rows, e) < 0 || print(p, &rows, e) < 0)
			return -1;
		if (p->no_stream)
			return 0;
	}
}

static int stats_main(void *target, int argc, char **argv)
{
	struct stats *p = target;
	struct err e;

	(void)argc;
	say_ended();
	client_config("statsFormat", &p->format);
	return show(target, argv, &e) < 0 ? say_cut(&e, 1) : 0;
}

const struct command cmd_stats = {
	.name = "stats",
	.args = "[OPTIONS] [CONTAINER...]",
	.about = "Display a live stream of container(s) resource usage statistics",
	.aliases = "docker container stats, docker stats",
	.opts = stats_opts,
	.target_size = sizeof(struct stats),
	.run = stats_main,
	.done = stats_done,
	.max_args = -1,
};
