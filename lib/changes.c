/* SPDX-License-Identifier: Apache-2.0 */
#include "changes.h"

#include "auto.h"
#include "deep.h"
#include "inside.h"
#include "overlay.h"
#include "stage.h"
#include "state.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define BATCH    30000              /* bytes in one answer */
#define APT_FILE "/" STAGE_APT_FILE /* what launch puts there, where it does */

/* ---- inside ---------------------------------------------------------------------------- */

struct walk {
	const struct inside_view *view;
	struct buf path, batch; /* batch: a kind's digit, a path and a 0; again and again */
};

static int tell(struct walk *w, enum change_kind kind, const char *path, struct err *e)
{
	size_t n = strlen(path) + 2;

	if (n > BATCH)
		return err_set(e, ERR_USAGE, "a name of more than %d bytes", BATCH - 2);
	if (w->batch.len + n > BATCH) {
		if (inside_answer(w->view, w->batch.s, w->batch.len, e) < 0)
			return -1;
		w->batch.len = 0;
	}
	buf_putc(&w->batch, (char)('0' + (int)kind));
	buf_add(&w->batch, path, n - 1);
	return 0;
}

static int sub_dir(int dir, const char *name)
{
	return dir < 0 ? -1 : openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

static bool is_whiteout(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == 0;
}

static bool same_rights(const struct stat *a, const struct stat *b)
{
	return a->st_mode == b->st_mode && a->st_uid == b->st_uid && a->st_gid == b->st_gid;
}

static ssize_t capabilities(int dir, const char *name, char *out, size_t n)
{
	auto_close int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t len = fd < 0 ? -1 : fgetxattr(fd, "security.capability", out, n);

	return len < 0 ? 0 : len;
}

/* A file may be in the upper directory as it was: a change of rights to the same ones puts it there, and so does a link to it.
 * As docker has it: what only has other content is not told. */
static bool same_file(int upper, int lower, const char *name, const struct stat *a, const struct stat *b)
{
	char now[64], was[64];
	ssize_t n;

	if (!same_rights(a, b) || a->st_size != b->st_size || a->st_rdev != b->st_rdev ||
		a->st_mtim.tv_sec != b->st_mtim.tv_sec || a->st_mtim.tv_nsec != b->st_mtim.tv_nsec)
		return false;
	if (!S_ISREG(a->st_mode))
		return true;
	n = capabilities(upper, name, now, sizeof(now));
	return n == capabilities(lower, name, was, sizeof(was)) && memcmp(now, was, (size_t)n) == 0;
}

/* A directory: in the writable layer, and in the image or -1. */
struct pair {
	int upper, lower;
};

static void pair_done(struct pair *p)
{
	auto_close_(&p->upper);
	auto_close_(&p->lower);
}
#define auto_pair __attribute__((cleanup(pair_done)))

static int walk_dir(struct walk *w, struct pair *d, int depth, bool *changed, struct err *e);

static int walk_below(
	struct walk *w, struct pair *d, struct pair *sub, int depth, bool *below, struct err *e)
{
	struct deep upper, lower;

	deep_leave(&upper, sub->upper < 0 ? 0 : depth, &d->upper);
	deep_leave(&lower, sub->lower < 0 ? 0 : depth, &d->lower);
	if (walk_dir(w, sub, depth + 1, below, e) < 0)
		return -1;
	if (deep_back(&upper, sub->upper, &d->upper) < 0 || deep_back(&lower, sub->lower, &d->lower) < 0)
		return err_sys(e, "leave %s", w->path.s);
	return 0;
}

static int walk_sub(struct walk *w, struct pair *d, const char *name, const struct stat *now,
	const struct stat *was, int depth, bool *changed, struct err *e)
{
	auto_pair struct pair sub = {sub_dir(d->upper, name),
		was && S_ISDIR(was->st_mode) ? sub_dir(d->lower, name) : -1};
	auto_free char *path = xstrdup(w->path.s);
	bool below = false;

	if (sub.upper < 0) /* it was removed or replaced since it was listed */
		return errno == ENOENT || errno == ENOTDIR ? 0 : err_sys(e, "open %s", path);
	if (!was && tell(w, CHANGE_ADDED, path, e) < 0)
		return -1;
	if (walk_below(w, d, &sub, depth, &below, e) < 0)
		return -1;
	/* What was made and removed again in a directory is no change of it. */
	if (was && (below || !S_ISDIR(was->st_mode) || !same_rights(now, was))) {
		*changed = true;
		return tell(w, CHANGE_MODIFIED, path, e);
	}
	*changed |= !was;
	return 0;
}

static int walk_entry(
	struct walk *w, struct pair *d, const char *name, int depth, bool *changed, struct err *e)
{
	struct stat now, before;
	const struct stat *was = &before;

	if (fstatat(d->upper, name, &now, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : err_sys(e, "stat %s", w->path.s);
	if (d->lower < 0 || fstatat(d->lower, name, &before, AT_SYMLINK_NOFOLLOW) < 0)
		was = NULL;
	if (str_eq(w->path.s, APT_FILE) || (is_whiteout(&now) && !was))
		return 0;
	if (S_ISDIR(now.st_mode))
		return walk_sub(w, d, name, &now, was, depth, changed, e);
	if (was && same_file(d->upper, d->lower, name, &now, was))
		return 0;
	*changed = true;
	return tell(w,
		is_whiteout(&now) ? CHANGE_DELETED
		: was             ? CHANGE_MODIFIED
				  : CHANGE_ADDED,
		w->path.s, e);
}

/* What an opaque directory hides counts as deleted, unless it exists again. */
static int walk_hidden(struct walk *w, int upper, int lower, bool *changed, struct err *e)
{
	auto_strv struct strv names = {0};
	size_t len = w->path.len;
	int result = 0;
	struct stat st;

	if (sys_names(lower, &names) < 0)
		return err_sys(e, "read %s", *w->path.s ? w->path.s : "/");
	for (size_t i = 0; i < names.n && result == 0; i++) {
		if (fstatat(upper, names.v[i], &st, AT_SYMLINK_NOFOLLOW) == 0)
			continue;
		buf_printf(&w->path, "/%s", names.v[i]);
		*changed = true;
		result = tell(w, CHANGE_DELETED, w->path.s, e);
		w->path.len = len;
		w->path.s[len] = '\0';
	}
	return result;
}

static int walk_dir(struct walk *w, struct pair *d, int depth, bool *changed, struct err *e)
{
	auto_strv struct strv names = {0};
	size_t len = w->path.len;
	int result = 0;

	if (depth > DEEP_MAX)
		return err_set(e, ERR_UNSUPPORTED, "directories more than %d deep", DEEP_MAX);
	if (d->lower >= 0 && overlay_is_opaque(d->upper) &&
		walk_hidden(w, d->upper, d->lower, changed, e) < 0)
		return -1;
	if (sys_names(d->upper, &names) < 0)
		return err_sys(e, "read %s", *w->path.s ? w->path.s : "/");
	for (size_t i = 0; i < names.n && result == 0; i++) {
		buf_printf(&w->path, "/%s", names.v[i]);
		result = walk_entry(w, d, names.v[i], depth, changed, e);
		w->path.len = len;
		w->path.s[len] = '\0';
	}
	return result;
}

static int tell_census(void *walk, enum change_kind kind, const char *path, struct err *e)
{
	return tell(walk, kind, path, e);
}

static int do_list(const struct inside_view *v, void *arg, struct err *e)
{
	auto_close int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct pair top = {v->upper, root}; /* stay open */
	struct walk w = {.view = v};
	bool changed = false;

	(void)arg;
	if (v->was >= 0 && census_compare(v->upper, v->was, APT_FILE, tell_census, &w, e) < 0)
		return -1;
	if (v->was >= 0)
		return w.batch.len ? inside_answer(v, w.batch.s, w.batch.len, e) : 0;
	if (root < 0)
		return err_sys(e, "open /");
	buf_puts(&w.path, "");
	if (walk_dir(&w, &top, 0, &changed, e) < 0)
		return -1;
	return w.batch.len ? inside_answer(v, w.batch.s, w.batch.len, e) : 0;
}

/* ---- the caller ------------------------------------------------------------------------ */

void changes_done(struct changes *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].path);
	free(c->v);
	*c = (struct changes){0};
}

static void add(struct changes *c, int kind, const char *path)
{
	if ((c->n & (c->n + 1)) == 0)
		c->v = xrealloc(c->v, 2 * (c->n + 1), sizeof(*c->v));
	c->v[c->n++] = (struct file_change){(enum change_kind)kind, xstrdup(path)};
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct file_change *)a)->path, ((const struct file_change *)b)->path);
}

static int hear(struct inside *i, struct changes *out, struct err *e)
{
	int more;

	do {
		auto_buf struct buf batch = {0};

		more = inside_hear(i, &batch, e);
		if (more > 0 && (batch.len == 0 || batch.s[batch.len - 1] != '\0'))
			return err_set(e, ERR_SYSTEM, "the answer from inside makes no sense");
		for (size_t at = 0; more > 0 && at < batch.len; at += strlen(batch.s + at) + 1)
			if (batch.s[at] >= '0' && batch.s[at] <= '2')
				add(out, batch.s[at] - '0', batch.s + at + 1);
	} while (more > 0);
	return more;
}

int changes_list(const struct store *s, const char *what, struct changes *out, struct err *e)
{
	struct inside_ask ask = {.work = do_list, .keep = {-1, -1}, .mode = INSIDE_UPPER};
	auto_inside struct inside i = INSIDE_NONE;
	auto_changes struct changes all = {0};
	id_text id;

	if (state_find(s, what, id, e) < 0 || inside_begin(s, id, &ask, &i, e) < 0 ||
		hear(&i, &all, e) < 0 || inside_end(&i, e) < 0)
		return -1;
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_path);
	*out = all;
	all = (struct changes){0};
	return 0;
}
