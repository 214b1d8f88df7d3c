/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enroot_engines: makes one squashfs file of an engine's image of several layers, like enroot: /etc/environment, /etc/rc,
 * /etc/rc.local and /etc/fstab are written from the image's settings, which are in /.sbx/config.json completely. The files are
 * read from a container that never runs.
 *
 * Layers of an archive are loaded into a temporary store below ENROOT_TEMP_PATH, so that they do not show up as images.
 */
#include "enroot_parts.h"

#include "archive.h"
#include "engine.h"
#include "helper.h"
#include "image.h"
#include "load.h"
#include "sys.h"
#include "tarfd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

/* ---- what an archive is ----------------------------------------------------------------- */

/* What the first entry of an engine's archive is called, and of no root directory. */
static bool is_engines(const char *path)
{
	static const char *const names[] = {
		"blobs", "oci-layout", "index.json", "manifest.json", "repositories"};
	size_t n;

	path += str_starts(path, "./") ? 2 : 0;
	path += str_starts(path, "sha256:") ? 7 : 0;
	n = strcspn(path, "/.");
	if (n == 64 && strspn(path, "0123456789abcdef") == 64)
		return true;
	n = strcspn(path, "/");
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strlen(names[i]) == n && memcmp(path, names[i], n) == 0)
			return true;
	return false;
}

static bool first_is_engines(int in)
{
	auto_tarfd struct tarfd f = tarfd_open(in);
	auto_tar_reader struct tar_reader r = {.source = tarfd_read, .context = &f};
	struct err unused;

	for (;;) {
		auto_tar_entry struct tar_entry t = {0};

		if (tar_next(&r, &t, &unused) <= 0)
			return false;
		if (!str_eq(t.path, "./") && !str_eq(t.path, "."))
			return is_engines(t.path);
	}
}

bool enroot_is_engines(int in)
{
	const char *words[] = {"plain", NULL};
	char magic[2] = "";
	struct err unused;
	int pipes[2];
	bool result;
	pid_t pid;

	/* "\x1f\x8b", "BZ", "\xfd7", "\x28\xb5": none of them begins a tar of ours */
	if (pread(in, magic, 2, 0) != 2 || !strchr("\x1f"
						   "B\xfd\x28",
						   magic[0])) {
		result = first_is_engines(in);
		return lseek(in, 0, SEEK_SET) == 0 && result;
	}
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return false;
	pid = helper_start(words, in, pipes[1], -1, NULL, &unused);
	(void)close(pipes[1]); /* the helper's */
	result = pid > 0 && first_is_engines(pipes[0]);
	(void)close(pipes[0]); /* so that it ends */
	if (pid > 0)
		(void)waitpid(pid, NULL, 0); /* its output was read */
	return lseek(in, 0, SEEK_SET) == 0 && result;
}

/* ---- the files -------------------------------------------------------------------------- */

/* As one word of a shell. */
static void add_quoted(struct buf *b, const char *word)
{
	buf_puts(b, " '");
	for (; *word; word++)
		if (*word == '\'')
			buf_puts(b, "'\\''");
		else
			buf_putc(b, *word);
	buf_putc(b, '\'');
}

static void add_exec(struct buf *b, const struct strv *entrypoint, const struct strv *cmd)
{
	buf_puts(b, "    exec");
	for (size_t i = 0; i < entrypoint->n; i++)
		add_quoted(b, entrypoint->v[i]);
	if (!cmd)
		buf_puts(b, " \"$@\"");
	for (size_t i = 0; cmd && i < cmd->n; i++)
		add_quoted(b, cmd->v[i]);
	if (cmd && entrypoint->n + cmd->n == 0)
		buf_puts(b, " '/bin/sh'");
	buf_putc(b, '\n');
}

/* What cannot end a comment. */
static char *one_line(const char *text)
{
	char *line = xstrdup(text);

	for (char *s = line; (s = strchr(s, '\n')) != NULL;)
		*s = ' ';
	return line;
}

static char *rc_text(const struct image_config *c, const char *uri)
{
	const char *dir = c->workdir && *c->workdir ? c->workdir : "/";
	auto_free char *from = one_line(uri);
	struct buf b = {0};

	buf_printf(&b, "# enroot-provenance: %s\n", from);
	for (size_t i = 0; i < c->labels.n; i++) {
		auto_free char *label = one_line(c->labels.v[i]);
		size_t n = strcspn(label, "=");

		buf_printf(&b, "# %.*s %s\n", (int)n, label, label[n] ? label + n + 1 : "");
	}
	buf_puts(&b, "\nmkdir -p");
	add_quoted(&b, dir);
	buf_puts(&b, " 2> /dev/null\ncd");
	add_quoted(&b, dir);
	buf_puts(&b, " && unset OLDPWD || exit 1\n\nif [ -s /etc/rc.local ]; then\n"
		     "    . /etc/rc.local\nfi\n\nif [ $# -gt 0 ]; then\n");
	add_exec(&b, &c->entrypoint, NULL);
	buf_puts(&b, "else\n");
	add_exec(&b, &c->entrypoint, &c->cmd);
	buf_puts(&b, "fi\n");
	return buf_take(&b);
}

static char *lines_text(const struct strv *words)
{
	struct buf b = {0};

	for (size_t i = 0; i < words->n; i++)
		buf_printf(&b, "%s\n", words->v[i]);
	return buf_take(&b);
}

static char *fstab_text(const struct image_config *c)
{
	struct buf b = {0};

	for (size_t i = 0; i < c->volumes.n; i++)
		buf_printf(&b, "${ENROOT_ROOTFS}%s %s none x-create=dir,bind,rw,nosuid,nodev\n",
			c->volumes.v[i], c->volumes.v[i]);
	return buf_take(&b);
}

static int put_text(struct tar_writer *w, const char *path, char *text /* taken */, struct err *e)
{
	auto_free char *own = text;
	struct tar_entry t = {
		.type = TAR_FILE, .path = (char *)path, .mode = 0644, .size = (int64_t)strlen(own)};

	if (tar_add(w, &t, e) < 0)
		return -1;
	return *own ? tar_data(w, own, strlen(own), e) : 0;
}

static int put_dir(struct tar_writer *w, const char *path, struct err *e)
{
	auto_free char *name = xasprintf("%s/", path + strspn(path, "/"));
	struct tar_entry t = {.type = TAR_DIR, .path = name, .mode = 0755, .mtime = time(NULL)};

	return tar_add(w, &t, e);
}

static int write_files(const struct image *image, const json_t *config, const char *uri,
	bool with_workdir, int out, struct err *e)
{
	const struct image_config *c = &image->config;
	auto_tarfd struct tarfd f = tarfd_open(out);
	struct tar_writer w = {.sink = tarfd_write, .context = &f};

	if (with_workdir && put_dir(&w, c->workdir, e) < 0)
		return -1;
	if (put_text(&w, "etc/environment", lines_text(&c->env), e) < 0 ||
		put_text(&w, "etc/fstab", fstab_text(c), e) < 0 ||
		put_text(&w, "etc/rc", rc_text(c, uri), e) < 0 ||
		put_text(&w, "etc/rc.local",
			xstrdup("# /etc/rc reads this before the command starts.\n"), e) < 0 ||
		put_text(&w, ".sbx/config.json", json_dumps(config, JSON_COMPACT), e) < 0)
		return -1;
	return tar_finish(&w, e) < 0 ? -1 : tarfd_flush(&f, e);
}

static int put_files(const struct store *s, const char *id, const struct image *image,
	const char *uri, struct err *e)
{
	auto_archive struct archive work = ARCHIVE_NONE;
	auto_archive_stat struct archive_stat st = {0};
	auto_json json_t *config = image_read_config(s, image, e);
	auto_close int in = -1, out = -1;
	struct expand plain = EXPAND_NONE;
	bool with_workdir = false;
	int result;
	struct err why = {0};

	if (!config)
		return -1;
	if (image->config.workdir && archive_stat(s, id, image->config.workdir, &st, &why) < 0) {
		if (why.kind != ERR_NOT_FOUND) {
			*e = why;
			return -1;
		}
		with_workdir = true;
	}
	if (sys_pipe(&in, &out) < 0)
		return err_sys(e, "pipe");
	plain.fd = in;
	if (archive_put(s, id, "/", &plain, 0, NULL, &work, e) < 0)
		return -1;
	(void)close(take_fd(&in)); /* the other process has it */
	result = write_files(image, config, uri, with_workdir, out, e);
	(void)close(take_fd(&out)); /* its end is the end of the archive */
	if (archive_end(&work, &why) < 0 && (result == 0 || e->sys == EPIPE)) {
		*e = why;
		return -1;
	}
	return result;
}

/* ---- one file of an image --------------------------------------------------------------- */

static int export_to(const struct store *s, const char *id, int out, struct meter *meter, struct err *e)
{
	const char *words[] = {"layer", "base", "bare", NULL};
	auto_archive struct archive work = ARCHIVE_NONE;
	auto_close int from = -1, to = -1;
	auto_json json_t *answer = NULL;
	struct err why = {0};

	if (sys_pipe(&from, &to) < 0)
		return err_sys(e, "pipe");
	if (archive_export(s, id, to, meter, &work, e) < 0)
		return -1;
	(void)close(take_fd(&to)); /* the other process has it */
	answer = helper_ask(words, from, out, NULL, e);
	(void)close(take_fd(&from)); /* so that the first one ends when the second gave up */
	if (archive_end(&work, &why) < 0 && (answer || why.sys != EPIPE)) {
		*e = why;
		return -1;
	}
	return answer ? 0 : -1;
}

int enroot_flatten(const struct store *s, const struct image *image, const char *container,
	const char *uri, int out, struct meter *meter, struct err *e)
{
	auto_spec struct spec spec;
	id_text id;

	spec_init(&spec);
	spec.image = xstrdup(image->id);
	spec.name = xstrdup(container);
	spec.entrypoint.set = true;
	spec.network = xstrdup("none");
	strv_add(&spec.cmd, "/bin/sh"); /* it never runs, but has to have a command */
	if (engine_create(s, &spec, id, e) < 0 || put_files(s, id, image, uri, e) < 0)
		return -1;
	return export_to(s, id, out, meter, e);
}

void enroot_flatten_undo(const struct store *s, const char *container)
{
	struct err unused;
	id_text id;

	if (state_find(s, container, id, &unused) == 0)
		(void)engine_remove(s, id, true, true, &unused); /* no other process knows its name */
}

/* ---- which image of an archive ---------------------------------------------------------- */

static const char *const machines[][2] = {
	{"x86_64", "amd64"}, {"aarch64", "arm64"}, {"ppc64le", "ppc64le"}};

/* Docker's name of what uname calls it, which may be given as well. */
static const char *architecture_of(const char *machine)
{
	for (size_t i = 0; i < ARRAY_LEN(machines); i++)
		if (str_eq(machine, machines[i][0]))
			return machines[i][1];
	return machine;
}

char *enroot_architecture(const char *asked)
{
	struct utsname u = {0};

	(void)uname(&u); /* fails on a bad pointer only */
	return xstrdup(architecture_of(asked && *asked ? asked : u.machine));
}

/* The only one, or the only one for this machine. */
static const struct image *choose(const struct image *all, size_t n, const char *arch, struct err *e)
{
	const struct image *found = NULL;
	auto_buf struct buf names = {0};
	size_t fits = 0;

	for (size_t i = 0; i < n; i++) {
		buf_printf(&names, "%s%s (%s)", i ? ", " : "",
			all[i].refs.n ? all[i].refs.v[0] : all[i].id, all[i].architecture);
		if (str_eq(all[i].architecture, arch)) {
			found = &all[i];
			fits++;
		}
	}
	if (n == 1)
		return all;
	if (fits == 1)
		return found;
	(void)err_set(e, ERR_USAGE,
		n ? "The archive holds several images, save one of them: %s" : "The archive holds no image%s",
		names.s ? names.s : "");
	return NULL;
}

int enroot_take_image(const struct store *s, int in, const char *arch, struct image *out,
	struct meter *meter, struct err *e)
{
	auto_strv struct strv report = {0};
	const struct image *one;
	struct image *all = NULL;
	size_t n = 0;
	int result = -1;

	if (load_images(s, in, NULL, meter, &report, e) < 0 || image_list(s, &all, &n, NULL, e) < 0)
		return -1;
	one = choose(all, n, arch, e);
	if (one)
		result = image_find(s, one->id, out, e);
	image_list_free(all, n);
	return result;
}
