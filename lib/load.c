/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"
#include "apart.h"
#include "load_parts.h"

#include "auto.h"
#include "expand.h"
#include "helper.h"
#include "image.h"
#include "sha256.h"
#include "spec.h"
#include "sys.h"
#include "tarfd.h"
#include "untar.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define MEMBERS_MAX 65536
#define JSON_TOTAL  (64u << 20) /* of all texts that are kept until the manifest is known */
#define NAMES_TOTAL (16u << 20) /* of all paths, each of which may be 4096 long */
#define PEEK        1024
/* How often a layer is asked for that another command has just stored, or looks at. */
#define HOLD_TRIES 200
#define HOLD_MS    5
/* The digest of no bytes, which is an empty archive, as its image's layer may be. */
#define NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static void member_done(const struct load *l, struct member *m)
{
	if (m->layer.temporary)
		image_layer_drop(l->s, m->layer.temporary);
	auto_close_(&m->file);
	free(m->layer.temporary);
	free(m->path);
	free(m->link);
	free(m->text);
	free(m->fault);
}

void load_done(struct load *l)
{
	for (size_t i = 0; i < l->n; i++)
		member_done(l, &l->v[i]);
	for (struct member *m = l->stored, *next; m; m = next) {
		next = m->next;
		member_done(l, m);
		free(m);
	}
	free(l->v);
	free(l->sorted);
	strv_done(&l->ids);
	free(l->platform);
}

/* ---- layers ---------------------------------------------------------------------------- */

static int bad_layer(struct member *m, const struct err *why)
{
	m->fault = xcalloc(1, sizeof(*why));
	*m->fault = *why;
	return 0;
}

/* Writes the rest of the entry to `to`; a reader that gives up reports the reason itself. */
static int pump(struct load *l, const char *head, size_t n_head, int to, struct err *e)
{
	auto_free char *chunk = xcalloc(256 << 10, 1);
	bool gone = sys_write_all(to, head, n_head) < 0;
	ssize_t n;

	while ((n = tar_read(l->r, chunk, 256 << 10, e)) > 0)
		if (!gone && sys_write_all(to, chunk, (size_t)n) < 0)
			gone = true;
	return n < 0 ? -1 : 0;
}

static int make_layer(struct load *l, const char *head, size_t n, struct member *m, struct err *e)
{
	const char *words[] = {"layer", NULL};
	auto_close int from = -1, to = -1, mine = -1, its = -1;
	auto_json json_t *answer = NULL;
	struct err why = {0};
	int result;
	pid_t pid;

	m->file = image_layer_begin(l->s, &m->layer.temporary, e);
	if (m->file < 0)
		return -1;
	if (sys_pipe(&from, &to) < 0)
		return err_sys(e, "pipe");
	if (sys_pipe(&mine, &its) < 0)
		return err_sys(e, "pipe");
	pid = helper_start(words, from, its, m->file, NULL, e);
	if (pid < 0)
		return -1;
	(void)close(take_fd(&from)); /* the helper has them */
	(void)close(take_fd(&its));
	result = pump(l, head, n, to, e);
	(void)close(take_fd(&to)); /* its end is the end of the layer */
	answer = helper_answer(mine);
	if (helper_end(pid, answer, &why) < 0 && result == 0 && why.kind == ERR_CORRUPT)
		return bad_layer(m, &why);
	if (result == 0 && why.kind != ERR_NONE) {
		*e = why;
		return err_ctx(e, "%s", m->path);
	}
	if (result < 0)
		return -1;
	return helper_layer(answer, m->layer.diff_id, &m->layer.size, e);
}

/* A blob named by the digest of a layer that the store has: only checks that its content has that digest. */
static int check_layer(struct load *l, const char *head, size_t n_head, struct member *m, struct err *e)
{
	auto_free char *chunk = xcalloc(256 << 10, 1);
	struct sha256 sum;
	char hex[SHA256_HEX + 1];
	ssize_t n;

	sha256_init(&sum);
	sha256_add(&sum, head, n_head);
	while ((n = tar_read(l->r, chunk, 256 << 10, e)) > 0)
		sha256_add(&sum, chunk, (size_t)n);
	if (n < 0)
		return -1;
	sha256_end_hex(&sum, hex);
	if (str_eq(hex, m->layer.diff_id))
		return 0;
	(void)err_set(e, ERR_CORRUPT, "%s does not have the digest of its name", m->path);
	return bad_layer(m, e);
}

static int add_layer(struct load *l, const char *head, size_t n, struct member *m, struct err *e)
{
	const char *slash = strrchr(m->path, '/'), *name = slash ? slash + 1 : m->path;

	m->is_layer = true;
	if (!str_is_hex(name, SHA256_HEX) || !image_layer_known(l->s, name, &m->layer.size))
		return make_layer(l, head, n, m, e);
	memcpy(m->layer.diff_id, name, SHA256_HEX + 1);
	m->file = image_layer_hold(l->s, &m->layer);
	return m->file < 0 && (errno == ENOENT || errno == EWOULDBLOCK)
	               ? make_layer(l, head, n, m, e)
	               : check_layer(l, head, n, m, e);
}

struct member *load_stored(struct load *l, const char *diff_id)
{
	const char *hex = str_starts(diff_id, "sha256:") ? diff_id + 7 : "";
	struct member *m = l->stored;
	int64_t size;

	while (m && !str_eq(m->layer.diff_id, hex))
		m = m->next;
	if (m || !str_is_hex(hex, SHA256_HEX) || !image_layer_known(l->s, hex, &size))
		return m;
	m = xcalloc(1, sizeof(*m));
	m->is_layer = true;
	m->layer.size = size;
	memcpy(m->layer.diff_id, hex, SHA256_HEX + 1);
	m->file = image_layer_hold(l->s, &m->layer);
	for (int tries = 0; m->file < 0 && errno == EWOULDBLOCK && tries < HOLD_TRIES; tries++) {
		(void)poll(NULL, 0, HOLD_MS); /* woken early it asks early */
		m->file = image_layer_hold(l->s, &m->layer);
	}
	if (m->file < 0) { /* it was removed just now */
		free(m);
		return NULL;
	}
	m->next = l->stored;
	l->stored = m;
	return m;
}

/* By its sum, which no text has by chance: a name in a header, which is at its start, may begin as JSON does. */
static bool is_tar(const char *head, size_t n)
{
	struct tar_peek unused;

	return n >= TAR_BLOCK && tar_peek((const unsigned char *)head, &unused);
}

static bool looks_like_layer(const char *path, const char *head, size_t n)
{
	static const char *const magics[] = {"\x1f\x8b", "BZh", "\3757zXZ", "\x28\xb5\x2f\xfd"};

	for (size_t i = 0; i < ARRAY_LEN(magics); i++)
		if (n >= strlen(magics[i]) && memcmp(head, magics[i], strlen(magics[i])) == 0)
			return true;
	return (n > 262 && memcmp(head + 257, "ustar", 5) == 0) || str_ends(path, ".tar") ||
	       (n == PEEK && head[0] == 0) /* a tar without entries */ ||
	       (n == 0 && str_ends(path, NOTHING));
}

/* ---- the archive ----------------------------------------------------------------------- */

static ssize_t peek(struct load *l, char *head, struct err *e)
{
	size_t n = 0;
	ssize_t got;

	while (n < PEEK && (got = tar_read(l->r, head + n, PEEK - n, e)) != 0) {
		if (got < 0)
			return -1;
		n += (size_t)got;
	}
	return (ssize_t)n;
}

static int add_text(
	struct load *l, const char *head, size_t n, int64_t size, struct member *m, struct err *e)
{
	ssize_t got;

	if (size > IMAGE_CONFIG_MAX || (size_t)size > JSON_TOTAL - l->texts) {
		m->too_large = size; /* a list of what is in an image, as builders add */
		return 0;
	}
	l->texts += (size_t)size;
	m->text = xcalloc((size_t)size + 1, 1);
	memcpy(m->text, head, n);
	m->size = n;
	while ((got = tar_read(l->r, m->text + m->size, (size_t)size - m->size, e)) > 0)
		m->size += (size_t)got;
	return got < 0 ? -1 : 0;
}

static struct member *new_member(struct load *l, const char *path)
{
	struct member *m;

	if ((l->n & (l->n + 1)) == 0)
		l->v = xrealloc(l->v, 2 * (l->n + 1), sizeof(*l->v));
	m = &l->v[l->n++];
	*m = (struct member){.path = xstrdup(path), .file = -1};
	return m;
}

static int check_names(struct load *l, const char *name, struct err *e)
{
	l->names += strlen(name);
	return l->names <= NAMES_TOTAL
	               ? 0
	               : err_set(e, ERR_CORRUPT, "more than %u bytes of names", NAMES_TOTAL);
}

/* What a link leads to, as a path of the archive: hard ones name it from its root on. */
static int add_link(struct load *l, const struct tar_entry *t, const char *path, struct member *m,
	struct err *e)
{
	const char *slash = t->type == TAR_LINK ? strrchr(path, '/') : NULL;
	auto_free char *whole = xasprintf("%.*s/%s", slash ? (int)(slash - path) : 0, path, t->link);
	char clean[PATH_MAX];

	if (!untar_clean(whole, clean, sizeof(clean)))
		return err_set(e, ERR_CORRUPT, "\"%.200s\" leads outside of the archive", t->path);
	if (check_names(l, clean, e) < 0)
		return -1;
	m->link = xstrdup(clean);
	return 0;
}

int load_entry(struct load *l, const struct tar_entry *t, struct member **out, struct err *e)
{
	char path[PATH_MAX];
	struct member *m;

	if (!untar_clean(t->path, path, sizeof(path)))
		return err_set(e, ERR_CORRUPT, "\"%.200s\" is outside of the archive", t->path);
	if ((t->type != TAR_FILE && t->type != TAR_LINK && t->type != TAR_HARD) || !*path)
		return 0;
	if (l->n >= MEMBERS_MAX)
		return err_set(e, ERR_CORRUPT, "more than %d files", MEMBERS_MAX);
	if (check_names(l, path, e) < 0)
		return -1;
	m = new_member(l, path);
	if (t->type != TAR_FILE)
		return add_link(l, t, path, m, e);
	if (t->sparse) /* what claims to be larger than there is time */
		return err_set(e, ERR_UNSUPPORTED, "%s is a sparse file", path);
	*out = m;
	return 0;
}

static int add_member(struct load *l, const struct tar_entry *t, struct err *e)
{
	struct member *m = NULL;
	char head[PEEK];
	ssize_t n;

	if (load_entry(l, t, &m, e) < 0)
		return -1;
	if (!m)
		return 0;
	n = peek(l, head, e);
	if (n < 0)
		return -1;
	if (is_tar(head, (size_t)n))
		return add_layer(l, head, (size_t)n, m, e);
	if (n > 0 && (head[0] == '{' || head[0] == '['))
		return add_text(l, head, (size_t)n, t->size, m, e);
	if (looks_like_layer(m->path, head, (size_t)n))
		return add_layer(l, head, (size_t)n, m, e);
	return add_text(l, head, (size_t)n, n, m, e); /* enough to tell what it is not */
}

static int read_members(struct load *l, struct err *e)
{
	for (;;) {
		auto_tar_entry struct tar_entry t = {0};
		int more = tar_next(l->r, &t, e);

		if (more <= 0)
			return more;
		if (add_member(l, &t, e) < 0)
			return -1;
	}
}

static uint64_t size_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

struct load_work {
	const struct store *s;
	int in;
	const char *platform;
	struct meter *meter;
};

static int load_here(const struct load_work *w, struct strv *report, struct err *e)
{
	auto_expand struct expand x = EXPAND_NONE;
	auto_tarfd struct tarfd f = tarfd_open(w->in);
	auto_tar_reader struct tar_reader r = {.source = tarfd_read, .context = &f};
	auto_load struct load l = {.s = w->s, .r = &r, .report = report};
	int result;

	if (w->platform && *w->platform && !(l.platform = spec_platform_text(w->platform, e)))
		return -1;
	if (expand_open(w->s, w->in, &x, e) < 0)
		return -1;
	f.fd = x.fd;
	f.meter = w->meter;
	tarfd_unread(&f, x.head, x.n_head);
	meter_expect(w->meter, x.pid > 0 ? 0 : size_of(w->in)); /* the size of compressed data is not known */
	result = read_members(&l, e);
	if (result == 0)
		result = tar_drain(&r, e);
	result = expand_end(&x, result, e);
	return result < 0 ? -1 : load_list(&l, e);
}

static int load_apart(void *arg, struct buf *answer, struct err *e)
{
	const struct load_work *w = arg;
	auto_strv struct strv report = {0};
	int result;

	sys_raise_limit(RLIMIT_NOFILE); /* each layer's file is open until its image is stored */
	result = load_here(w, &report, e);
	for (size_t i = 0; i < report.n; i++)
		buf_add(answer, report.v[i], strlen(report.v[i]) + 1);
	return result;
}

int load_images(const struct store *s, int in, const char *platform, struct meter *meter,
	struct strv *report, struct err *e)
{
	struct load_work w = {s, in, platform, meter};
	auto_buf struct buf answer = {0};

	int result = apart(s, load_apart, &w, &answer, e);

	for (size_t at = 0; at < answer.len; at += strlen(answer.s + at) + 1)
		strv_add(report, answer.s + at);
	return result < 0 ? store_room_ctx(s, e) : 0;
}
