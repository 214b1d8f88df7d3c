/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enroot_root: the root of a container without a supervisor.
 *
 * The lower layer is the image, from the image server. The keeper is needed because the lease ends with the last
 * process that holds its connection, and because after the image server was killed somebody must hand the descriptors to a
 * new one. A process that is about to exec an untrusted program can do neither.
 *
 * The upper layer is a directory of the container with --rw, else a tmpfs, in which hooks and mount points are made, and which
 * becomes read-only before the command starts. Without --rw what was written earlier is another lower layer, so that any
 * number of starts can share it.
 */
#include "enroot_parts.h"

#include "copy.h"
#include "fallback.h"
#include "fdmsg.h"
#include "idmap.h"
#include "mount.h"
#include "overlay.h"
#include "procs.h"
#include "stage.h"
#include "state.h"
#include "sys.h"
#include "unpack.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* ---- the keeper ------------------------------------------------------------------------ */

#define IN_USE_MS 1000 /* how often a keeper looks whether a container is in use */

struct keeper {
	const struct store *store;
	struct lease *lease;
	const char *written; /* the container's directory, when its files are written; NULL */
	int in_use;          /* who holds it has that directory in use; -1: none */
	int heard;           /* the mount namespace comes from here */
};

static bool sweep_work(const char *path);

static bool in_namespace(const char *pid, ino_t ns)
{
	char path[64];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/%.20s/ns/mnt", pid); /* fits */
	return stat(path, &st) == 0 && st.st_ino == ns;
}

/* A descriptor of some process in it; -1: there is none. */
static int anyone_in(ino_t ns)
{
	DIR *d = opendir("/proc");
	int found = -1;

	if (!d)
		return -1;
	for (struct dirent *at; found < 0 && (at = readdir(d)) != NULL;)
		if (isdigit((unsigned char)at->d_name[0]) && in_namespace(at->d_name, ns))
			found = sys_pidfd_open(atoi(at->d_name)); /* or it ended just now */
	(void)closedir(d);                                        /* only read from */
	return found;
}

static void __attribute__((noreturn)) keep(struct keeper *k, int pidfd)
{
	int ns = -1, n = 1;
	struct stat st;
	char word;

	(void)layers_wait(k->store, k->lease, k->heard, -1);
	/* The end of file without a word: it never came to a container. */
	if (fdmsg_recv(k->heard, &word, 1, &ns, &n, 0) != 1 || n != 1 || fstat(ns, &st) < 0)
		_exit(0); /* the child */
	/* As supervisors hold it, for systemd-tmpfiles: the key for exec is in there. */
	(void)flock(k->store->runtime, LOCK_SH | LOCK_NB); /* else it is at work this moment */
	sys_trim();
	/* We hold a pidfd until we are done, or the number could become another process's, for whose processes we
	 * would wait. /proc lists by number, and new processes mostly have larger ones: if a process forks and ends
	 * while we look, its child is still to come. */
	for (; pidfd >= 0; pidfd = anyone_in(st.st_ino)) {
		(void)layers_wait(k->store, k->lease, pidfd, -1);
		(void)close(pidfd); /* only waited for */
	}
	/* ns stays open: its number would become another's, for whose work directory sweep_work would take ours. */
	if (k->in_use >= 0)
		(void)close(k->in_use); /* a lock */
	/* Others who write there have mounts of the same overlay, below which is what this lease serves. */
	while (k->written && !sweep_work(k->written))
		(void)layers_wait(k->store, k->lease, -1, IN_USE_MS);
	_exit(0); /* the child */
}

/* Nothing of the caller's stays open: its pipes must close when the command lets go of them. */
static void __attribute__((noreturn)) become_keeper(struct keeper *k, int pidfd)
{
	int fds[LEASE_FDS + 5], n = layers_fds(k->lease, fds), null;

	if (k->in_use >= 0)
		fds[n++] = k->in_use;
	fds[n++] = k->heard;
	fds[n++] = pidfd;
	fds[n++] = k->store->root;
	fds[n++] = k->store->runtime;
	for (int i = 0; i < k->lease->n; i++)
		k->lease->layer[i].mount = -1;
	sys_keep_only(fds, (size_t)n);
	null = open("/dev/null", O_RDWR);
	while (null >= 0 && null < 2)
		null = dup(null);
	(void)setsid(); /* we were forked, so this works */
	(void)prctl(PR_SET_NAME, "sbx-lease");
	(void)prctl(PR_SET_DUMPABLE, 0);
	(void)chdir("/");
	sys_server_signals();
	keep(k, pidfd);
}

static int start_keeper(struct keeper *k, struct err *e)
{
	auto_close int self = sys_pidfd_open(getpid());
	int status = 0;
	pid_t pid;

	if (self < 0)
		return err_sys(e, "pidfd_open");
	pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (pid == 0) {
		/* Nobody's child: the command must not find one that it did not start. */
		pid = fork();
		if (pid == 0)
			become_keeper(k, self);
		_exit(pid < 0 ? errno : 0); /* the child */
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : ESRCH; /* it was killed */
	return errno ? err_sys(e, "fork") : 0;
}

static void close_lease(struct lease *l)
{
	for (int i = 0; i < l->n; i++) {
		(void)close(take_fd(&l->layer[i].image)); /* the keeper has it */
		(void)close(take_fd(&l->layer[i].fuse));
		(void)close(take_fd(&l->layer[i].journal));
	}
	(void)close(take_fd(&l->conn));
}

/* For others to see, in any pid namespace, as long as a keeper has it. Where a directory cannot be locked, as on a
 * network file system, no overlay can be written, either. */
static int use_written(const char *path, int *root)
{
	auto_free char *upper = xasprintf("%s/upper", path);
	int fd = open(upper, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	auto_close int writer = sweep_work(path) ? -1 : enroot_writer(path);

	if (writer >= 0)
		*root = enroot_root_of(writer);
	while (fd >= 0 && flock(fd, LOCK_SH) < 0 && errno == EINTR)
		;
	return fd;
}

int enroot_lease(const struct store *s, const struct enroot_box *b, bool writable,
	struct enroot_begun *out, struct err *e)
{
	auto_strv struct strv layers = {0};
	auto_close int in_use = -1; /* the keeper's */
	struct keeper k = {.store = s,
		.lease = &out->lease,
		.written = writable && b->image ? b->path : NULL,
		.in_use = -1};
	int pair[2];

	*out = (struct enroot_begun){.lease = {.conn = -1, .userns = -1}, .said = -1, .root = -1};
	if (b->image)
		strv_add(&layers, b->image);
	if (stage_make(s, e) < 0 || fallback_lease(s, IDS_ONE, &layers, &out->lease, &out->lower, e) < 0)
		return -1;
	if (out->lease.n == 0 && !k.written) { /* the user namespace lives on by itself */
		(void)close(take_fd(&out->lease.conn));
		return 0;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	k.heard = pair[0];
	out->said = pair[1];
	if (k.written)
		k.in_use = in_use = use_written(k.written, &out->root);
	if (start_keeper(&k, e) < 0) {
		(void)close(pair[0]); /* unused */
		return -1;
	}
	(void)close(pair[0]); /* the keeper's */
	close_lease(&out->lease);
	return 0;
}

void enroot_begun_done(struct enroot_begun *b)
{
	lease_done(&b->lease);
	strv_done(&b->lower);
	if (b->said >= 0)
		(void)close(take_fd(&b->said)); /* without a message the keeper ends */
	if (b->root >= 0)
		(void)close(take_fd(&b->root)); /* not attached */
}

void enroot_keep(struct enroot_begun *b)
{
	auto_close int ns = b->said < 0 ? -1 : open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);

	if (ns < 0)
		return;
	(void)fdmsg_send(b->said, "n", 1, &ns, 1); /* the keeper may be gone */
	(void)close(take_fd(&b->said));
}

/* ---- namespaces ------------------------------------------------------------------------ */

static int put_map(const char *path, unsigned inside, unsigned outside, struct err *e)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "%u %u 1\n", inside, outside); /* fits */
	return sys_put(AT_FDCWD, path, text) < 0 ? err_sys(e, "write %s", path) : 0;
}

struct ids {
	uid_t user;
	gid_t group;
};

/* With other namespaces that belong to it. */
static int new_user(uint64_t others, struct ids inside, struct ids outside, struct err *e)
{
	if (syscall(SYS_unshare, CLONE_NEWUSER | others) < 0)
		return err_sys(e, "create namespaces");
	/* The files of a process that cannot be dumped belong to root. */
	if (prctl(PR_SET_DUMPABLE, 1) < 0)
		return err_sys(e, "prctl");
	(void)sys_put(AT_FDCWD, "/proc/self/setgroups", "deny"); /* is denied already where it was inherited */
	if (put_map("/proc/self/uid_map", inside.user, outside.user, e) < 0 ||
		put_map("/proc/self/gid_map", inside.group, outside.group, e) < 0)
		return -1;
	(void)prctl(PR_SET_DUMPABLE, 0); /* until the command is exec'ed */
	return 0;
}

int enroot_unshare(const struct enroot_begun *b, uint64_t flags, uid_t uid, gid_t gid, struct err *e)
{
	const struct ids caller = {geteuid(), getegid()}, there = {0, 0};

	if (sys_setns(b->lease.userns, CLONE_NEWUSER) < 0)
		return idmap_not_joined(e);
	if (mount_ground(e) < 0)
		return -1;
	/* The image server knows him as 0; hooks read in uid_map who he is outside. */
	if (new_user(0, caller, there, e) < 0)
		return -1;
	return new_user(flags, (struct ids){uid, gid}, caller, e);
}

/* ---- the root -------------------------------------------------------------------------- */

static int attach(int mount, const char *name, struct err *e)
{
	auto_close int at = -1;

	if (mkdir(name, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "mkdir stage %s", name);
	at = open(name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (at < 0)
		return err_sys(e, "open stage %s", name);
	return sys_attach(mount, at) < 0 ? err_sys(e, "attach %s", name) : 0;
}

static int attach_dir(const char *dir, const char *name, struct err *e)
{
	auto_close int mount = sys_open_tree(AT_FDCWD, dir, OPEN_TREE_CLONE);

	if (mount < 0)
		return err_sys(e, "open %s", dir);
	return attach(mount, name, e);
}

static int scratch(struct err *e)
{
	auto_close int fs = sys_fsopen("tmpfs"), mount = -1;

	if (fs < 0 || sys_fsconfig_string(fs, "mode", "755") < 0)
		return err_sys(e, "tmpfs");
	mount = sys_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	if (mount < 0)
		return err_sys(e, "mount tmpfs");
	if (attach(mount, "t", e) < 0)
		return -1;
	if (mkdir("t/upper", 0755) < 0 || mkdir("t/work", 0700) < 0)
		return err_sys(e, "tmpfs");
	return 0;
}

/* Directories that ended starts left; a name carries the process, when it began, and its mount namespace,
 * in which others may still be. Somebody's in another pid namespace would look ended as well. False: the
 * container is in use. */
static bool sweep_work(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	auto_close int upper =
		fd < 0 ? -1 : openat(fd, "upper", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	struct err e;

	if (!d)
		return true;
	if (upper >= 0 && flock(upper, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
		(void)closedir(d); /* only read from */
		return false;
	}
	for (struct dirent *at; (at = readdir(d)) != NULL;) {
		unsigned long long start, ns;
		int pid;

		struct proc p;

		if (sscanf(at->d_name, "work-%d-%llu-%llu", &pid, &start, &ns) != 3 ||
			(procs_read(pid, &p) && p.start == start && !strchr("ZX", p.state)))
			continue;
		pid = anyone_in((ino_t)ns);
		if (pid < 0)
			(void)state_remove_tree(fd, at->d_name, &e); /* the next start tries again */
		else
			(void)close(pid); /* a descriptor: there is such a process */
	}
	(void)closedir(d); /* only read from; the descriptor is its */
	return true;
}

pid_t enroot_pid(void)
{
	char self[16] = "";

	return readlink("/proc/self", self, sizeof(self) - 1) < 0 ? getpid() : atoi(self);
}

/* Two overlays may not share a directory for their work. Its name also tells who writes here: enroot_procs.c. */
static int own_work(const char *path, ino_t ns, char **upper, char **work, struct err *e)
{
	pid_t pid = enroot_pid();

	*upper = xstrdup(ENROOT_WRITTEN "/upper");
	*work = xasprintf(ENROOT_WRITTEN "/work-%d-%llu-%llu", (int)pid,
		(unsigned long long)sys_start_time(pid), (unsigned long long)ns);
	if (attach_dir(path, ENROOT_WRITTEN, e) < 0)
		return -1;
	return mkdir(*work, 0700) < 0 && errno != EEXIST ? err_sys(e, "mkdir %s", *work) : 0;
}

/* The source of the mount, which /proc/PID/mountinfo shows for a process's root, tells the container that it is in. */
static int overlay(
	const char *source, const char *lower, const char *upper, const char *work, struct err *e)
{
	const struct overlay o = {source, lower, upper, work, MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID};
	auto_close int mount = overlay_mount(&o, e);

	return mount < 0 ? -1 : attach(mount, "root", e);
}

/* 1, 0, -1: what cannot be looked at is not to be taken for nothing. */
static int has_files(const char *path, struct err *e)
{
	auto_close int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int empty;

	if (dir < 0 && errno == ENOENT)
		return 0;
	empty = dir < 0 ? -1 : copy_is_empty(dir);
	return empty < 0 ? err_sys(e, "look into %s", path) : !empty;
}

static int overlay_root(const struct store *s, const struct enroot_box *b,
	struct enroot_begun *begun, bool writable, struct err *e)
{
	auto_free char *upper = NULL, *work = NULL, *written = NULL, *source = NULL;
	struct stat ns;
	int mount, two;

	if (stat("/proc/self/ns/mnt", &ns) < 0)
		return err_sys(e, "/proc/self/ns/mnt");
	if (begun->root >= 0) {
		if (own_work(b->path, ns.st_ino, &upper, &work, e) < 0 ||
			attach(begun->root, "root", e) < 0)
			return -1;
		(void)close(take_fd(&begun->root)); /* attached */
		return 0;
	}
	source = enroot_source(s, b->path ? b->path : b->image, ns.st_ino);
	if (begun->lower.n) {
		if (attach_dir(begun->lower.v[0], "l0", e) < 0)
			return -1;
	} else {
		mount = begun->lease.layer[0].mount;
		if (attach(mount, "l0", e) < 0)
			return -1;
		(void)close(take_fd(&begun->lease.layer[0].mount)); /* attached: the mount lives on */
	}
	if (writable && b->path) {
		if (own_work(b->path, ns.st_ino, &upper, &work, e) < 0)
			return -1;
		return overlay(source, "l0", upper, work, e);
	}
	written = b->path ? xasprintf("%s/upper", b->path) : NULL;
	two = written ? has_files(written, e) : 0;
	if (two < 0 || (two && attach_dir(written, "l1", e) < 0))
		return -1;
	return overlay(source, two ? "l1:l0" : "l0", "t/upper", "t/work", e);
}

/* A complete directory. */
static int plain_root(const char *path, struct err *e)
{
	const struct mount_attr attr = {.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV};
	auto_close int mount = sys_open_tree(AT_FDCWD, path, OPEN_TREE_CLONE);

	if (mount < 0)
		return err_sys(e, "open %s", path);
	if (sys_mount_setattr(mount, 0, &attr) < 0)
		return err_sys(e, "mount %s", path);
	return attach(mount, "root", e);
}

/* In one piece, or not at all. dir: the container's, locked. */
static int unpack_root(int dir, const char *image, const char *done, struct err *e)
{
	auto_close int in = open(image, O_RDONLY | O_CLOEXEC), part = -1;
	struct err other;

	if (in < 0)
		return err_sys(e, "open %s", image);
	(void)state_remove_tree(dir, "rootfs.part", &other); /* left by a process that was killed */
	if (mkdirat(dir, "rootfs.part", 0755) < 0)
		return err_sys(e, "mkdir %s", done);
	part = openat(dir, "rootfs.part", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (part < 0)
		return err_sys(e, "open %s", done);
	if (unpack_squashfs(take_fd(&in), image, part, false, e) < 0) {
		(void)state_remove_tree(dir, "rootfs.part", &other); /* the first error is the one to tell */
		return -1;
	}
	return renameat(dir, "rootfs.part", dir, "rootfs") < 0 ? err_sys(e, "rename %s", done) : 0;
}

/* Once for each container, where the kernel refuses overlay. */
static int unpacked_root(const struct enroot_box *b, struct err *e)
{
	auto_free char *done = NULL, *written = NULL;
	auto_close int dir = -1;
	struct err other = {0};
	int any;

	if (!b->path)
		return err_ctx(e,
			"%s: without overlay an image must be made a container first (enroot create)",
			b->image);
	done = xasprintf("%s/rootfs", b->path);
	if (access(done, F_OK) == 0)
		return plain_root(done, e);
	written = xasprintf("%s/upper", b->path);
	any = has_files(written, &other);
	if (any < 0) {
		*e = other;
		return -1;
	}
	if (any) {
		e->kind = ERR_UNSUPPORTED;
		return err_ctx(e, "what was written in %s is to be had by overlay only", b->path);
	}
	err_clear(e);
	dir = open(b->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err_sys(e, "open %s", b->path);
	/* Of several first starts one does it. Some network file systems lock no directory: there they are on their own. */
	while (flock(dir, LOCK_EX) < 0 && errno == EINTR)
		;
	if (faccessat(dir, "rootfs", F_OK, 0) < 0 && unpack_root(dir, b->image, done, e) < 0)
		return -1;
	return plain_root(done, e);
}

/* Without a limit of time: the first one may unpack the image. */
int enroot_lock(const struct enroot_box *b, struct err *e)
{
	auto_free char *path = xasprintf("%s%s", b->path, b->image ? "/" ENROOT_REFERENCE : "");
	/* NFS gives the lock only to who may write the file, and none of a directory. */
	int fd = b->image ? open(path, O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	/* Some network file systems have no locks: there each is on its own. */
	while (fd >= 0 && flock(fd, LOCK_EX) < 0 && errno == EINTR)
		;
	return fd < 0 ? err_sys(e, "open %s", path) : fd;
}

int enroot_root(const struct store *s, const struct enroot_box *b, struct enroot_begun *begun,
	bool writable, struct err *e)
{
	auto_free char *stage = xasprintf("%s/stage", s->runtime_path);

	if (sys_mount(NULL, "/", NULL, SYS_MS_REC | SYS_MS_SLAVE, NULL) < 0)
		return err_sys(e, "make the mounts private");
	if (chdir(stage) < 0)
		return err_sys(e, "enter %s", stage);
	if (scratch(e) < 0)
		return -1;
	if (!b->image)
		return plain_root(b->path, e);
	if (fallback_no_overlay(b->path))
		(void)err_set(e, ERR_NO_OVERLAY, "overlay is off");
	else if (overlay_root(s, b, begun, writable, e) == 0)
		return 0;
	return e->kind == ERR_NO_OVERLAY ? unpacked_root(b, e) : -1;
}
