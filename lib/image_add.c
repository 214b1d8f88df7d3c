/* SPDX-License-Identifier: Apache-2.0 */
/* image_add: adds images and layers to the store. */
#include "image_files.h"

#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#define TEMPORARY "tmp-"

/* ---- layers ---- */

void image_layers_sweep(int layers)
{
	auto_strv struct strv names = {0};

	(void)sys_names(layers, &names); /* with as many names as could be read */
	for (size_t i = 0; i < names.n; i++) {
		auto_close int file = -1;

		if (!str_starts(names.v[i], TEMPORARY))
			continue;
		file = openat(layers, names.v[i], O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
			(void)unlinkat(layers, names.v[i], 0); /* the next one tries again */
	}
}

/* Opens and locks a file that still has its name; it has none if it was swept before it was locked. 0: try again. */
static int begin(int layers, const char *name, int *out)
{
	auto_close int fd = openat(layers, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0 || flock(fd, LOCK_EX) < 0 || fstat(fd, &st) < 0)
		return -1;
	*out = take_fd(&fd);
	if (st.st_nlink > 0)
		return 1;
	(void)close(take_fd(out)); /* nothing was written */
	return 0;
}

int image_layer_begin(const struct store *s, char **temporary, struct err *e)
{
	auto_close int layers = store_dir(s, "layers", e), fd = -1;
	auto_free char *name = NULL;
	uint64_t random;
	int got;

	if (layers < 0)
		return -1;
	image_layers_sweep(layers);
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return err_sys(e, "random number");
	name = xasprintf(TEMPORARY "%016llx", (unsigned long long)random);
	do
		got = begin(layers, name, &fd);
	while (got == 0);
	if (got < 0)
		return err_sys(e, "create a layer in %s/layers", s->root_path);
	*temporary = take(name);
	return take_fd(&fd);
}

void image_layer_drop(const struct store *s, const char *temporary)
{
	auto_free char *path = xasprintf("layers/%s", temporary);

	(void)unlinkat(s->root, path, 0); /* it may be a layer by now; else the next sweep removes it */
}

int image_layer_size(const struct store *s, const char *diff_id, int64_t *size, struct err *e)
{
	auto_free char *about = xasprintf("layers/%s.json", diff_id);
	auto_json json_t *j = NULL;

	if (!str_is_hex(diff_id, SHA256_HEX))
		return err_set(e, ERR_NOT_FOUND, "no such layer: %.80s", diff_id);
	j = json_read_at(s->root, about, 4096, e);
	if (!j)
		return err_ctx(e, "layer %.12s", diff_id);
	*size = json_int(j, "Size", 0);
	return 0;
}

bool image_layer_known(const struct store *s, const char *diff_id, int64_t *size)
{
	auto_free char *file = xasprintf("layers/%s.sqsh", diff_id), *about = NULL;
	auto_json json_t *j = NULL;
	struct err e;

	if (!str_is_hex(diff_id, SHA256_HEX) || faccessat(s->root, file, F_OK, 0) < 0)
		return false;
	if (!size)
		return true;
	about = xasprintf("layers/%s.json", diff_id);
	j = json_read_at(s->root, about, 4096, &e);
	*size = json_int(j, "Size", 0);
	return true;
}

int image_layer_hold(const struct store *s, struct image_layer *layer)
{
	auto_free char *file = xasprintf("layers/%s.sqsh", layer->diff_id), *name = NULL, *path = NULL;
	auto_close int fd = openat(s->root, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	uint64_t random;

	/* Locked before it has the name, so that no sweep takes it. */
	if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) < 0 ||
		getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -1;
	name = xasprintf(TEMPORARY "%016llx", (unsigned long long)random);
	path = xasprintf("layers/%s", name);
	if (linkat(s->root, file, s->root, path, 0) < 0)
		return -1;
	layer->temporary = take(name);
	return take_fd(&fd);
}

/* 1: it is new. */
static int place_layer(int dir, const struct image_layer *layer, struct err *e)
{
	auto_free char *file = xasprintf("%s.sqsh", layer->diff_id),
		       *about = xasprintf("%s.json", layer->diff_id);
	auto_json json_t *j =
		json_pack("{s:i, s:I}", "Format", IMAGE_FORMAT, "Size", (json_int_t)layer->size);

	if (faccessat(dir, file, F_OK, 0) == 0)
		return 0;
	if (!layer->temporary)
		return err_set(e, ERR_CORRUPT, "layer %.12s is not in the store", layer->diff_id);
	if (json_write_at(dir, about, j, e) < 0)
		return -1;
	/* 0400: a layer in use must not change under its readers */
	if (fchmodat(dir, layer->temporary, 0400, 0) < 0 ||
		renameat(dir, layer->temporary, dir, file) < 0) {
		(void)err_sys(e, "store layer %.12s", layer->diff_id);
		(void)unlinkat(dir, about, 0); /* it belongs to no layer then */
		return -1;
	}
	return 1;
}

/* Removes a layer whose image was not stored: no image names it. */
static void displace_layer(int dir, const char *diff_id)
{
	auto_free char *file = xasprintf("%s.sqsh", diff_id), *about = xasprintf("%s.json", diff_id);

	(void)unlinkat(dir, file, 0);  /* the first error is the one to tell */
	(void)unlinkat(dir, about, 0); /* likewise */
}

/* ---- images ---- */

static int write_file(int dir, const char *name, const char *bytes, size_t n, struct err *e)
{
	auto_close int fd =
		openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return err_sys(e, "create %s", name);
	while (n > 0) {
		ssize_t done = write(fd, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return err_sys(e, "write %s", name);
		bytes += done;
		n -= (size_t)done;
	}
	return fsync(fd) < 0 ? err_sys(e, "write %s", name) : 0;
}

static char *meta_text(const json_t *config, const struct image_config *c,
	const struct image_layer *layers, size_t n, const char *parent)
{
	json_t *names = json_array(), *compact = image_config_json(c);
	auto_json json_t *meta = NULL;
	int64_t size = 0;

	for (size_t i = 0; i < n; i++) {
		(void)json_array_append_new(names, json_string(layers[i].diff_id)); /* memory only */
		size += layers[i].size;
	}
	image_config_compact(compact);
	meta = json_pack("{s:i, s:s, s:s, s:s, s:I, s:o, s:o}", "Format", IMAGE_FORMAT,
		"Architecture", json_str(config, "architecture", ""), "Os",
		json_str(config, "os", ""), "Created", json_str(config, "created", ""), "Size",
		(json_int_t)size, "Layers", names, "Config", compact);
	if (parent)
		(void)json_object_set_new(meta, "Parent", json_string(parent)); /* memory only */
	return json_dumps(meta, JSON_COMPACT | JSON_PRESERVE_ORDER);
}

static int check_layers(const json_t *config, const struct image_layer *layers, size_t n, struct err *e)
{
	const json_t *ids = json_object_get(json_object_get(config, "rootfs"), "diff_ids");

	if (!json_is_object(json_object_get(config, "rootfs")))
		return err_set(e, ERR_CORRUPT, "invalid image JSON, no RootFS key");
	if (json_array_size(ids) != n)
		return err_set(e, ERR_CORRUPT,
			"invalid manifest, layers length mismatch: expected %zu, got %zu", n,
			json_array_size(ids));
	for (size_t i = 0; i < n; i++) {
		const char *id = json_string_value(json_array_get(ids, i));

		if (!id || !str_starts(id, "sha256:") || !str_eq(id + 7, layers[i].diff_id))
			return err_set(e, ERR_CORRUPT,
				"invalid diffID for layer %zu: expected \"%.100s\", got \"sha256:%s\"",
				i, id ? id : "", layers[i].diff_id);
	}
	return 0;
}

/* The image's directory appears complete, by a rename. Under the lock there is only one maker. */
static int place_image(
	int images, const char *hex, const char *config, size_t n, const char *meta, struct err *e)
{
	auto_free char *temporary = xasprintf(".new-%s", hex);
	auto_close int dir = -1;

	if (mkdirat(images, temporary, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "create image %.12s", hex);
	dir = openat(images, temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (dir < 0)
		return err_sys(e, "create image %.12s", hex);
	if (write_file(dir, "config.json", config, n, e) < 0 ||
		write_file(dir, "meta.json", meta, strlen(meta), e) < 0)
		(void)err_ctx(e, "image %.12s", hex);
	else if (renameat(images, temporary, images, hex) < 0 || fsync(images) < 0)
		(void)err_sys(e, "store image %.12s", hex);
	else
		return 0;
	(void)unlinkat(dir, "config.json", 0); /* the first error is the one to tell */
	(void)unlinkat(dir, "meta.json", 0);
	(void)unlinkat(images, temporary, AT_REMOVEDIR); /* it has the one name or the other */
	(void)unlinkat(images, hex, AT_REMOVEDIR);
	return -1;
}

/* Of an image that is not to be: likewise. */
static void displace_image(int images, const char *hex)
{
	auto_close int dir = openat(images, hex, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (dir >= 0) {
		(void)unlinkat(dir, "meta.json", 0);
		(void)unlinkat(dir, "config.json", 0);
	}
	(void)unlinkat(images, hex, AT_REMOVEDIR);
}

static int add_locked(const struct store *s, int images, const char *config, size_t n,
	const char *meta, const struct image_layer *layers, size_t n_layers, const char *name,
	const char *hex, struct err *e)
{
	auto_free char *doomed = xasprintf("%s/doomed", hex);
	auto_free bool *placed = xcalloc(n_layers + 1, sizeof(*placed));
	auto_close int dir = store_dir(s, "layers", e);
	int result = dir < 0 ? -1 : 0;
	bool came = false;

	for (size_t i = 0; result == 0 && i < n_layers; i++) {
		int new = place_layer(dir, &layers[i], e);

		placed[i] = new > 0;
		result = new < 0 ? -1 : 0;
	}
	if (result == 0 && faccessat(images, hex, F_OK, 0) < 0) {
		result = place_image(images, hex, config, n, meta, e);
		came = result == 0;
	}
	if (result == 0 && name)
		result = image_ref_write(s, name, hex, e);
	if (result < 0 && came)
		displace_image(images, hex);
	if (result == 0 && !came && unlinkat(images, doomed, 0) < 0 && errno != ENOENT)
		result = err_sys(e, "image %.12s", hex);
	for (size_t i = 0; result < 0 && i < n_layers; i++)
		if (placed[i])
			displace_layer(dir, layers[i].diff_id);
	return result;
}

static int no_config(const json_t *j, const char *text, const json_error_t *why, struct err *e)
{
	auto_free char *words = j ? NULL : json_fault(text, strlen(text), why);

	if (words)
		return err_set(e, ERR_CORRUPT, "%s", words);
	return err_set(e, ERR_CORRUPT,
		"json: cannot unmarshal %s into Go value of type image.Image", json_kind(j));
}

/* The config of an image of these layers, as JSON and parsed; an error if they do not fit. */
static json_t *read_config(const char *config, size_t n, const struct image_layer *layers,
	size_t n_layers, struct image_config *c, struct err *e)
{
	auto_json json_t *j = NULL;
	json_error_t why;

	if (n > IMAGE_CONFIG_MAX) {
		(void)err_set(e, ERR_CORRUPT, "the image config has more than %u bytes", IMAGE_CONFIG_MAX);
		return NULL;
	}
	j = image_config_load(config, n, &why);
	if (!json_is_object(j)) {
		(void)no_config(j, config, &why, e);
		return NULL;
	}
	if (image_config_parse(json_object_get(j, "config"), c, e) < 0 ||
		check_layers(j, layers, n_layers, e) < 0)
		return NULL;
	return json_incref(j);
}

int image_check(const char *config, size_t n, const struct image_layer *layers, size_t n_layers,
	struct err *e)
{
	auto_image_config struct image_config c = {0};
	auto_json json_t *j = read_config(config, n, layers, n_layers, &c, e);

	return j ? 0 : -1;
}

int image_add(const struct store *s, const char *config, size_t n, const struct image_layer *layers,
	size_t n_layers, const char *parent, const char *name, char **id, struct err *e)
{
	auto_image_config struct image_config c = {0};
	auto_json json_t *j = read_config(config, n, layers, n_layers, &c, e);
	auto_free char *meta = NULL;
	auto_close int images = -1;
	char hex[SHA256_HEX + 1];

	if (!j)
		return -1;
	sha256_hex(config, n, hex);
	meta = meta_text(j, &c, layers, n_layers, parent);
	if (!meta)
		return err_set(e, ERR_CORRUPT, "the image config is no text");
	images = image_lock(s, e);
	if (images < 0)
		return -1;
	if (add_locked(s, images, config, n, meta, layers, n_layers, name, hex, e) < 0)
		return store_ctx(s, e);
	*id = xasprintf("sha256:%s", hex);
	return 0;
}
