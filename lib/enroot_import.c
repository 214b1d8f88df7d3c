/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_import: makes a squashfs file of anything that contains a root directory or an image. Temporary directories are made only when
 * needed, and always removed: a process waits for the end of all processes that might be killed. */
#include "enroot_parts.h"

#include "helper.h"
#include "image.h"
#include "meter.h"
#include "state.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define IMAGE_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._:-"

struct import {
	const struct enroot_import *ask;
	const struct store *own; /* the user's */
	const char *from;        /* a path; NULL: an engine's */
	const char *image;       /* its name in the engine */
	char *program;           /* the engine's, or NULL: we are it */
	char *container;         /* in which an image's layers become one */
	char *scratch;           /* the root of an archive's own store */
	int in, out;
	pid_t cleaner; /* or -1 */
	int working;   /* a pipe to it, which nobody writes to */
};

static void import_done(struct import *i)
{
	auto_close_(&i->in);
	auto_close_(&i->working);
	free(i->program);
	free(i->container);
	free(i->scratch);
}
#define auto_import __attribute__((cleanup(import_done)))

/* ---- images ----------------------------------------------------------------------------- */

static void warn(const struct import *i, const char *is, const char *wanted)
{
	auto_free char *text =
		xasprintf("Image architecture doesn't match the requested one: %s != %s", is, wanted);

	i->ask->warn(text);
}

static int flatten(const struct import *i, const struct store *s, const struct image *image,
	struct meter *meter, struct err *e)
{
	auto_free char *uri = i->from ? xasprintf("file://%s", i->from) : xstrdup(i->ask->uri);
	auto_free char *arch = enroot_architecture(i->ask->arch);

	if (!str_eq(image->architecture, arch))
		warn(i, image->architecture, arch);
	return enroot_flatten(s, image, i->container, uri, i->out, meter, e);
}

static int make_scratch(const struct import *i, struct err *e)
{
	int root = mkdir(i->scratch, 0700) < 0 ? -1
	                                       : open(i->scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return root < 0 ? err_sys(e, "make a directory in %s", enroot_setting("ENROOT_TEMP_PATH")) : root;
}

/* The layers are loaded into a temporary store, so that they do not show up as images. */
static int of_layers(const struct import *i, int in, struct err *e)
{
	auto_close int root = make_scratch(i, e);
	struct store s = {.root = root,
		.runtime = i->own->runtime,
		.root_path = i->scratch,
		.runtime_path = i->own->runtime_path};
	auto_free char *arch = enroot_architecture(i->ask->arch);
	auto_image struct image image = {0};

	if (root < 0)
		return -1;
	if (enroot_take_image(&s, in, arch, &image, i->ask->meter, e) < 0)
		return -1;
	return flatten(i, &s, &image, NULL, e);
}

static int of_program(const struct import *i, struct err *e)
{
	auto_close int from = -1;
	pid_t pid = enroot_save_begin(i->program, i->image, &from, e);
	struct err why = {0};
	int result;

	if (pid < 0)
		return -1;
	result = of_layers(i, from, e);
	(void)close(take_fd(&from)); /* so that it ends */
	if (enroot_save_end(pid, i->program, &why) < 0 && result < 0)
		*e = why;
	return result;
}

/* First what the other engine has; then what our store has; then what that engine can pull. */
static int of_engine(const struct import *i, struct err *e)
{
	auto_image struct image image = {0};

	if (i->program && enroot_program_has(i->program, i->image))
		return of_program(i, e);
	if (str_starts(i->ask->uri, "dockerd:") && image_find_ref(i->own, i->image, &image, e) == 0) {
		meter_expect(i->ask->meter, (uint64_t)image.size);
		return flatten(i, i->own, &image, i->ask->meter, e);
	}
	if (!i->program)
		return -1;
	err_clear(e);
	return enroot_program_pull(i->program, i->image, e) < 0 ? -1 : of_program(i, e);
}

/* ---- files ------------------------------------------------------------------------------ */

/* An OCI layout that was unpacked is an archive, too. */
static int of_layout(const struct import *i, struct err *e)
{
	auto_close int from = -1;
	pid_t pid = enroot_tar_begin(i->in, &from, e);
	int result;

	if (pid < 0)
		return -1;
	result = of_layers(i, from, e);
	(void)close(take_fd(&from)); /* so that it ends */
	return enroot_tar_end(pid, result, e);
}

static int of_squashfs(int in, int out, struct err *e)
{
	ssize_t n;

	while ((n = sendfile(out, in, NULL, 1 << 30)) > 0)
		;
	return n < 0 ? err_sys(e, "copy") : 0;
}

/* Files alone do not tell for which machine they are. */
static int of_files(const struct import *i, bool directory, struct err *e)
{
	if (i->ask->arch)
		warn(i, "unknown", i->ask->arch);
	if (directory)
		return enroot_of_directory(i->in, i->out, i->ask->meter, e);
	if (enroot_is_image(i->from))
		return of_squashfs(i->in, i->out, e);
	return enroot_of_archive(i->in, i->out, i->ask->meter, e);
}

static int of_path(const struct import *i, struct err *e)
{
	struct stat st;
	bool directory;

	if (fstat(i->in, &st) < 0)
		return err_sys(e, "%s", i->from);
	directory = S_ISDIR(st.st_mode);
	if (directory && faccessat(i->in, "oci-layout", F_OK, 0) == 0)
		return of_layout(i, e);
	if (S_ISREG(st.st_mode) && enroot_is_engines(i->in))
		return of_layers(i, i->in, e);
	return of_files(i, directory, e);
}

static int import_here(void *arg, struct err *e)
{
	const struct import *i = arg;

	if (!i->from)
		return of_engine(i, e);
	return of_path(i, e) < 0 ? err_ctx(e, "%s", i->from) : 0;
}

/* ---- from where, to where --------------------------------------------------------------- */

/* dir/name.tar.gz -> name.sqsh */
static char *name_for(const char *from)
{
	static const char *const ends[] = {
		".gz", ".xz", ".zst", ".bz2", ".lz4", ".tgz", ".txz", ".tar", ".sqsh", ".squashfs"};
	const char *slash;
	auto_free char *name = xstrdup(from);

	while (name[0] && name[1] && str_ends(name, "/"))
		name[strlen(name) - 1] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (str_ends(name, ends[i]))
			name[strlen(name) - strlen(ends[i])] = '\0';
	slash = strrchr(name, '/');
	return xasprintf("%s.sqsh", slash ? slash + 1 : name);
}

/* web/app:1 -> web+app+1.sqsh */
static char *name_for_image(const char *image)
{
	char *name = xasprintf("%s.sqsh", image);

	for (char *c = name; *c; c++)
		if (*c == '/' || *c == ':')
			*c = '+';
	return name;
}

static bool is_engines(const char *uri)
{
	return str_starts(uri, "dockerd://") || str_starts(uri, "podman://");
}

static const char *path_in(const char *uri)
{
	return str_starts(uri, "file://") ? uri + strlen("file://") : uri;
}

static char *name_of(const char *uri)
{
	return is_engines(uri) ? name_for_image(strstr(uri, "://") + 3) : name_for(path_in(uri));
}

static int find_source(struct import *i, struct err *e)
{
	const char *uri = i->ask->uri;

	if (is_engines(uri)) {
		i->image = strstr(uri, "://") + 3;
		/* a word with a dash were an option of the program that is asked */
		if (!*i->image || *i->image == '-' || i->image[strspn(i->image, IMAGE_LETTERS)])
			return err_set(e, ERR_USAGE, "Invalid image reference: %s", uri);
		i->program = enroot_program(*uri == 'd' ? "docker" : "podman");
		if (!i->program && *uri == 'p')
			return err_set(e, ERR_NOT_FOUND, "Command not found: podman");
		return 0;
	}
	i->from = path_in(uri);
	i->in = open(i->from, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (i->in < 0 && errno == ENOENT)
		return err_set(e, ERR_NOT_FOUND, "No such file or directory: %s", i->from);
	return i->in < 0 ? err_sys(e, "%s", i->from) : 0;
}

/* ---- and what goes again ---------------------------------------------------------------- */

static int name_scratch(struct import *i, struct err *e)
{
	id_text id;

	if (id_random(id, e) < 0)
		return -1;
	i->container = xasprintf("enroot.%.10s", id);
	i->scratch = xasprintf("%s/%s", enroot_setting("ENROOT_TEMP_PATH"), i->container);
	return 0;
}

/* Called in any case. */
static void clear_up(const struct import *i)
{
	struct err unused;

	if (!i->from)
		enroot_flatten_undo(i->own, i->container);
	(void)state_remove_tree(AT_FDCWD, i->scratch, &unused); /* what cannot go stays in a temporary directory */
}

/* The cleaner: waits until every process of the import has ended, also the one that clears up if none is killed. */
static void __attribute__((noreturn)) clean(const struct import *i, int from)
{
	int null;
	char c;

	(void)prctl(PR_SET_NAME, "sbx-cleaner");
	(void)setsid(); /* what ends a group, or comes from a terminal, is for the others */
	sys_server_signals();
	sys_keep_only((int[]){from, i->own->root, i->own->runtime}, 3);
	/* a server that is started must not find 0, 1 and 2 free */
	null = open("/dev/null", O_RDWR);
	while (null >= 0 && null < 2)
		null = dup(null);
	(void)sys_read(from, &c, 1); /* the end */
	clear_up(i);
	_exit(0);
}

/* If it cannot be started, only a killed import leaves something. */
static void begin_cleaner(struct import *i)
{
	auto_close int from = -1;

	if (sys_pipe(&from, &i->working) < 0)
		return;
	i->cleaner = fork();
	if (i->cleaner == 0)
		clean(i, from);
}

static void end_cleaner(struct import *i)
{
	if (i->cleaner <= 0)
		return;
	auto_close_(&i->working);        /* this ends it as well, where kill() fails */
	(void)kill(i->cleaner, SIGKILL); /* our child, not yet waited for */
	while (waitpid(i->cleaner, NULL, 0) < 0 && errno == EINTR)
		;
}

int enroot_import(const struct store *s, const struct enroot_import *a, int *caught, struct err *e)
{
	auto_import struct import i = {
		.ask = a, .own = s, .in = -1, .out = -1, .cleaner = -1, .working = -1};
	auto_enroot_made struct enroot_made m = {.fd = -1};
	auto_free char *name = NULL;
	int result;

	if (find_source(&i, e) < 0)
		return -1;
	name = a->output ? xstrdup(a->output) : name_of(a->uri);
	if (enroot_made_begin(name, false, &m, e) < 0 || name_scratch(&i, e) < 0)
		return -1;
	i.out = m.fd;
	begin_cleaner(&i);
	result = enroot_work(import_here, &i, caught, e);
	clear_up(&i);
	end_cleaner(&i);
	return result < 0 ? -1 : enroot_made_end(&m, false, e);
}

/* ---- load: as a container --------------------------------------------------------------- */

int enroot_load(const struct store *s, const struct enroot_import *a, const char *name, bool force,
	int *caught, struct err *e)
{
	auto_free char *own = name ? xstrdup(name) : name_of(a->uri), *there = NULL, *dir = NULL,
		       *file = NULL;
	struct enroot_import ask = *a;
	struct err unused;
	int result;

	if (!name)
		own[strlen(own) - strlen(".sqsh")] = '\0';
	there = enroot_path(own, e);
	if (!there && e->kind != ERR_NOT_FOUND)
		return -1;
	if (there && !force)
		return err_set(e, ERR_CONFLICT, "File already exists: %s", there);
	dir = enroot_scratch(own, e);
	if (!dir)
		return -1;
	ask.output = file = xasprintf("%s/" ENROOT_OWN_IMAGE, dir);
	result = enroot_import(s, &ask, caught, e);
	if (result == 0 && !*caught)
		result = enroot_create_own(file, own, force, e);
	(void)state_remove_tree(AT_FDCWD, dir, &unused); /* else a later command removes it */
	return result;
}
