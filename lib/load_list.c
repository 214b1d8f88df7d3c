/* SPDX-License-Identifier: Apache-2.0 */
/* load_list: loads the images that an archive's manifest.json names, after its members were read. */
#include "load_parts.h"

#include "auto.h"
#include "event.h"
#include "manifest.h"
#include "ref.h"
#include "untar.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* The most bytes of texts to parse in all, and how often each text may be parsed: in a normal archive, which is gone
 * through twice, a config is named once or for each of its names. */
#define LOOK_BYTES (256u << 20)
#define LOOKS      32

static int by_path(const void *a, const void *b)
{
	const struct member *x = *(struct member *const *)a, *y = *(struct member *const *)b;
	int order = strcmp(x->path, y->path);

	return order ? order : (x < y) - (x > y);
}

static struct member *find(struct load *l, const char *path)
{
	size_t from = 0, to = l->n;

	if (!l->sorted) {
		l->sorted = xcalloc(l->n + 1, sizeof(struct member *));
		for (size_t i = 0; i < l->n; i++)
			l->sorted[i] = &l->v[i];
		qsort(l->sorted, l->n, sizeof(struct member *), by_path);
	}
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (strcmp(l->sorted[middle]->path, path) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from < l->n && str_eq(l->sorted[from]->path, path) ? l->sorted[from] : NULL;
}

struct member *load_find(struct load *l, const char *path)
{
	char clean[PATH_MAX];

	if (!path || !untar_clean(path, clean, sizeof(clean)))
		return NULL;
	for (int hops = 0; hops < 8; hops++) {
		struct member *m = find(l, clean);

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

/* The image that has the name, or NULL. */
static char *holder_of(const struct load *l, const char *ref)
{
	auto_image struct image old = {0};
	struct err unused;

	return image_find_ref(l->s, ref, &old, &unused) == 0 ? take(old.id) : NULL;
}

static void tell_name(struct load *l, const char *ref, const char *id, const char *had)
{
	if (had && !str_eq(had, id))
		strv_addf(l->report,
			"The image %s already exists, renaming the old one with ID %s to empty string",
			ref, had);
	strv_addf(l->report, "Loaded image: %s", ref);
}

static int tag(struct load *l, const char *id, const char *name, struct err *e)
{
	auto_free char *ref = ref_familiar(name, e), *had = ref ? holder_of(l, ref) : NULL;

	if (!ref || image_tag(l->s, id, ref, e) < 0)
		return -1;
	tell_name(l, ref, id, had);
	return 0;
}

bool load_wants(const struct load *l, const char *architecture)
{
	const char *wanted = l->platform;
	size_t n = strlen(architecture);

	if (!wanted)
		return true;
	if (!str_starts(wanted, "linux/"))
		return false;
	wanted += strlen("linux/");
	return !n || (str_starts(wanted, architecture) && (!wanted[n] || wanted[n] == '/'));
}

static bool is_wanted(const struct load *l, const struct member *config)
{
	auto_json json_t *j = l->platform ? image_config_load(config->text, config->size, NULL) : NULL;

	return load_wants(l, json_str(j, "architecture", ""));
}

int load_add(struct load *l, struct member *config, struct member **layers, size_t n,
	const struct strv *names, struct err *e)
{
	auto_free struct image_layer *all = xcalloc(n + 1, sizeof(*all));
	auto_free char *id = NULL, *first = NULL, *had = NULL;

	if (!is_wanted(l, config))
		return 0;
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
	if (names->n && !(first = ref_familiar(names->v[0], e)))
		return -1;
	had = first ? holder_of(l, first) : NULL;
	if (image_add(l->s, config->text, config->size, all, n, l->parent, first, &id, e) < 0)
		return -1;
	strv_addf(&l->ids, "Loaded image ID: %s", id);
	l->named = names->n > 0;
	if (first)
		tell_name(l, first, id, had);
	for (size_t i = 1; i < names->n; i++)
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

int load_no_text(const struct member *m, const char *path, struct err *e)
{
	if (!m || !m->too_large)
		return load_no_file(path, e);
	if (m->too_large <= IMAGE_CONFIG_MAX)
		return err_set(e, ERR_CORRUPT, "%s comes behind too many bytes of JSON", m->path);
	return err_set(e, ERR_CORRUPT, "%s: %lld bytes of JSON", m->path, (long long)m->too_large);
}

static int spend(struct load *l, uint64_t bytes, const struct member *m, struct err *e)
{
	l->read_again += bytes;
	if (l->read_again <= LOOK_BYTES || l->read_again / LOOKS <= l->texts)
		return 0;
	return err_set(e, ERR_CORRUPT, "%s is named too often", m->path);
}

int load_look_at(struct load *l, const struct member *m, struct err *e)
{
	return spend(l, m->size, m, e);
}

int load_check_os(const struct member *config, struct err *e)
{
	auto_json json_t *j = image_config_load(config->text, config->size, NULL);
	const char *os = json_str(j, "os", "");

	if (!*os || str_eq(os, "linux"))
		return 0;
	return err_set(e, ERR_CORRUPT, "cannot load %.100s image on linux", os);
}

static void name_image(struct member *config)
{
	if (!config || !config->text || config->id[0])
		return;
	memcpy(config->id, "sha256:", 7);
	sha256_hex(config->text, config->size, config->id + 7);
}

/* A step more than its parent has, and the same ones before. */
static bool may_follow(const struct member *child, const struct member *parent)
{
	auto_json json_t *a = image_config_load(child->text, child->size, NULL);
	auto_json json_t *b = image_config_load(parent->text, parent->size, NULL);
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
	if (*id && spend(l, l->n, config, e) < 0) /* a byte or more of each */
		return -1;
	for (size_t i = 0; *id && i < l->n; i++) {
		const struct member *m = &l->v[i];

		if (!str_eq(m->id, id) || str_eq(id, config->id))
			continue;
		if (load_look_at(l, config, e) < 0 || load_look_at(l, m, e) < 0)
			return -1;
		if (!may_follow(config, m))
			return err_set(e, ERR_CORRUPT, "image %s is not a valid parent for %s",
				m->id, config->id);
		l->parent = m->id;
	}
	return 0;
}

/* Of layers that the store has, docker does not look into the archive: tools leave them out. */
static struct member *find_layer(struct load *l, const char *path, const char *diff_id)
{
	struct member *m = load_find(l, path), *stored;

	if ((m && m->is_layer) || !diff_id)
		return m;
	stored = load_stored(l, diff_id);
	return stored ? stored : m;
}

/* {"Config", "RepoTags", "Layers", "Parent"}: paths of the archive, but the last is an id. */
static int load_docker(struct load *l, const json_t *image, struct err *e)
{
	const json_t *paths = json_object_get(image, "Layers");
	auto_free struct member **layers = xcalloc(json_array_size(paths) + 1, sizeof(struct member *));
	auto_strv struct strv names = {0};
	struct member *config = load_find(l, json_str(image, "Config", NULL));
	auto_json json_t *j = NULL;
	const json_t *ids;

	if (!config || !config->text)
		return load_no_text(config, json_str(image, "Config", NULL), e);
	if (load_look_at(l, config, e) < 0 || load_check_os(config, e) < 0)
		return -1;
	if (find_parent(l, config, json_str(image, "Parent", ""), e) < 0)
		return -1;
	j = image_config_load(config->text, config->size, NULL);
	ids = json_object_get(json_object_get(j, "rootfs"), "diff_ids");
	for (size_t i = 0; i < json_array_size(paths); i++) {
		const char *path = json_string_value(json_array_get(paths, i));

		layers[i] = find_layer(l, path, json_string_value(json_array_get(ids, i)));
		if (!layers[i])
			return load_no_file(path, e);
		if (!layers[i]->is_layer)
			return err_set(e, ERR_CORRUPT, "archive/tar: invalid tar header");
	}
	json_strv(json_object_get(image, "RepoTags"), &names);
	return load_add(l, config, layers, json_array_size(paths), &names, e);
}

static int load_manifests(struct load *l, const struct member *m, struct err *e)
{
	auto_json json_t *list = manifest_read(m->text, m->size, e);

	for (size_t i = 0; i < json_array_size(list); i++)
		name_image(load_find(l, json_str(json_array_get(list, i), "Config", NULL)));
	for (size_t i = 0; i < json_array_size(list); i++)
		if (load_docker(l, json_array_get(list, i), e) < 0)
			return -1;
	return list ? 0 : -1;
}

int load_each(struct load *l, struct err *e)
{
	struct member *m = load_find(l, "manifest.json"), *index = load_find(l, "index.json");
	auto_json json_t *j = NULL;

	if (m && m->text)
		return load_manifests(l, m, e);
	m = m && m->too_large ? m : index;
	if (m && m->too_large)
		return load_no_text(m, m->path, e);
	if (!index || !index->text)
		return err_set(e, ERR_CORRUPT, "invalid archive: does not contain a manifest.json");
	j = json_loadb(index->text, index->size, 0, NULL);
	return load_oci(l, j, e);
}

int load_list(struct load *l, struct err *e)
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
