/* SPDX-License-Identifier: Apache-2.0 */
#include "import.h"
#include "apart.h"
#include "change.h"
#include "helper.h"
#include "event.h"
#include "image.h"
#include "image_name.h"
#include "parse.h"
#include "sha256.h"
#include "sqsh_config.h"
#include "squash_tar.h"
#include "stamp.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

/* ---- platform ---- */

static const char *const architectures[][2] = {
	{"x86_64", "amd64"},
	{"aarch64", "arm64"},
	{"i686", "386"},
	{"armv7l", "arm"},
	{"ppc64le", "ppc64le"},
	{"riscv64", "riscv64"},
	{"s390x", "s390x"},
};

/* Docker's name of what the kernel, or a user, calls it. */
static const char *architecture_of(const char *machine)
{
	for (size_t i = 0; i < ARRAY_LEN(architectures); i++)
		if (str_eq(machine, architectures[i][0]))
			return architectures[i][1];
	return machine;
}

/* "linux/arm64/v8", parts may be missing at the end; docker's words when it is none. */
static int import_platform(
	const char *text, char **os, char **architecture, char **variant, struct err *e)
{
	if (parse_platform(text, os, architecture, variant, e) < 0)
		return -1;
	if (!str_eq(*os, "linux"))
		return err_set(e, ERR_USAGE, "operating system is not supported");
	return 0;
}

/* ---- the layer ---- */

static uint64_t archive_size(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

static int layer_of_archive(
	int in, int out, struct meter *meter, struct image_layer *layer, struct err *e)
{
	const char *words[] = {"layer", "base", meter ? "meter" : NULL, NULL};
	auto_json json_t *answer = NULL;

	meter_expect(meter, archive_size(in));
	answer = helper_ask(words, in, out, meter, e);
	return answer ? helper_layer(answer, layer->diff_id, &layer->size, e) : -1;
}

/* A tar of the directory is made by one helper and read by another. */
static int layer_of_directory(
	int dir, int out, struct meter *meter, struct image_layer *layer, struct err *e)
{
	const char *words[] = {"tar", NULL};
	auto_close int from = -1, to = -1;
	struct err unused;
	int result;
	pid_t pid;

	if (sys_pipe(&from, &to) < 0)
		return err_sys(e, "pipe");
	pid = helper_start(words, -1, to, dir, NULL, e);
	if (pid < 0)
		return -1;
	(void)close(take_fd(&to)); /* its end is the end of the tar */
	result = layer_of_archive(from, out, meter, layer, e);
	(void)close(take_fd(&from)); /* so that the first one ends when the second gave up */
	if (helper_end(pid, NULL, result < 0 ? &unused : e) < 0 && result == 0)
		return err_ctx(e, "the directory cannot be read whole");
	return result;
}

struct digest {
	struct sha256 sum;
	struct meter *meter;
};

static int digest_add(void *digest, const void *bytes, size_t n)
{
	struct digest *d = digest;

	sha256_add(&d->sum, bytes, n);
	meter_add(d->meter, n);
	return 0;
}

static int copy_file(int in, int out, struct sha256 *digest, struct meter *meter, struct err *e)
{
	auto_free char *chunk = xcalloc(1 << 20, 1);
	ssize_t n;

	if (lseek(in, 0, SEEK_SET) < 0)
		return err_sys(e, "read");
	while ((n = sys_read(in, chunk, 1 << 20)) > 0) {
		sha256_add(digest, chunk, (size_t)n);
		meter_add(meter, (uint64_t)n);
		if (sys_write_all(out, chunk, (size_t)n) < 0)
			return err_sys(e, "write the squashfs image");
	}
	if (n < 0 || fsync(out) < 0)
		return err_sys(e, n < 0 ? "read" : "write the squashfs image");
	return 0;
}

/* The layer's digest is that of the tar that `save` writes of it, so that it is the same wherever it is loaded; if it
 * is too large for that, the digest of the squashfs file. */
static int layer_of_squashfs(
	int in, int out, struct meter *meter, struct image_layer *layer, struct err *e)
{
	struct digest tar = {.meter = meter};
	struct sha256 file;
	struct stat st;
	int fd;

	sha256_init(&file);
	sha256_init(&tar.sum);
	if (copy_file(in, out, &file, meter, e) < 0)
		return -1;
	fd = fcntl(out, F_DUPFD_CLOEXEC, 0);
	if (fd < 0 || fstat(out, &st) < 0)
		return err_sys(e, "read the squashfs image");
	if (squash_tar(fd, digest_add, &tar, &layer->size, e) == 0) {
		sha256_end_hex(&tar.sum, layer->diff_id);
		return 0;
	}
	if (e->kind != ERR_UNSUPPORTED)
		return -1;
	err_clear(e);
	layer->size = st.st_size;
	sha256_end_hex(&file, layer->diff_id);
	return 0;
}

enum source { ARCHIVE, DIRECTORY, SQUASHFS };

static enum source source_of(int fd)
{
	char magic[4];
	struct stat st;

	if (fstat(fd, &st) < 0)
		return ARCHIVE;
	if (S_ISDIR(st.st_mode))
		return DIRECTORY;
	if (S_ISREG(st.st_mode) && pread(fd, magic, 4, 0) == 4 && memcmp(magic, "hsqs", 4) == 0)
		return SQUASHFS;
	return ARCHIVE;
}

/* ---- the config ---- */

/* The Config object to start from: empty, or what the squashfs file contains. */
static json_t *first_config(const json_t *known, struct err *e)
{
	auto_image_config struct image_config c = {0};

	if (image_config_parse(json_object_get(known, "config"), &c, e) < 0)
		return NULL;
	return image_config_json(&c);
}

/* The keys stand in docker's order. */
static char *make_config(
	const struct import_ask *ask, const json_t *known, const char *diff_id, struct err *e)
{
	auto_free char *os = NULL, *architecture = NULL, *variant = NULL;
	auto_free char *digest = xasprintf("sha256:%s", diff_id);
	const char *message = ask->message ? ask->message : "Imported from -";
	auto_json json_t *config = first_config(known, e), *image = NULL;
	char created[STAMP_SIZE], *text;
	struct utsname u = {0};
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now); /* this clock is always there */
	stamp_print(&now, created);
	if (!config || change_config(config, &ask->changes, e) < 0)
		return NULL;
	if (ask->platform && import_platform(ask->platform, &os, &architecture, &variant, e) < 0)
		return NULL;
	(void)uname(&u); /* fails on a bad pointer only */
	if (!architecture)
		architecture = xstrdup(json_str(known, "architecture", architecture_of(u.machine)));
	image = json_pack("{s:s, s:s, s:O, s:s, s:[{s:s, s:s}], s:s, s:{s:s, s:[s]}}",
		"architecture", architecture, "comment", message, "config", config, "created",
		created, "history", "created", created, "comment", message, "os", "linux", "rootfs",
		"type", "layers", "diff_ids", digest);
	if (image && variant)
		(void)json_object_set_new(image, "variant", json_string(variant)); /* memory only */
	text = image ? json_dumps(image, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
	if (!text)
		(void)err_set(e, ERR_USAGE, "the message is no UTF-8 text");
	return text;
}

/* Checked before minutes are spent on the layer. */
static int check_ask(const struct import_ask *ask, struct err *e)
{
	auto_free char *os = NULL, *architecture = NULL, *variant = NULL;
	auto_json json_t *scratch = json_object();

	if (change_config(scratch, &ask->changes, e) < 0)
		return -1;
	return ask->platform ? import_platform(ask->platform, &os, &architecture, &variant, e) : 0;
}

static int make_layer(const struct import_ask *ask, enum source source, int out,
	struct image_layer *layer, struct err *e)
{
	switch (source) {
	case DIRECTORY:
		return layer_of_directory(ask->in, out, ask->meter, layer, e);
	case SQUASHFS:
		return layer_of_squashfs(ask->in, out, ask->meter, layer, e);
	default:
		return layer_of_archive(ask->in, out, ask->meter, layer, e);
	}
}

static int check_whole(const struct import_ask *ask, struct err *e)
{
	char rest[4096];

	if (!ask->whole)
		return 0;
	while (sys_read_wait(ask->in, rest, sizeof(rest)) > 0) /* what follows the end of the compressed data */
		;
	if (sys_read(*ask->whole, rest, 1) == 1)
		return 0;
	return err_set(e, ERR_CORRUPT, "unexpected EOF");
}

static int import_here(const struct store *s, const struct import_ask *ask, char **id, struct err *e)
{
	enum source source = source_of(ask->in);
	auto_json json_t *known = NULL;
	auto_free char *temporary = NULL, *config = NULL, *name = NULL;
	struct image_layer layer = {0};
	auto_close int out = -1;
	int result = -1;

	if (check_ask(ask, e) < 0)
		return -1;
	if (source == SQUASHFS && !(known = sqsh_config_read(ask->in, e)))
		return -1;
	out = image_layer_begin(s, &temporary, e);
	if (out < 0)
		return -1;
	layer.temporary = temporary;
	if (make_layer(ask, source, out, &layer, e) == 0 && check_whole(ask, e) == 0) {
		config = make_config(ask, known, layer.diff_id, e);
		if (config && (!ask->name || (name = image_name_of(ask->name, e))))
			result = image_add(s, config, strlen(config), &layer, 1, NULL, name, id, e);
	}
	image_layer_drop(s, temporary);
	return result;
}

struct import_work {
	const struct store *s;
	const struct import_ask *ask;
};

static int import_apart(void *arg, struct buf *answer, struct err *e)
{
	const struct import_work *w = arg;
	auto_free char *id = NULL;

	if (import_here(w->s, w->ask, &id, e) < 0)
		return -1;
	buf_puts(answer, id);
	return 0;
}

struct base_work {
	int in, out;
	struct meter *meter;
};

static int base_apart(void *arg, struct buf *answer, struct err *e)
{
	const struct base_work *w = arg;
	const struct import_ask ask = {.in = w->in};
	auto_json json_t *known = sqsh_config_read(w->in, e);
	auto_free char *config = NULL;
	struct image_layer layer = {0};

	if (!known || layer_of_squashfs(w->in, w->out, w->meter, &layer, e) < 0)
		return -1;
	config = make_config(&ask, known, layer.diff_id, e);
	if (!config)
		return -1;
	buf_printf(answer, "%s %lld %s", layer.diff_id, (long long)layer.size, config);
	return 0;
}

char *import_base(const struct store *s, int in, int out, struct meter *meter,
	struct image_layer *layer, struct err *e)
{
	struct base_work w = {in, out, meter};
	auto_buf struct buf answer = {0};
	long long size = 0;
	int at = 0;

	if (apart(s, base_apart, &w, &answer, e) < 0)
		return NULL;
	if (!answer.s || sscanf(answer.s, "%64[0-9a-f] %lld %n", layer->diff_id, &size, &at) != 2 ||
		!str_is_hex(layer->diff_id, SHA256_HEX)) {
		(void)err_set(e, ERR_CORRUPT, "who read the squashfs image told nothing of it");
		return NULL;
	}
	layer->size = size;
	return xstrdup(answer.s + at);
}

int import_image(const struct store *s, const struct import_ask *ask, char **id, struct err *e)
{
	struct import_work w = {s, ask};
	auto_buf struct buf answer = {0};
	auto_free char *name = NULL;

	if (apart(s, import_apart, &w, &answer, e) < 0)
		return store_room_ctx(s, e);
	*id = xstrdup(answer.s ? answer.s : "");
	if (ask->name && (name = image_name_of(ask->name, e)))
		event_image(s, "tag", *id, name);
	return 0;
}
