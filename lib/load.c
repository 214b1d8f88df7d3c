/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"
#include "apart.h"
#include "load_parts.h"

#include "auto.h"
#include "event.h"
#include "expand.h"
#include "helper.h"
#include "image.h"
#include "manifest.h"
#include "ref.h"
#include "sha256.h"
#include "sys.h"
#include "tarfd.h"
#include "untar.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define MEMBERS_MAX 65536
#define JSON_TOTAL  (64u << 20) /* of all texts that are kept until the manifest is known */
#define PEEK        1024

static void load_done(struct load *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct member *m = &l->v[i];

		if (m->layer.temporary)
			image_layer_drop(l->s, m->layer.temporary);
		auto_close_(&m->file);
		free(m->layer.temporary);
		free(m->path);
		free(m->link);
		free(m->text);
		free(m->fault);
	}
	free(l->v);
	strv_done(&l->ids);
}
#define auto_load __attribute__((cleanup(load_done)))

/* ---- layers ---------------------------------------------------------------------------- */

static int bad_layer(struct member *m, const struct err *why)
{
	m->fault = xcalloc(1, sizeof(*why));
	*m->fault = *why;
	return 0;
}

/* The rest of the entry to `to`; a reader who gave up tells why himself. */
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

/* A blob whose name is the digest of a layer we have: its content must have that digest, and no more is done. */
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
	return check_layer(l, head, n, m, e);
}

static bool looks_like_layer(const char *path, const char *head, size_t n)
{
	static const char *const magics[] = {"\x1f\x8b", "BZh",
		"\xfd"
		"7zXZ",
		"\x28\xb5\x2f\xfd"};

	for (size_t i = 0; i < ARRAY_LEN(magics); i++)
		if (n >= strlen(magics[i]) && memcmp(head, magics[i], strlen(magics[i])) == 0)
			return true;
	return (n > 262 && memcmp(head + 257, "ustar", 5) == 0) || str_ends(path, ".tar") ||
	       (n == PEEK && head[0] == 0); /* a tar without entries */
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

	if (size > IMAGE_CONFIG_MAX || (l->texts += (size_t)size) > JSON_TOTAL)
		return err_set(e, ERR_CORRUPT, "%s: %lld bytes of JSON", m->path, (long long)size);
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

static int add_member(struct load *l, const struct tar_entry *t, struct err *e)
{
	char path[PATH_MAX], head[PEEK];
	struct member *m;
	ssize_t n;

	if (!untar_clean(t->path, path, sizeof(path)))
		return err_set(e, ERR_CORRUPT, "\"%.200s\" is outside of the archive", t->path);
	if ((t->type != TAR_FILE && t->type != TAR_LINK && t->type != TAR_HARD) || !*path)
		return 0;
	if (l->n >= MEMBERS_MAX)
		return err_set(e, ERR_CORRUPT, "more than %d files", MEMBERS_MAX);
	m = new_member(l, path);
	if (t->type != TAR_FILE) {
		const char *slash = t->type == TAR_LINK ? strrchr(path, '/') : NULL;
		auto_free char *whole =
			xasprintf("%.*s/%s", slash ? (int)(slash - path) : 0, path, t->link);

		if (!untar_clean(whole, path, sizeof(path)))
			return err_set(
				e, ERR_CORRUPT, "\"%.200s\" leads outside of the archive", t->path);
		m->link = xstrdup(path);
		return 0;
	}
	if (t->sparse) /* what claims to be larger than there is time */
		return err_set(e, ERR_UNSUPPORTED, "%s is a sparse file", path);
	n = peek(l, head, e);
	if (n < 0)
		return -1;
	if (n > 0 && (head[0] == '{' || head[0] == '['))
		return add_text(l, head, (size_t)n, t->size, m, e);
	if (looks_like_layer(path, head, (size_t)n))
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

struct member *load_find(struct load *l, const char *path)
{
	char clean[PATH_MAX];

	if (!path || !untar_clean(path, clean, sizeof(clean)))
		return NULL;
	for (int hops = 0; hops < 8; hops++) {
		struct member *m = NULL;

		for (size_t i = l->n; i-- > 0 && !m;)
			if (str_eq(l->v[i].path, clean))
				m = &l->v[i];
		if (!m || !m->link)
			return m;
		(void)snprintf(clean, sizeof(clean), "%s", m->link); /* was cleaned to that size */
	}
	return NULL;
}

/* ---- images ---------------------------------------------------------------------------- */

static bool has_tag(const char *name)
{
	const char *slash = strrchr(name, '/');

	return !strchr(name, '@') && strchr(slash ? slash : name, ':');
}

static int check_tag(const char *name, struct err *e)
{
	auto_free char *ref = ref_familiar(name, e);

	if (!ref)
		return -1;
	return has_tag(name) ? 0 : err_set(e, ERR_CORRUPT, "invalid tag \"%.200s\"", name);
}

static int tag(struct load *l, const char *id, const char *name, struct err *e)
{
	auto_free char *ref = ref_familiar(name, e);
	auto_image struct image old = {0};
	struct err unused;

	if (!ref)
		return -1;
	if (image_find_ref(l->s, ref, &old, &unused) == 0 && !str_eq(old.id, id))
		strv_addf(l->report,
			"The image %s already exists, renaming the old one with ID %s to empty string",
			ref, old.id);
	if (image_tag(l->s, id, ref, e) < 0)
		return -1;
	strv_addf(l->report, "Loaded image: %s", ref);
	return 0;
}

int load_add(struct load *l, struct member *config, struct member **layers, size_t n,
	const struct strv *names, struct err *e)
{
	auto_free struct image_layer *all = xcalloc(n + 1, sizeof(*all));
	auto_free char *id = NULL;

	for (size_t i = 0; i < n; i++) {
		if (layers[i]->fault) {
			*e = *layers[i]->fault;
			return -1;
		}
		all[i] = layers[i]->layer;
	}
	if (l->trying) {
		for (size_t i = 0; i < names->n; i++)
			if (check_tag(names->v[i], e) < 0)
				return -1;
		return image_check(config->text, config->size, all, n, e);
	}
	if (image_add(l->s, config->text, config->size, all, n, l->parent, &id, e) < 0)
		return -1;
	strv_addf(&l->ids, "Loaded image ID: %s", id);
	l->named = names->n > 0;
	for (size_t i = 0; i < names->n; i++)
		if (tag(l, id, names->v[i], e) < 0)
			return -1;
	event_image(l->s, "load", id, NULL);
	return 0;
}

int load_no_file(const char *path, struct err *e)
{
	errno = ENOENT;
	(void)err_go(e, "open %.200s", path ? path : "");
	e->kind = ERR_CORRUPT;
	return -1;
}

static int check_os(const struct member *config, struct err *e)
{
	auto_json json_t *j = json_loadb(config->text, config->size, 0, NULL);
	const char *os = json_str(j, "os", "");

	if (!*os || str_eq(os, "linux"))
		return 0;
	return err_set(e, ERR_CORRUPT, "cannot load %.100s image on linux", os);
}

static void name_image(struct member *config)
{
	if (!config || !config->text)
		return;
	memcpy(config->id, "sha256:", 7);
	sha256_hex(config->text, config->size, config->id + 7);
}

/* A step more than its parent has, and the same ones before. */
static bool may_follow(const struct member *child, const struct member *parent)
{
	auto_json json_t *a = json_loadb(child->text, child->size, 0, NULL);
	auto_json json_t *b = json_loadb(parent->text, parent->size, 0, NULL);
	const json_t *steps = json_object_get(a, "history"), *before = json_object_get(b, "history");
	size_t n = json_array_size(before);

	if (json_array_size(steps) == 0 && n == 0)
		return true;
	for (size_t i = 0; i < n; i++)
		if (!json_equal(json_array_get(steps, i), json_array_get(before, i)))
			return false;
	return json_array_size(steps) == n + 1;
}

/* Only of an image that is in the archive too; docker's history leads through it. */
static int find_parent(struct load *l, const struct member *config, const char *id, struct err *e)
{
	l->parent = NULL;
	for (size_t i = 0; *id && i < l->n; i++) {
		const struct member *m = &l->v[i];

		if (!str_eq(m->id, id) || str_eq(id, config->id))
			continue;
		if (!may_follow(config, m))
			return err_set(e, ERR_CORRUPT, "image %s is not a valid parent for %s",
				m->id, config->id);
		l->parent = m->id;
	}
	return 0;
}

/* {"Config", "RepoTags", "Layers", "Parent"}: paths of the archive, but the last is an id. */
static int load_docker(struct load *l, const json_t *image, struct err *e)
{
	const json_t *paths = json_object_get(image, "Layers");
	auto_free struct member **layers = xcalloc(json_array_size(paths) + 1, sizeof(struct member *));
	auto_strv struct strv names = {0};
	struct member *config = load_find(l, json_str(image, "Config", NULL));

	if (!config || !config->text)
		return load_no_file(json_str(image, "Config", NULL), e);
	if (check_os(config, e) < 0)
		return -1;
	if (find_parent(l, config, json_str(image, "Parent", ""), e) < 0)
		return -1;
	for (size_t i = 0; i < json_array_size(paths); i++) {
		const char *path = json_string_value(json_array_get(paths, i));

		layers[i] = load_find(l, path);
		if (!layers[i])
			return load_no_file(path, e);
		if (!layers[i]->is_layer)
			return err_set(e, ERR_CORRUPT, "archive/tar: invalid tar header");
	}
	json_strv(json_object_get(image, "RepoTags"), &names);
	return load_add(l, config, layers, json_array_size(paths), &names, e);
}

static int load_list(struct load *l, const struct member *m, struct err *e)
{
	auto_json json_t *list = manifest_read(m->text, m->size, e);

	for (size_t i = 0; i < json_array_size(list); i++)
		name_image(load_find(l, json_str(json_array_get(list, i), "Config", NULL)));
	for (size_t i = 0; i < json_array_size(list); i++)
		if (load_docker(l, json_array_get(list, i), e) < 0)
			return -1;
	return list ? 0 : -1;
}

static int load_each(struct load *l, struct err *e)
{
	struct member *m = load_find(l, "manifest.json"), *index = load_find(l, "index.json");
	auto_json json_t *j = NULL;

	if (m && m->text)
		return load_list(l, m, e);
	if (!index || !index->text)
		return err_set(e, ERR_CORRUPT, "invalid archive: does not contain a manifest.json");
	j = json_loadb(index->text, index->size, 0, NULL);
	return load_oci(l, j, e);
}

/* Of several images none is stored before all are known to be whole. */
static int load_all(struct load *l, struct err *e)
{
	int result;

	l->trying = true;
	if (load_each(l, e) < 0)
		return -1;
	l->trying = false;
	result = load_each(l, e);
	if (result == 0 && !l->named && l->ids.n == 0)
		strv_add(l->report, "");
	for (size_t i = 0; result == 0 && !l->named && i < l->ids.n; i++)
		strv_add(l->report, l->ids.v[i]);
	return result;
}

static uint64_t size_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

static int load_here(
	const struct store *s, int in, struct meter *meter, struct strv *report, struct err *e)
{
	auto_expand struct expand x = EXPAND_NONE;
	auto_tarfd struct tarfd f = tarfd_open(in);
	auto_tar_reader struct tar_reader r = {.source = tarfd_read, .context = &f};
	auto_load struct load l = {.s = s, .r = &r, .report = report};
	int result;

	if (expand_open(s, in, &x, e) < 0)
		return -1;
	f.fd = x.fd;
	f.meter = meter;
	tarfd_unread(&f, x.head, x.n_head);
	meter_expect(meter, x.pid > 0 ? 0 : size_of(in)); /* of what is compressed it is not known */
	result = read_members(&l, e);
	if (result == 0)
		result = tar_drain(&r, e);
	result = expand_end(&x, result, e);
	return result < 0 ? -1 : load_all(&l, e);
}

struct load_work {
	const struct store *s;
	int in;
	struct meter *meter;
};

static int load_apart(void *arg, struct buf *answer, struct err *e)
{
	const struct load_work *w = arg;
	auto_strv struct strv report = {0};
	int result;

	sys_raise_limit(RLIMIT_NOFILE); /* each layer's file is open until its image is stored */
	result = load_here(w->s, w->in, w->meter, &report, e);
	for (size_t i = 0; i < report.n; i++)
		buf_add(answer, report.v[i], strlen(report.v[i]) + 1);
	return result;
}

int load_images(const struct store *s, int in, struct meter *meter, struct strv *report, struct err *e)
{
	struct load_work w = {s, in, meter};
	auto_buf struct buf answer = {0};

	int result = apart(s, load_apart, &w, &answer, e);

	for (size_t at = 0; at < answer.len; at += strlen(answer.s + at) + 1)
		strv_add(report, answer.s + at);
	return result < 0 ? store_room_ctx(s, e) : 0;
}
