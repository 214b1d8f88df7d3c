/* SPDX-License-Identifier: Apache-2.0 */
/* enroot: the command line of enroot, for a program that is called by that name. */
#include "enroot_main.h"

#include "enroot.h"
#include "enroot_args.h"
#include "enroot_bundle.h"
#include "progress.h"
#include "store.h"

#include <string.h>
#include <sys/wait.h>

/* clang-format off */
static const struct row import_rows[] = {
	{ 'a', "arch",     "ARCH",  "Architecture of the image (defaults to host architecture)", IS_TEXT(struct args, arch) },
	{ 'o', "output",   "FILE",  "Name of the output image file (defaults to \"URI.sqsh\")", IS_TEXT(struct args, output) },
	{ 0 },
}, load_rows[] = {
	{ 'a', "arch",     "ARCH",  "Architecture of the image (defaults to host architecture)", IS_TEXT(struct args, arch) },
	{ 'n', "name",     "NAME",  "Name of the container (defaults to \"URI\")", IS_TEXT(struct args, name) },
	{ 'f', "force",    NULL,    "Overwrite an existing root filesystem", IS_FLAG(struct args, force) },
	{ 0 },
}, digest_rows[] = {
	{ 'a', "arch",     "ARCH",  "Architecture of the image (defaults to host architecture)", IS_TEXT(struct args, arch) },
	{ 0 },
}, create_rows[] = {
	{ 'n', "name",     "NAME",  "Name of the container (defaults to \"IMAGE\")", IS_TEXT(struct args, name) },
	{ 'f', "force",    NULL,    "Overwrite an existing root filesystem", IS_FLAG(struct args, force) },
	{ 0 },
}, list_rows[] = {
	{ 'f', "fancy",    NULL,    "Display more information in tabular format", IS_FLAG(struct args, fancy) },
	{ 0 },
}, remove_rows[] = {
	{ 'f', "force",    NULL,    "Do not prompt for confirmation", IS_FLAG(struct args, force) },
	{ 0 },
}, export_rows[] = {
	{ 'o', "output",   "FILE",  "Name of the output image file (defaults to \"NAME.sqsh\")", IS_TEXT(struct args, output) },
	{ 'f', "force",    NULL,    "Overwrite an existing container image", IS_FLAG(struct args, force) },
	{ 0 },
}, start_rows[] = {
	{ 'c', "conf",     "CONFIG", "Specify a configuration script to run before the container starts", IS_TEXT(struct args, conf) },
	{ 'e', "env",      "KEY[=VAL]", "Export an environment variable inside the container", IS_LIST(struct args, env) },
	{ 0,   "rc",       "SCRIPT", "Override the command script inside the container", IS_TEXT(struct args, rc) },
	{ 'r', "root",     NULL,    "Ask to be remapped to root inside the container", IS_FLAG(struct args, root) },
	{ 'w', "rw",       NULL,    "Make the container root filesystem writable", IS_FLAG(struct args, rw) },
	{ 'm', "mount",    "FSTAB", "Perform a mount from the host inside the container (colon-separated)", IS_LIST(struct args, mounts) },
	{ 0,   "pid",      NULL,    "Start in a process namespace of its own", IS_FLAG(struct args, pid) },
	{ 0,   "net",      NULL,    "Start in a network namespace of its own", IS_FLAG(struct args, net) },
	{ 0,   "ipc",      NULL,    "Start in an IPC namespace of its own", IS_FLAG(struct args, ipc) },
	{ 0,   "uts",      NULL,    "Start in a UTS namespace of its own", IS_FLAG(struct args, uts) },
	{ 0 },
}, exec_rows[] = {
	{ 'e', "env",      "KEY[=VAL]", "Export an environment variable inside the container", IS_LIST(struct args, env) },
	{ 0 },
}, bundle_rows[] = {
	{ 'a', "all",      NULL,    "Include user configuration files in the bundle", IS_FLAG(struct args, all) },
	{ 'c', "checksum", NULL,    "Generate an embedded checksum", IS_FLAG(struct args, checksum) },
	{ 'd', "desc",     "TEXT",  "Provide a description of the bundle", IS_TEXT(struct args, desc) },
	{ 'o', "output",   "FILE",  "Name of the output bundle file (defaults to \"IMAGE.run\")", IS_TEXT(struct args, output) },
	{ 't', "target",   "DIR",   "Target directory used by --keep (defaults to \"$PWD/BUNDLE\")", IS_TEXT(struct args, target) },
	{ 'f', "force",    NULL,    "Overwrite an existing bundle", IS_FLAG(struct args, force) },
	{ 0 },
}, no_rows[] = {
	{ 0 },
};
/* clang-format on */

/* ---- the commands ----------------------------------------------------------------------- */

static int version_main(const struct args *a, int argc, char **argv)
{
	(void)a;
	(void)argc;
	(void)argv;
	say_print("%s\n", ENROOT_VERSION);
	return say_written(0);
}

static int info_main(const struct args *a, int argc, char **argv)
{
	auto_free char *file = enroot_conf_file();
	auto_strv struct strv all = {0};

	(void)a;
	(void)argc;
	(void)argv;
	for (char **kv = environ; *kv; kv++)
		if (str_starts(*kv, "ENROOT_"))
			strv_add(&all, *kv);
	strv_sort(&all, 0);
	say_print("Enroot version: %s\nConfig file: %s\n\nEnvironment variables:\n", ENROOT_VERSION, file);
	for (size_t i = 0; i < all.n; i++)
		say_print("  %s\n", all.v[i]);
	return say_written(0);
}

static void say_warning(const char *text)
{
	(void)fprintf(stderr, "[WARN] %s\n", text);
}

static int no_registry(const char *uri)
{
	struct err e;

	if (!str_starts(uri, "docker://"))
		(void)err_set(&e, ERR_USAGE, "Invalid argument: %s", uri);
	else
		(void)err_set(&e, ERR_UNSUPPORTED,
			"Registries are not spoken to yet: import a file instead: %s", uri);
	return enroot_fail(&e);
}

static bool is_ours(const char *uri)
{
	return !strstr(uri, "://") || str_starts(uri, "file://") || str_starts(uri, "dockerd://") ||
	       str_starts(uri, "podman://");
}

/* Imports an image into a file, or, for `load`, into a container. */
static int take_in(const struct args *a, const char *uri, bool load)
{
	auto_store struct store s = {-1, -1, NULL, NULL};
	auto_progress struct progress bar = {0};
	struct enroot_import ask = {.uri = uri, .output = a->output, .arch = a->arch, .warn = say_warning};
	int result, caught = 0;
	struct err e;

	result = store_open(&s, &e);
	if (result == 0) {
		ask.meter = progress_begin(&bar, load ? "Loading" : "Importing", true);
		result = load ? enroot_load(&s, &ask, a->name, a->force, &caught, &e)
		              : enroot_import(&s, &ask, &caught, &e);
	}
	progress_end(&bar);
	if (caught)
		return enroot_end_as(caught);
	return result < 0 ? enroot_fail(&e) : 0;
}

static int import_main(const struct args *a, int argc, char **argv)
{
	(void)argc;
	return is_ours(argv[0]) ? take_in(a, argv[0], false) : no_registry(argv[0]);
}

static int load_main(const struct args *a, int argc, char **argv)
{
	struct err e;

	(void)argc;
	if (a->name && strchr(a->name, '/')) {
		(void)err_set(&e, ERR_USAGE, "Invalid argument: %s", a->name);
		return enroot_fail(&e);
	}
	/* enroot itself loads only from docker://, and calls everything else an invalid argument. */
	if (!str_starts(argv[0], "file://") && (strstr(argv[0], "://") || access(argv[0], F_OK) < 0))
		return no_registry(argv[0]);
	return take_in(a, argv[0], true);
}

static int digest_main(const struct args *a, int argc, char **argv)
{
	(void)a;
	(void)argc;
	return no_registry(argv[0]);
}

static int bundle_main(const struct args *a, int argc, char **argv)
{
	auto_free char *image = NULL, *output = NULL, *target = NULL, *base = NULL;
	struct enroot_bundle_ask ask = {
		.desc = a->desc, .all = a->all, .checksum = a->checksum, .force = a->force};
	struct err e;

	(void)argc;
	ask.all = ask.all || enroot_true("ENROOT_BUNDLE_ALL");
	ask.checksum = ask.checksum || enroot_true("ENROOT_BUNDLE_CHECKSUM");
	ask.image = image = enroot_image_path(argv[0], &e);
	if (!image)
		return enroot_fail(&e);
	base = xstrdup(strrchr(image, '/') + 1);
	if (str_ends(base, ".sqsh"))
		base[strlen(base) - 5] = '\0';
	output = a->output ? enroot_absolute(a->output) : xasprintf("%s.run", base);
	ask.output = output;
	if (!ask.force && access(output, F_OK) == 0) {
		free(image);
		image = realpath(output, NULL);
		(void)err_set(&e, ERR_CONFLICT, "File already exists: %s", image ? image : output);
		return enroot_fail(&e);
	}
	target = xstrdup(strrchr(output, '/') ? strrchr(output, '/') + 1 : output);
	if (str_ends(target, ".run"))
		target[strlen(target) - 4] = '\0';
	ask.target = a->target ? a->target : target;
	return enroot_bundle_make(&ask, &e) < 0 ? enroot_fail(&e) : 0;
}

static int create_main(const struct args *a, int argc, char **argv)
{
	struct err e;

	(void)argc;
	return enroot_create(argv[0], a->name, a->force, &e) < 0 ? enroot_fail(&e) : 0;
}

/* Reads an answer, for which only a terminal is prompted. 1: y or Y; 0: anything else; -1: end of input. */
static int sure(const char *path)
{
	char answer[3] = "";
	size_t n = 0;
	int c;

	if (isatty(STDIN_FILENO))
		(void)fprintf(stderr, "Do you really want to delete %s? [y/N] ", path);
	while ((c = getchar()) != '\n' && c != EOF)
		if (n + 1 < sizeof(answer))
			answer[n++] = (char)c;
	if (c == EOF && n == 0)
		return -1;
	return str_eq(answer, "y") || str_eq(answer, "Y");
}

static int remove_main(const struct args *a, int argc, char **argv)
{
	struct err e;

	for (int i = 0; i < argc; i++) {
		auto_free char *path = enroot_path(argv[i], &e);
		int answer = path && !a->force ? sure(path) : 1;

		if (!path)
			return enroot_fail(&e);
		if (answer < 0)
			return 1;
		if (answer && enroot_remove(argv[i], &e) < 0)
			return enroot_fail(&e);
	}
	return 0;
}

#define COLUMNS 9

struct line {
	const char *cell[COLUMNS];
};

static void print_lines(const struct line *lines, size_t n)
{
	size_t width[COLUMNS] = {0};

	for (size_t i = 0; i < n; i++)
		for (int c = 0; c < COLUMNS; c++)
			if (lines[i].cell[c] && strlen(lines[i].cell[c]) > width[c])
				width[c] = strlen(lines[i].cell[c]);
	for (size_t i = 0; i < n; i++) {
		int last = COLUMNS;

		while (last > 1 && !lines[i].cell[last - 1])
			last--;
		for (int c = 0; c < last; c++) {
			const char *text = lines[i].cell[c] ? lines[i].cell[c] : "";

			say_print(c + 1 < last ? "%-*s  " : "%.*s",
				c + 1 < last ? (int)width[c] : (int)strlen(text), text);
		}
		say_print("\n");
	}
}

static struct line line_of(const struct enroot_proc *p, const char *name, char *pid, size_t size)
{
	(void)snprintf(pid, size, "%d", (int)p->pid); /* fits */
	return (struct line){
		{name, pid, p->comm, p->state, p->started, p->time, p->mntns, p->userns, p->command}};
}

/* Files beside the containers are told of in the plain list only. */
static bool is_directory(const char *name)
{
	struct err unused;
	auto_free char *path = enroot_path(name, &unused);

	return path != NULL;
}

static int list_fancy(const struct strv *names)
{
	struct enroot_proc *procs = NULL;
	auto_free struct line *lines = NULL;
	auto_free char *pids = NULL;
	size_t n = 0, rows = 1;
	struct err e;

	if (enroot_procs(&procs, &n, &e) < 0)
		return enroot_fail(&e);
	lines = xcalloc(names->n + n + 1, sizeof(*lines));
	pids = xcalloc(n + 1, 16);
	lines[0] = (struct line){
		{"NAME", "PID", "COMM", "STATE", "STARTED", "TIME", "MNTNS", "USERNS", "COMMAND"}};
	for (size_t i = 0; i <= names->n; i++) {
		const char *name = i < names->n ? names->v[i] : "<unknown>";
		size_t before = rows;

		for (size_t k = 0; k < n; k++)
			if (str_eq(procs[k].container, name)) {
				lines[rows] = line_of(
					&procs[k], rows == before ? name : "", pids + 16 * k, 16);
				rows++;
			}
		if (rows == before && i < names->n && is_directory(name))
			lines[rows++].cell[0] = name;
	}
	print_lines(lines, rows);
	enroot_procs_free(procs, n);
	return say_written(0);
}

static int list_main(const struct args *a, int argc, char **argv)
{
	auto_strv struct strv names = {0};
	struct err e;

	(void)argc;
	(void)argv;
	if (enroot_names(&names, &e) < 0)
		return enroot_fail(&e);
	if (a->fancy)
		return list_fancy(&names);
	for (size_t i = 0; i < names.n; i++)
		say_print("%s\n", names.v[i]);
	return say_written(0);
}

static int export_main(const struct args *a, int argc, char **argv)
{
	auto_store struct store s = {-1, -1, NULL, NULL};
	auto_progress struct progress bar = {0};
	struct err e;
	int result = store_open(&s, &e), caught = 0;

	(void)argc;
	if (result == 0)
		result = enroot_export(&s, argv[0], a->output, a->force,
			progress_begin(&bar, "Exporting", true), &caught, &e);
	progress_end(&bar);
	if (caught)
		return enroot_end_as(caught);
	return result < 0 ? enroot_fail(&e) : 0;
}

/* ---- start, batch, exec ----------------------------------------------------------------- */

static void set_flags(const struct args *a)
{
	const struct {
		bool on;
		const char *name;
	} rows[] = {
		{a->root, "ENROOT_REMAP_ROOT"},
		{a->rw, "ENROOT_ROOTFS_WRITABLE"},
		{a->pid, "ENROOT_UNSHARE_PID"},
		{a->net, "ENROOT_UNSHARE_NET"},
		{a->ipc, "ENROOT_UNSHARE_IPC"},
		{a->uts, "ENROOT_UNSHARE_UTS"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].on)
			(void)setenv(rows[i].name, "y", 1); /* memory only */
}

static int start(const struct args *a, const char *target, int argc, char **argv)
{
	auto_store struct store s = {-1, -1, NULL, NULL};
	struct enroot_start ask = {
		.target = target, .conf = a->conf, .rc = a->rc, .env = a->env, .mounts = a->mounts};
	struct err e;
	int status = 0;

	ask.command = (struct strv){.v = argv, .n = (size_t)argc};
	if (a->conf && enroot_conf_script(a->conf, &e) < 0)
		return enroot_fail(&e);
	set_flags(a); /* after the script, as options override it */
	if (enroot_check(a, &e) < 0)
		return enroot_fail(&e);
	if (store_open(&s, &e) < 0 || enroot_start(&s, &ask, &status, &e) < 0)
		return enroot_fail(&e);
	return enroot_end_as(status);
}

static int start_main(const struct args *a, int argc, char **argv)
{
	return start(a, argv[0], argc - 1, argv + 1);
}

static int batch_main(const struct args *a, int argc, char **argv)
{
	struct args with = *a;
	auto_free char *target = NULL;
	struct err e;

	if (enroot_conf_script(argv[0], &e) < 0)
		return enroot_fail(&e);
	target = xstrdup(getenv("ENROOT_ROOTFS") ? getenv("ENROOT_ROOTFS") : "");
	if (!*target) {
		(void)err_set(&e, ERR_USAGE, "Missing directive ENROOT_ROOTFS in %s", argv[0]);
		return enroot_fail(&e);
	}
	with.conf = argv[0];
	return start(&with, target, argc - 1, argv + 1);
}

static int exec_main(const struct args *a, int argc, char **argv)
{
	auto_store struct store s = {-1, -1, NULL, NULL};
	struct enroot_exec ask = {.target = argv[0], .env = a->env};
	struct err e;
	int status = 0;

	ask.command = (struct strv){.v = argv + 1, .n = (size_t)argc - 1};
	if (enroot_check(a, &e) < 0)
		return enroot_fail(&e);
	if (store_open(&s, &e) < 0 || enroot_exec(&s, &ask, &status, &e) < 0)
		return enroot_fail(&e);
	return enroot_end_as(status);
}

/* ---- words in --------------------------------------------------------------------------- */

/* clang-format off */
static const struct verb verbs[] = {
	{ "batch",   "[options] [--] CONFIG [COMMAND] [ARG...]", "Shorthand version of \"start -c CONFIG\" where the root filesystem is\ntaken from the configuration file using the special directive ENROOT_ROOTFS", no_rows, 1, -1, batch_main },
	{ "bundle",  "[options] [--] IMAGE", "Create a self-extracting bundle from a container image", bundle_rows, 1, 1, bundle_main },
	{ "create",  "[options] [--] IMAGE", "Create a container root filesystem from a container image", create_rows, 1, 1, create_main },
	{ "digest",  "[options] [--] URI", "Retrieve the digest of a container image", digest_rows, 1, 1, digest_main },
	{ "exec",    "[options] [--] PID COMMAND [ARG...]", "Execute a command inside an existing container, which a name tells as well", exec_rows, 2, -1, exec_main },
	{ "export",  "[options] [--] NAME", "Create a container image from a container root filesystem", export_rows, 1, 1, export_main },
	{ "import",  "[options] [--] URI", "Import a container image: an archive of files, of docker or of OCI, a directory, a squashfs file,\ndockerd://IMAGE[:TAG] or podman://IMAGE[:TAG]", import_rows, 1, 1, import_main },
	{ "info",    "", "Display the configuration", no_rows, 0, 0, info_main },
	{ "list",    "[options]", "List all the container root filesystems on the system", list_rows, 0, -1, list_main },
	{ "load",    "[options] [--] URI", "Create a container root filesystem from an archive, a directory or a squashfs file", load_rows, 1, 1, load_main },
	{ "remove",  "[options] [--] NAME...", "Delete one or multiple container root filesystems", remove_rows, 1, -1, remove_main },
	{ "start",   "[options] [--] NAME|IMAGE [COMMAND] [ARG...]", "Start a container and invoke the command script within its root filesystem", start_rows, 1, -1, start_main },
	{ "version", "", "Display the version", no_rows, 0, -1, version_main },
};
/* clang-format on */

static int usage(int status)
{
	say_print("Usage: enroot COMMAND [ARG...]\n\n"
		  "Command line utility for manipulating container sandboxes.\n\n Commands:\n");
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		say_print("    %-8s%s%s\n", verbs[i].name, *verbs[i].args ? " " : "", verbs[i].args);
	return say_written(status);
}

static int run_verb(const struct verb *v, int argc, char **argv)
{
	auto_args struct args a = {0};
	int n = v->run == version_main ? 0 : enroot_parse(v, argc, argv, &a); /* `version` ignores all arguments */
	struct err e;

	if (n < 0)
		return enroot_usage(v, n == -2 ? 0 : 1);
	argc -= n;
	argv += n;
	if (argc < v->min || (v->max >= 0 && argc > v->max))
		return enroot_usage(v, 1);
	if (v->run == version_main)
		return version_main(&a, argc, argv);
	if (enroot_conf_load(&e) < 0)
		return enroot_fail(&e);
	a.force = a.force || enroot_true("ENROOT_FORCE_OVERRIDE");
	return v->run(&a, argc, argv);
}

int enroot_main(int argc, char **argv)
{
	if (argc < 2)
		return usage(1);
	if (str_eq(argv[1], "help") || str_eq(argv[1], "-h") || str_eq(argv[1], "--help"))
		return usage(str_eq(argv[1], "help") ? 0 : 1);
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		if (str_eq(argv[1], verbs[i].name))
			return run_verb(&verbs[i], argc - 2, argv + 2);
	return usage(1);
}
