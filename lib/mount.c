/* SPDX-License-Identifier: Apache-2.0 */
#include "mount_parts.h"

#include "auto.h"
#include "copy.h"
#include "stage.h"
#include "sys.h"
#include "volume_fill.h"

#include <errno.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* ---- steps ---------------------------------------------------------------------------- */

static int set_attr(int mount, bool recursive, uint64_t set, struct err *e)
{
	struct mount_attr attr = {.attr_set = set};

	if (sys_mount_setattr(mount, recursive ? AT_RECURSIVE : 0, &attr) == 0)
		return 0;
	if (errno == ENOSYS)
		return err_set(e, ERR_UNSUPPORTED,
			"this kernel cannot set the attributes of a mount: Linux 5.12 and later can");
	return err_sys(e, "set the attributes of a mount");
}

/* runc's error message for a mount that failed with errno. */
static int not_mounted(const struct step *s, struct err *e)
{
	bool bind = s->kind != STEP_FS;
	unsigned int flags = bind ? (unsigned int)(SYS_MS_BIND | SYS_MS_REC) | s->read_only : s->attr;

	(void)err_go(e, "error mounting %s to rootfs at %s: mount %s:%s, flags: 0x%x%s%s",
		QUOTED(s->src), QUOTED(s->dst), s->src, s->dst, flags, s->options ? ", data: " : "",
		s->options ? s->options : "");
	e->kind = ERR_RUNTIME;
	return -1;
}

static int inside_proc(const struct step *s, const char *where, const char *what, struct err *e)
{
	return err_set(e, ERR_RUNTIME,
		"error mounting %s to rootfs at %s: %s cannot be mounted because it is %s",
		QUOTED(s->src), QUOTED(s->dst), QUOTED(where), what);
}

/* docker's runtime mounts it on the root and then does not find it again; here it would be below the root, where
 * nobody sees it. */
static int check_not_root(const struct step *s, int root, int at, struct err *e)
{
	struct stat top, st;

	if (fstat(root, &top) < 0 || fstat(at, &st) < 0 || top.st_ino != st.st_ino ||
		top.st_dev != st.st_dev)
		return 0;
	return err_set(e, ERR_RUNTIME,
		"error mounting %s to rootfs at %s: change mount propagation through procfd: "
		"open o_path procfd: open %s: no such file or directory",
		QUOTED(s->src), QUOTED(s->dst), s->dst);
}

/* runc makes the mount point of a new file system, and only opens that of anything else: so the errors differ. */
static int in_the_way(const struct step *s, int root, const char *real, struct err *e)
{
	auto_free char *path = xstrdup(real);

	if (s->kind != STEP_FS)
		return err_set(e, ERR_RUNTIME, "open o_path procfd: open %s: not a directory", real);
	while (strrchr(path, '/') != path && !mount_is_there(root, path))
		*strrchr(path, '/') = '\0';
	return err_set(e, ERR_RUNTIME, "mkdir %s: not a directory", path);
}

/* The place for it; likewise. */
static int place(const struct step *s, int root, bool directory, struct err *e)
{
	auto_close int at = mount_point(root, s->dst, directory, e);
	auto_free char *real = NULL;

	if (at >= 0)
		return check_not_root(s, root, at, e) < 0 ? -1 : take_fd(&at);
	real = mount_leads_to(root, s->dst, NULL);
	if (real && str_starts(real, "/proc/"))
		return inside_proc(s, real, "inside /proc", e);
	if (real && e->sys == ENOTDIR)
		(void)in_the_way(s, root, real, e);
	(void)err_ctx(e, "error mounting %s to rootfs at %s", QUOTED(s->src), QUOTED(s->dst));
	e->kind = ERR_RUNTIME;
	return -1;
}

/* With one id, every user or group that an option names is that id. */
static bool not_granted(const char *word, const char *value)
{
	return errno == EINVAL && value && (strcmp(word, "uid") == 0 || strcmp(word, "gid") == 0) &&
	       *value && value[strspn(value, "0123456789")] == '\0';
}

static int apply_options(int fs, const char *options)
{
	auto_free char *all = xstrdup(options ? options : "");
	char *rest = all;

	for (char *word; (word = strsep(&rest, ",")) != NULL;) {
		char *value = strchr(word, '=');

		if (!*word)
			continue;
		if (value)
			*value++ = '\0';
		if ((value ? sys_fsconfig_string(fs, word, value) : sys_fsconfig_flag(fs, word)) < 0 &&
			!not_granted(word, value))
			return -1;
	}
	return 0;
}

static void keep_proc(int mount, struct mount_proc *proc)
{
	proc->root = mount;
	proc->sys = openat(mount, "sys", O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

#define PROC_ROOT 1 /* its inode number, in each procfs */

static bool is_proc(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* What programs inside, and we, read about processes must come from the kernel: so nothing may cover /proc but another
 * procfs, and those single files about the machine that docker's runtime allows to be covered. */
static int check_target(const struct step *s, int root, int at, int mount, struct err *e)
{
	static const char *const fine[] = {"/proc/cpuinfo", "/proc/diskstats", "/proc/loadavg",
		"/proc/meminfo", "/proc/slabinfo", "/proc/stat", "/proc/swaps",
		"/proc/sys/kernel/ns_last_pid", "/proc/uptime"};
	auto_free char *real = NULL;
	struct stat st;
	bool top;

	if (!is_proc(at) || fstat(at, &st) < 0)
		return 0;
	top = st.st_ino == PROC_ROOT;
	if (top && is_proc(mount))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(fine); i++)
		if (strcmp(s->dst, fine[i]) == 0)
			return 0;
	real = mount_leads_to(root, s->dst, NULL);
	return inside_proc(s, real ? real : s->dst, top ? "not of type proc" : "inside /proc", e);
}

/* If a file is mounted on a directory, or the other way round, the kernel only says EINVAL. */
static int not_attached(const struct step *s, bool is_dir, int at, struct err *e)
{
	int why = errno;
	struct stat st;

	errno = fstat(at, &st) == 0 && S_ISDIR(st.st_mode) != is_dir ? ENOTDIR : why;
	return not_mounted(s, e);
}

/* Programs rely on the mode of the directory that is covered: sets the same mode. */
static int keep_mode(const struct step *s, int root, int fs)
{
	auto_close int at = s->keep_mode ? mount_open_below(root, s->dst) : -1;
	char mode[16];
	struct stat st;

	if (at < 0 || fstat(at, &st) < 0 || !S_ISDIR(st.st_mode))
		return 0;
	(void)snprintf(mode, sizeof(mode), "%o", st.st_mode & 07777u); /* always fits */
	return sys_fsconfig_string(fs, "mode", mode);
}

int mount_proc_refused(struct err *e)
{
	return err_set(e, ERR_DENIED,
		"a new /proc is refused because parts of the one here are hidden, as in a container: run that "
		"with --privileged, or --security-opt systempaths=unconfined");
}

/* more: words besides its own; NULL */
static int make_fs(const struct step *s, int root, const char *more, struct err *e)
{
	auto_close int fs = sys_fsopen(s->src);
	int mount;

	/* The source, the first word of its line in /proc/mounts, by which some programs look for it. */
	if (fs < 0 || sys_fsconfig_string(
			      fs, "source", strcmp(s->dst, "/dev/shm") == 0 ? "shm" : s->src) < 0)
		return err_sys(e, "%s", s->src);
	if (apply_options(fs, s->options) < 0 || keep_mode(s, root, fs) < 0 ||
		apply_options(fs, more) < 0)
		return s->told ? err_go(e, "%s", s->why) : not_mounted(s, e);
	mount = sys_fsmount(fs, s->attr);
	/* The kernel refuses to mount a /proc that would show more than the present ones. */
	if (mount < 0 && errno == EPERM && strcmp(s->src, "proc") == 0)
		return mount_proc_refused(e);
	if (mount < 0)
		return s->told ? err_go(e, "%s", s->why) : not_mounted(s, e);
	return mount;
}

/* The kernel does not count what is in a tmpfs without limit (size=0), so nobody could tell how much memory it takes:
 * it gets a limit that is never reached. */
static const char *what_counts(const struct step *s, int mount)
{
	struct statfs fs;

	if (strcmp(s->src, "tmpfs") != 0 || fstatfs(mount, &fs) < 0 || (fs.f_blocks && fs.f_files))
		return NULL;
	if (fs.f_blocks)
		return "nr_inodes=1t";
	return fs.f_files ? "size=1p" : "size=1p,nr_inodes=1t";
}

/* As docker's runtime has it: a link of the image's would have us and others find other files below these names. */
static int check_ordinary(const struct step *s, int root, struct err *e)
{
	auto_close int at = -1;
	struct stat st;

	if (strcmp(s->src, "proc") != 0 && strcmp(s->src, "sysfs") != 0)
		return 0;
	at = sys_openat2(root, s->dst, O_PATH | O_NOFOLLOW, MOUNT_IN_ROOT);
	if (at < 0 || fstat(at, &st) < 0 || S_ISDIR(st.st_mode))
		return 0;
	return err_set(e, ERR_RUNTIME,
		"error mounting %s to rootfs at %s: filesystem %s must be mounted on ordinary directory",
		QUOTED(s->src), QUOTED(s->dst), QUOTED(s->src));
}

static int apply_fs(const struct step *s, int root, int source, struct mount_proc *proc, struct err *e)
{
	auto_close int mount = make_fs(s, root, NULL, e);
	auto_close int at = -1;
	const char *counts = what_counts(s, mount);

	(void)source; /* a new file system has none */
	if (counts) {
		auto_close_(&mount);
		mount = make_fs(s, root, counts, e);
	}
	if (mount < 0 || check_ordinary(s, root, e) < 0)
		return -1;
	at = place(s, root, true, e);
	if (at < 0 || check_target(s, root, at, mount, e) < 0)
		return -1;
	if (sys_attach(mount, at) < 0)
		return not_attached(s, true, at, e);
	if (strcmp(s->src, "proc") == 0)
		keep_proc(take_fd(&mount), proc);
	return 0;
}

/* Fills an empty volume with what the image has in its place, before anything is mounted there. */
static int fill(const struct step *s, int root, int source, int home, struct err *e)
{
	auto_free char *real = mount_leads_to(root, s->dst, NULL);
	auto_close int image = -1;
	int why;

	if (!real)
		return mount_goes_round(s->dst, e);
	image = sys_openat2(root, real, O_RDONLY | O_DIRECTORY, MOUNT_IN_ROOT);
	why = errno;
	if (image < 0 && mount_below_file(root, real, e) < 0)
		return -1;
	if (image < 0 && why == ENOTDIR && s->of_config)
		return err_set(e, ERR_UNMADE,
			"cannot mount volume over existing file, file exists %s", real);
	if (image < 0 && why == ENOTDIR && copy_is_empty(source) == 1)
		return err_set(e, ERR_UNMADE, "source %s is not directory", real);
	if (volume_fill(image, source, home, strrchr(s->src, '/') + 1, e) < 0)
		return err_ctx(e, "fill the volume at %s", s->dst);
	return 0;
}

static bool fills(const struct step *s, int source)
{
	struct stat st;

	return s->fill && source >= 0 && fstat(source, &st) == 0 && S_ISDIR(st.st_mode);
}

#define NOBODY 65534 /* whoever has no number in this user namespace */

/* Nodes are read-only for their mode and owner's sake, which nobody here can change if they are nobody's: then a kernel before
 * 5.12 will do. */
static bool needs_no_attr(const struct step *s, const struct stat *st, struct err *e)
{
	if (s->kind != STEP_NODE || e->kind != ERR_UNSUPPORTED || st->st_uid != NOBODY)
		return false;
	err_clear(e);
	return true;
}

static int apply_bind(const struct step *s, int root, int source, struct mount_proc *proc, struct err *e)
{
	uint64_t attr = s->attr | (s->read_only ? MOUNT_ATTR_RDONLY : 0);
	auto_close int at = -1;
	struct stat st;

	(void)proc; /* only the applier of proc sets it */
	if (source < 0)
		return err_set(e, ERR_NOT_FOUND, "%s: not there", s->src);
	if (fstat(source, &st) < 0)
		return err_sys(e, "stat %s", s->src);
	/* A user namespace may make a mount of the machine read-only, but never remove its nosuid and the like, which
	 * are locked. */
	if (attr && set_attr(source, true, attr, e) < 0 && !needs_no_attr(s, &st, e))
		return -1;
	at = place(s, root, S_ISDIR(st.st_mode), e);
	if (at < 0 || check_target(s, root, at, source, e) < 0)
		return -1;
	if (sys_attach(source, at) < 0)
		return not_attached(s, S_ISDIR(st.st_mode), at, e);
	return 0;
}

static int apply_link(const struct step *s, int root, int source, struct mount_proc *proc, struct err *e)
{
	auto_close int parent = mount_make_parent(root, s->dst, e);

	(void)source; /* a link needs neither */
	(void)proc;
	if (parent < 0)
		return -1;
	if (symlinkat(s->src, parent, strrchr(s->dst, '/') + 1) < 0 && errno != EEXIST)
		return err_sys(e, "link %s", s->dst);
	return 0;
}

static int apply_dir(const struct step *s, int root, int source, struct mount_proc *proc, struct err *e)
{
	auto_close int at = sys_openat2(root, s->dst, O_PATH | O_DIRECTORY, MOUNT_IN_ROOT);

	(void)source;
	(void)proc;
	if (at >= 0)
		return 0;
	if (mount_no_directory(root, s->dst, e) < 0)
		return -1;
	at = mount_point(root, s->dst, true, e);
	return at < 0 ? -1 : 0;
}

/* Everything about this step was done before anything was mounted. */
static int apply_fill(const struct step *s, int root, int source, struct mount_proc *proc, struct err *e)
{
	(void)s;
	(void)root;
	(void)source;
	(void)proc;
	(void)e;
	return 0;
}

/* Covered by an empty file or directory of the stage, which no container can reach: never by the container's own
 * /dev/null, which an image can replace. Not by a tmpfs each: making and unmounting those took a tenth of a
 * container's start and end. */
static int apply_mask(const struct step *s, int root, int source, struct mount_proc *proc, struct err *e)
{
	auto_close int at = sys_openat2(root, s->dst, O_PATH | O_NOFOLLOW, MOUNT_IN_ROOT);
	auto_close int mount = -1;
	struct stat st;

	(void)source;
	(void)proc;
	if (at < 0)
		return errno == ENOENT ? 0 : err_sys(e, "open %s", s->dst);
	if (fstat(at, &st) < 0)
		return err_sys(e, "stat %s", s->dst);
	mount = sys_open_tree(
		AT_FDCWD, S_ISDIR(st.st_mode) ? STAGE_EMPTY_DIR : STAGE_EMPTY, OPEN_TREE_CLONE);
	if (mount < 0)
		return err_sys(e, "open the stage");
	if (set_attr(mount, false,
		    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, e) < 0)
		return -1;
	if (sys_attach(mount, at) < 0)
		return err_sys(e, "mask %s", s->dst);
	return 0;
}

static int apply_freeze(
	const struct step *s, int root, int source, struct mount_proc *proc, struct err *e)
{
	auto_close int at = sys_openat2(root, s->dst, O_PATH | O_NOFOLLOW, MOUNT_IN_ROOT);
	auto_close int mount = -1;

	(void)source;
	(void)proc;
	if (at < 0)
		return errno == ENOENT ? 0 : err_sys(e, "open %s", s->dst);
	mount = sys_open_tree(at, "", OPEN_TREE_CLONE | AT_RECURSIVE | AT_EMPTY_PATH);
	if (mount < 0)
		return err_sys(e, "open %s", s->dst);
	if (set_attr(mount, true,
		    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, e) < 0)
		return -1;
	if (sys_attach(mount, at) < 0)
		return err_sys(e, "make %s read-only", s->dst);
	return 0;
}

static int apply_close(const struct step *s, int root, int source, struct mount_proc *proc, struct err *e)
{
	auto_close int at = mount_open_below(root, s->dst);

	(void)source;
	(void)proc;
	return at < 0 ? err_sys(e, "open %s", s->dst) : set_attr(at, false, MOUNT_ATTR_RDONLY, e);
}

static int (*const apply[])(
	const struct step *, int root, int source, struct mount_proc *proc, struct err *) = {
	[STEP_FS] = apply_fs,
	[STEP_BIND] = apply_bind,
	[STEP_NODE] = apply_bind,
	[STEP_IMAGE] = apply_bind,
	[STEP_JOINED] = apply_bind,
	[STEP_LINK] = apply_link,
	[STEP_DIR] = apply_dir,
	[STEP_FILL] = apply_fill,
	[STEP_MASK] = apply_mask,
	[STEP_FREEZE] = apply_freeze,
	[STEP_CLOSE] = apply_close,
};
static_assert(ARRAY_LEN(apply) == STEP_KINDS, "every kind of step has its applier");

/* s: the step that would make it */
static int attach_dev(const struct step *s, int root, int dev, struct err *e)
{
	auto_close int at = place(s, root, true, e);

	if (at < 0 || check_target(s, root, at, dev, e) < 0)
		return -1;
	return sys_attach(dev, at) < 0 ? not_attached(s, true, at, e) : 0;
}

static int not_applied(const struct step *s, struct err *e)
{
	return e->kind == ERR_RUNTIME || e->kind == ERR_UNMADE || s->told ? -1
	                                                                  : err_ctx(e, "%s", s->why);
}

int mount_steps(const struct plan *p, int root, int dev, const int *sources,
	struct mount_proc *proc, struct err *e)
{
	for (size_t i = 0; i < p->n_steps; i++) {
		const struct step *s = &p->steps[i];

		if (fills(s, sources[i]) && fill(s, root, sources[i], sources[p->n_steps + i], e) < 0)
			return not_applied(s, e);
	}
	for (size_t i = 0; i < p->n_steps; i++) {
		const struct step *s = &p->steps[i];

		if (dev >= 0 && i >= p->dev && i < p->dev + p->n_dev) {
			if (i == p->dev && attach_dev(s, root, dev, e) < 0)
				return not_applied(s, e);
			continue;
		}
		if (apply[s->kind](s, root, sources[i], proc, e) == 0)
			continue;
		if (!s->optional)
			return not_applied(s, e);
		err_clear(e);
	}
	return 0;
}

int mount_dev(struct err *e)
{
	static const struct mount_layers none = {0};
	struct mount_proc unused = {-1, -1};
	auto_close int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_free int *sources = NULL;
	auto_plan struct plan p;
	int mount = -1;

	plan_dev(faccessat(AT_FDCWD, PROC_KCORE, F_OK, 0) == 0, &p);
	sources = xcalloc(mount_n_sources(&p), sizeof(*sources));
	if (root < 0)
		return err_sys(e, "open /");
	if (mount_gather(&p, &none, false, sources, e) == 0 &&
		mount_steps(&p, root, -1, sources, &unused, e) == 0 &&
		(mount = sys_open_tree(AT_FDCWD, "/dev", OPEN_TREE_CLONE | AT_RECURSIVE)) < 0)
		(void)err_sys(e, "open /dev");
	for (size_t i = 0; i < mount_n_sources(&p); i++)
		auto_close_(&sources[i]);
	return mount;
}

/* ---- ground --------------------------------------------------------------------------- */

/* The root of a mount namespace is its own parent. We see it as / only on a machine that never left its initramfs;
 * other cases are told apart by the type of file system. */
static bool nothing_below(void)
{
	auto_fclose FILE *f = NULL;
	auto_free char *line = NULL;
	unsigned int id, parent;
	struct statfs root;
	size_t size = 0;
	char at[3];

	if (statfs("/", &root) < 0 || (root.f_type != RAMFS_MAGIC && root.f_type != TMPFS_MAGIC))
		return false;
	f = fopen("/proc/self/mountinfo", "re");
	while (f && getline(&line, &size, f) >= 0)
		if (sscanf(line, "%u %u %*s %*s %2s", &id, &parent, at) == 3 && id == parent &&
			strcmp(at, "/") == 0)
			return true;
	return false;
}

int mount_ground(struct err *e)
{
	auto_free char *here = NULL;
	auto_close int copy = -1, root = -1;

	if (!nothing_below())
		return 0;
	here = getcwd(NULL, 0);
	if (syscall(SYS_unshare, CLONE_NEWNS) < 0)
		return err_sys(e, "a mount namespace");
	copy = sys_open_tree(AT_FDCWD, "/", OPEN_TREE_CLONE | AT_RECURSIVE);
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (copy < 0 || root < 0 || sys_attach(copy, root) < 0 || fchdir(copy) < 0 || chroot(".") < 0)
		return err_sys(e, "cover the initramfs");
	return here && chdir(here) < 0 ? err_sys(e, "enter %s", here) : 0;
}

/* ---- pivot ---------------------------------------------------------------------------- */

int mount_pivot(int root, bool read_only, struct err *e)
{
	if (read_only && set_attr(root, false, MOUNT_ATTR_RDONLY, e) < 0)
		return err_ctx(e, "--read-only");
	if (fchdir(root) < 0)
		return err_sys(e, "enter the root");
	/* Both are ".": the old root ends up on top of the new one and is unmounted at once, so that it needs no
	 * directory, and no path leads back to it. */
	if (sys_pivot_root(".", ".") < 0)
		return err_sys(e, "pivot_root");
	if (sys_umount2(".", SYS_MNT_DETACH) < 0)
		return err_sys(e, "leave the old root");
	if (chdir("/") < 0)
		return err_sys(e, "enter /");
	return 0;
}

int mount_console(int slave, struct err *e)
{
	auto_close int mount = sys_open_tree(slave, "", OPEN_TREE_CLONE | AT_EMPTY_PATH);
	auto_close int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_close int at = -1;

	if (mount < 0 || root < 0)
		return err_sys(e, "/dev/console");
	at = mount_point(root, "/dev/console", false, e);
	if (at < 0)
		return -1;
	if (sys_attach(mount, at) < 0)
		return err_sys(e, "mount /dev/console");
	return 0;
}
