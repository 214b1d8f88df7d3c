/* SPDX-License-Identifier: Apache-2.0 */
#include "sys.h"

#include "auto.h"
#include "err.h"
#include "str.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int sys_mount(const char *src, const char *dst, const char *type, unsigned long flags, const char *data)
{
	return (int)syscall(SYS_mount, src, dst, type, flags, data);
}

int sys_umount2(const char *dst, int flags)
{
	return (int)syscall(SYS_umount2, dst, flags);
}

int sys_open_tree(int dir, const char *path, unsigned int flags)
{
	return (int)syscall(SYS_open_tree, dir, path, flags | OPEN_TREE_CLOEXEC);
}

int sys_attach(int mount, int target)
{
	return (int)syscall(SYS_move_mount, mount, "", target, "",
		MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

int sys_attach_at(int mount, const char *path)
{
	return (int)syscall(SYS_move_mount, mount, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH);
}

int sys_fsopen(const char *type)
{
	return (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
}

int sys_fsconfig_string(int fs, const char *key, const char *value)
{
	return (int)syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, key, value, 0);
}

int sys_fsconfig_flag(int fs, const char *key)
{
	return (int)syscall(SYS_fsconfig, fs, FSCONFIG_SET_FLAG, key, NULL, 0);
}

int sys_fsmount(int fs, unsigned int attr)
{
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -1;
	return (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attr);
}

int sys_mount_setattr(int fd, unsigned int flags, const struct mount_attr *attr)
{
	return (int)syscall(SYS_mount_setattr, fd, "", flags | AT_EMPTY_PATH, attr, sizeof(*attr));
}

int sys_renameat(int from_dir, const char *from, int to_dir, const char *to, unsigned int flags)
{
	return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

int sys_pipe(int *from, int *to)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	*from = ends[0];
	*to = ends[1];
	return 0;
}

int sys_wide_pipe(int *from, int *to)
{
	if (sys_pipe(from, to) < 0)
		return -1;
	(void)fcntl(*from, F_SETPIPE_SZ, 1 << 20); /* only if the user may */
	return 0;
}

ssize_t sys_getdents(int dir, void *entries, size_t size)
{
	return syscall(SYS_getdents64, dir, entries, size);
}

int sys_names(int dir, struct strv *out)
{
	enum { ROOM = 32 << 10 };
	auto_close int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_free char *room = fd < 0 ? NULL : xcalloc(1, ROOM);
	ssize_t n = -1;

	while (fd >= 0 && (n = sys_getdents(fd, room, ROOM)) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct dirent *d = (const struct dirent *)(room + at);

			at += d->d_reclen;
			if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
				strv_add(out, d->d_name);
		}
	/* a directory that was removed meanwhile has none */
	return n < 0 && !(fd >= 0 && errno == ENOENT) ? -1 : 0;
}

/* The kernel's struct statx, which not every libc has, and others have beside the kernel's. */
struct stat_times {
	int64_t sec;
	uint32_t nsec;
	int32_t pad;
};

struct statx_kernel {
	uint32_t mask, blksize;
	uint64_t attributes;
	uint32_t nlink, uid, gid;
	uint16_t mode, pad;
	uint64_t ino, size, blocks, attributes_mask;
	struct stat_times atime, btime, ctime, mtime;
	uint32_t rdev[2], dev[2];
	uint64_t mnt_id;
	uint64_t more[13];
};

static_assert(sizeof(struct statx_kernel) == 256, "as the kernel's");

enum { WANT_CTIME = 0x80, WANT_INO = 0x100, WANT_BTIME = 0x800, WANT_MNT_ID = 0x1000 };

static int stat_kernel(int dir, const char *path, int flags, unsigned int want, struct statx_kernel *out)
{
	return (int)syscall(SYS_statx, dir, path, flags, want, out);
}

bool sys_mount_id(const char *path, uint64_t *id)
{
	struct statx_kernel st;

	if (stat_kernel(AT_FDCWD, path, 0, WANT_MNT_ID, &st) < 0 || !(st.mask & WANT_MNT_ID))
		return false;
	*id = st.mnt_id;
	return true;
}

int sys_birth(int fd, struct timespec *out)
{
	struct statx_kernel st;
	const struct stat_times *t;

	if (stat_kernel(fd, "", AT_EMPTY_PATH, WANT_BTIME | WANT_CTIME, &st) < 0)
		return -1;
	t = st.mask & WANT_BTIME ? &st.btime : &st.ctime;
	*out = (struct timespec){t->sec, t->nsec};
	return 0;
}

int sys_changed(int dir, const char *path, uint64_t *inode, struct timespec *when)
{
	enum { ASK_THE_SERVER = 0x2000 }; /* AT_STATX_FORCE_SYNC */
	struct statx_kernel st;

	if (stat_kernel(dir, path, AT_SYMLINK_NOFOLLOW | ASK_THE_SERVER, WANT_CTIME | WANT_INO, &st) < 0)
		return -1;
	*inode = st.ino;
	*when = (struct timespec){st.ctime.sec, st.ctime.nsec};
	return 0;
}

int sys_pivot_root(const char *new_root, const char *put_old)
{
	return (int)syscall(SYS_pivot_root, new_root, put_old);
}

#define AGAIN_AT_ONCE 50
#define AGAIN_MOST    100
#define AGAIN_NS      20000000

int sys_openat2(int dir, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = resolve};
	int fd;

	if (flags & O_CREAT)
		how.mode = 0644;
	/* EAGAIN: the kernel saw a rename on the way and could not prove that the walk stayed below. Or, with O_NONBLOCK,
	 * somebody has a lease of the file, was told to let go of it by this very call, and has up to 45 seconds. */
	for (int again = 0;; again += errno == EAGAIN) {
		fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
		if (fd >= 0 || (errno != EINTR && errno != EAGAIN) || again == AGAIN_MOST)
			return fd;
		if (again >= AGAIN_AT_ONCE) {
			(void)nanosleep(&(struct timespec){.tv_nsec = AGAIN_NS}, NULL); /* a shorter one is as good */
			errno = EAGAIN;
		}
	}
}

int sys_enter(const char *path)
{
	auto_close int dir = sys_openat2(AT_FDCWD, path, O_PATH | O_DIRECTORY, RESOLVE_NO_MAGICLINKS);
	char real[4096];

	if (dir < 0 || fchdir(dir) < 0)
		return -1;
	if (getcwd(real, sizeof(real)) && real[0] == '/')
		return 0;
	(void)chdir("/"); /* where we may always be */
	errno = EXDEV;
	return -1;
}

int sys_close_range(unsigned int first, unsigned int last, unsigned int flags)
{
	return (int)syscall(SYS_close_range, first, last, flags);
}

ssize_t sys_read(int fd, void *to, size_t n)
{
	ssize_t got;

	do
		got = read(fd, to, n);
	while (got < 0 && errno == EINTR);
	return got;
}

ssize_t sys_read_wait(int fd, void *to, size_t n)
{
	ssize_t got;

	while ((got = sys_read(fd, to, n)) < 0 && errno == EAGAIN)
		(void)poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1); /* read() tells */
	return got;
}

ssize_t sys_sendfile(int to, int from, size_t n)
{
	ssize_t done;

	do
		done = sendfile(to, from, NULL, n);
	while (done < 0 && errno == EINTR);
	return done;
}

ssize_t sys_splice(int from, int to, size_t n)
{
	ssize_t done;

	do
		done = splice(from, NULL, to, NULL, n, 0);
	while (done < 0 && errno == EINTR);
	return done;
}

int sys_write_all(int fd, const void *from, size_t n)
{
	const char *s = from;

	while (n > 0) {
		ssize_t done = write(fd, s, n);

		if (done < 0 && errno == EAGAIN)
			(void)poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1); /* write() tells */
		else if (done < 0 && errno != EINTR)
			return -1;
		s += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

int sys_put(int dir, const char *path, const char *text)
{
	int fd = openat(dir, path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	size_t n = strlen(text);
	ssize_t done;
	int saved;

	if (fd < 0)
		return -1;
	do
		done = write(fd, text, n);
	while (done < 0 && errno == EINTR);
	saved = errno;
	(void)close(fd); /* a kernel file: the write has reported any error */
	errno = saved;
	return done == (ssize_t)n ? 0 : -1;
}

ssize_t sys_get(int dir, const char *path, char *to, size_t n)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t len = 0;
	ssize_t got = 0;

	if (fd < 0)
		return -1;
	while (len < n - 1 && (got = sys_read(fd, to + len, n - 1 - len)) > 0)
		len += (size_t)got;
	(void)close(fd); /* only read from */
	to[len] = '\0';
	return got < 0 ? -1 : (ssize_t)len;
}

ssize_t sys_get_numbers(int dir, const char *path, char *to, size_t n)
{
	ssize_t len = sys_get(dir, path, to, n);

	if (len < (ssize_t)n - 1)
		return len;
	while (len > 0 && to[len - 1] >= '0' && to[len - 1] <= '9')
		len--;
	to[len] = '\0';
	return len;
}

char *sys_text(const char *path)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd < 0 ? NULL : sys_text_in(fd);
}

int sys_text_maybe(const char *path, char **text, struct err *e)
{
	char *all = sys_text(path);

	if (!all && errno != ENOENT && errno != ENOTDIR) {
		int why = errno;

		if (why != EACCES || access(path, F_OK) == 0) {
			errno = why;
			return err_sys(e, "read %s", path);
		}
	}
	*text = all;
	return 0;
}

char *sys_text_in(int fd)
{
	auto_buf struct buf b = {0};
	char part[4096];
	ssize_t n = 1;

	while (b.len < SYS_TEXT_MAX && (n = sys_read(fd, part, sizeof(part))) > 0)
		buf_add(&b, part, (size_t)n);
	return n < 0 ? NULL : buf_take(&b);
}

int sys_open_empty(int dir, const char *name, mode_t mode)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode);
	struct stat st;

	if (fd < 0 || (fstat(fd, &st) == 0 && (st.st_size == 0 || ftruncate(fd, 0) == 0)))
		return fd;
	(void)close(fd); /* nothing was written */
	return -1;
}
