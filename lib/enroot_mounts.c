/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_mounts: mounts a container's view of the machine, and what files and options ask for. */
#include "enroot_parts.h"

#include "settings.h"
#include "sys.h"

#include <string.h>

#define IN_ROOT (RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS)

/* Unless there is a mounts.d/10-system.fstab, which then says how. */
static const char shared_proc[] = "/proc /proc none rbind,x-create=dir,rw,nosuid,nodev,noexec 0 -1\n";
static const char own_proc[] = "proc /proc proc nosuid,nodev,noexec,x-create=dir 0 -1\n";
static const char shared_sys[] = "/sys /sys none rbind,x-create=dir,ro,nosuid,nodev,noexec 0 -1\n";
static const char own_sys[] = "sysfs /sys sysfs ro,nosuid,nodev,noexec,x-create=dir 0 -1\n";
static const char system_mounts[] =
	"tmpfs /tmp tmpfs x-create=dir,mode=1777,nosuid,nodev 0 -1\n"
	"tmpfs /var/run tmpfs x-create=dir,mode=755,nosuid,nodev 0 -1\n"
	"tmpfs /var/lock tmpfs x-create=dir,mode=1777,nosuid,nodev,noexec 0 -1\n"
	"/etc/hosts /etc/hosts none bind,x-create=file,ro,nosuid,nodev,noexec,nofail,silent 0 -1\n"
	"/etc/hostname /etc/hostname none bind,x-create=file,ro,nosuid,nodev,noexec,nofail,silent 0 -1\n"
	"/etc/resolv.conf /etc/resolv.conf none bind,x-create=file,ro,nosuid,nodev,noexec,nofail,silent 0 -1\n"
	"/etc/machine-id /etc/machine-id none bind,x-create=file,ro,nosuid,nodev,noexec,nofail,silent 0 -1\n";

/* What is mounted below has the flags that the machine gave it. */
static const char all_devices[] =
	"/dev /dev none rbind,x-create=dir,rw 0 -1\n"
	"none /dev none remount,bind,nosuid,noexec 0 -1\n"
	"none /dev/shm none remount,bind,nosuid,nodev,noexec,nofail,silent 0 -1\n";
static const char few_devices[] =
	"tmpfs /dev tmpfs x-create=dir,mode=755,nosuid,noexec 0 -1\n"
	"/dev/null /dev/null none bind,x-create=file,nosuid,noexec 0 -1\n"
	"/dev/zero /dev/zero none bind,x-create=file,nosuid,noexec 0 -1\n"
	"/dev/full /dev/full none bind,x-create=file,nosuid,noexec 0 -1\n"
	"/dev/random /dev/random none bind,x-create=file,nosuid,noexec 0 -1\n"
	"/dev/urandom /dev/urandom none bind,x-create=file,nosuid,noexec 0 -1\n"
	"/dev/tty /dev/tty none bind,x-create=file,nosuid,noexec 0 -1\n"
	"devpts /dev/pts devpts x-create=dir,nosuid,noexec,newinstance,ptmxmode=0666,mode=620 0 -1\n"
	"/dev/hugepages /dev/hugepages none bind,x-create=dir,nosuid,nodev,noexec,nofail,silent 0 -1\n"
	"/dev/log /dev/log none bind,x-create=file,nosuid,nodev,noexec,nofail,silent 0 -1\n";
static const char shared_ipc[] =
	"/dev/shm /dev/shm none bind,x-create=dir,nosuid,nodev,noexec,nofail,silent 0 -1\n"
	"/dev/mqueue /dev/mqueue none bind,x-create=dir,nosuid,nodev,noexec,nofail,silent 0 -1\n";
static const char own_ipc[] =
	"tmpfs /dev/shm tmpfs x-create=dir,nosuid,nodev,noexec,mode=1777 0 -1\n"
	"mqueue /dev/mqueue mqueue x-create=dir,nosuid,nodev,noexec,nofail,silent 0 -1\n";

/* The terminal of the caller is none of the container's own devpts. */
static int mount_console(struct enroot_run *s, struct err *e)
{
	char tty[64];
	ssize_t n = isatty(STDIN_FILENO) ? readlink("/proc/self/fd/0", tty, sizeof(tty) - 1) : -1;
	auto_free char *line = NULL;

	if (n < 0)
		return 0;
	tty[n] = '\0';
	line = xasprintf("%s /dev/console none x-create=file,bind,nosuid,noexec,nofail,silent\n", tty);
	return enroot_mount_all(line, ' ', ENROOT_ALL, s->root, s->cwd, e);
}

static int mount_few_devices(struct enroot_run *s, struct err *e)
{
	static const char *const links[][2] = {{"fd", "/proc/self/fd"}, {"ptmx", "pts/ptmx"},
		{"stdin", "/proc/self/fd/0"}, {"stdout", "/proc/self/fd/1"},
		{"stderr", "/proc/self/fd/2"}};
	const char *ipc = enroot_true("ENROOT_UNSHARE_IPC") ? own_ipc : shared_ipc;
	auto_close int dev = -1;

	if (enroot_mount_all(few_devices, ' ', ENROOT_ALL, s->root, s->cwd, e) < 0 ||
		enroot_mount_all(ipc, ' ', ENROOT_ALL, s->root, s->cwd, e) < 0 ||
		mount_console(s, e) < 0)
		return -1;
	dev = sys_openat2(s->root, "/dev", O_PATH | O_DIRECTORY, IN_ROOT);
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		if (symlinkat(links[i][1], dev, links[i][0]) < 0)
			return err_sys(e, "link /dev/%s", links[i][0]);
	return 0;
}

static int mount_dev(struct enroot_run *s, struct err *e)
{
	/* A private ipc namespace is of no use if /dev/shm is shared. */
	if (enroot_true("ENROOT_RESTRICT_DEV") || enroot_true("ENROOT_UNSHARE_IPC"))
		return mount_few_devices(s, e);
	return enroot_mount_all(all_devices, ' ', ENROOT_ALL, s->root, s->cwd, e);
}

/* A file system of the namespace's own, or the machine's: where that is partly covered, the kernel mounts no
 * new one. */
static int mount_either(struct enroot_run *s, const char *setting, const char *own,
	const char *shared, struct err *e)
{
	if (enroot_true(setting)) {
		if (enroot_mount_all(own, ' ', ENROOT_ALL, s->root, s->cwd, e) == 0)
			return 0;
		err_clear(e);
	}
	return enroot_mount_all(shared, ' ', ENROOT_ALL, s->root, s->cwd, e);
}

static bool machine_says(void)
{
	auto_free char *own =
		xasprintf("%s/mounts.d/10-system.fstab", enroot_setting("ENROOT_SYSCONF_PATH"));

	return access(own, F_OK) == 0;
}

static void mount_over(struct enroot_run *s, const char *setting, const char *own)
{
	struct err unused;

	if (enroot_true(setting))
		(void)enroot_mount_all(own, ' ', ENROOT_ALL, s->root, s->cwd, &unused); /* the machine's, then */
}

void enroot_mount_own(struct enroot_run *s)
{
	if (!machine_says())
		return; /* done already */
	mount_over(s, "ENROOT_UNSHARE_PID", own_proc);
	mount_over(s, "ENROOT_UNSHARE_NET", own_sys);
}

int enroot_mount_system(struct enroot_run *s, struct err *e)
{
	if (machine_says())
		return 0;
	if (mount_either(s, "ENROOT_UNSHARE_PID", own_proc, shared_proc, e) < 0 ||
		mount_either(s, "ENROOT_UNSHARE_NET", own_sys, shared_sys, e) < 0 || mount_dev(s, e) < 0)
		return -1;
	return enroot_mount_all(system_mounts, ' ', ENROOT_ALL, s->root, s->cwd, e);
}

/* A file may end without a line break. */
static void add_text(struct buf *out, const char *text)
{
	auto_free char *said = enroot_with_variables(text);

	buf_printf(out, "%s\n", said);
}

static int add_dir(const char *setting, struct buf *out, struct err *e)
{
	auto_free char *dir = xasprintf("%s/mounts.d", enroot_setting(setting));
	auto_strv struct strv files = {0};

	if (enroot_files(dir, ".fstab", &files, e) < 0)
		return -1;
	for (size_t i = 0; i < files.n; i++) {
		auto_free char *raw = NULL;

		if (sys_text_maybe(files.v[i], &raw, e) < 0)
			return -1;
		add_text(out, raw ? raw : "");
	}
	return 0;
}

int enroot_fstab(const struct enroot_run *s, struct buf *out, struct err *e)
{
	auto_free char *own = enroot_read_in(s->root, "/etc/fstab");

	/* A distribution's own /etc/fstab is about disks and does not count; only one that was written for enroot
	 * does. */
	add_text(out, own && strstr(own, "x-create") ? own : "");
	return add_dir("ENROOT_SYSCONF_PATH", out, e) < 0 ? -1 : add_dir("ENROOT_CONFIG_PATH", out, e);
}

int enroot_mount_files(struct enroot_run *s, const char *lines, int pass, struct err *e)
{
	return enroot_mount_all(lines, ' ', pass, s->root, s->cwd, e);
}

int enroot_mount_words(struct enroot_run *s, struct err *e)
{
	for (size_t i = 0; i < s->ask->mounts.n; i++)
		if (enroot_mount_all(s->ask->mounts.v[i], ':', ENROOT_ALL, s->root, s->cwd, e) < 0 ||
			enroot_open_root(s, e) < 0) /* it may have another one now */
			return -1;
	return 0;
}

int enroot_mount_home(struct enroot_run *s, struct err *e)
{
	const char *home = setting_home(), *inside = enroot_true("ENROOT_REMAP_ROOT") ? "/root" : home;
	auto_free char *kv = NULL;
	auto_buf struct buf line = {0};

	if (!enroot_true("ENROOT_MOUNT_HOME") || !home)
		return 0;
	enroot_mount_word(&line, home);
	buf_putc(&line, ' ');
	enroot_mount_word(&line, inside);
	buf_puts(&line, " none x-create=dir,rbind,nosuid,nodev");
	kv = xasprintf("HOME=%s", inside);
	strv_env_set(&s->env, kv);
	return enroot_mount_all(line.s, ' ', ENROOT_ALL, s->root, s->cwd, e);
}

/* ---- control groups --------------------------------------------------------------------- */

/* Where a hierarchy is mounted, of a line of mountinfo: "ID PARENT DEV ROOT POINT ... - TYPE SOURCE OPTIONS". */
static bool is_hierarchy(const char *line, const char *controllers, char *root, char *point)
{
	const char *dash = strstr(line, " - ");
	char type[16], options[256];

	if (!dash || sscanf(dash + 3, "%15s %*s %255s", type, options) != 2 ||
		sscanf(line, "%*s %*s %*s %1023s %1023s", root, point) != 2)
		return false;
	if (!*controllers)
		return str_eq(type, "cgroup2");
	return str_eq(type, "cgroup") && strstr(options, controllers);
}

char *enroot_cgroup_lines(const char *cgroup, const char *mountinfo, bool step)
{
	auto_buf struct buf out = {0};

	buf_add(&out, "", 0);
	for (const char *line = cgroup; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char controllers[256] = "", path[1024], root[1024], point[1024];
		const char *at = strchr(line, ':'), *own;

		if (!at || (sscanf(at, "::%1023[^\n]", path) != 1 &&
				   sscanf(at, ":%255[^:]:%1023[^\n]", controllers, path) != 2))
			continue;
		for (at = mountinfo; *at; at += strcspn(at, "\n"), at += *at == '\n')
			if (is_hierarchy(at, controllers, root, point))
				break;
		if (!*at)
			continue;
		own = !str_eq(root, "/") && str_starts(path, root) ? path + strlen(root) : path;
		buf_printf(&out,
			"%s/%s%s %s none x-create=dir,rbind,ro,nosuid,nodev,noexec,nofail,silent\n",
			point, own + (*own == '/'), step ? "/.." : "", point);
	}
	return buf_take(&out);
}

int enroot_mount_cgroups(struct enroot_run *s, struct err *e)
{
	return s->cgroups ? enroot_mount_all(s->cgroups, ' ', ENROOT_ALL, s->root, s->cwd, e) : 0;
}
