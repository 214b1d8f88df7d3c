/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enroot_bundle: a single executable file of this program, a squashfs image and its configuration.
 *
 *	the program | the image | a JSON object about both | its length, 8 hex digits, and the mark
 *
 * To run, the image is copied to a file in the temporary directory (sharing blocks where the file system can), which is
 * unlinked as soon as the image server has opened it.
 */
#include "enroot_bundle.h"

#include "enroot_parts.h"
#include "sha256.h"
#include "state.h"
#include "sys.h"
#include "unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define MARK      "sbx-bundle-1\n" /* 8 digits before it */
#define TAIL      (8 + sizeof(MARK) - 1)
#define ABOUT_MAX (16u << 20)

/* ---- bytes ------------------------------------------------------------------------------ */

/* At `from` to where `out` is; hash may be NULL. */
static int copy(int in, off_t from, uint64_t n, int out, struct sha256 *hash, struct err *e)
{
	auto_free char *part = xcalloc(1, 1 << 20);

	while (n > 0) {
		ssize_t got = hash ? -1 : copy_file_range(in, &from, out, NULL, n, 0);

		if (got <= 0) { /* not between these two */
			got = pread(in, part, n < 1 << 20 ? n : 1 << 20, from);
			if (got <= 0)
				return got < 0 ? err_sys(e, "read")
				               : err_set(e, ERR_CORRUPT, "cut short");
			if (out >= 0 && sys_write_all(out, part, (size_t)got) < 0)
				return err_sys(e, "write");
			if (hash)
				sha256_add(hash, part, (size_t)got);
			from += got;
		}
		n -= (uint64_t)got;
	}
	return 0;
}

static const char *compression(int fd)
{
	static const char *const names[] = {"none", "gzip", "lzma", "lzo", "xz", "lz4", "zstd"};
	unsigned char id[2];

	if (pread(fd, id, 2, 20) != 2 || id[1] || id[0] >= ARRAY_LEN(names))
		return "unknown";
	return names[id[0]];
}

/* ---- make ------------------------------------------------------------------------------- */

static const char *const kinds[][2] = {{"hooks.d", ".sh"}, {"mounts.d", ".fstab"}, {"environ.d", ".env"}};

/* "system/hooks.d/10-x.sh": [mode, text] */
static int add_files(json_t *files, const char *setting, const char *as, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		auto_free char *dir = xasprintf("%s/%s", enroot_setting(setting), kinds[i][0]);
		auto_strv struct strv paths = {0};

		if (enroot_files(dir, kinds[i][1], &paths, e) < 0)
			return -1;
		for (size_t k = 0; k < paths.n; k++) {
			auto_free char *text = NULL;
			auto_free char *name =
				xasprintf("%s/%s%s", as, kinds[i][0], strrchr(paths.v[k], '/'));
			json_t *one;

			if (sys_text_maybe(paths.v[k], &text, e) < 0)
				return -1;
			one = text ? json_pack("[b, s]", access(paths.v[k], X_OK) == 0, text) : NULL;

			if (!one || json_object_set_new(files, name, one) < 0)
				return err_set(e, ERR_USAGE, "%s: cannot be read, or is no text",
					paths.v[k]);
		}
	}
	return 0;
}

static int put_word(json_t *j, const char *name, const char *text, struct err *e)
{
	if (json_object_set_new(j, name, json_string(text)) == 0)
		return 0;
	return err_set(e, ERR_USAGE, "words of a bundle must be UTF-8: %s", QUOTED(text));
}

/* Except settings that tell where things are. */
static int add_settings(json_t *all, struct err *e)
{
	for (char **kv = environ; *kv; kv++) {
		auto_free char *name = xstrndup(*kv, strcspn(*kv, "="));

		if (str_starts(name, "ENROOT_") && !str_ends(name, "_PATH") &&
			!str_eq(name, "ENROOT_VERSION") &&
			put_word(all, name, enroot_setting(name), e) < 0)
			return -1;
	}
	return 0;
}

static json_t *about(const struct enroot_bundle_ask *a, int image, struct err *e)
{
	auto_json json_t *j = json_object();
	json_t *files = json_object(), *settings = json_object();

	(void)json_object_set_new(j, "Files", files); /* memory only, like the other one */
	if (a->all)
		(void)json_object_set(j, "Settings", settings);
	json_decref(settings);
	if (put_word(j, "Compression", compression(image), e) < 0 ||
		put_word(j, "Description", a->desc ? a->desc : "none", e) < 0 ||
		put_word(j, "Target", a->target, e) < 0 ||
		add_files(files, "ENROOT_SYSCONF_PATH", "system", e) < 0)
		return NULL;
	if (a->all && (add_files(files, "ENROOT_CONFIG_PATH", "user", e) < 0 ||
			      add_settings(settings, e) < 0))
		return NULL;
	return json_incref(j);
}

static int write_about(json_t *j, int out, struct err *e)
{
	auto_free char *text = json_dumps(j, JSON_COMPACT), *tail = NULL;

	if (!text)
		return err_set(e, ERR_USAGE, "words of a bundle must be UTF-8");
	tail = xasprintf("%08zx%s", strlen(text), MARK);
	if (sys_write_all(out, text, strlen(text)) < 0 || sys_write_all(out, tail, TAIL) < 0)
		return err_sys(e, "write");
	return 0;
}

static int write_bundle(const struct enroot_bundle_ask *a, json_t *j, int image, uint64_t size,
	int out, struct err *e)
{
	auto_close int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char hex[SHA256_HEX + 1];
	struct sha256 hash;
	struct stat st;

	if (self < 0 || fstat(self, &st) < 0)
		return err_sys(e, "/proc/self/exe");
	if (copy(self, 0, (uint64_t)st.st_size, out, NULL, e) < 0)
		return -1;
	sha256_init(&hash);
	if (copy(image, 0, size, out, a->checksum ? &hash : NULL, e) < 0)
		return -1;
	if (a->checksum) {
		sha256_end_hex(&hash, hex);
		(void)json_object_set_new(j, "Checksum", json_string(hex));
	}
	(void)json_object_set_new(j, "Offset", json_integer(st.st_size));
	(void)json_object_set_new(j, "Size", json_integer((json_int_t)size));
	return write_about(j, out, e);
}

int enroot_bundle_make(const struct enroot_bundle_ask *a, struct err *e)
{
	auto_close int image = open(a->image, O_RDONLY | O_CLOEXEC), out = -1;
	auto_free char *part = enroot_part(a->output);
	auto_json json_t *j = NULL;
	struct stat st;

	if (image < 0 || fstat(image, &st) < 0)
		return err_sys(e, "%s", a->image);
	j = about(a, image, e);
	if (!j)
		return -1;
	out = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (out < 0)
		return err_sys(e, "%s", a->output);
	if (write_bundle(a, j, image, (uint64_t)st.st_size, out, e) < 0) {
		(void)unlink(part); /* not whole */
		return err_ctx(e, "%s", a->output);
	}
	if (a->force ? rename(part, a->output) < 0 : link(part, a->output) < 0) {
		(void)(errno == EEXIST ? err_set(e, ERR_CONFLICT, "File already exists: %s", a->output)
				       : err_sys(e, "%s", a->output));
		(void)unlink(part); /* as above */
		return -1;
	}
	if (!a->force)
		(void)unlink(part); /* its other name stays */
	return 0;
}

/* ---- run -------------------------------------------------------------------------------- */

static const char *word(const struct enroot_bundle *b, const char *name)
{
	return json_string_value(json_object_get(b->about, name));
}

bool enroot_bundle_open(struct enroot_bundle *out)
{
	auto_close int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	auto_free char *text = NULL;
	char tail[TAIL + 1] = "";
	struct enroot_bundle b = {.fd = -1};
	unsigned int n = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size < (off_t)TAIL ||
		pread(fd, tail, TAIL, st.st_size - (off_t)TAIL) != (ssize_t)TAIL ||
		!str_eq(tail + 8, MARK) || sscanf(tail, "%8x", &n) != 1 || n > ABOUT_MAX ||
		(off_t)(n + TAIL) > st.st_size)
		return false;
	text = xcalloc(n + 1, 1);
	if (pread(fd, text, n, st.st_size - (off_t)TAIL - n) != (ssize_t)n)
		return false;
	b.about = json_loads(text, 0, NULL);
	b.offset = (uint64_t)json_integer_value(json_object_get(b.about, "Offset"));
	b.size = (uint64_t)json_integer_value(json_object_get(b.about, "Size"));
	b.compression = word(&b, "Compression");
	b.description = word(&b, "Description");
	b.target = word(&b, "Target");
	b.checksum = word(&b, "Checksum");
	if (!b.compression || !b.description || !b.target || b.offset + b.size > (uint64_t)st.st_size) {
		enroot_bundle_done(&b);
		return false;
	}
	b.fd = take_fd(&fd);
	*out = b;
	return true;
}

void enroot_bundle_done(struct enroot_bundle *b)
{
	if (b->fd >= 0)
		(void)close(take_fd(&b->fd)); /* only read from */
	json_decref(b->about);
	b->about = NULL;
}

int enroot_bundle_check(const struct enroot_bundle *b, struct err *e)
{
	char hex[SHA256_HEX + 1];
	struct sha256 hash;

	if (!b->checksum)
		return 0;
	sha256_init(&hash);
	if (copy(b->fd, (off_t)b->offset, b->size, -1, &hash, e) < 0)
		return -1;
	sha256_end_hex(&hash, hex);
	return str_eq(hex, b->checksum) ? 0 : err_set(e, ERR_CORRUPT, "Checksum validation failed");
}

void enroot_bundle_settings(const struct enroot_bundle *b)
{
	const char *name;
	json_t *value;

	json_object_foreach(json_object_get(b->about, "Settings"), name,
		value) if (str_starts(name, "ENROOT_") && json_is_string(value))(void)
		setenv(name, json_string_value(value), 0); /* memory only */
}

/* "system/hooks.d/x.sh": three names, none of which leads elsewhere. */
static int put_file(int dir, const char *name, const json_t *one, struct err *e)
{
	auto_free char *path = xstrdup(name);
	const char *text = json_string_value(json_array_get(one, 1));
	mode_t mode = json_is_true(json_array_get(one, 0)) ? 0700 : 0600;
	auto_close int fd = -1;

	if (!text || strstr(name, ".."))
		return err_set(e, ERR_CORRUPT, "%s: not in a form that is known", name);
	for (char *s = strchr(path, '/'); s; s = strchr(s + 1, '/')) {
		*s = '\0';
		if (mkdirat(dir, path, 0700) < 0 && errno != EEXIST)
			return err_sys(e, "%s", path);
		*s = '/';
	}
	fd = openat(dir, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	if (fd < 0 || sys_write_all(fd, text, strlen(text)) < 0)
		return err_sys(e, "%s", name);
	return 0;
}

static int put_image(const struct enroot_bundle *b, int dir, struct err *e)
{
	auto_close int out = openat(dir, "image", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return out < 0 ? err_sys(e, "image") : copy(b->fd, (off_t)b->offset, b->size, out, NULL, e);
}

static int fill(const struct enroot_bundle *b, const char *path, struct err *e)
{
	auto_close int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *name;
	json_t *one;

	if (dir < 0 || mkdirat(dir, "system", 0700) < 0 || mkdirat(dir, "user", 0700) < 0)
		return err_sys(e, "%s", path);
	json_object_foreach(json_object_get(b->about, "Files"), name,
		one) if (put_file(dir, name, one, e) < 0) return -1;
	return put_image(b, dir, e);
}

char *enroot_bundle_scratch(const struct enroot_bundle *b, struct err *e)
{
	const char *temp = getenv("ENROOT_TEMP_PATH") ? getenv("ENROOT_TEMP_PATH") : getenv("TMPDIR");
	auto_free char *dir =
		realpath(temp && *temp ? temp : "/tmp", NULL); /* it is used from elsewhere, too */
	auto_free char *path = xasprintf("%s/sbx-bundle.XXXXXX", dir ? dir : temp);
	struct err other;

	if (!mkdtemp(path)) {
		(void)err_sys(e, "%s", path);
		return NULL;
	}
	if (fill(b, path, e) < 0) {
		(void)state_remove_tree(AT_FDCWD, path, &other); /* the first error is the one to tell */
		(void)err_ctx(e, "%s", path);
		return NULL;
	}
	return take(path);
}

int enroot_bundle_extract(const char *scratch, const char *target, struct err *e)
{
	auto_free char *image = xasprintf("%s/image", scratch), *full = enroot_absolute(target);
	auto_close int in = open(image, O_RDONLY | O_CLOEXEC), dir = -1;

	if (mkdir(target, 0700) < 0)
		return errno == EEXIST ? err_set(e, ERR_CONFLICT, "File already exists: %s", full)
		                       : err_sys(e, "%s", target);
	dir = open(target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (in < 0 || dir < 0)
		return err_sys(e, "%s", target);
	return unpack_squashfs(take_fd(&in), image, dir, false, e);
}
