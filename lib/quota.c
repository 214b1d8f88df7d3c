/* SPDX-License-Identifier: Apache-2.0 */
/* quota: the process that serves the mount: its start, its loop over requests, its end. */
#include "quota.h"

#include "auto.h"
#include "confine.h"
#include "fdmsg.h"
#include "mount.h"
#include "quota_parts.h"
#include "settings.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#define DIRS_MAX 256 /* directories that are kept open */
#define SPARE    32  /* the most descriptors that one request takes */

int quota_possible(struct err *e)
{
	static const char words[] = "--storage-opt size is supported only by an overlay over FUSE";

	if (setting_is_off("fuse") || setting_is_off("overlay"))
		return err_set(e, ERR_UNSUPPORTED, "%s, and \"%s\" is off", words,
			setting_is_off("fuse") ? "fuse" : "overlay");
	if (access("/dev/fuse", R_OK | W_OK) < 0) {
		(void)err_sys(e, "open /dev/fuse");
		e->kind = ERR_UNSUPPORTED;
		return err_ctx(e, "%s", words);
	}
	return 0;
}

/* ---- the process ----------------------------------------------------------------------- */

/* What a descriptor of another user namespace cannot be: this must be opened where the mount is made. */
static int mount_fuse(int dev, struct err *e)
{
	auto_close int fs = sys_fsopen("fuse");
	char fd[16];
	int mount;

	(void)snprintf(fd, sizeof(fd), "%d", dev); /* always fits */
	/* Not nosuid: a set-user-id program works inside, and only there. */
	if (fs < 0 || sys_fsconfig_string(fs, "source", "overlay") < 0 ||
		sys_fsconfig_string(fs, "fd", fd) < 0 ||
		sys_fsconfig_string(fs, "rootmode", "40000") < 0 ||
		sys_fsconfig_string(fs, "user_id", "0") < 0 ||
		sys_fsconfig_string(fs, "group_id", "0") < 0 || sys_fsconfig_flag(fs, "allow_other") < 0 ||
		sys_fsconfig_flag(fs, "default_permissions") < 0 ||
		(mount = sys_fsmount(fs, MOUNT_ATTR_NODEV | MOUNT_ATTR_NOATIME)) < 0) {
		(void)err_sys(e, "mount fuse");
		e->kind = ERR_UNSUPPORTED;
		return -1;
	}
	return mount;
}

static void own_process(void)
{
	static const int raised[] = {RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_CPU};
	struct rlimit r;

	(void)prctl(PR_SET_NAME, "sbx-quota");
	(void)umask(0); /* modes come as they are to be */
	sys_server_signals();
	for (size_t i = 0; i < ARRAY_LEN(raised); i++)
		if (getrlimit(raised[i], &r) == 0 && r.rlim_cur != r.rlim_max) {
			r.rlim_cur = r.rlim_max;
			(void)setrlimit(raised[i], &r);
		}
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static void share_descriptors(struct quota *q)
{
	struct rlimit r = {.rlim_cur = 64};
	unsigned all;

	(void)getrlimit(RLIMIT_NOFILE, &r);
	all = r.rlim_cur < 1u << 30 ? (unsigned)r.rlim_cur : 1u << 30;
	q->dirs_max = least(DIRS_MAX, all / 4);
	q->fd_max = (int)(all - q->dirs_max - least(SPARE, all / 4));
}

/* The writable layer is counted when overlay has put its own files there, and before any container can change it. */
static int count(struct quota *q, const char *home, struct err *e)
{
	struct statfs fs;

	for (size_t i = 0; i < 2; i++) {
		auto_free char *path = xasprintf("%s/%s", home, i ? "work" : "upper");
		auto_close int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (dir < 0 || fstatfs(dir, &fs) < 0 || quota_count(q, dir) < 0)
			return err_sys(e, "count what is in %s", path);
		if (i == 0)
			q->upper = take_fd(&dir);
	}
	q->block = fs.f_bsize > 0 && fs.f_bsize <= 1 << 20 ? (uint64_t)fs.f_bsize : 4096;
	return 0;
}

/* The detached mount. */
static int begin(struct quota *q, const struct quota_ask *ask, struct err *e)
{
	auto_close int root = -1, dir = -1;
	int mount;

	q->dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (q->dev < 0) {
		(void)err_sys(e, "open /dev/fuse");
		e->kind = ERR_UNSUPPORTED;
		return -1;
	}
	if (chdir(ask->stage) < 0)
		return err_sys(e, "enter %s", ask->stage);
	if (syscall(SYS_unshare, CLONE_NEWNS) < 0)
		return err_sys(e, "a mount namespace");
	if (sys_mount(NULL, "/", NULL, SYS_MS_REC | SYS_MS_PRIVATE, NULL) < 0)
		return err_sys(e, "make the mounts private");
	root = mount_root(ask->upper, -1, &ask->layers, NULL, e);
	if (root < 0 || count(q, ask->upper, e) < 0)
		return -1;
	dir = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	mount = mount_fuse(q->dev, e);
	if (mount < 0)
		return -1;
	/* Nothing of the machine is to be in reach. */
	if (dir < 0 || fchdir(dir) < 0 || chroot(".") < 0)
		return err_sys(e, "enter the root");
	quota_root(q, take_fd(&dir));
	return mount;
}

bool quota_serve_one(struct quota *q, void *in, void *out)
{
	const struct fuse_in_header *h = in;
	struct request r = {.q = q, .h = h, .arg = h + 1, .to = out, .room = QUOTA_ROOM};
	ssize_t n = read(q->dev, in, QUOTA_ROOM);
	struct fuse_out_header head;
	struct iovec at[2] = {{&head, sizeof(head)}, {out, 0}};

	if (n < 0)
		return errno != ENODEV && errno != ECONNABORTED && errno != EBADF;
	if ((size_t)n < sizeof(*h) || h->len != (size_t)n)
		return true;
	r.arg_len = (size_t)n - sizeof(*h);
	n = quota_answer(&r);
	if (q->dirs > q->dirs_max)
		quota_close_dirs(q);
	if (n == QUOTA_SILENT)
		return true;
	at[1].iov_len = n > 0 ? (size_t)n : 0;
	head = (struct fuse_out_header){.unique = h->unique,
		.error = n < 0 ? (int32_t)n : 0,
		.len = (uint32_t)(sizeof(head) + at[1].iov_len)};
	/* If the mount is gone the next read tells. ENOENT: the requesting process was killed; otherwise it waits for
	 * the answer and cannot be killed. */
	if (writev(q->dev, at, 2) < 0 && errno != ENOENT) {
		head = (struct fuse_out_header){.unique = h->unique, .error = -EIO, .len = sizeof(head)};
		(void)!write(q->dev, &head, sizeof(head));
	}
	return true;
}

static void __attribute__((noreturn)) be_server(const struct quota_ask *ask, int sock, pid_t parent)
{
	struct quota q = {.dev = -1, .upper = -1, .ledger = {.limit = ask->limit}};
	struct err e = {0};
	/* What is never written to costs nothing. */
	char *room = mmap(NULL, 2 * QUOTA_ROOM, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int mount = -1;

	own_process();
	share_descriptors(&q);
	if (room == MAP_FAILED)
		(void)err_sys(&e, "memory");
	else
		mount = begin(&q, ask, &e);
	/* Asked for last: it is forgotten when credentials change. */
	if (mount >= 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent) {
		(void)fdmsg_send(sock, &e, sizeof(e), &mount, 1); /* the parent may be gone */
		sys_keep_only((int[]){q.dev, q.upper, q.root->fd}, 3);
		if (confine(CONFINE_QUOTA, &e) == 0)
			while (quota_serve_one(&q, room, room + QUOTA_ROOM))
				;
		_exit(0);
	}
	(void)fdmsg_send(sock, &e, sizeof(e), NULL, 0); /* as above */
	_exit(1);
}

/* ---- its parent ------------------------------------------------------------------------ */

int quota_start(const struct quota_ask *ask, struct quota_server *out, struct err *e)
{
	struct quota_server q = QUOTA_NONE;
	auto_close int ours = -1, theirs = -1;
	pid_t self = getpid();
	struct err said;
	int pair[2], n = 1;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	ours = pair[0];
	theirs = pair[1];
	q.pid = fork();
	if (q.pid < 0)
		return err_sys(e, "fork");
	if (q.pid == 0) {
		(void)close(ours);
		be_server(ask, theirs, self);
	}
	(void)close(take_fd(&theirs));
	q.pidfd = sys_pidfd_open(q.pid);
	if (q.pidfd < 0)
		(void)err_sys(e, "pidfd");
	else if (fdmsg_recv(ours, &said, sizeof(said), &q.mount, &n, 0) != sizeof(said))
		(void)err_set(e, ERR_SYSTEM, "the process which counts it died");
	else if (n == 1) {
		*out = q;
		return 0;
	} else
		*e = said;
	q.mount = -1;
	quota_end(&q);
	return err_ctx(e, "--storage-opt size");
}

void quota_end(struct quota_server *q)
{
	if (q->pid > 0) {
		(void)kill(q->pid, SIGKILL); /* our child, not yet waited for */
		while (waitpid(q->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	auto_close_(&q->pidfd);
	auto_close_(&q->mount);
	*q = (struct quota_server)QUOTA_NONE;
}
