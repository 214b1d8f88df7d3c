/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor.h"

#include "auto.h"
#include "cgroup.h"
#include "child.h"
#include "hop.h"
#include "idmap.h"
#include "mount.h"
#include "state.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/xattr.h>

static void say(struct doctor_line *l, enum doctor_level level, const char *text, const char *fix)
{
	l->level = level;
	(void)snprintf(l->text, sizeof(l->text), "%s", text); /* cut if it is too long to be read anyway */
	(void)snprintf(l->fix, sizeof(l->fix), "%s", fix);
}

/* ---- trials in a process of their own ------------------------------------------------- */

static int try_userns(void *unused, struct err *e)
{
	struct idmap map;

	(void)unused;
	return idmap_enter(IDS_ONE, &map, e);
}

static int try_range(void *unused, struct err *e)
{
	struct idmap map;

	(void)unused;
	if (idmap_enter(IDS_RANGE, &map, e) < 0)
		return -1;
	return map.range ? (int)(map.uids > 0x7fffffff ? 0x7fffffff : map.uids) : -1;
}

/* By the first process of a pid namespace. */
static int try_proc(void *unused, struct err *e)
{
	auto_close int fs = sys_fsopen("proc"), mount = fs < 0 ? -1 : sys_fsmount(fs, 0);

	(void)unused;
	if (mount >= 0)
		return 0;
	return errno == EPERM ? mount_proc_refused(e) : err_sys(e, "a new /proc");
}

static int try_namespaces(void *unused, struct err *e)
{
	if (try_userns(unused, e) < 0)
		return -1;
	if (unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET |
		    CLONE_NEWCGROUP) < 0)
		return idmap_refused("unshare", e);
	if (sys_mount(NULL, "/", NULL, SYS_MS_REC | SYS_MS_PRIVATE, NULL) < 0)
		return idmap_refused("make the mounts private", e);
	return child_do(try_proc, NULL, e);
}

/* Removing a directory of the image is what overlay cannot do in a user namespace without userxattr. */
static int try_overlay(void *unused, struct err *e)
{
	static const char *const dirs[] = {"l", "l/d", "u", "w", "m"};
	struct idmap map;

	(void)unused;
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		if (mkdir(dirs[i], 0700) < 0)
			return err_sys(e, "mkdir %s", dirs[i]);
	if (idmap_enter(IDS_ONE, &map, e) < 0)
		return -1;
	if (unshare(CLONE_NEWNS) < 0 || sys_mount(NULL, "/", NULL, SYS_MS_REC | SYS_MS_PRIVATE, NULL) < 0)
		return err_sys(e, "unshare");
	if (sys_mount("overlay", "m", "overlay", 0, "lowerdir=l,upperdir=u,workdir=w,userxattr") < 0)
		return err_sys(e, "mount");
	return rmdir("m/d") < 0 ? err_sys(e, "remove a directory of the image") : 0;
}

/* Tried in a directory of the store, where writable layers are. */
static int in_scratch(const struct store *s, struct err *e)
{
	char name[] = ".doctor-XXXXXX";
	int result;

	if (fchdir(s->root) < 0 || !mkdtemp(name) || chdir(name) < 0)
		return err_sys(e, "make a directory in %s", s->root_path);
	result = child_do(try_overlay, NULL, e);
	if (fchdir(s->root) == 0) {
		struct err left;

		(void)state_remove_tree(s->root, name, &left); /* a trial's */
	}
	return result;
}

/* ---- the lines ------------------------------------------------------------------------ */

static void kernel(const struct store *s, struct doctor_line *l)
{
	struct utsname u;
	unsigned int major = 0, minor = 0;

	(void)s;
	if (uname(&u) < 0)
		u.release[0] = '\0';
	(void)sscanf(u.release, "%u.%u", &major, &minor);
	if (major > 5 || (major == 5 && minor >= 14))
		say(l, DOCTOR_FINE, u.release, "");
	else if (major == 5 && minor >= 12)
		say(l, DOCTOR_LESS, u.release, "5.14 counts the processes of each user namespace");
	else
		say(l, DOCTOR_BAD, u.release,
			"--read-only, :ro and --init need mount_setattr, which 5.12 brought");
}

static void user_namespaces(const struct store *s, struct doctor_line *l)
{
	struct err e = {0};

	(void)s;
	if (child_do(try_userns, NULL, &e) < 0)
		say(l, DOCTOR_BAD, "none can be made", e.text);
	else if (child_do(try_namespaces, NULL, &e) < 0)
		say(l, DOCTOR_BAD, "no container can be built in one", e.text);
	else
		say(l, DOCTOR_FINE, "each container has one of its own", "");
}

static void ids(const struct store *s, struct doctor_line *l)
{
	struct err e = {0};
	char text[64];
	int n = child_do(try_range, NULL, &e);

	(void)s;
	if (n > 0) {
		(void)snprintf(text, sizeof(text), "a range of %d", n); /* fits */
		say(l, DOCTOR_FINE, text, "");
		return;
	}
	say(l, DOCTOR_LESS, "one: root inside is you, other users are root under another number",
		"a range: a line for you in /etc/subuid and /etc/subgid (usermod --add-subuids 200000-265535 "
		"--add-subgids 200000-265535 YOU) and the package uidmap");
}

static void fuse(const struct store *s, struct doctor_line *l)
{
	auto_close int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	(void)s;
	if (fd >= 0)
		say(l, DOCTOR_FINE, "images are mounted through /dev/fuse", "");
	else
		say(l, DOCTOR_LESS, "images are unpacked into the store at their first use",
			errno == ENOENT ? "there is no /dev/fuse: modprobe fuse, or give it to the machine's container"
					: "/dev/fuse may not be opened: chmod 666 /dev/fuse");
}

static void overlay(const struct store *s, struct doctor_line *l)
{
	char fix[600];
	struct err e = {0};

	if (in_scratch(s, &e) == 0) {
		say(l, DOCTOR_FINE, "the kernel's, with userxattr", "");
		return;
	}
	(void)snprintf(fix, sizeof(fix),
		"%.300s: a store (SBX_ROOT) on ext4, xfs, btrfs or tmpfs, and kernel "
		"5.11 or later",
		e.text); /* fits */
	say(l, DOCTOR_LESS,
		"not on this store: writable layers go elsewhere, or each container gets a copy of "
		"its image",
		fix);
}

static void xattrs(const struct store *s, struct doctor_line *l)
{
	auto_close int fd = openat(s->root, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 && fsetxattr(fd, "user.sbx", "1", 1, 0) == 0)
		say(l, DOCTOR_FINE, s->root_path, "");
	else if (fd < 0 && (errno == EROFS || errno == EACCES || errno == ENOSPC || errno == EDQUOT))
		say(l, DOCTOR_BAD, "nothing can be written to it",
			errno == EROFS || errno == EACCES
				? "SBX_ROOT, on a file system that you may write to"
				: "room on its disk, or SBX_ROOT on another");
	else
		say(l, DOCTOR_LESS, "without user attributes: writable layers go to the scratch directory",
			"the setting scratch, or SBX_ROOT, on a local disk");
}

static void limits(const struct store *s, struct doctor_line *l)
{
	static const struct {
		unsigned int bit;
		const char *name;
	} names[] = {{HOLDS_MEMORY, "memory"}, {HOLDS_SWAP, "swap"}, {HOLDS_PIDS, "pids"},
		{HOLDS_CPUS, "cpus"}, {HOLDS_CPUSET, "cpuset"}};
	auto_buf struct buf text = {0};
	unsigned int holds;
	enum cgroup_way way = cgroup_probe(&holds);

	(void)s;
	buf_printf(&text, "control groups by %s:", cgroup_way_names[way]);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (holds & names[i].bit)
			buf_printf(&text, " %s", names[i].name);
	if (way == CGROUP_NONE)
		say(l, DOCTOR_LESS,
			"no control group: memory by the supervisor's watch, processes by a resource "
			"limit, cpuset by affinity; no --cpus",
			"start sbx by systemd-run --user --scope -p Delegate=yes, or in a control group that you may write");
	else
		say(l, DOCTOR_FINE, text.s, "");
}

static void seccomp(const struct store *s, struct doctor_line *l)
{
	uint32_t action = SECCOMP_RET_ERRNO;

	(void)s;
	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0)
		say(l, DOCTOR_FINE, "docker's default filter", "");
	else
		say(l, DOCTOR_BAD, "no filters", "a kernel with CONFIG_SECCOMP_FILTER");
}

static void program(const struct store *s, struct doctor_line *l)
{
	struct err e;
	bool needed = hop_needed();
	auto_close int hop = needed ? hop_open(&e) : -1;

	(void)s;
	if (hop >= 0 || !needed)
		say(l, DOCTOR_FINE,
			hop >= 0 ? "sbx is hidden from what runs in containers"
				 : "nobody in a container could change sbx",
			"");
	else
		say(l, DOCTOR_BAD, e.text, "");
}

static void network(const struct store *s, struct doctor_line *l)
{
	(void)s;
	say(l, DOCTOR_FINE, "a container has loopback alone, or with --network host the machine's", "");
}

void doctor_look(const struct store *s, void (*tell)(const struct doctor_line *, void *arg), void *arg)
{
	static const struct {
		const char *what;
		void (*look)(const struct store *s, struct doctor_line *l);
	} all[] = {
		{"kernel", kernel},
		{"user namespaces", user_namespaces},
		{"ids", ids},
		{"images", fuse},
		{"overlay", overlay},
		{"store", xattrs},
		{"limits", limits},
		{"seccomp", seccomp},
		{"program", program},
		{"network", network},
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct doctor_line l = {.what = all[i].what};

		all[i].look(s, &l);
		tell(&l, arg);
	}
}
