/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory of operation: the process that was called becomes the container's command.
 *
 *   1. lease    the image's mount, and a keeper that holds the lease (enroot_root.c)
 *   2. unshare  enter the image server's user namespace, make one below it, and the other namespaces
 *   3. build    root, environment, mounts, hooks, rc; the order is enroot's
 *   4. pivot, seal, exec
 *
 * Only --pid needs a child, since a process cannot enter a pid namespace itself.
 */
#include "enroot_parts.h"

#include "enroot_script.h"
#include "json.h"
#include "mount.h"
#include "net.h"
#include "seccomp.h"
#include "state.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define IN_ROOT (RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS)

static void start_done(struct enroot_run *s)
{
	enroot_box_done(&s->box);
	enroot_script_done(&s->script);
	enroot_begun_done(&s->begun);
	seccomp_done(&s->filter);
	strv_done(&s->env);
	strv_done(&s->entrypoint);
	strv_done(&s->cmd);
	free(s->rc);
	free(s->workdir);
	free(s->cgroups);
	free(s->cwd);
	if (s->root >= 0)
		(void)close(take_fd(&s->root)); /* a path only */
	if (s->lock >= 0)
		(void)close(take_fd(&s->lock)); /* a lock */
}
#define auto_start __attribute__((cleanup(start_done)))

/* ---- rc --------------------------------------------------------------------------------- */

/* The script from a file of the caller's, or from a pipe. Anything else, like /dev/null, means none. */
static int read_rc(struct enroot_run *s, struct err *e)
{
	auto_free char *real = realpath(s->ask->rc, NULL);
	auto_free char *named = enroot_absolute(s->ask->rc);
	const char *path = real ? real : s->ask->rc;
	auto_close int fd = -1;
	struct stat st;

	if (stat(path, &st) < 0 || S_ISDIR(st.st_mode))
		return err_set(e, ERR_NOT_FOUND, "No such file or directory: %s", named);
	if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode))
		return 0;
	/* May block: a FIFO's writer may take its time. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	s->rc = fd < 0 ? NULL : sys_text_in(fd);
	return s->rc ? 0 : err_sys(e, "%s", path);
}

static void words_of(const json_t *list, struct strv *out)
{
	const json_t *word;
	size_t i;

	json_array_foreach(list, i, word) if (json_is_string(word))
		strv_add(out, json_string_value(word));
}

/* For an image that was not made for enroot, its config says what /etc/rc would do. */
static void read_config(struct enroot_run *s)
{
	auto_free char *text = enroot_read_in(s->root, "/.sbx/config.json");
	auto_json json_t *all = text ? json_loads(text, 0, NULL) : NULL;
	const json_t *config = json_object_get(all, "config");
	const char *dir;

	config = config ? config : all;
	words_of(json_object_get(config, "Entrypoint"), &s->entrypoint);
	if (s->ask->command.n == 0)
		words_of(json_object_get(config, "Cmd"), &s->cmd);
	dir = json_string_value(json_object_get(config, "WorkingDir"));
	s->workdir = dir && *dir ? xstrdup(dir) : NULL;
}

static int choose_rc(struct enroot_run *s, struct err *e)
{
	auto_close int fd = -1;
	struct stat st;

	if (s->ask->rc)
		return 0;
	if (enroot_script_rc(&s->script, &s->rc, e) < 0)
		return -1;
	if (s->rc)
		return 0;
	fd = sys_openat2(s->root, "/etc/rc", O_PATH, IN_ROOT);
	s->own_rc = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	if (!s->own_rc)
		read_config(s);
	return 0;
}

/* ---- build ------------------------------------------------------------------------------ */

int enroot_open_root(struct enroot_run *s, struct err *e)
{
	if (s->root >= 0)
		(void)close(take_fd(&s->root)); /* a name only */
	s->root = open("root", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return s->root < 0 ? err_sys(e, "open the root") : 0;
}

static int build(struct enroot_run *s, struct err *e)
{
	auto_buf struct buf lines = {0};

	if (enroot_root(s->store, &s->box, &s->begun, s->writable, e) < 0)
		return -1;
	if (enroot_open_root(s, e) < 0)
		return -1;
	enroot_tell_places(s);
	if (enroot_script_begin(&s->script, e) < 0 ||
		enroot_env(s->root, &s->script, &s->ask->env, &s->env, e) < 0)
		return -1;
	if (enroot_mount_system(s, e) < 0 || enroot_fstab(s, &lines, e) < 0 ||
		enroot_mount_files(s, lines.s, -1, e) < 0)
		return -1;
	enroot_mount_own(s);
	if (enroot_mount_home(s, e) < 0 || enroot_run_hooks(s, e) < 0)
		return -1;
	enroot_home(s->root, s->uid, s->gid, &s->env);
	enroot_tell_apt(s);
	enroot_localtime(s);
	if (enroot_mount_cgroups(s, e) < 0 || enroot_script_mounts(&s->script, &lines, e) < 0)
		return -1;
	if (enroot_mount_files(s, lines.s, 0, e) < 0 || enroot_mount_words(s, e) < 0)
		return -1;
	if (choose_rc(s, e) < 0 || enroot_script_end(&s->script, e) < 0)
		return -1;
	if (s->ask->scratch)
		return state_remove_tree(AT_FDCWD, s->ask->scratch, e);
	return 0;
}

/* ---- the command ------------------------------------------------------------------------ */

static bool runnable(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static char *look_up(const char *name, const struct strv *env)
{
	const char *path = strv_env(env, "PATH");

	if (strchr(name, '/'))
		return runnable(name) ? xstrdup(name) : NULL;
	for (path = path ? path + 5 : ""; *path;) {
		size_t n = strcspn(path, ":");
		char *at = xasprintf("%.*s/%s", (int)n, path, name);

		if (n && runnable(at))
			return at;
		free(at);
		path += n + (path[n] == ':');
	}
	return NULL;
}

/* As `sh -c 'exec "$@"'` would run it, which then need not be started; the shell is left to say what it
 * could not run, and with which status. */
static void run_directly(const struct enroot_run *s, const struct strv *c)
{
	auto_free char *path = look_up(c->v[0], &s->env);

	if (path)
		(void)execve(path, c->v, s->env.v); /* else the shell reports it */
}

/* The script in memory, so that it leaves nothing in the container. */
static char *script_path(const char *text)
{
	int fd = memfd_create("rc", 0);

	if (fd < 0 || sys_write_all(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return NULL;
	return xasprintf("/proc/self/fd/%d", fd); /* stays open for the shell */
}

/* The user's of the image, where it is there. */
static const char *shell_of(const struct enroot_run *s)
{
	const char *shell = strv_env(&s->env, "SHELL");

	return shell && access(shell + 6, X_OK) == 0 ? shell + 6 : "/bin/sh";
}

/* What the shell is given before the words of the command. */
static int shell_words(const struct enroot_run *s, struct strv *argv, const struct strv *c, struct err *e)
{
	struct stat st;

	if (s->rc) {
		strv_take(argv, script_path(s->rc));
		return argv->v[1] ? 0 : err_sys(e, "rc");
	}
	if (s->own_rc)
		strv_add(argv, "/etc/rc");
	if (s->own_rc || c->n == 0)
		return 0;
	/* What is there and no program is a script. */
	if (!s->entrypoint.n && stat(c->v[0], &st) == 0 && access(c->v[0], R_OK | X_OK) < 0)
		return 0;
	strv_add(argv, "-c");
	strv_add(argv, !s->entrypoint.n && strchr(c->v[0], ' ') ? c->v[0] : "exec \"$@\"");
	strv_add(argv, "sh");
	return 0;
}

static int run_command(const struct enroot_run *s, struct err *e)
{
	const struct strv *given = s->ask->command.n ? &s->ask->command : &s->cmd;
	auto_strv struct strv argv = {0}, all = {0};
	/* A login shell reads /etc/profile, which replaces the PATH that image and caller set. */
	bool login = getenv("ENROOT_LOGIN_SHELL") && enroot_true("ENROOT_LOGIN_SHELL"), spaced;
	const char *shell = shell_of(s), *name = strrchr(shell, '/');

	strv_copy(&all, &s->entrypoint);
	for (size_t i = 0; i < given->n; i++)
		strv_add(&all, given->v[i]);
	spaced = all.n && !s->entrypoint.n && strchr(all.v[0], ' ');
	(void)signal(SIGXFSZ, SIG_DFL); /* ignored by main() for us alone */
	if (!s->rc && !s->own_rc && all.n && !spaced && !login)
		run_directly(s, &all);
	strv_addf(&argv, "%s%s", login ? "-" : "", name ? name + 1 : shell);
	if (shell_words(s, &argv, &all, e) < 0)
		return -1;
	for (size_t i = argv.n > 1 && spaced && !s->rc && !s->own_rc; i < all.n; i++)
		strv_add(&argv, all.v[i]);
	(void)execve(shell, argv.v, s->env.v);
	return err_sys(e, "enroot-switchroot: failed to execute: %s", shell);
}

/* Who is not root inside can gain nothing. */
static void drop_bounds(const struct enroot_run *s)
{
	for (int cap = 0; s->uid != 0 && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0; cap++)
		;
}

/* Names of the image's are looked up from here on, and a link to /proc/self/fd leads to all that is open. The lock is held until the
 * exec, by which others may look for us, unless it is one of a directory, where that does not matter. */
static void leave_machine(const struct enroot_run *s)
{
	struct stat st;
	bool keep = s->lock >= 0 && fstat(s->lock, &st) == 0 && S_ISREG(st.st_mode);

	sys_keep_only((int[]){0, 1, 2, s->report, keep ? s->lock : -1}, 5);
}

static int seal(const struct enroot_run *s, struct err *e)
{
	const char *home = strv_env(&s->env, "HOME");

	if (getenv("ENROOT_LOGIN_SHELL") && !enroot_true("ENROOT_LOGIN_SHELL"))
		home = NULL;
	leave_machine(s);
	if (home)
		(void)sys_enter(home + 5); /* one that is not there leaves us in / */
	if (s->workdir)
		(void)sys_enter(s->workdir); /* likewise */
	drop_bounds(s);
	(void)umask(s->umask);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(e, "no-new-privileges");
	return seccomp_install(&s->filter, e);
}

static int become(struct enroot_run *s, struct err *e)
{
	enroot_keep(&s->begun);
	if (build(s, e) < 0)
		return -1;
	/* Not before: hooks read in which control groups the caller is. */
	if (syscall(SYS_unshare, CLONE_NEWCGROUP) < 0)
		return err_sys(e, "create namespaces");
	if (mount_pivot(s->root, !s->writable, e) < 0)
		return -1;
	if (enroot_true("ENROOT_UNSHARE_NET") && net_lo_up(e) < 0)
		return -1;
	return seal(s, e) < 0 ? -1 : run_command(s, e);
}

/* ---- start ------------------------------------------------------------------------------ */

static uint64_t namespaces(void)
{
	static const struct {
		const char *name;
		uint64_t flag;
	} rows[] = {
		{"ENROOT_UNSHARE_NET", CLONE_NEWNET},
		{"ENROOT_UNSHARE_IPC", CLONE_NEWIPC},
		{"ENROOT_UNSHARE_UTS", CLONE_NEWUTS},
	};
	uint64_t flags = CLONE_NEWNS;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (enroot_true(rows[i].name))
			flags |= rows[i].flag;
	return flags;
}

/* The caller's, whose mounts still are where they say. */
static void read_cgroups(struct enroot_run *s)
{
	auto_free char *own = sys_text("/proc/self/cgroup"), *mounts = sys_text("/proc/self/mountinfo");

	if (own && mounts)
		s->cgroups = enroot_cgroup_lines(own, mounts, getenv("SLURM_STEP_ID") != NULL);
}

/* They are read when we have left the directory from which they may be told. */
static void settle_paths(void)
{
	static const char *const names[] = {"ENROOT_SYSCONF_PATH", "ENROOT_CONFIG_PATH"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		auto_free char *real = realpath(enroot_setting(names[i]), NULL);

		if (real && *enroot_setting(names[i]) != '/')
			(void)setenv(names[i], real, 1); /* memory only */
	}
}

static int prepare(struct enroot_run *s, struct err *e)
{
	struct seccomp_ask filter = {
		.profile = "unconfined", .caps = ~UINT64_C(0), .fake_root = true, .keyless = true};
	char cwd[4096];

	if (enroot_script_read(s->ask->conf, &s->ask->command, &s->script, e) < 0)
		return -1;
	if (enroot_find(s->ask->target, &s->box, e) < 0)
		return -1;
	s->cwd = xstrdup(getcwd(cwd, sizeof(cwd)) ? cwd : "/");
	settle_paths();
	if (s->ask->rc && read_rc(s, e) < 0)
		return -1;
	s->writable = enroot_true("ENROOT_ROOTFS_WRITABLE");
	s->uid = enroot_true("ENROOT_REMAP_ROOT") ? 0 : geteuid();
	s->gid = enroot_true("ENROOT_REMAP_ROOT") ? 0 : getegid();
	s->umask = umask(0022);
	read_cgroups(s);
	if (seccomp_get(s->store, &filter, &s->filter, e) < 0)
		return -1;
	/* Where it writes to what other starts see, one after the other, until the exec, by which others may look for it. */
	if (s->box.path && (s->writable || !s->box.image)) {
		s->lock = enroot_lock(&s->box, e);
		if (s->lock < 0)
			return -1;
	}
	return enroot_lease(s->store, &s->box, s->writable, &s->begun, e);
}

/* With a pid namespace the child is the container, and the caller represents it outside. */
static int start_inside(void *arg, int report, struct err *e)
{
	struct enroot_run *s = arg;

	s->report = report;
	if (syscall(SYS_unshare, namespaces()) < 0)
		return err_sys(e, "create namespaces");
	return become(s, e);
}

int enroot_start(const struct store *store, const struct enroot_start *a, int *status, struct err *e)
{
	auto_start struct enroot_run s = {.store = store,
		.ask = a,
		.root = -1,
		.lock = -1,
		.report = -1,
		.begun = {.lease = {.conn = -1, .userns = -1}, .said = -1, .root = -1}};
	bool pid;

	if (prepare(&s, e) < 0)
		return -1;
	pid = enroot_true("ENROOT_UNSHARE_PID");
	if (enroot_unshare(&s.begun, pid ? CLONE_NEWPID : namespaces(), s.uid, s.gid, e) < 0)
		return -1;
	return pid ? enroot_child(start_inside, &s, &s.lock, status, e) : become(&s, e);
}
