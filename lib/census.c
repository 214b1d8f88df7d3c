/* SPDX-License-Identifier: Apache-2.0 */
#include "census.h"

#include "auto.h"
#include "deep.h"
#include "sys.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define MAGIC "sbx-census 1\n"

/* Precedes each path and its 0. In this machine's byte order, as inodes mean nothing on another one. */
struct row {
	uint64_t ino;
	int64_t seconds;
	uint32_t nanoseconds, mode;
};

/* ---- the walk -------------------------------------------------------------------------- */

struct walk {
	struct buf path;
	int (*visit)(void *context, const char *path, const struct stat *st, struct err *e);
	void *context;
};

static int walk(struct walk *w, int *dir, int depth, struct err *e);

static int walk_entry(struct walk *w, int *dir, const char *name, int depth, struct err *e)
{
	auto_close int sub = -1;
	struct deep above;
	struct stat st;

	if (fstatat(*dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : err_sys(e, "stat %s", w->path.s);
	if (w->visit(w->context, w->path.s, &st, e) < 0)
		return -1;
	if (!S_ISDIR(st.st_mode))
		return 0;
	sub = openat(*dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (sub < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : err_sys(e, "open %s", w->path.s);
	deep_leave(&above, depth, dir);
	if (walk(w, &sub, depth + 1, e) < 0)
		return -1;
	return deep_back(&above, sub, dir) < 0 ? err_sys(e, "leave %s", w->path.s) : 0;
}

static int walk(struct walk *w, int *dir, int depth, struct err *e)
{
	auto_strv struct strv names = {0};
	size_t len = w->path.len;
	int result = 0;

	if (depth > DEEP_MAX)
		return err_set(e, ERR_UNSUPPORTED, "directories more than %d deep", DEEP_MAX);
	if (sys_names(*dir, &names) < 0)
		return err_sys(e, "read %s", w->path.s);
	for (size_t i = 0; i < names.n && result == 0; i++) {
		buf_printf(&w->path, "/%s", names.v[i]);
		result = walk_entry(w, dir, names.v[i], depth, e);
		w->path.len = len;
		w->path.s[len] = '\0';
	}
	return result;
}

static int walk_all(struct walk *w, int dir, struct err *e)
{
	int result;

	buf_puts(&w->path, "");
	result = walk(w, &dir, 0, e);
	buf_done(&w->path);
	return result;
}

/* ---- taking ---------------------------------------------------------------------------- */

static struct row row_of(const struct stat *st)
{
	return (struct row){st->st_ino, st->st_ctim.tv_sec, (uint32_t)st->st_ctim.tv_nsec, st->st_mode};
}

static int write_down(void *context, const char *path, const struct stat *st, struct err *e)
{
	struct row row = row_of(st);

	(void)e; /* memory */
	buf_add(context, (const char *)&row, sizeof(row));
	buf_add(context, path, strlen(path) + 1);
	return 0;
}

/* File times have the resolution of the clock's tick: a change within the current one would not be seen. */
static void next_tick(void)
{
	struct timespec from, now;

	(void)clock_gettime(CLOCK_REALTIME_COARSE, &from); /* these clocks are always there */
	do {
		(void)nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL); /* cut short is as well */
		(void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
	} while (now.tv_sec == from.tv_sec && now.tv_nsec == from.tv_nsec);
}

int census_take(int dir, int out, struct err *e)
{
	auto_buf struct buf text = {0};
	struct walk w = {.visit = write_down, .context = &text};

	buf_puts(&text, MAGIC);
	if (walk_all(&w, dir, e) < 0)
		return -1;
	if (sys_write_all(out, text.s, text.len) < 0 || fsync(out) < 0)
		return err_sys(e, "write the list of files");
	next_tick();
	return 0;
}

/* ---- comparing ------------------------------------------------------------------------- */

struct known {
	struct row row;
	const char *path; /* in the text */
	bool seen, changed, below;
};

struct compare {
	char *text;
	size_t size;
	struct known *v; /* in the order of the text: a directory before its entries */
	size_t n;
	uint32_t *hash; /* index + 1; at most half full */
	size_t hash_size;
	const char *ours;
	census_tell *tell;
	void *context;
};

static void compare_done(struct compare *c)
{
	free(c->text);
	free(c->v);
	free(c->hash);
}
#define auto_compare __attribute__((cleanup(compare_done)))

static uint32_t *slot_of(const struct compare *c, const char *path, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)path[i]) * 0x100000001b3u;
	for (h ^= h >> 32;; h++) {
		uint32_t *slot = &c->hash[h & (c->hash_size - 1)];

		if (!*slot || (strncmp(c->v[*slot - 1].path, path, n) == 0 && !c->v[*slot - 1].path[n]))
			return slot;
	}
}

static struct known *find(const struct compare *c, const char *path, size_t n)
{
	uint32_t at = *slot_of(c, path, n);

	return at ? &c->v[at - 1] : NULL;
}

static int bad_list(struct err *e)
{
	return err_set(e, ERR_CORRUPT, "the list of the image's files is damaged");
}

static int read_rows(struct compare *c, struct err *e)
{
	size_t at = strlen(MAGIC);

	if (c->size < at || memcmp(c->text, MAGIC, at) != 0)
		return bad_list(e);
	while (at < c->size) {
		struct known k = {.path = c->text + at + sizeof(k.row)};
		const char *end;

		if (c->size - at <= sizeof(k.row))
			return bad_list(e);
		memcpy(&k.row, c->text + at, sizeof(k.row));
		end = memchr(k.path, '\0', c->size - at - sizeof(k.row));
		if (!end)
			return bad_list(e);
		at = (size_t)(end + 1 - c->text);
		if ((c->n & (c->n + 1)) == 0)
			c->v = xrealloc(c->v, 2 * (c->n + 1), sizeof(*c->v));
		c->v[c->n++] = k;
	}
	for (c->hash_size = 64; c->hash_size < 2 * c->n; c->hash_size *= 2)
		;
	c->hash = xcalloc(c->hash_size, sizeof(*c->hash));
	for (size_t i = 0; i < c->n; i++)
		*slot_of(c, c->v[i].path, strlen(c->v[i].path)) = (uint32_t)i + 1;
	return 0;
}

static int open_list(struct compare *c, int fd, struct err *e)
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return err_sys(e, "the list of the image's files");
	c->text = xcalloc((size_t)st.st_size + 1, 1);
	while (c->size < (size_t)st.st_size) {
		n = pread(fd, c->text + c->size, (size_t)st.st_size - c->size, (off_t)c->size);
		if (n <= 0)
			return bad_list(e);
		c->size += (size_t)n;
	}
	return read_rows(c, e);
}

/* Something was changed in these directories: all parents of the path count as modified. */
static void touch_parents(struct compare *c, const char *path)
{
	for (size_t n = strlen(path); n > 0; n--) {
		struct known *k = path[n - 1] == '/' && n > 1 ? find(c, path, n - 1) : NULL;

		if (k && k->below)
			return;
		if (k)
			k->below = true;
	}
}

static bool is_ours(const struct compare *c, const char *path)
{
	return c->ours && str_eq(path, c->ours);
}

static bool holds_ours(const struct compare *c, const char *path)
{
	size_t n = strlen(path);

	return c->ours && strncmp(c->ours, path, n) == 0 && c->ours[n] == '/' &&
	       !strchr(c->ours + n + 1, '/');
}

static int look_at(void *context, const char *path, const struct stat *st, struct err *e)
{
	struct compare *c = context;
	struct known *k = find(c, path, strlen(path));
	struct row now = row_of(st);

	if (!k && is_ours(c, path))
		return 0;
	if (!k) {
		touch_parents(c, path);
		return c->tell(c->context, CHANGE_ADDED, path, e);
	}
	k->seen = true;
	if (memcmp(&now, &k->row, sizeof(now)) == 0)
		return 0;
	if (S_ISDIR(st->st_mode) && now.mode == k->row.mode && holds_ours(c, path))
		return 0;
	k->changed = true;
	touch_parents(c, path);
	k->row.mode = now.mode;
	return 0;
}

static int tell_known(struct compare *c, struct err *e)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct known *k = &c->v[i];
		size_t len = strlen(k->path);

		if (k->seen && S_ISDIR(k->row.mode))
			continue;
		if (!k->seen) {
			touch_parents(c, k->path);
			if (c->tell(c->context, CHANGE_DELETED, k->path, e) < 0)
				return -1;
		}
		/* skips what was below a directory that is gone or is no directory any more */
		while (i + 1 < c->n && strncmp(c->v[i + 1].path, k->path, len) == 0 &&
			c->v[i + 1].path[len] == '/')
			i++;
	}
	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].seen && (c->v[i].changed || c->v[i].below) &&
			c->tell(c->context, CHANGE_MODIFIED, c->v[i].path, e) < 0)
			return -1;
	return 0;
}

int census_compare(int dir, int was, const char *ours, census_tell *tell, void *context, struct err *e)
{
	auto_compare struct compare c = {.ours = ours, .tell = tell, .context = context};
	struct walk w = {.visit = look_at, .context = &c};

	if (open_list(&c, was, e) < 0 || walk_all(&w, dir, e) < 0)
		return -1;
	return tell_known(&c, e);
}
