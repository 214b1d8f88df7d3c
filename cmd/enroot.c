/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enroot: the front door for those who call this program enroot. Its grammar is not docker's: options end at
 * the first operand, letters are never joined, what is wrong gets the usage on standard output and 1.
 */
#include "enroot_main.h"

#include "enroot.h"
#include "store.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>

/* One set for all commands: an option's place is its offset. */
struct args {
	char *arch, *output, *name, *conf, *rc, *target, *desc;
	struct strv env, mounts;
	bool force, fancy, root, rw, pid, net, ipc, uts, all, checksum;
};

static void args_done(struct args *a)
{
	strv_done(&a->env);
	strv_done(&a->mounts);
}
#define auto_args __attribute__((cleanup(args_done)))

enum kind { FLAG, TEXT, LIST };

struct row {
	char letter;
	const char *name, *value, *about;
	size_t at;
	enum kind kind;
};
#define IS_FLAG(T, member) MEMBER_AT(T, member, bool), FLAG
#define IS_TEXT(T, member) MEMBER_AT(T, member, char *), TEXT
#define IS_LIST(T, member) MEMBER_AT(T, member, struct strv), LIST

struct verb {
	const char *name, *args, *about;
	const struct row *rows;
	int min, max; /* operands; -1: any number */
	int (*run)(const struct args *a, int argc, char **argv);
};

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

/* ---- words out -------------------------------------------------------------------------- */

static int fail(const struct err *e)
{
	/* Its helpers say who they are, everything else carries a tag. */
	bool helper = str_starts(e->text, "enroot-") || str_starts(e->text, "mkdir: ");
	bool colour = !helper && isatty(STDERR_FILENO);

	(void)fprintf(stderr, "%s%s%s%s\n", colour ? "\033[31m" : "", helper ? "" : "[ERROR] ",
		colour ? "\033[0m" : "", e->text);
	return 1;
}

static int refuse(const char *text)
{
	struct err e;

	(void)err_set(&e, ERR_UNSUPPORTED, "%s", text);
	return fail(&e);
}

static int flushed(int status)
{
	return fflush(stdout) == 0 ? status : 1;
}

static int usage_of(const struct verb *v, int status)
{
	(void)printf("Usage: enroot %s%s%s\n\n%s\n", v->name, *v->args ? " " : "", v->args, v->about);
	if (v->rows->name)
		(void)printf("\n Options:\n");
	for (const struct row *r = v->rows; r->name; r++) {
		auto_free char *left = xasprintf("%s--%s%s%s",
			r->letter ? (char[]){'-', r->letter, ',', ' ', 0} : "    ", r->name,
			r->value ? " " : "", r->value ? r->value : "");

		(void)printf("   %-24s %s\n", left, r->about);
	}
	return flushed(status);
}

/* ---- the commands ----------------------------------------------------------------------- */

static int version_main(const struct args *a, int argc, char **argv)
{
	(void)a;
	(void)argc;
	(void)argv;
	(void)puts(ENROOT_VERSION);
	return flushed(0);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
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
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_text);
	(void)printf("Enroot version: %s\nConfig file: %s\n\nEnvironment variables:\n",
		ENROOT_VERSION, file);
	for (size_t i = 0; i < all.n; i++)
		(void)printf("  %s\n", all.v[i]);
	return flushed(0);
}

static bool is_registry(const char *uri)
{
	return str_starts(uri, "docker://") || str_starts(uri, "dockerd://") ||
	       str_starts(uri, "podman://");
}

static int import_main(const struct args *a, int argc, char **argv)
{
	const char *uri = argv[0];
	struct err e;

	(void)argc;
	if (is_registry(uri)) {
		(void)err_set(&e, ERR_UNSUPPORTED,
			"Registries and other engines are not spoken to yet: save the image "
			"to a file there, and import that file here: %s",
			uri);
		return fail(&e);
	}
	if (str_starts(uri, "file://"))
		uri += strlen("file://");
	else if (strstr(uri, "://")) {
		(void)err_set(&e, ERR_USAGE, "Invalid argument: %s", uri);
		return fail(&e);
	}
	return enroot_import(uri, a->output, &e) < 0 ? fail(&e) : 0;
}

static int no_registry(const char *uri)
{
	struct err e;

	if (!str_starts(uri, "docker://"))
		(void)err_set(&e, ERR_USAGE, "Invalid argument: %s", uri);
	else
		(void)err_set(&e, ERR_UNSUPPORTED,
			"Registries are not spoken to yet: import a file instead: %s", uri);
	return fail(&e);
}

static int load_main(const struct args *a, int argc, char **argv)
{
	struct err e;

	(void)argc;
	if (a->name && strchr(a->name, '/')) {
		(void)err_set(&e, ERR_USAGE, "Invalid argument: %s", a->name);
		return fail(&e);
	}
	return no_registry(argv[0]);
}

static int digest_main(const struct args *a, int argc, char **argv)
{
	(void)a;
	(void)argc;
	return no_registry(argv[0]);
}

static int bundle_main(const struct args *a, int argc, char **argv)
{
	(void)a;
	(void)argc;
	(void)argv;
	return refuse("Bundles are not made yet: take the image file and this program along instead");
}

static int create_main(const struct args *a, int argc, char **argv)
{
	struct err e;

	(void)argc;
	return enroot_create(argv[0], a->name, a->force, &e) < 0 ? fail(&e) : 0;
}

/* Anything but y: no; the end of the input is an error. Only a terminal is asked. */
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
			return fail(&e);
		if (answer < 0)
			return 1;
		if (answer && enroot_remove(argv[i], &e) < 0)
			return fail(&e);
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

			(void)printf(c + 1 < last ? "%-*s  " : "%.*s",
				c + 1 < last ? (int)width[c] : (int)strlen(text), text);
		}
		(void)putchar('\n');
	}
}

static struct line line_of(const struct enroot_proc *p, const char *name, char *pid, size_t size)
{
	(void)snprintf(pid, size, "%d", (int)p->pid); /* fits */
	return (struct line){
		{name, pid, p->comm, p->state, p->started, p->time, p->mntns, p->userns, p->command}};
}

static int list_fancy(const struct strv *names)
{
	struct enroot_proc *procs = NULL;
	auto_free struct line *lines = NULL;
	auto_free char *pids = NULL;
	size_t n = 0, rows = 1;
	struct err e;

	if (enroot_procs(&procs, &n, &e) < 0)
		return fail(&e);
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
		if (rows == before && i < names->n)
			lines[rows++].cell[0] = name;
	}
	print_lines(lines, rows);
	enroot_procs_free(procs, n);
	return flushed(0);
}

static int list_main(const struct args *a, int argc, char **argv)
{
	auto_strv struct strv names = {0};
	struct err e;

	(void)argc;
	(void)argv;
	if (enroot_names(&names, &e) < 0)
		return fail(&e);
	if (a->fancy)
		return list_fancy(&names);
	for (size_t i = 0; i < names.n; i++)
		(void)puts(names.v[i]);
	return flushed(0);
}

static int export_main(const struct args *a, int argc, char **argv)
{
	auto_store struct store s = {-1, -1, NULL, NULL};
	struct err e;

	(void)argc;
	if (store_open(&s, &e) < 0 || enroot_export(&s, argv[0], a->output, a->force, &e) < 0)
		return fail(&e);
	return 0;
}

/* ---- start, batch, exec ----------------------------------------------------------------- */

/* As the command ended: the caller sees the very signal. */
static int end_as(int status)
{
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	(void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* the command has left its own */
	(void)signal(WTERMSIG(status), SIG_DFL);
	(void)raise(WTERMSIG(status));
	return 128 + WTERMSIG(status); /* it was blocked; init's parent has done that */
}

static bool is_mount(const char *s)
{
	return *s && !strpbrk(s, " \t\r\n\v\f");
}

static bool is_env(const char *s)
{
	size_t n = strcspn(s, "=");
	static const char ok[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	return n > 0 && strspn(s, ok) >= n && !(s[0] >= '0' && s[0] <= '9');
}

static int check_all(const struct strv *words, bool (*good)(const char *), struct err *e)
{
	for (size_t i = 0; i < words->n; i++)
		if (!good(words->v[i]))
			return err_set(e, ERR_USAGE, "Invalid argument: %s", words->v[i]);
	return 0;
}

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
		return fail(&e);
	set_flags(a); /* stronger than the script */
	if (check_all(&a->mounts, is_mount, &e) < 0 || check_all(&a->env, is_env, &e) < 0)
		return fail(&e);
	if (store_open(&s, &e) < 0 || enroot_start(&s, &ask, &status, &e) < 0)
		return fail(&e);
	return end_as(status);
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
		return fail(&e);
	target = xstrdup(getenv("ENROOT_ROOTFS") ? getenv("ENROOT_ROOTFS") : "");
	if (!*target) {
		(void)err_set(&e, ERR_USAGE, "Missing directive ENROOT_ROOTFS in %s", argv[0]);
		return fail(&e);
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
	if (check_all(&a->env, is_env, &e) < 0)
		return fail(&e);
	if (store_open(&s, &e) < 0 || enroot_exec(&s, &ask, &status, &e) < 0)
		return fail(&e);
	return end_as(status);
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
	{ "import",  "[options] [--] URI", "Import a container image, from a file or a directory as well", import_rows, 1, 1, import_main },
	{ "info",    "", "Display the configuration", no_rows, 0, 0, info_main },
	{ "list",    "[options]", "List all the container root filesystems on the system", list_rows, 0, -1, list_main },
	{ "load",    "[options] [--] URI", "Create a container root filesystem from a registry", load_rows, 1, 1, load_main },
	{ "remove",  "[options] [--] NAME...", "Delete one or multiple container root filesystems", remove_rows, 1, -1, remove_main },
	{ "start",   "[options] [--] NAME|IMAGE [COMMAND] [ARG...]", "Start a container and invoke the command script within its root filesystem", start_rows, 1, -1, start_main },
	{ "version", "", "Display the version", no_rows, 0, -1, version_main },
};
/* clang-format on */

static int usage(int status)
{
	(void)printf("Usage: enroot COMMAND [ARG...]\n\n"
		     "Command line utility for manipulating container sandboxes.\n\n Commands:\n");
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		(void)printf("    %-8s%s%s\n", verbs[i].name, *verbs[i].args ? " " : "", verbs[i].args);
	return flushed(status);
}

static const struct row *row_of(const struct verb *v, const char *word, const char **value)
{
	size_t n = strcspn(word, "=");

	*value = word[n] ? word + n + 1 : NULL;
	for (const struct row *r = v->rows; r->name; r++) {
		if (word[1] == '-' ? strlen(r->name) == n - 2 && memcmp(word + 2, r->name, n - 2) == 0
				   : r->letter && word[1] == r->letter && !word[2])
			return r;
	}
	return NULL;
}

/* How many words were options, -1: wrong, -2: help is wanted. */
static int parse(const struct verb *v, int argc, char **argv, struct args *a)
{
	int i = 0;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		const char *value;
		const struct row *r;

		if (str_eq(argv[i], "--"))
			return i + 1;
		if (str_eq(argv[i], "-h") || str_eq(argv[i], "--help"))
			return -2;
		r = row_of(v, argv[i], &value);
		if (!r || (r->kind == FLAG && value))
			return -1;
		if (r->kind == FLAG) {
			*(bool *)((char *)a + r->at) = true;
			continue;
		}
		if (!value)
			value = i + 1 < argc ? argv[++i] : "";
		if (!*value)
			return -1;
		if (r->kind == TEXT)
			*(const char **)((char *)a + r->at) = value;
		else
			strv_add((struct strv *)((char *)a + r->at), value);
	}
	return i;
}

static int run_verb(const struct verb *v, int argc, char **argv)
{
	auto_args struct args a = {0};
	int n = v->run == version_main ? 0 : parse(v, argc, argv, &a); /* which takes no notice of words */
	struct err e;

	if (n < 0)
		return usage_of(v, n == -2 ? 0 : 1);
	argc -= n;
	argv += n;
	if (argc < v->min || (v->max >= 0 && argc > v->max))
		return usage_of(v, 1);
	if (v->run == version_main)
		return version_main(&a, argc, argv);
	if (enroot_conf_load(&e) < 0)
		return fail(&e);
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
