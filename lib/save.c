/* SPDX-License-Identifier: Apache-2.0 */
#include "save.h"

#include "auto.h"
#include "event.h"
#include "image.h"
#include "ref.h"
#include "sha256.h"
#include "skeleton.h"
#include "spec.h"
#include "squash_tar.h"
#include "sys.h"
#include "tarfd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define TYPE "application/vnd.oci.image."

/* A file of the archive that is named by its digest. */
struct blob {
	char hex[SHA256_HEX + 1];
	int64_t size;
	char *text;  /* or: */
	char *layer; /* path of the squashfs file, */
	bool again;  /* its tar can be reproduced; else a tar is made of its files */
};

struct save {
	struct blob *v;
	size_t n;
	json_t *manifests, *docker, *repositories;
	json_t *ids; /* of images in the store, and what they are in the archive */
	struct tar_writer w;
	struct tarfd out;
};

static void save_done(struct save *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].text);
		free(s->v[i].layer);
	}
	free(s->v);
	json_decref(s->manifests);
	json_decref(s->docker);
	json_decref(s->repositories);
	json_decref(s->ids);
	tarfd_done(&s->out);
}
#define auto_save __attribute__((cleanup(save_done)))

/* ---- blobs ----------------------------------------------------------------------------- */

static struct blob *find_blob(struct save *s, const char *hex)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->v[i].hex, hex))
			return &s->v[i];
	return NULL;
}

static struct blob *new_blob(struct save *s, const char *hex, int64_t size)
{
	struct blob *b;

	if ((s->n & (s->n + 1)) == 0)
		s->v = xrealloc(s->v, 2 * (s->n + 1), sizeof(*s->v));
	b = &s->v[s->n++];
	*b = (struct blob){.size = size};
	memcpy(b->hex, hex, sizeof(b->hex));
	return b;
}

static json_t *descriptor(const char *type, const struct blob *b)
{
	return json_pack("{s:s, s:o, s:I}", "mediaType", type, "digest",
		json_sprintf("sha256:%s", b->hex), "size", (json_int_t)b->size);
}

/* Takes the text. */
static const struct blob *add_text(struct save *s, char *text, size_t n)
{
	char hex[SHA256_HEX + 1];
	struct blob *b;

	sha256_hex(text, n, hex);
	b = find_blob(s, hex);
	if (b) {
		free(text);
		return b;
	}
	b = new_blob(s, hex, (int64_t)n);
	b->text = text;
	return b;
}

struct measure {
	struct sha256 sum;
	int64_t size;
	struct meter *meter;
};

static int measure(void *context, const void *bytes, size_t n)
{
	struct measure *m = context;

	sha256_add(&m->sum, bytes, n);
	m->size += (int64_t)n;
	meter_add(m->meter, n);
	return 0;
}

static int write_tar(const char *path, bool again, tar_sink *sink, void *context, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(e, "%s", path);
	return again ? skeleton_tar(fd, sink, context, e) : squash_tar(fd, sink, context, NULL, e);
}

static int measure_tar(const char *path, bool again, struct measure *m, char *hex, struct err *e)
{
	m->size = 0;
	sha256_init(&m->sum);
	if (write_tar(path, again, measure, m, e) < 0)
		return -1;
	sha256_end_hex(&m->sum, hex);
	return 0;
}

/* The tar is made once without being stored, to get its size and to check that its digest is the layer's. A layer that
 * did not come as a tar, or as one that could not be kept completely, is written as a tar of its files, under the
 * digest of that. */
static const struct blob *add_layer(struct save *s, const char *path, const char *hex, struct err *e)
{
	char now[SHA256_HEX + 1];
	struct measure m = {.meter = s->out.meter};
	bool again = true;
	struct blob *b;

	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->v[i].layer, path))
			return &s->v[i];
	if (measure_tar(path, true, &m, now, e) < 0 || !str_eq(now, hex)) {
		if (e->kind != ERR_NONE && e->kind != ERR_UNSUPPORTED)
			return NULL;
		err_clear(e);
		again = false;
		if (measure_tar(path, false, &m, now, e) < 0)
			return NULL;
	}
	b = find_blob(s, now);
	if (b)
		return b;
	b = new_blob(s, now, m.size);
	b->layer = xstrdup(path);
	b->again = again;
	return b;
}

/* ---- images ---------------------------------------------------------------------------- */

/* diff_ids: what they were becomes what they are. */
static int add_layers(struct save *s, const struct image *image, json_t *diff_ids, json_t *oci,
	json_t *docker, struct err *e)
{
	for (size_t i = 0; i < image->layers.n; i++) {
		const char *id = json_string_value(json_array_get(diff_ids, i));
		const struct blob *b;

		if (!id || !str_starts(id, "sha256:") || !str_is_hex(id + 7, SHA256_HEX))
			return err_set(e, ERR_CORRUPT, "the config of image %.19s is damaged", image->id);
		b = add_layer(s, image->layers.v[i], id + 7, e);
		if (!b)
			return err_ctx(e, "image %.19s cannot be saved", image->id);
		if (!str_eq(id + 7, b->hex))
			(void)json_array_set_new(diff_ids, i, json_sprintf("sha256:%s", b->hex)); /* memory */
		(void)json_array_append_new(oci, descriptor(TYPE "layer.v1.tar", b)); /* memory */
		(void)json_array_append_new(docker, json_sprintf("blobs/sha256/%s", b->hex));
	}
	return 0;
}

static void add_repository(struct save *s, const char *tag, const char *hex)
{
	const char *colon = strrchr(tag, ':');
	auto_free char *repository = xstrndup(tag, colon ? (size_t)(colon - tag) : strlen(tag));
	json_t *tags = json_object_get(s->repositories, repository);

	if (!tags) {
		tags = json_object();
		(void)json_object_set_new(s->repositories, repository, tags); /* memory */
	}
	(void)json_object_set_new(tags, colon ? colon + 1 : "latest", json_string(hex));
}

/* "docker.io/library/web:1" as an index names it. */
static json_t *annotations(const char *tag)
{
	auto_ref struct ref r = {0};
	struct err unused;
	auto_free char *full = ref_parse(tag, &r, &unused) == 0 ? ref_full(&r) : NULL;

	return json_pack("{s:s, s:s}", "io.containerd.image.name", full ? full : tag,
		"org.opencontainers.image.ref.name", r.tag ? r.tag : "latest");
}

/* The same name may be asked for twice. */
static bool has(const json_t *list, const json_t *value)
{
	json_t *v;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, v) if (json_equal(v, value)) return true;
	return false;
}

static void add_index(struct save *s, const struct blob *manifest, const char *tag)
{
	json_t *d = descriptor(TYPE "manifest.v1+json", manifest);

	if (tag)
		(void)json_object_set_new(d, "annotations", annotations(tag)); /* memory, as below */
	if (!has(s->manifests, d))
		(void)json_array_append(s->manifests, d);
	json_decref(d);
}

/* One image may be asked for by several names. */
static json_t *docker_entry(struct save *s, const struct blob *config, json_t *layers)
{
	auto_free char *path = xasprintf("blobs/sha256/%s", config->hex);
	json_t *entry;
	size_t i;

	json_array_foreach(s->docker, i,
		entry) if (str_eq(json_str(entry, "Config", NULL), path)) return entry;
	entry = json_pack("{s:s, s:n, s:O}", "Config", path, "RepoTags", "Layers", layers);
	(void)json_array_append_new(s->docker, entry); /* memory */
	return entry;
}

static void note_parent(
	struct save *s, const struct image *image, const struct blob *config, json_t *layers)
{
	(void)json_object_set_new(s->ids, image->id, json_sprintf("sha256:%s", config->hex)); /* memory, as below */
	if (image->parent)
		(void)json_object_set_new(
			docker_entry(s, config, layers), "Parent", json_string(image->parent));
}

/* Docker names an image's parent if that is in the same archive. */
static void settle_parents(struct save *s)
{
	json_t *entry;
	size_t i;

	json_array_foreach(s->docker, i, entry)
	{
		json_t *id = json_object_get(s->ids, json_str(entry, "Parent", ""));

		if (id)
			(void)json_object_set(entry, "Parent", id); /* memory */
		else
			(void)json_object_del(entry, "Parent"); /* it may have none */
	}
}

static void add_tag(json_t *entry, const char *tag)
{
	auto_json json_t *word = json_string(tag);

	if (!json_is_array(json_object_get(entry, "RepoTags")))
		(void)json_object_set_new(entry, "RepoTags", json_array()); /* memory, as below */
	if (!has(json_object_get(entry, "RepoTags"), word))
		(void)json_array_append(json_object_get(entry, "RepoTags"), word);
}

static char *read_config(const struct store *st, const struct image *image, size_t *n, struct err *e)
{
	auto_free char *path = xasprintf("images/%s/config.json", image->id + 7);
	auto_free char *text = xcalloc(IMAGE_CONFIG_MAX + 1, 1);
	char hex[SHA256_HEX + 1];
	ssize_t got = sys_get(st->root, path, text, IMAGE_CONFIG_MAX);

	if (got < 0) {
		(void)err_sys(e, "the config of image %.19s", image->id);
		return NULL;
	}
	sha256_hex(text, (size_t)got, hex);
	if (!str_eq(hex, image->id + 7)) {
		(void)err_set(e, ERR_CORRUPT, "the config of image %.19s is damaged", image->id);
		return NULL;
	}
	*n = (size_t)got;
	return xstrndup(text, (size_t)got);
}

static char *dump(const json_t *j)
{
	char *text = json_dumps(j, JSON_COMPACT | JSON_PRESERVE_ORDER);

	return text ? text : xstrdup("null");
}

/* The config as the store has it, to the byte; with other diff ids only when a layer is not what it came as. */
static const struct blob *add_config(struct save *s, char *text, size_t n, json_t *config,
	const json_t *was, const json_t *diff_ids)
{
	if (!json_equal(was, diff_ids)) {
		free(text);
		(void)json_object_set_new(json_object_get(config, "rootfs"), "diff_ids",
			json_deep_copy(diff_ids)); /* memory */
		text = dump(config);
		n = strlen(text);
	}
	return add_text(s, text, n);
}

static void add_names(struct save *s, const struct image *image, const char *name,
	const struct blob *config, const struct blob *manifest, json_t *layers)
{
	struct err unused;
	auto_free char *tag = ref_familiar(name, &unused);
	bool named = false;

	for (size_t i = 0; tag && i < image->refs.n; i++)
		named |= str_eq(image->refs.v[i], tag);
	if (named) {
		add_tag(docker_entry(s, config, layers), tag);
		add_repository(s, tag, config->hex);
	} else {
		(void)docker_entry(s, config, layers);
	}
	add_index(s, manifest, named ? tag : NULL);
}

static int add_image(const struct store *st, struct save *s, const char *name, struct err *e)
{
	auto_image struct image image = {0};
	auto_json json_t *config = NULL, *oci = json_array(), *layers = json_array(),
			 *manifest = NULL, *ids = NULL;
	auto_free char *text = NULL, *written = NULL;
	const json_t *was;
	struct blob b, m;
	size_t n;

	if (image_find_ref(st, name, &image, e) < 0)
		return e->kind == ERR_NOT_FOUND ? err_set(e, ERR_NOT_FOUND, "reference does not exist")
		                                : -1;
	if (image_load_refs(st, &image, e) < 0)
		return -1;
	text = read_config(st, &image, &n, e);
	if (!text)
		return -1;
	config = image_config_load(text, n, NULL);
	was = json_object_get(json_object_get(config, "rootfs"), "diff_ids");
	ids = json_deep_copy(was);
	if (s->out.meter) /* about: each layer is read twice, and may be another image's too */
		s->out.meter->total += 2 * (uint64_t)image.size;
	if (add_layers(s, &image, ids, oci, layers, e) < 0)
		return -1;
	/* copies: the list grows */
	b = *add_config(s, take(text), n, config, was, ids);
	manifest = json_pack("{s:i, s:s, s:o, s:O}", "schemaVersion", 2, "mediaType",
		TYPE "manifest.v1+json", "config", descriptor(TYPE "config.v1+json", &b), "layers", oci);
	written = dump(manifest);
	n = strlen(written);
	m = *add_text(s, take(written), n);
	add_names(s, &image, name, &b, &m, layers);
	if (!json_object_get(s->ids, image.id)) /* not by another name before */
		event_image(st, "save", image.id, NULL);
	note_parent(s, &image, &b, layers);
	return 0;
}

/* ---- the archive ----------------------------------------------------------------------- */

static int put_dir(struct save *s, const char *path, struct err *e)
{
	struct tar_entry t = {.type = TAR_DIR, .path = (char *)path, .mode = 0755};

	return tar_add(&s->w, &t, e);
}

static int put_file(struct save *s, const char *path, const char *text, size_t n, struct err *e)
{
	struct tar_entry t = {.type = TAR_FILE, .path = (char *)path, .mode = 0644, .size = (int64_t)n};

	if (tar_add(&s->w, &t, e) < 0)
		return -1;
	return n ? tar_data(&s->w, text, n, e) : 0;
}

static int put_json(struct save *s, const char *path, const json_t *j, struct err *e)
{
	auto_free char *text = dump(j);

	return put_file(s, path, text, strlen(text), e);
}

static int put_data(void *context, const void *bytes, size_t n)
{
	struct save *s = context;
	struct err unused; /* errno tells the reason */

	if ((int64_t)n > s->w.left) {
		errno = EIO; /* the layer was exchanged since it was measured */
		return -1;
	}
	return tar_data(&s->w, bytes, n, &unused);
}

static int put_blob(struct save *s, const struct blob *b, struct err *e)
{
	auto_free char *path = xasprintf("blobs/sha256/%s", b->hex);
	struct tar_entry t = {.type = TAR_FILE, .path = path, .mode = 0644, .size = b->size};

	if (b->text)
		return put_file(s, path, b->text, (size_t)b->size, e);
	if (tar_add(&s->w, &t, e) < 0 || write_tar(b->layer, b->again, put_data, s, e) < 0)
		return -1;
	return s->w.left == 0 ? 0 : err_set(e, ERR_SYSTEM, "layer %.12s changed meanwhile", b->hex);
}

static int by_digest(const void *a, const void *b)
{
	return strcmp(((const struct blob *)a)->hex, ((const struct blob *)b)->hex);
}

/* All is measured; texts count little. */
static void expect_rest(struct save *s)
{
	uint64_t total = s->out.meter ? s->out.meter->done : 0;

	for (size_t i = 0; i < s->n; i++)
		total += (uint64_t)s->v[i].size;
	meter_expect(s->out.meter, total);
}

static int write_all(struct save *s, struct err *e)
{
	auto_json json_t *index = json_pack("{s:i, s:s, s:O}", "schemaVersion", 2, "mediaType",
		TYPE "index.v1+json", "manifests", s->manifests);
	auto_json json_t *layout = json_pack("{s:s}", "imageLayoutVersion", "1.0.0");

	settle_parents(s);
	qsort(s->v, s->n, sizeof(*s->v), by_digest);
	expect_rest(s);
	if (put_dir(s, "blobs/", e) < 0 || put_dir(s, "blobs/sha256/", e) < 0)
		return -1;
	for (size_t i = 0; i < s->n; i++)
		if (put_blob(s, &s->v[i], e) < 0)
			return -1;
	if (put_json(s, "index.json", index, e) < 0 || put_json(s, "manifest.json", s->docker, e) < 0 ||
		put_json(s, "oci-layout", layout, e) < 0)
		return -1;
	if (json_object_size(s->repositories) && put_json(s, "repositories", s->repositories, e) < 0)
		return -1;
	return tar_finish(&s->w, e) < 0 ? -1 : tarfd_flush(&s->out, e);
}

/* Every tag of a repository ("debian" without one); how many there were, or -1. */
static int add_tags(const struct store *st, struct save *s, const char *repository, struct err *e)
{
	struct image *all = NULL;
	size_t n = 0, len = strlen(repository);
	int found = 0;

	if (image_list(st, &all, &n, NULL, e) < 0)
		return -1;
	for (size_t i = 0; i < n && found >= 0; i++) {
		for (size_t k = 0; k < all[i].refs.n && found >= 0; k++) {
			const char *ref = all[i].refs.v[k];

			if (strncmp(ref, repository, len) == 0 && ref[len] == ':' &&
				!strchr(ref + len, '/'))
				found = add_image(st, s, ref, e) < 0 ? -1 : found + 1;
		}
	}
	image_list_free(all, n);
	return found;
}

static bool names_tag(const char *name)
{
	const char *slash = strrchr(name, '/');

	return strpbrk(slash ? slash : name, ":@");
}

static int add_named(const struct store *st, struct save *s, const char *name, struct err *e)
{
	auto_ref struct ref r = {0};
	auto_free char *repository = NULL;
	struct err unused;
	int found = 0;

	if (!names_tag(name) && ref_parse(name, &r, &unused) == 0) {
		repository = ref_repository(&r);
		found = add_tags(st, s, repository, e);
	}
	if (found)
		return found < 0 ? -1 : 0;
	if (add_image(st, s, name, e) == 0)
		return 0;
	if (e->kind == ERR_NOT_FOUND && repository)
		return image_missing(name, e);
	return -1;
}

int save_check_platform(
	const struct store *s, const char *platform, char *const *names, size_t n, struct err *e)
{
	auto_free char *whole = NULL;

	if (!platform || !*platform)
		return 0;
	if (!(whole = spec_platform_text(platform, e)))
		return err_ctx(e, "invalid platform");
	for (size_t i = 0; i < n; i++) {
		auto_image struct image image = {0};
		struct err other;

		/* save_images() reports images that do not exist */
		if (image_find_named(s, names[i], &image, &other) == 0 &&
			spec_check_platform(platform, names[i], image.architecture, &other) < 0)
			return err_set(e, ERR_SYSTEM,
				"no suitable export target found for platform %s", whole);
	}
	return 0;
}

int save_images(const struct store *st, char *const *names, size_t n, int out, struct meter *meter,
	struct err *e)
{
	auto_save struct save s = {.manifests = json_array(),
		.docker = json_array(),
		.repositories = json_object(),
		.ids = json_object(),
		.out = tarfd_open(out)};

	s.out.meter = meter;
	s.w = (struct tar_writer){.sink = tarfd_write, .context = &s.out};
	for (size_t i = 0; i < n; i++)
		if (add_named(st, &s, names[i], e) < 0)
			return -1;
	return write_all(&s, e);
}
