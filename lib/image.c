/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"
#include "image_files.h"
#include "parse.h"
#include "ref.h"
#include "sha256.h"
#include "sqsh_config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#define META_MAX (4u << 20)

void image_done(struct image *i)
{
	free(i->id);
	free(i->by_path);
	free(i->architecture);
	free(i->os);
	free(i->created);
	free(i->parent);
	image_config_done(&i->config);
	strv_done(&i->layers);
	strv_done(&i->refs);
	*i = (struct image){0};
}

void image_list_free(struct image *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		image_done(&list[i]);
	free(list);
}

void image_stack(const struct image *image, struct strv *out)
{
	for (size_t i = 0; i < image->layers.n; i++) {
		bool again = false;

		for (size_t k = i + 1; k < image->layers.n && !again; k++)
			again = str_eq(image->layers.v[k], image->layers.v[i]);
		if (!again)
			strv_add(out, image->layers.v[i]);
	}
}

int image_missing(const char *what, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "No such image: %s%s",
		str_is_hex(what, SHA256_HEX) ? "sha256:" : "", what);
}

/* ---- stored images ---- */

static void set_string(char **to, const json_t *object, const char *key)
{
	const char *s = json_str(object, key, NULL);

	*to = s && *s ? xstrdup(s) : NULL;
}

/* What of the path follows the store's own, if it is that of a layer in some store; or NULL. */
static const char *in_store(const char *path)
{
	static const char place[] = "/layers/", suffix[] = ".sqsh";
	const size_t len = strlen(place) + SHA256_HEX + strlen(suffix), n = strlen(path);
	const char *at = n < len ? "" : path + n - len;
	auto_free char *hex = str_starts(at, place) ? xstrndup(at + strlen(place), SHA256_HEX) : NULL;

	return hex && str_is_hex(hex, SHA256_HEX) && str_ends(path, suffix) ? at : NULL;
}

void image_layers_now(const struct store *s, const json_t *layers, struct strv *out)
{
	auto_strv struct strv then = {0};

	json_strv(layers, &then);
	for (size_t i = 0; i < then.n; i++) {
		const char *layer = in_store(then.v[i]);
		auto_free char *here = layer ? xasprintf("%s%s", s->root_path, layer) : NULL;
		bool moved = here && !str_eq(here, then.v[i]) && access(then.v[i], F_OK) < 0;

		strv_add(out, moved && access(here, F_OK) == 0 ? here : then.v[i]);
	}
}

static int layers_from_meta(const struct store *s, const json_t *meta, struct strv *out, struct err *e)
{
	json_t *layers = json_object_get(meta, "Layers"), *hex;
	size_t i;

	json_array_foreach(layers, i, hex)
	{
		const char *digest = json_is_string(hex) ? json_string_value(hex) : "";

		if (!str_is_hex(digest, SHA256_HEX))
			return err_set(e, ERR_CORRUPT, "meta.json: a layer is no digest");
		strv_addf(out, "%s/layers/%s.sqsh", s->root_path, digest);
	}
	return 0;
}

int image_load(const struct store *s, const char *hex, struct image *out, struct err *e)
{
	auto_free char *name = xasprintf("images/%s/meta.json", hex);
	auto_json json_t *meta = json_read_at(s->root, name, META_MAX, e);
	auto_image struct image i = {0};

	if (!meta)
		return e->sys == ENOENT ? image_missing(hex, e) : err_ctx(e, "%s", s->root_path);
	if (!json_is_integer(json_object_get(meta, "Format")))
		return err_set(e, ERR_CORRUPT, "image %.12s: meta.json tells of no format", hex);
	if (json_int(meta, "Format", 0) != IMAGE_FORMAT)
		return err_set(e, ERR_UNSUPPORTED,
			"image %.12s was stored by another version of sbx", hex);
	i.id = xasprintf("sha256:%s", hex);
	i.size = json_int(meta, "Size", 0);
	set_string(&i.architecture, meta, "Architecture");
	set_string(&i.os, meta, "Os");
	set_string(&i.created, meta, "Created");
	set_string(&i.parent, meta, "Parent");
	if (image_config_parse(json_object_get(meta, "Config"), &i.config, e) < 0 ||
		layers_from_meta(s, meta, &i.layers, e) < 0)
		return err_ctx(e, "image %.12s", hex);
	*out = i;
	i = (struct image){0};
	return 0;
}

bool image_ref_read(int dir, const char *name, char hex[SHA256_HEX + 1])
{
	auto_close int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char text[7 + SHA256_HEX + 1] = {0};

	if (fd < 0 || read(fd, text, sizeof(text) - 1) != (ssize_t)sizeof(text) - 1)
		return false;
	if (!str_starts(text, "sha256:") || !str_is_hex(text + 7, SHA256_HEX))
		return false;
	memcpy(hex, text + 7, SHA256_HEX + 1);
	return true;
}

/* In file names of refs/, '/' in "repo:tag" is replaced by '+', which no reference contains. */
char *image_ref_file(const char *familiar)
{
	char *name = xstrdup(familiar);

	for (char *c = name; *c; c++)
		if (*c == '/')
			*c = '+';
	return name;
}

bool image_by_ref(const struct store *s, const char *familiar, char hex[SHA256_HEX + 1])
{
	auto_free char *file = image_ref_file(familiar), *name = xasprintf("refs/%s", file);

	return image_ref_read(s->root, name, hex);
}

bool image_is_doomed(const struct store *s, const char *hex)
{
	auto_free char *name = xasprintf("images/%s/doomed", hex);

	return faccessat(s->root, name, F_OK, 0) == 0;
}

/* Whether exactly one image has an id that begins like that. False with an error: it cannot be found out. */
static bool by_prefix(const struct store *s, const char *prefix, char hex[SHA256_HEX + 1], struct err *e)
{
	auto_close int fd = openat(s->root, "images", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	bool found = false, ambiguous = false;
	struct dirent *de;

	if (!d && errno != ENOENT)
		(void)err_sys(e, "open directory %s/images", s->root_path);
	if (!d)
		return false;
	(void)take_fd(&fd); /* d has it now */
	while ((de = readdir(d))) {
		if (!str_starts(de->d_name, prefix) || !str_is_hex(de->d_name, SHA256_HEX))
			continue;
		if (image_is_doomed(s, de->d_name))
			continue;
		ambiguous = found;
		found = true;
		memcpy(hex, de->d_name, SHA256_HEX + 1);
		if (ambiguous)
			break;
	}
	(void)closedir(d); /* only read */
	return found && !ambiguous;
}

int image_id_of(const struct store *s, const char *what, char hex[SHA256_HEX + 1], struct err *e)
{
	const char *digits = str_starts(what, "sha256:") ? what + 7 : what;
	auto_free char *familiar = NULL;

	if (str_is_hex(digits, SHA256_HEX)) {
		memcpy(hex, digits, SHA256_HEX + 1);
		return 0;
	}
	if (digits == what) {
		familiar = ref_familiar(what, e);
		if (!familiar)
			return -1;
		errno = 0;
		if (image_by_ref(s, familiar, hex))
			return 0;
		/* Only a definite "not there" is ERR_NOT_FOUND, upon which callers would pull. */
		if (errno && errno != ENOENT && errno != ENAMETOOLONG && errno != ELOOP) {
			(void)err_sys(e, "image %s", familiar);
			return store_ctx(s, e);
		}
	}
	err_clear(e);
	if (*digits && str_is_hex(digits, strlen(digits)) && by_prefix(s, digits, hex, e))
		return 0;
	if (e->kind != ERR_NONE)
		return -1;
	return image_missing(familiar ? familiar : what, e);
}

/* ---- a file by path ---- */

/* From what changes when another file takes its place: so runs of the same file share an image, and a changed file is
 * another one. */
char *image_file_key(const struct stat *st)
{
	return xasprintf("%llx-%llx-%llx-%lld.%09ld", (unsigned long long)st->st_dev,
		(unsigned long long)st->st_ino, (unsigned long long)st->st_size,
		(long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
}

static char *config_path(const char *key)
{
	return xasprintf("cache/sqsh-%s.json", key);
}

/* The config, cached from an earlier run of the same file, since reading it from the squashfs takes a process. */
static json_t *config_of_file(const struct store *s, int fd, const char *key, struct err *e)
{
	auto_free char *path = config_path(key);
	json_t *config = json_read_at(s->root, path, META_MAX, e);
	auto_close int cache = -1;

	if (config && json_int(config, "Format", 0) == IMAGE_FORMAT)
		return config;
	json_decref(config);
	err_clear(e);
	config = sqsh_config_read(fd, e);
	if (!config)
		return NULL;
	image_config_compact(json_object_get(config, "config"));
	(void)json_object_set_new(config, "Format", json_integer(IMAGE_FORMAT)); /* memory only */
	cache = store_dir(s, "cache", e);
	/* If the cache cannot be written (full, read-only), that only costs time. */
	if (cache < 0 || json_write_at(cache, strchr(path, '/') + 1, config, e) < 0)
		err_clear(e);
	return config;
}

static int load_file(const struct store *s, const char *path, struct image *out, struct err *e)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	auto_free char *key = NULL, *identity = NULL;
	auto_image struct image i = {0};
	auto_json json_t *config = NULL;
	char hex[SHA256_HEX + 1];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "open %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_CORRUPT, "%s: not a regular file", path);
	key = image_file_key(&st);
	config = config_of_file(s, fd, key, e);
	if (!config)
		return err_ctx(e, "%s", path);
	i.by_path = realpath(path, NULL);
	if (!i.by_path)
		return err_sys(e, "%s", path);
	identity = xasprintf("%s %s", i.by_path, key);
	sha256_hex(identity, strlen(identity), hex);
	i.id = xasprintf("sha256:%s", hex);
	i.size = st.st_size;
	set_string(&i.architecture, config, "architecture");
	set_string(&i.os, config, "os");
	set_string(&i.created, config, "created");
	strv_add(&i.layers, i.by_path);
	if (image_config_parse(json_object_get(config, "config"), &i.config, e) < 0)
		return err_ctx(e, "%s", path);
	*out = i;
	i = (struct image){0};
	return 0;
}

/* A directory is not an image: "debian/" or "python" may well exist in the working directory. */
static bool stat_file(const char *what, struct stat *st)
{
	if (!strchr(what, '/') && !str_ends(what, ".sqsh") && !str_ends(what, ".squashfs"))
		return false;
	return stat(what, st) == 0 && !S_ISDIR(st->st_mode);
}

static bool is_file(const char *what)
{
	struct stat st;

	return stat_file(what, &st);
}

bool image_is_new_file(const struct store *s, const char *what)
{
	auto_free char *key = NULL, *path = NULL;
	struct stat st;

	if (!stat_file(what, &st))
		return false;
	key = image_file_key(&st);
	path = config_path(key);
	return faccessat(s->root, path, F_OK, 0) < 0;
}

int image_find(const struct store *s, const char *what, struct image *out, struct err *e)
{
	if (is_file(what))
		return load_file(s, what, out, e);
	if (what[0] == '/' || str_starts(what, "./") || str_starts(what, "../"))
		return err_set(e, ERR_NOT_FOUND, "No such image: %s: %s", what,
			access(what, F_OK) == 0 ? "is a directory" : "no such file");
	return image_find_ref(s, what, out, e);
}

bool image_is_there(const struct store *s, const struct image *i)
{
	auto_free char *path = i->by_path ? NULL : xasprintf("images/%s", i->id + strlen("sha256:"));

	return !path || faccessat(s->root, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

int image_find_named(const struct store *s, const char *what, struct image *out, struct err *e)
{
	auto_free char *clean = NULL;

	if (*what == '/' || str_starts(what, "./") || str_starts(what, "../") || is_file(what))
		return image_find(s, what, out, e);
	clean = parse_request_name(what, e);
	return clean ? image_find_ref(s, clean, out, e) : -1;
}

int image_find_ref(const struct store *s, const char *what, struct image *out, struct err *e)
{
	char hex[SHA256_HEX + 1];

	if (image_id_of(s, what, hex, e) < 0)
		return -1;
	if (image_load(s, hex, out, e) == 0)
		return 0;
	/* report the user's word, not the 64 digits that it stands for */
	return e->kind == ERR_NOT_FOUND ? image_missing(what, e) : -1;
}

/* By the id, which names config and files. */
static char *workdir_note(const char *id)
{
	return xasprintf("workdirs/%s", str_starts(id, "sha256:") ? id + strlen("sha256:") : id);
}

bool image_has_workdir(const struct store *s, const char *id)
{
	auto_free char *note = workdir_note(id);

	return faccessat(s->runtime, note, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

void image_note_workdir(const struct store *s, const char *id)
{
	auto_free char *note = workdir_note(id);
	auto_close int fd = -1;

	if (mkdirat(s->runtime, "workdirs", 0700) == 0 || errno == EEXIST)
		fd = openat(s->runtime, note, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
			0600); /* without it, the next one looks */
}
