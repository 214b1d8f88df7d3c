/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_mounts: what of the machine a container shows, and what files and words ask to be mounted. */
#include "enroot_parts.h"

#include "sys.h"

#include <errno.h>
#include <string.h>

#define IN_ROOT (RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS)

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

static int mount_dev(struct enroot_run *s, struct err *e)
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

static int mount_proc(struct enroot_run *s, struct err *e)
{
	if (enroot_true("ENROOT_UNSHARE_PID")) {
		if (enroot_mount_all(own_proc, ' ', 1, s->root, s->cwd, e) == 0)
			return 0;
		err_clear(e); /* where /proc itself is partly covered, no new one may be mounted */
	}
	return enroot_mount_all(shared_proc, ' ', 1, s->root, s->cwd, e);
}

int enroot_mount_system(struct enroot_run *s, struct err *e)
{
	auto_free char *own =
		xasprintf("%s/mounts.d/10-system.fstab", enroot_setting("ENROOT_SYSCONF_PATH"));

	if (access(own, F_OK) == 0)
		return 0;
	if (mount_proc(s, e) < 0 || mount_dev(s, e) < 0)
		return -1;
	return enroot_mount_all(system_mounts, ' ', 1, s->root, s->cwd, e);
}

static int mount_dir(struct enroot_run *s, const char *setting, int pass, struct err *e)
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

int enroot_mount_files(struct enroot_run *s, const char *said, int pass, struct err *e)
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

int enroot_mount_words(struct enroot_run *s, struct err *e)
{
	for (size_t i = 0; i < s->ask->mounts.n; i++)
		if (enroot_mount_all(s->ask->mounts.v[i], ':', 1, s->root, s->cwd, e) < 0)
			return -1;
	return 0;
}

int enroot_mount_home(struct enroot_run *s, struct err *e)
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
