/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory of operation: the process that was called becomes the container's command.
 *
 *   1. lease    the image's mount, and a keeper who holds the lease (enroot_root.c)
 *   2. unshare  the image server's user namespace is entered, one below it and the others are made
 *   3. build    root, environment, mounts, hooks, rc; the order is enroot's
 *   4. pivot, seal, exec
 *
 * Only --pid needs a child, since nobody can enter a pid namespace himself.
 */
#include "enroot_parts.h"

#include "enroot_script.h"
#include "mount.h"
#include "net.h"
#include "seccomp.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define IN_ROOT (RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS)

struct start {
	const struct store *store;
	const struct enroot_start *ask;
	struct enroot_box box;
	struct enroot_script script;
	struct enroot_begun begun;
	struct seccomp_filter filter;
	struct strv env;
	uid_t uid; /* inside */
	gid_t gid;
	mode_t umask;
	char *cwd;
	int root; /* of the container; -1 */
	bool writable, rc;
};

static void start_done(struct start *s)
{
	enroot_box_done(&s->box);
	enroot_script_done(&s->script);
	enroot_begun_done(&s->begun);
	seccomp_done(&s->filter);
	strv_done(&s->env);
	free(s->cwd);
	if (s->root >= 0)
		(void)close(take_fd(&s->root)); /* a path only */
}
#define auto_start __attribute__((cleanup(start_done)))

/* With one id apt cannot become its _apt user, and looks whether it did. */
static void tell_apt(const struct start *s)
{
	auto_close int dir = -1, fd = -1;
	static const char text[] = "APT::Sandbox::User \"root\";\n";

	if (s->uid != 0 || !s->writable)
		return;
	dir = sys_openat2(s->root, "/etc/apt/apt.conf.d", O_PATH | O_DIRECTORY, IN_ROOT);
	if (dir < 0)
		return;
	fd = openat(dir, "90sbx-one-id", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd >= 0)
		(void)sys_write_all(fd, text, sizeof(text) - 1); /* apt says what is wrong, if it is */
}

/* ---- mounts ----------------------------------------------------------------------------- */

/* Where there is no mounts.d/10-system.fstab that says it in its own way. */
static const char shared_proc[] = "/proc /proc none rbind,x-create=dir,rw 0 -1\n";
static const char own_proc[] = "proc /proc proc nosuid,nodev,noexec,x-create=dir 0 -1\n";
static const char system_mounts[] =
	"/sys /sys none rbind,x-create=dir,ro 0 -1\n"
	"tmpfs /tmp tmpfs x-create=dir,mode=1777,nosuid,nodev 0 -1\n"
	"tmpfs /var/run tmpfs x-create=dir,mode=755,nosuid,nodev 0 -1\n"
	"tmpfs /var/lock tmpfs x-create=dir,mode=1777,nosuid,nodev,noexec 0 -1\n"
	"/etc/hosts /etc/hosts none bind,x-create=file,ro,nosuid,nodev,noexec,nofail,silent 0 -1\n"
	"/etc/hostname /etc/hostname none bind,x-create=file,ro,nosuid,nodev,noexec,nofail,silent 0 -1\n"
	"/etc/resolv.conf /etc/resolv.conf none bind,x-create=file,ro,nosuid,nodev,noexec,nofail,silent 0 -1\n"
	"/etc/machine-id /etc/machine-id none bind,x-create=file,ro,nosuid,nodev,noexec,nofail,silent 0 -1\n";

static const char all_devices[] = "/dev /dev none rbind,x-create=dir,rw 0 -1\n";
static const char few_devices[] = "tmpfs /dev tmpfs x-create=dir,mode=755,nosuid,noexec 0 -1\n"
				  "/dev/null /dev/null none bind,x-create=file 0 -1\n"
				  "/dev/zero /dev/zero none bind,x-create=file 0 -1\n"
				  "/dev/full /dev/full none bind,x-create=file 0 -1\n"
				  "/dev/random /dev/random none bind,x-create=file 0 -1\n"
				  "/dev/urandom /dev/urandom none bind,x-create=file 0 -1\n"
				  "/dev/tty /dev/tty none bind,x-create=file 0 -1\n"
				  "/dev/ptmx /dev/ptmx none bind,x-create=file,nofail 0 -1\n"
				  "/dev/pts /dev/pts none bind,x-create=dir,nofail 0 -1\n"
				  "/dev/shm /dev/shm none bind,x-create=dir,nofail 0 -1\n"
				  "/dev/mqueue /dev/mqueue none bind,x-create=dir,nofail 0 -1\n";

static int mount_dev(struct start *s, struct err *e)
{
	static const char *const links[][2] = {{"fd", "/proc/self/fd"}, {"stdin", "/proc/self/fd/0"},
		{"stdout", "/proc/self/fd/1"}, {"stderr", "/proc/self/fd/2"}};
	auto_close int dev = -1;

	if (!enroot_true("ENROOT_RESTRICT_DEV"))
		return enroot_mount_all(all_devices, ' ', 1, s->root, s->cwd, e);
	if (enroot_mount_all(few_devices, ' ', 1, s->root, s->cwd, e) < 0)
		return -1;
	dev = sys_openat2(s->root, "/dev", O_PATH | O_DIRECTORY, IN_ROOT);
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		if (symlinkat(links[i][1], dev, links[i][0]) < 0)
			return err_sys(e, "link /dev/%s", links[i][0]);
	return 0;
}

static int mount_proc(struct start *s, struct err *e)
{
	if (enroot_true("ENROOT_UNSHARE_PID")) {
		if (enroot_mount_all(own_proc, ' ', 1, s->root, s->cwd, e) == 0)
			return 0;
		err_clear(e); /* where /proc itself is partly covered, no new one may be mounted */
	}
	return enroot_mount_all(shared_proc, ' ', 1, s->root, s->cwd, e);
}

static int mount_system(struct start *s, struct err *e)
{
	auto_free char *own =
		xasprintf("%s/mounts.d/10-system.fstab", enroot_setting("ENROOT_SYSCONF_PATH"));

	if (access(own, F_OK) == 0)
		return 0;
	if (mount_proc(s, e) < 0 || mount_dev(s, e) < 0)
		return -1;
	return enroot_mount_all(system_mounts, ' ', 1, s->root, s->cwd, e);
}

static int mount_dir(struct start *s, const char *setting, int pass, struct err *e)
{
	auto_free char *dir = xasprintf("%s/mounts.d", enroot_setting(setting));
	auto_strv struct strv files = {0};

	enroot_files(dir, ".fstab", &files);
	for (size_t i = 0; i < files.n; i++) {
		auto_free char *raw = enroot_text(files.v[i]),
			       *text = enroot_with_variables(raw ? raw : "");

		if (enroot_mount_all(text, ' ', pass, s->root, s->cwd, e) < 0)
			return -1;
	}
	return 0;
}

static int mount_files(struct start *s, const char *said, int pass, struct err *e)
{
	auto_free char *own = enroot_read_in(s->root, "/etc/fstab");

	if (mount_dir(s, "ENROOT_SYSCONF_PATH", pass, e) < 0 ||
		mount_dir(s, "ENROOT_CONFIG_PATH", pass, e) < 0)
		return -1;
	/* A distribution's own file speaks of disks, and has no say here: only what is written for us does. */
	if (own && strstr(own, "x-create") && enroot_mount_all(own, ' ', pass, s->root, s->cwd, e) < 0)
		return -1;
	return said ? enroot_mount_all(said, ' ', pass, s->root, s->cwd, e) : 0;
}

static int mount_words(struct start *s, struct err *e)
{
	for (size_t i = 0; i < s->ask->mounts.n; i++)
		if (enroot_mount_all(s->ask->mounts.v[i], ':', 1, s->root, s->cwd, e) < 0)
			return -1;
	return 0;
}

static int mount_home(struct start *s, struct err *e)
{
	const char *home = enroot_setting("HOME");
	auto_free char *line = NULL, *kv = NULL;

	if (!enroot_true("ENROOT_MOUNT_HOME") || !*home)
		return 0;
	line = xasprintf("%s:%s:none:x-create=dir,rbind,nosuid,nodev", home, home);
	kv = xasprintf("HOME=%s", home);
	strv_env_set(&s->env, kv);
	return enroot_mount_all(line, ':', 1, s->root, s->cwd, e);
}

/* ---- hooks ------------------------------------------------------------------------------ */

/* Hooks find the root, and files to add to, by their paths. */
static int tell_hooks(const struct start *s, struct err *e)
{
	auto_buf struct buf text = {0};
	auto_free char *stage = xasprintf("%s/stage", s->store->runtime_path);
	auto_free char *root = xasprintf("%s/root", stage), *env = xasprintf("%s/t/environ", stage);
	auto_free char *mounts = xasprintf("%s/t/mounts", stage), *pid = xasprintf("%d", (int)getpid());
	const char *const set[][2] = {{"ENROOT_PID", pid}, {"ENROOT_ROOTFS", root},
		{"ENROOT_ENVIRON", env}, {"ENROOT_MOUNTS", mounts}};
	auto_close int file = open("t/environ", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	auto_close int fstab = open("t/mounts", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	for (size_t i = 0; i < s->env.n; i++)
		buf_printf(&text, "%s\n", s->env.v[i]);
	if (file < 0 || fstab < 0 || sys_write_all(file, text.s ? text.s : "", text.len) < 0)
		return err_sys(e, "files for hooks");
	for (size_t i = 0; i < ARRAY_LEN(set); i++)
		(void)setenv(set[i][0], set[i][1], 1); /* memory only */
	return 0;
}

static int run_hook(const char *path, const char *cwd, struct err *e)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return err_sys(e, "fork");
	if (pid == 0) {
		(void)dup2(STDERR_FILENO, STDOUT_FILENO);
		(void)chdir(cwd); /* or from where we are */
		(void)execl(path, path, (char *)NULL);
		_exit(127); /* the child */
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(e, "wait for %s", path);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_set(e, ERR_SYSTEM, "%s exited with return code %d", path,
			WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}

static int run_hooks(struct start *s, struct err *e)
{
	static const char *const where[] = {"ENROOT_SYSCONF_PATH", "ENROOT_CONFIG_PATH"};
	auto_strv struct strv files = {0};
	auto_free char *text = NULL;

	for (size_t i = 0; i < ARRAY_LEN(where); i++) {
		auto_free char *dir = xasprintf("%s/hooks.d", enroot_setting(where[i]));

		enroot_files(dir, ".sh", &files);
	}
	if (files.n == 0 && !s->script.hooks)
		return 0;
	if (tell_hooks(s, e) < 0)
		return -1;
	for (size_t i = 0; i < files.n; i++)
		if (access(files.v[i], X_OK) == 0 && run_hook(files.v[i], s->cwd, e) < 0)
			return -1;
	if (enroot_script_hooks(&s->script, s->root, e) < 0)
		return -1;
	text = enroot_text("t/environ");
	enroot_env_text(text, &s->env);
	enroot_env_words(&s->ask->env, &s->env); /* nobody overrides what was typed */
	return 0;
}

/* ---- rc --------------------------------------------------------------------------------- */

/* Whether a shell runs /etc/rc. An empty --rc (/dev/null) says no. */
static int choose_rc(struct start *s, struct err *e)
{
	auto_free char *line = NULL, *real = NULL;
	auto_close int fd = -1;
	struct stat st;

	if (s->script.rc)
		return enroot_script_rc(&s->script, s->root, &s->rc, e);
	if (s->ask->rc) {
		real = s->ask->rc[0] == '/' ? xstrdup(s->ask->rc)
		                            : xasprintf("%s/%s", s->cwd, s->ask->rc);
		if (stat(real, &st) < 0)
			return err_sys(e, "%s", real);
		s->rc = S_ISREG(st.st_mode) && st.st_size > 0;
		line = xasprintf("%s:/etc/rc:none:x-create=file,bind,ro", real);
		return s->rc ? enroot_mount_all(line, ':', 1, s->root, s->cwd, e) : 0;
	}
	fd = sys_openat2(s->root, "/etc/rc", O_PATH, IN_ROOT);
	s->rc = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
	return 0;
}

/* ---- build ------------------------------------------------------------------------------ */

static int build(struct start *s, struct err *e)
{
	auto_buf struct buf said = {0};
	auto_free char *added = NULL;

	if (enroot_root(s->store, &s->box, &s->begun, s->writable, e) < 0)
		return -1;
	s->root = open("root", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->root < 0)
		return err_sys(e, "open the root");
	if (enroot_env(s->root, &s->script, &s->ask->env, &s->env, e) < 0 ||
		enroot_script_mounts(&s->script, &said, e) < 0)
		return -1;
	if (mount_system(s, e) < 0 || mount_files(s, said.s, -1, e) < 0)
		return -1;
	if (mount_home(s, e) < 0 || run_hooks(s, e) < 0)
		return -1;
	enroot_home(s->root, s->uid, s->gid, &s->env);
	tell_apt(s);
	added = s->script.hooks ? enroot_text("t/mounts") : NULL;
	if (added && enroot_mount_all(added, ' ', 1, s->root, s->cwd, e) < 0)
		return -1;
	if (mount_files(s, said.s, 0, e) < 0 || mount_words(s, e) < 0)
		return -1;
	return choose_rc(s, e);
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
static void run_directly(const struct start *s)
{
	const struct strv *c = &s->ask->command;
	auto_free char *path = NULL;

	if (s->rc || c->n == 0 || strchr(c->v[0], ' '))
		return;
	path = look_up(c->v[0], &s->env);
	if (path)
		(void)execve(path, c->v, s->env.v); /* the shell tells */
}

static int run_command(const struct start *s, struct err *e)
{
	const struct strv *c = &s->ask->command;
	auto_strv struct strv argv = {0};
	/* A login shell reads /etc/profile, which replaces the PATH that image and caller set. */
	bool login = getenv("ENROOT_LOGIN_SHELL") && enroot_true("ENROOT_LOGIN_SHELL");

	run_directly(s);
	strv_add(&argv, login ? "-sh" : "sh");
	if (s->rc)
		strv_add(&argv, "/etc/rc");
	else if (c->n)
		strv_add(&argv, "-c");
	if (!s->rc && c->n && !strchr(c->v[0], ' ')) {
		strv_add(&argv, "exec \"$@\"");
		strv_add(&argv, "sh");
	}
	for (size_t i = 0; i < c->n; i++)
		strv_add(&argv, c->v[i]);
	(void)execve("/bin/sh", argv.v, s->env.v);
	return err_sys(e, "enroot-switchroot: failed to execute: /bin/sh");
}

static int seal(const struct start *s, struct err *e)
{
	const char *home = strv_env(&s->env, "HOME");

	if (getenv("ENROOT_LOGIN_SHELL") && !enroot_true("ENROOT_LOGIN_SHELL"))
		home = NULL;
	if (home)
		(void)chdir(home + 5); /* one that is not there leaves us in / */
	(void)umask(s->umask);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(e, "no-new-privileges");
	if (seccomp_install(&s->filter, e) < 0)
		return -1;
	/* Nothing of the machine stays open behind the command. */
	if (sys_close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) < 0 && errno != ENOSYS && errno != EINVAL)
		return err_sys(e, "close_range");
	return 0;
}

static int become(struct start *s, struct err *e)
{
	enroot_keep(&s->begun);
	if (build(s, e) < 0)
		return -1;
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
	uint64_t flags = CLONE_NEWNS | CLONE_NEWCGROUP;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (enroot_true(rows[i].name))
			flags |= rows[i].flag;
	return flags;
}

static int prepare(struct start *s, struct err *e)
{
	struct seccomp_ask filter = {.profile = "unconfined", .fake_root = true};
	char cwd[4096];

	if (enroot_script_read(s->ask->conf, &s->script, e) < 0)
		return -1;
	if (enroot_find(s->ask->target, &s->box, e) < 0)
		return -1;
	s->cwd = xstrdup(getcwd(cwd, sizeof(cwd)) ? cwd : "/");
	s->writable = enroot_true("ENROOT_ROOTFS_WRITABLE");
	s->uid = enroot_true("ENROOT_REMAP_ROOT") ? 0 : geteuid();
	s->gid = enroot_true("ENROOT_REMAP_ROOT") ? 0 : getegid();
	s->umask = umask(0022);
	if (seccomp_get(s->store, &filter, &s->filter, e) < 0)
		return -1;
	return enroot_lease(s->store, &s->box, s->writable, &s->begun, e);
}

/* With a pid namespace: the child is the container, we stand for it outside. */
static int start_child(struct start *s, int *status, struct err *e)
{
	int report[2];
	auto_close int from = -1;
	struct err sub;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	from = report[0];
	pid = fork();
	if (pid < 0) {
		(void)close(report[1]); /* unused */
		return err_sys(e, "fork");
	}
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (syscall(SYS_unshare, namespaces()) < 0)
			(void)err_sys(e, "create namespaces");
		else
			(void)become(s, e);
		(void)sys_write_all(report[1], e, sizeof(*e)); /* the status tells as well */
		_exit(1);                                      /* the child */
	}
	(void)close(report[1]); /* the child's */
	enroot_begun_done(&s->begun);
	if (enroot_wait(pid, status, e) < 0)
		return -1;
	if (sys_read(from, &sub, sizeof(sub)) == (ssize_t)sizeof(sub)) {
		*e = sub;
		return -1;
	}
	return 0;
}

int enroot_start(const struct store *store, const struct enroot_start *a, int *status, struct err *e)
{
	auto_start struct start s = {.store = store,
		.ask = a,
		.root = -1,
		.begun = {.lease = {.conn = -1, .userns = -1}, .said = -1}};
	bool pid;

	if (prepare(&s, e) < 0)
		return -1;
	pid = enroot_true("ENROOT_UNSHARE_PID");
	if (enroot_unshare(&s.begun, pid ? CLONE_NEWPID : namespaces(), s.uid, s.gid, e) < 0)
		return -1;
	return pid ? start_child(&s, status, e) : become(&s, e);
}
