/* SPDX-License-Identifier: Apache-2.0 */
#include "cell.h"

#include "auto.h"
#include "caps.h"
#include "fdmsg.h"
#include "masks.h"
#include "mount.h"
#include "net.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define OWN (CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET)

#define SAFE (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)

/* Where the cell's memory file system is mounted as a whole; then one of its directories covers it. */
#define FILES "/dev/shm"

struct message {
	char what; /* 'm': asks for its ids to be mapped; 'r': is ready; 'e': an error */
	struct err err;
};

int cell_prepare(struct err *e)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID};
	auto_close int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_close int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	static const char *const dirs[] = {"/work", "/tmp", FILES, "/dev/pts"};

	for (size_t i = 0; root >= 0 && i < ARRAY_LEN(dirs); i++) {
		auto_close int at = -1;

		/* What each cell mounts itself need not be copied into it. (It fails for what is not a mount
		 * point.) */
		(void)umount2(dirs[i], MNT_DETACH);
		at = mount_point(root, dirs[i], true, e);
		if (at < 0)
			return -1;
	}
	/* A device on a read-only mount can still be written. */
	if (root < 0 || sys_mount_setattr(root, AT_RECURSIVE, &attr) < 0)
		return err_sys(e, "make the mounts read-only");
	/* Ids are mapped by writing to files in /proc, which each cell covers with its own. */
	attr = (struct mount_attr){.attr_clr = MOUNT_ATTR_RDONLY};
	if (proc < 0 || sys_mount_setattr(proc, 0, &attr) < 0)
		return err_sys(e, "make /proc writable");
	return 0;
}

/* ---- inside --------------------------------------------------------------------------- */

static int fresh(const char *type, const char *const *options, unsigned int attr, const char *at,
	struct err *e)
{
	auto_close int fs = sys_fsopen(type);
	int mount;

	if (fs < 0)
		return err_sys(e, "mount %s at %s", type, at);
	(void)sys_fsconfig_string(fs, "source", type); /* only to be seen in /proc/mounts */
	for (; options[0]; options += 2)
		if ((options[1] ? sys_fsconfig_string(fs, options[0], options[1])
				: sys_fsconfig_flag(fs, options[0])) < 0)
			return err_sys(e, "mount %s: option %s", type, options[0]);
	mount = sys_fsmount(fs, attr);
	if (mount < 0 || sys_attach_at(mount, at) < 0) {
		(void)err_sys(e, "mount %s at %s", type, at);
		auto_close_(&mount);
		return -1;
	}
	return mount;
}

/* dir/name, also seen at `at`. */
static int show(int dir, const char *name, unsigned int attr, const char *at, struct err *e)
{
	struct mount_attr set = {.attr_set = attr};
	auto_close int mount = sys_open_tree(dir, name, OPEN_TREE_CLONE);

	if (mount >= 0 && (!attr || sys_mount_setattr(mount, 0, &set) == 0) &&
		sys_attach_at(mount, at) == 0)
		return 0;
	/* Not every kernel has everything that is to be hidden. */
	return errno == ENOENT ? 0 : err_sys(e, "cover %s", at);
}

static int mask(int files, struct err *e)
{
	for (const struct mask_path *m = mask_paths; m->path; m++) {
		struct stat st;

		if (m->freeze) {
			if (show(AT_FDCWD, m->path, SAFE | MOUNT_ATTR_RDONLY, m->path, e) < 0)
				return -1;
			continue;
		}
		if (lstat(m->path, &st) == 0 && show(files, S_ISDIR(st.st_mode) ? "none.d" : "none",
							SAFE | MOUNT_ATTR_RDONLY, m->path, e) < 0)
			return -1;
	}
	return 0;
}

/* Of a process without umask. */
static int own_directory(int dir, const char *name, mode_t mode, uint32_t id)
{
	if (mkdirat(dir, name, mode) < 0)
		return -1;
	return id ? fchownat(dir, name, id, id, AT_SYMLINK_NOFOLLOW) : 0;
}

/* One file system for everything that can be written, so that one number tells its size. Its root is out of reach. */
static int make_files(const struct cell_ask *ask, struct err *e)
{
	char size[24];
	const char *const options[] = {"mode", "755", "size", size, NULL};
	auto_close int none = -1;
	int files;

	(void)snprintf(size, sizeof(size), "%llu", (unsigned long long)ask->memory); /* fits */
	files = fresh("tmpfs", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, FILES, e);
	if (files < 0)
		return -1;
	none = openat(files, "none", O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
	if (none < 0 || mkdirat(files, "none.d", 0555) < 0 ||
		own_directory(files, "work", 0755, ask->id) < 0 ||
		own_directory(files, "tmp", 01777, ask->id) < 0 ||
		own_directory(files, "shm", 01777, ask->id) < 0) {
		(void)close(files); /* the cell fails */
		return err_sys(e, "fill the memory file system");
	}
	return files;
}

static int build(const struct cell_ask *ask, int *proc, int *files, struct err *e)
{
	static const char *const plain[] = {NULL};
	static const char *const pts[] = {
		"newinstance", NULL, "ptmxmode", "0666", "mode", "0620", "max", "512", NULL};
	auto_close int terminals = -1;

	*proc = fresh("proc", plain, SAFE, "/proc", e);
	if (*proc < 0)
		return -1;
	/* Segments with a key need no process that holds them, so no process's memory would include them. */
	if (sys_put(*proc, "sys/kernel/shmall", "0\n") < 0 && errno != ENOENT)
		return err_sys(e, "take shared memory with a key away");
	*files = make_files(ask, e);
	if (*files < 0 || mask(*files, e) < 0 || show(*files, "work", 0, "/work", e) < 0 ||
		show(*files, "tmp", 0, "/tmp", e) < 0 || show(*files, "shm", 0, FILES, e) < 0)
		return -1;
	terminals = fresh("devpts", pts, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, "/dev/pts", e);
	return terminals < 0 ? -1 : 0;
}

/* The cell's mounts belong to the user namespace above, so that processes in the cell have no power over them. Only a
 * process above can map other ids than our own. */
static int own_userns(const struct cell_ask *ask, int proc, int sock, struct err *e)
{
	struct message m = {.what = 'm'};

	if (syscall(SYS_unshare, CLONE_NEWUSER) < 0)
		return err_sys(e, "a user namespace");
	if (ask->id != 0) {
		if (fdmsg_send(sock, &m, 1, NULL, 0) < 0 || sys_read(sock, &m.what, 1) != 1)
			return err_set(e, ERR_SYSTEM, "the keeper is gone");
		return 0;
	}
	(void)sys_put(proc, "self/setgroups", "deny"); /* is denied already where it was inherited */
	if (sys_put(proc, "self/uid_map", "0 0 1\n") < 0 || sys_put(proc, "self/gid_map", "0 0 1\n") < 0)
		return err_sys(e, "map root");
	return 0;
}

static int network(int net, struct err *e)
{
	if (net < 0)
		return net_lo_up(e);
	return sys_setns(net, CLONE_NEWNET) < 0 ? err_sys(e, "join a network namespace") : 0;
}

static void __attribute__((noreturn)) be_first(const struct cell_ask *ask, int sock)
{
	struct message m = {.what = 'r'};
	int fds[2] = {-1, -1};
	sigset_t all;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)prctl(PR_SET_NAME, "sbx-cell");
	(void)umask(0);
	/* It will not call exec, so its bounding set does not matter, which saves forty system calls. */
	if (network(ask->net, &m.err) < 0 || build(ask, &fds[0], &fds[1], &m.err) < 0 ||
		own_userns(ask, fds[0], sock, &m.err) < 0 || caps_hold_none(&m.err) < 0) {
		m.what = 'e';
		(void)fdmsg_send(sock, &m, sizeof(m), NULL, 0); /* if the parent is gone nobody has to be told */
		_exit(1);
	}
	/* No process inside may look into this copy of the keeper. */
	(void)prctl(PR_SET_DUMPABLE, 0);
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	if (fdmsg_send(sock, &m, 1, fds, 2) < 0)
		_exit(1);
	sys_keep_only(NULL, 0);
	for (;;)
		if (waitpid(-1, NULL, 0) < 0) /* there is no child yet: a signal will tell when there was one */
			(void)sigwaitinfo(&all, NULL);
}

/* ---- outside --------------------------------------------------------------------------- */

/* "nobody", an id that every range includes. */
#define OTHER_ID 65534

static bool maps(const char *path, uint32_t id)
{
	char text[4096];
	unsigned long inside, outside, n;
	const char *line = text;

	if (sys_get(AT_FDCWD, path, text, sizeof(text)) <= 0)
		return false;
	for (; line && sscanf(line, "%lu %lu %lu", &inside, &outside, &n) == 3;
		line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (id >= inside && id - inside < n)
			return true;
	return false;
}

uint32_t cell_id(void)
{
	return maps("/proc/self/uid_map", OTHER_ID) && maps("/proc/self/gid_map", OTHER_ID) ? OTHER_ID
	                                                                                    : 0;
}

static int map_ids(pid_t pid, uint32_t id, struct err *e)
{
	auto_free char *dir = xasprintf("/proc/%d", (int)pid);
	auto_free char *text = xasprintf("0 %u 1\n", id);
	auto_close int proc = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (proc < 0 || sys_put(proc, "uid_map", text) < 0 || sys_put(proc, "gid_map", text) < 0)
		return err_sys(e, "map the root of a cell");
	return 0;
}

int cell_make(const struct cell_ask *ask, struct cell *out, struct err *e)
{
	struct cell c = {-1, -1, -1, -1};
	struct clone_args args = {.flags = (ask->net < 0 ? OWN : OWN & ~CLONE_NEWNET) | CLONE_PIDFD,
		.exit_signal = SIGCHLD,
		.pidfd = (uint64_t)(uintptr_t)&c.pidfd};
	auto_close int ours = -1, theirs = -1;
	struct message m;
	int pair[2], fds[2], n = 2;
	long len;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	ours = pair[0];
	theirs = pair[1];
	c.pid = sys_clone3(&args);
	if (c.pid < 0)
		return err_sys(e, "create namespaces");
	if (c.pid == 0) {
		(void)close(take_fd(&ours));
		be_first(ask, theirs);
	}
	(void)close(take_fd(&theirs));
	len = fdmsg_recv(ours, &m, sizeof(m), fds, &n, 0);
	if (len > 0 && m.what == 'm') {
		n = 2;
		if (map_ids(c.pid, ask->id, &m.err) < 0 || write(ours, "g", 1) != 1)
			m.what = 'e';
		len = m.what == 'e' ? (long)sizeof(m) : fdmsg_recv(ours, &m, sizeof(m), fds, &n, 0);
		n = m.what == 'e' ? 0 : n;
	}
	if (len > 0 && m.what == 'r' && n == 2) {
		c.proc = fds[0];
		c.files = fds[1];
		*out = c;
		return 0;
	}
	for (int i = 0; len > 0 && i < n; i++)
		(void)close(fds[i]); /* of no use */
	(void)sys_pidfd_kill(c.pidfd, SIGKILL);
	(void)waitpid(c.pid, NULL, 0);
	(void)close(c.pidfd);
	if (len == (long)sizeof(m) && m.what == 'e') {
		*e = m.err;
		return -1;
	}
	return err_set(e, ERR_SYSTEM, "a cell died while it was made");
}

void cell_done(struct cell *c)
{
	auto_close_(&c->pidfd);
	auto_close_(&c->proc);
	auto_close_(&c->files);
	*c = (struct cell){-1, -1, -1, -1};
}
