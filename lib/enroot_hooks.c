/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_hooks: the programs of hooks.d, which may add files, variables and mounts before a container starts. */
#include "enroot_parts.h"

#include "caps.h"
#include "mount.h"
#include "stage.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/wait.h>

#define IN_ROOT (RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS)

void enroot_tell_apt(const struct enroot_run *s)
{
	auto_close int dir = -1, fd = -1;

	if (s->uid != 0 || !s->writable)
		return;
	dir = sys_openat2(s->root, STAGE_APT_DIR, O_PATH | O_DIRECTORY, IN_ROOT);
	if (dir < 0)
		return;
	fd = openat(dir, STAGE_APT_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd >= 0)
		(void)sys_write_all(fd, STAGE_APT_TEXT, strlen(STAGE_APT_TEXT)); /* apt reports a wrong file itself */
}

static void copy_zone(int root, const char *zone)
{
	struct err e;
	auto_close int from = open(zone, O_RDONLY | O_CLOEXEC), at = mount_point(root, zone, false, &e);
	auto_close int to = at < 0 ? -1 : sys_openat2(root, zone, O_WRONLY | O_NOCTTY, IN_ROOT);

	if (from >= 0 && to >= 0)
		(void)sendfile(to, from, NULL, 1 << 20); /* UTC, then */
}

/* The machine's time zone, by name, where /etc/localtime is a link to it. A clock in another one is no
 * reason to fail. */
void enroot_localtime(const struct enroot_run *s)
{
	char target[512] = "", is[512] = "";
	auto_free char *zone = realpath("/etc/localtime", NULL);
	auto_close int etc = sys_openat2(s->root, "/etc", O_PATH | O_DIRECTORY, IN_ROOT), at = -1;

	if (!zone || etc < 0 || readlink("/etc/localtime", target, sizeof(target) - 1) < 0)
		return;
	if (readlinkat(etc, "localtime", is, sizeof(is) - 1) < 0 || !str_eq(target, is)) {
		(void)unlinkat(etc, "localtime", 0);
		(void)symlinkat(target, etc, "localtime");
	}
	at = sys_openat2(s->root, zone, O_PATH, IN_ROOT);
	if (at < 0)
		copy_zone(s->root, zone);
}

/* ---- hooks ------------------------------------------------------------------------------ */

void enroot_tell_places(const struct enroot_run *s)
{
	auto_free char *stage = xasprintf("%s/stage", s->store->runtime_path);
	auto_free char *root = xasprintf("%s/root", stage), *env = xasprintf("%s/t/environ", stage);
	auto_free char *mounts = xasprintf("%s/t/mounts", stage),
		       *pid = xasprintf("%d", (int)enroot_pid());
	const char *const set[][2] = {{"ENROOT_PID", pid}, {"ENROOT_ROOTFS", root},
		{"ENROOT_ENVIRON", env}, {"ENROOT_MOUNTS", mounts}};

	for (size_t i = 0; i < ARRAY_LEN(set); i++)
		(void)setenv(set[i][0], set[i][1], 1); /* memory only */
}

/* Files to add to. */
static int make_files(const struct buf *text, struct err *e)
{
	auto_close int file = open("t/environ", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	auto_close int fstab = open("t/mounts", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (file < 0 || fstab < 0 || sys_write_all(file, text->s, text->len) < 0)
		return err_sys(e, "files for hooks");
	return 0;
}

static int run_hook(const char *path, const char *cwd, struct err *e)
{
	auto_close int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const char *bash = enroot_find_bash();
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return err_sys(e, "fork");
	if (pid == 0) {
		if (null >= 0)
			(void)dup2(null, STDOUT_FILENO); /* their standard output is not used */
		(void)chdir(cwd);                        /* or from where we are */
		(void)signal(SIGXFSZ, SIG_DFL);
		caps_pass_on(); /* they mount, too, as nvidia-container-cli does */
		(void)execl(path, path, (char *)NULL);
		if (errno == ENOEXEC && bash) /* it tells no program of its own, so it is bash's */
			(void)execl(bash, bash, path, (char *)NULL);
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

int enroot_run_hooks(struct enroot_run *s, struct err *e)
{
	static const char *const where[] = {"ENROOT_SYSCONF_PATH", "ENROOT_CONFIG_PATH"};
	auto_strv struct strv files = {0};
	auto_free char *after = NULL, *mounts = NULL;
	auto_buf struct buf before = {0};

	for (size_t i = 0; i < ARRAY_LEN(where); i++) {
		auto_free char *dir = xasprintf("%s/hooks.d", enroot_setting(where[i]));

		if (enroot_files(dir, ".sh", &files, e) < 0)
			return -1;
	}
	if (files.n == 0 && !s->script.hooks)
		return 0;
	buf_add(&before, "", 0);
	for (size_t i = 0; i < s->env.n; i++)
		buf_printf(&before, "%s\n", s->env.v[i]);
	if (make_files(&before, e) < 0)
		return -1;
	for (size_t i = 0; i < files.n; i++)
		if (access(files.v[i], X_OK) == 0 && run_hook(files.v[i], s->cwd, e) < 0)
			return -1;
	if (enroot_script_hooks(&s->script, s->root, e) < 0)
		return -1;
	if (sys_text_maybe("t/environ", &after, e) < 0 || sys_text_maybe("t/mounts", &mounts, e) < 0)
		return -1;
	/* What was only added to keeps the values with line breaks in it; else the file is all there is. */
	if (after && str_starts(after, before.s)) {
		enroot_env_text(after + before.len, &s->env);
	} else {
		strv_done(&s->env);
		enroot_env_text(after, &s->env);
	}
	return enroot_mount_all(mounts ? mounts : "", ' ', 0, s->root, s->cwd, e);
}
