/* SPDX-License-Identifier: Apache-2.0 */
#include "volume_parts.h"

#include "auto.h"
#include "copy.h"
#include "event.h"
#include "parse.h"
#include "state.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define TRIES 100

/* Whether the user's word can be a single component of our paths. */
static bool name_ok(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

	return n > 1 && name[n] == '\0' && !strchr("_.-", name[0]);
}

static int check_name(const char *name, struct err *e)
{
	if (strlen(name) == 1)
		return err_set(e, ERR_USAGE,
			"create %s: volume name is too short, names should be at least two alphanumeric "
			"characters",
			name);
	if (!name_ok(name))
		return err_set(e, ERR_USAGE,
			"create %s: %s includes invalid characters for a local volume name, only "
			"\"[a-zA-Z0-9][a-zA-Z0-9_.-]\" are allowed. If you intended to pass a host directory, "
			"use absolute path",
			name, QUOTED(name));
	return 0;
}

static void tell(const struct store *s, const char *action, const char *name)
{
	auto_json json_t *attributes = json_pack("{s:s}", "driver", "local");

	event_emit(s, "volume", action, name, attributes);
}

/* meta: the content of a new volume's meta.json, or NULL. */
static int make_volume(const struct store *s, const char *name, const json_t *meta, struct err *e)
{
	auto_close int all = store_dir(s, "volumes", e);
	bool new;

	if (all < 0)
		return -1;
	if (check_name(name, e) < 0)
		return -1;
	if (volume_dir_make(s, all, name, meta, &new, e) < 0)
		return -1;
	if (new)
		tell(s, "create", name);
	return 0;
}

/* If another process removes it in between it is made again. */
static int make_and_find(const struct store *s, const char *name, const json_t *meta,
	struct volume *out, struct err *e)
{
	for (int i = 0; i < TRIES; i++) {
		err_clear(e);
		if (make_volume(s, name, meta, e) < 0)
			return -1;
		if (volume_find(s, name, out, e) == 0)
			return 0;
		if (e->kind != ERR_NOT_FOUND)
			return -1;
	}
	return -1;
}

static int make_with(const struct store *s, const char *name, const struct strv *labels,
	const struct strv *options, struct volume *out, struct err *e)
{
	auto_json json_t *meta = NULL;

	if (labels->n || options->n)
		meta = json_pack("{s:o, s:o}", "labels", json_from_strv(labels), "options",
			json_from_strv(options));
	return make_and_find(s, name, meta, out, e);
}

/* A link that leads nowhere is there as well, and keeps a directory from being made. */
static bool leads_nowhere(const char *path)
{
	struct stat st;

	if (stat(path, &st) == 0)
		return false;
	errno = EEXIST;
	return true;
}

static int make_directories(const char *path, struct err *e)
{
	auto_free char *dir = xstrdup(path);

	for (char *s = dir + 1;; s++) {
		char end = *s;

		if (end != '/' && end != '\0')
			continue;
		*s = '\0';
		if (mkdir(dir, 0755) < 0 && (errno != EEXIST || leads_nowhere(dir)))
			return err_go(e, "error while creating mount source path '%s': mkdir %s",
				path, dir);
		if (!end)
			return 0;
		*s = end;
	}
}

static bool missing(const struct spec_mount *m)
{
	struct stat st;

	return stat(m->src, &st) < 0 && errno == ENOENT;
}

int volume_check_binds(const struct spec *spec, struct err *e)
{
	for (size_t i = 0; i < spec->n_mounts; i++) {
		const struct spec_mount *m = &spec->mounts[i];

		if (m->kind == MOUNT_BIND && !m->create_src && missing(m))
			return err_set(e, ERR_USAGE,
				"invalid mount config for type \"bind\": bind source path does not exist: %s",
				m->src);
	}
	return 0;
}

/* If something on the path is not a directory, docker leaves the error to its runtime. */
static int make_source(const struct spec_mount *m, struct err *e)
{
	struct stat st;

	return !m->create_src || stat(m->src, &st) == 0 || errno == ENOTDIR
	               ? 0
	               : make_directories(m->src, e);
}

static bool mounted(const struct spec *spec, const char *dst)
{
	for (size_t i = 0; i < spec->n_mounts; i++)
		if (strcmp(spec->mounts[i].dst, dst) == 0)
			return true;
	return false;
}

static int give_name(struct spec_mount *m, struct err *e)
{
	id_text made_up;

	if (m->src && *m->src)
		return 0;
	if (id_random(made_up, e) < 0)
		return -1;
	free(m->src);
	m->src = xstrdup(made_up);
	m->unnamed = true;
	return 0;
}

int volume_prepare(struct spec *spec, struct err *e)
{
	for (size_t i = 0; i < spec->volumes.n; i++) {
		struct spec_mount *m;
		auto_free char *dst = parse_target_in(spec->volumes.v[i]);

		if (mounted(spec, dst))
			continue;
		m = spec_add_mount(spec);
		m->kind = MOUNT_VOLUME;
		m->of_volumes = true;
		m->src = xstrdup("");
		m->said_dst = *spec->volumes.v[i] == '/' ? NULL : parse_clean_path(spec->volumes.v[i]);
		m->dst = take(dst);
		m->why = xasprintf("--volume %s", m->dst);
	}
	if (volume_check_binds(spec, e) < 0)
		return -1;
	for (size_t i = 0; i < spec->n_mounts; i++) {
		struct spec_mount *m = &spec->mounts[i];

		if (m->kind == MOUNT_VOLUME && give_name(m, e) < 0)
			return -1;
	}
	return 0;
}

/* Whether the user asked for something else at this target. A mount from an earlier --volumes-from is replaced by a
 * later one; a --tmpfs covers it at the start. */
static bool stays_away(struct spec *spec, const struct spec_mount *from)
{
	for (size_t i = 0; i < spec->n_mounts; i++) {
		struct spec_mount *m = &spec->mounts[i];

		if (strcmp(m->dst, from->dst) != 0 || m->tmpfs_options)
			continue;
		if (!m->taken_over)
			return true;
		spec_mount_done(m);
		*m = spec->mounts[--spec->n_mounts];
		return false;
	}
	return false;
}

void volume_from(struct spec *spec, const struct spec *other, bool read_only)
{
	for (size_t i = 0; i < other->n_mounts; i++) {
		const struct spec_mount *from = &other->mounts[i];
		struct spec_mount *m;

		if (from->kind == MOUNT_TMPFS || from->kind == MOUNT_IMAGE || stays_away(spec, from))
			continue;
		m = spec_add_mount(spec);
		m->taken_over = true;
		m->kind = from->kind;
		m->src = xstrdup(from->src);
		m->dst = xstrdup(from->dst);
		m->said_src = from->said_src ? xstrdup(from->said_src) : NULL;
		m->said_dst = from->said_dst ? xstrdup(from->said_dst) : NULL;
		m->read_only = from->read_only || read_only;
		m->nocopy = from->kind == MOUNT_VOLUME; /* it has what the other's image has there */
		m->create_src = from->create_src;
		m->unnamed = from->unnamed;
		m->subpath = from->subpath ? xstrdup(from->subpath) : NULL;
		m->propagation = from->propagation ? xstrdup(from->propagation) : NULL;
		m->why = xasprintf("--volumes-from: %s", from->why ? from->why : from->dst);
	}
}

int volume_resolve(const struct store *s, struct spec *spec, struct err *e)
{
	for (size_t i = 0; i < spec->n_mounts; i++) {
		struct spec_mount *m = &spec->mounts[i];
		auto_volume struct volume v = {0};

		if (m->kind == MOUNT_BIND && make_source(m, e) < 0)
			return -1;
		if (m->kind != MOUNT_VOLUME)
			continue;
		/* If it was removed meanwhile it is made again, as docker does. */
		if (make_and_find(s, m->src, NULL, &v, e) < 0)
			return -1;
		free(m->volume);
		m->volume = m->src;
		m->src = xstrdup(v.path);
		if (volume_mount(&v, m, e) < 0)
			return -1;
		m->own_data = str_eq(m->src, v.path);
	}
	return 0;
}

static bool may_be_new(const struct store *s, const struct spec_mount *m, struct volume *v)
{
	auto_close int dir = -1;
	struct err later; /* when it is mounted */

	if (m->kind != MOUNT_VOLUME || m->nocopy || m->subpath || strcmp(m->dst, "/") == 0 ||
		volume_find(s, m->src, v, &later) < 0)
		return false;
	dir = open(v->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return dir >= 0 && copy_is_empty(dir) == 1; /* even if its options name another place */
}

bool volume_any_new(const struct store *s, const struct spec *spec)
{
	for (size_t i = 0; i < spec->n_mounts; i++) {
		auto_volume struct volume v = {0};

		if (may_be_new(s, &spec->mounts[i], &v))
			return true;
	}
	return false;
}

void volume_keep_new(const struct store *s, struct spec *spec)
{
	size_t n = 0;

	for (size_t i = 0; i < spec->n_mounts; i++) {
		struct spec_mount *m = &spec->mounts[i];
		auto_volume struct volume v = {0};
		bool keep = may_be_new(s, m, &v);
		struct err later; /* likewise */

		if (keep) {
			free(m->src);
			m->src = xstrdup(v.path);
			keep = volume_mount(&v, m, &later) == 0 && !m->tmpfs_volume;
			m->own_data = str_eq(m->src, v.path);
		}
		if (keep)
			spec->mounts[n++] = *m;
		else
			spec_mount_done(m);
	}
	spec->n_mounts = n;
}

static int in_use(const char *name, const json_t *ids, struct err *e)
{
	auto_buf struct buf b = {0};
	json_t *id;
	size_t i;

	json_array_foreach(ids, i, id)
	{
		buf_printf(&b, "%s%s", i ? ", " : "", json_string_value(id));
	}
	return err_set(e, ERR_CONFLICT, "remove %s: volume is in use - [%s]", name, b.s);
}

/* Containers may have come since the uses were looked up. */
static int still_unused(const struct store *s, const char *name, const void *arg, struct err *e)
{
	const json_t *before = arg;
	auto_json json_t *uses = NULL;

	if (volume_uses_hold(s, before))
		return 0;
	uses = volume_uses_now(s, e);
	if (!uses)
		return -1;
	return volume_users(uses, name) ? in_use(name, volume_users(uses, name), e) : 0;
}

/* uses: what was known before, if it matters who uses it; else NULL. */
static int remove_files(
	const struct store *s, int all, const char *name, const json_t *uses, struct err *e)
{
	int result = volume_dir_remove(s, all, name, uses ? still_unused : NULL, uses, e);

	if (result > 0)
		tell(s, "destroy", name);
	return result < 0 ? -1 : 0;
}

/* The name of an anonymous volume of a spec, stored or resolved; NULL: the mount is none. */
static const char *anonymous_name(const struct spec_mount *m)
{
	if (m->kind != MOUNT_VOLUME || !m->unnamed)
		return NULL;
	return m->volume ? m->volume : m->src;
}

int volume_remove_anonymous(const struct store *s, const char *id, const struct spec *spec, struct err *e)
{
	auto_json json_t *uses = NULL;

	for (size_t i = 0; i < spec->n_mounts; i++) {
		const char *name = anonymous_name(&spec->mounts[i]);
		auto_close int all = -1;

		if (!name)
			continue;
		if (!uses && !(uses = volume_uses(s, e)))
			return -1;
		if (volume_is_shared(uses, name, id))
			continue; /* another container has it by --volumes-from */
		all = store_dir(s, "volumes", e);
		if (all < 0 || remove_files(s, all, name, NULL, e) < 0)
			return -1;
	}
	return 0;
}

bool volume_any_anonymous(const struct spec *spec)
{
	for (size_t i = 0; i < spec->n_mounts; i++)
		if (anonymous_name(&spec->mounts[i]))
			return true;
	return false;
}

void volume_remove_unused(const struct store *s, const struct spec *spec, const json_t *uses)
{
	struct err e;
	auto_close int all = store_dir(s, "volumes", &e);

	for (size_t i = 0; all >= 0 && i < spec->n_mounts; i++) {
		const char *name = anonymous_name(&spec->mounts[i]);

		if (name && name_ok(name) &&
			!volume_users(uses, name)) /* else another container has it by --volumes-from */
			(void)remove_files(s, all, name, uses, &e); /* see the header */
	}
}

int volume_retire_container(const struct store *s, const struct state *st, const struct spec *spec,
	int how, int *dir, struct err *e)
{
	if (!spec || !volume_any_anonymous(spec))
		return state_retire(s, st, how, dir, e);
	if (state_retire(s, st, how | RETIRE_VOLUMES, dir, e) < 0 ||
		volume_remove_anonymous(s, st->id, spec, e) < 0)
		return -1;
	state_volumes_gone(s, st->id);
	return 0;
}

int volume_remove_container(const struct store *s, const struct state *st, const struct spec *spec,
	int how, struct err *e)
{
	auto_close int dir = -1;

	return volume_retire_container(s, st, spec, how, &dir, e) < 0 ? -1
	                                                              : state_remove_rest(s, st, e);
}

/* ---- the command's side ---------------------------------------------------------------- */

void volume_done(struct volume *v)
{
	free(v->name);
	free(v->path);
	strv_done(&v->labels);
	strv_done(&v->options);
	*v = (struct volume){0};
}

void volume_list_free(struct volume *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		volume_done(&list[i]);
	free(list);
}

static int no_such(const char *name, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "get %s: no such volume", name);
}

/* Each key once, with a value, in whatever way labels are stored. */
static void read_labels(const json_t *meta, struct volume *v)
{
	auto_strv struct strv labels = {0};

	json_strv(json_object_get(meta, "labels"), &labels);
	for (size_t i = 0; i < labels.n; i++) {
		auto_free char *kv = xasprintf("%s%s", labels.v[i], strchr(labels.v[i], '=') ? "" : "=");

		strv_add(&v->labels, kv);
	}
	strv_env_settle(&v->labels);
	if (!meta && str_is_hex(v->name, ID_LEN))
		strv_add(&v->labels, VOLUME_ANONYMOUS "=");
}

char *volume_path(const struct store *s, const char *name)
{
	return xasprintf("%s/volumes/%s/_data", s->root_path, name);
}

int volume_find(const struct store *s, const char *what, struct volume *out, struct err *e)
{
	auto_free char *name = parse_object_name(what, e);
	auto_close int all = store_dir(s, "volumes", e);
	auto_volume struct volume v = {0};
	auto_json json_t *meta = NULL;
	auto_close int one = -1;
	struct stat st;

	if (!name || all < 0)
		return -1;
	one = name_ok(name) ? openat(all, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (one < 0 && name_ok(name) && errno != ENOENT && errno != ENOTDIR && errno != ELOOP &&
		errno != ENAMETOOLONG)
		return err_sys(e, "get %s", name);
	if (one < 0)
		return no_such(name, e);
	if (fstat(one, &st) < 0)
		return err_sys(e, "get %s", name);
	v.name = xstrdup(name);
	v.created = st.st_mtim;
	if (faccessat(one, "meta.json", F_OK, 0) < 0) {
		if (errno != ENOENT)
			return err_sys(e, "get %s", name);
	} else {
		meta = json_read_at(one, "meta.json", JSON_STORED_MAX, e);
		if (!meta && e->sys == ENOENT) /* it is being removed */
			return no_such(name, e);
		if (!meta)
			return err_ctx(e, "volume %s", name);
		json_strv(json_object_get(meta, "options"), &v.options);
	}
	read_labels(meta, &v);
	v.path = volume_path(s, name);
	*out = v;
	v = (struct volume){0};
	return 0;
}

/* An existing volume keeps its options, whatever is asked for now. */
static int check_new(const struct store *s, const char *name, const struct strv *options, struct err *e)
{
	auto_volume struct volume v = {0};

	if (!options->n || volume_find(s, name, &v, e) == 0)
		return 0;
	if (check_name(name, e) < 0)
		return -1;
	return volume_check_options(options, e) < 0 ? err_ctx(e, "create %s", name) : 0;
}

static int create(const struct store *s, const char *name, bool unnamed, const char *driver,
	const struct strv *labels, const struct strv *options, struct volume *out, struct err *e)
{
	auto_strv struct strv of_unnamed = {0};

	if (unnamed && (labels->n || options->n)) {
		strv_copy(&of_unnamed, labels);
		strv_env_set(&of_unnamed, VOLUME_ANONYMOUS "=");
		labels = &of_unnamed;
	}
	if (driver && *driver && !str_eq(driver, "local"))
		return err_set(e, ERR_NOT_FOUND,
			"create %s: error looking up volume plugin %s: plugin %s not found", name,
			driver, QUOTED(driver));
	return check_new(s, name, options, e) < 0 ? -1 : make_with(s, name, labels, options, out, e);
}

int volume_make(const struct store *s, const struct spec *spec, struct err *e)
{
	for (size_t i = 0; i < spec->n_mounts; i++) {
		const struct spec_mount *m = &spec->mounts[i];
		const char *driver = spec->volume_driver && *spec->volume_driver ? spec->volume_driver
		                                                                 : m->driver;
		auto_volume struct volume v = {0};

		if (m->kind == MOUNT_VOLUME && create(s, m->src, anonymous_name(m) != NULL, driver,
						       &m->labels, &m->options, &v, e) < 0)
			return -1;
	}
	return 0;
}

int volume_create(const struct store *s, const char *name, const char *driver,
	const struct strv *labels, const struct strv *options, struct volume *out, struct err *e)
{
	bool unnamed = !name || !*name;
	id_text made_up;

	if (unnamed && id_random(made_up, e) < 0)
		return -1;
	return create(s, unnamed ? made_up : name, unnamed, driver, labels, options, out, e);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct volume *)a)->name, ((const struct volume *)b)->name);
}

int volume_list_all(
	const struct store *s, struct volume **out, size_t *n, struct strv *unread, struct err *e)
{
	auto_close int all = openat(s->root, "volumes", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	auto_strv struct strv names = {0};
	struct volume *list = NULL;
	size_t found = 0;

	if (all < 0 && errno != ENOENT)
		return err_sys(e, "open directory %s/volumes", s->root_path);
	if (all >= 0 && sys_names(all, &names) < 0)
		return err_sys(e, "list the volumes");
	list = xcalloc(names.n + 1, sizeof(*list));
	for (size_t i = 0; i < names.n; i++) {
		if (names.v[i][0] == '.')
			continue;
		if (volume_find(s, names.v[i], &list[found], e) == 0) {
			found++;
		} else if (e->kind == ERR_NOT_FOUND) {
			continue; /* removed meanwhile, or none of ours */
		} else if (unread) {
			strv_add(unread, e->text);
		} else {
			volume_list_free(list, found);
			return -1;
		}
	}
	if (found)
		qsort(list, found, sizeof(*list), by_name);
	*out = list;
	*n = found;
	return 0;
}

int volume_remove(const struct store *s, const char *name, const json_t *uses, struct err *e)
{
	auto_free char *clean = parse_object_name(name, e);
	auto_volume struct volume v = {0};
	auto_close int all = -1;
	auto_json json_t *found = NULL;

	/* what its meta.json fails to say does not matter any more */
	if (!clean || (volume_find(s, clean, &v, e) < 0 && e->kind != ERR_CORRUPT))
		return -1;
	if (!uses)
		uses = found = volume_uses(s, e);
	if (!uses)
		return -1;
	if (volume_users(uses, clean))
		return in_use(clean, volume_users(uses, clean), e);
	all = store_dir(s, "volumes", e);
	return all < 0 ? -1 : remove_files(s, all, clean, uses, e);
}
