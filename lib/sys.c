/* SPDX-License-Identifier: Apache-2.0 */
#include "sys.h"

#include "auto.h"
#include "err.h"
#include "raw.h"
#include "str.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <linux/nsfs.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

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

pid_t sys_clone3(struct clone_args *args)
{
	return (pid_t)syscall(SYS_clone3, args, sizeof(*args));
}

pid_t sys_fork(int *pidfd)
{
	struct clone_args args = {.flags = CLONE_PIDFD, .exit_signal = SIGCHLD};

	args.pidfd = (uint64_t)(uintptr_t)pidfd;
	return sys_clone3(&args);
}

#define CLONE_STACK (1 << 20) /* a container is built on one; untouched pages cost nothing */

struct child {
	int (*run)(void *);
	void *arg;
	int *shared;
};

/* What CLONE_CHILD_CLEARTID would do, which musl's clone() refuses from 1.2.4 on. */
SYS_OTHER_STACK static int run_child(void *arg)
{
	const struct child *c = arg;

	(void)raw_call(SYS_set_tid_address, (long)c->shared, 0, 0, 0); /* cannot fail */
	return c->run(c->arg);
}

pid_t sys_clone_vm(int (*run)(void *), void *arg, int flags, int *pidfd, int *shared)
{
	char *stack = mmap(NULL, CLONE_STACK, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
	struct child child = {run, arg, shared};
	pid_t pid;
	int sys;

	if (stack == MAP_FAILED)
		return -1;
	assert(!shared || (flags & CLONE_VFORK)); /* the child above is on our stack */
	if (shared)
		*shared = 1;
	if (pidfd)
		flags |= CLONE_PIDFD;
	pid = shared ? clone(run_child, stack + CLONE_STACK, flags | CLONE_VM | SIGCHLD, &child, pidfd)
	             : clone(run, stack + CLONE_STACK, flags | CLONE_VM | SIGCHLD, arg, pidfd);
	sys = errno;
	if (shared && pid >= 0) { /* it may have been killed before its first call */
		__atomic_store_n(shared, 0, __ATOMIC_RELEASE);
		(void)raw_call(SYS_futex, (long)shared, FUTEX_WAKE, 1, 0);
	}
	if (pid < 0 || (flags & CLONE_VFORK))
		(void)munmap(stack, CLONE_STACK); /* our own mapping, which is not in use any more */
	errno = sys;
	return pid;
}

bool sys_still_shared(const int *shared, int64_t ns)
{
	const struct timespec t = {ns / 1000000000, ns % 1000000000};

	if (__atomic_load_n(shared, __ATOMIC_ACQUIRE))
		(void)syscall(SYS_futex, shared, FUTEX_WAIT, 1, &t, NULL, 0); /* one look more is fine */
	return __atomic_load_n(shared, __ATOMIC_ACQUIRE) != 0;
}

int sys_pidfd_open(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL
#endif

int sys_pidfd_open_thread(pid_t tid)
{
	return (int)syscall(SYS_pidfd_open, tid, PIDFD_THREAD);
}

#define PIDFS 0x50494446 /* PID_FS_MAGIC */

uint64_t sys_pidfd_serial(int pidfd)
{
	struct statfs fs;
	struct stat st;

	return fstatfs(pidfd, &fs) == 0 && fs.f_type == PIDFS && fstat(pidfd, &st) == 0 ? st.st_ino : 0;
}

uint64_t sys_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

int sys_pidfd_kill(int pidfd, int signo)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, signo, NULL, 0);
}

#ifndef PIDFD_SIGNAL_PROCESS_GROUP
#define PIDFD_SIGNAL_PROCESS_GROUP (1U << 2) /* of Linux 6.9 */
#endif

int sys_pidfd_kill_group(int pidfd, int signo)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, signo, NULL, PIDFD_SIGNAL_PROCESS_GROUP);
}

int sys_perf_event(const struct perf_event_attr *what, pid_t thread)
{
	return (int)syscall(SYS_perf_event_open, what, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
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

int sys_own_path(char *to, size_t n)
{
	static const char gone[] = " (deleted)";
	ssize_t len = readlink("/proc/self/exe", to, n - 1);

	if (len < 0)
		return -1;
	to[len] = '\0';
	if (str_ends(to, gone) && faccessat(AT_FDCWD, to, F_OK, 0) < 0)
		to[len - (ssize_t)strlen(gone)] = '\0';
	return 0;
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

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Whoever runs us may refuse close_range(), as container engines did that were older than it. */
static void close_between(unsigned int from, unsigned int to)
{
	enum { MANY = 1 << 20 };
	auto_strv struct strv there = {0};
	auto_close int dir = -1;
	long end;

	if (sys_close_range(from, to, 0) == 0)
		return;
	dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0 && sys_names(dir, &there) == 0) {
		for (size_t i = 0; i < there.n; i++) {
			unsigned int fd = (unsigned int)atoi(there.v[i]);

			if (fd >= from && fd <= to && fd != (unsigned int)dir)
				(void)close((int)fd); /* it may be the one they were listed by */
		}
		return;
	}
	end = sysconf(_SC_OPEN_MAX);
	for (unsigned int fd = from;
		fd <= to && fd < (unsigned int)(end > 0 && end < MANY ? end : MANY); fd++)
		if ((int)fd != dir)
			(void)close((int)fd); /* few of them are there */
}

void sys_keep_only(int *fds, size_t n)
{
	unsigned int from = 0;

	if (n)
		qsort(fds, n, sizeof(*fds), by_number);
	for (size_t i = 0; i < n; i++) {
		if (fds[i] < 0)
			continue;
		if ((unsigned int)fds[i] > from)
			close_between(from, (unsigned int)fds[i] - 1);
		from = (unsigned int)fds[i] + 1;
	}
	close_between(from, ~0U);
}

int64_t sys_now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail */
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t sys_after(int64_t at, int64_t ns)
{
	int64_t later;

	return __builtin_add_overflow(at, ns, &later) ? INT64_MAX : later;
}

int sys_poll_ms(int64_t deadline_ns)
{
	int64_t left;

	if (!deadline_ns)
		return -1;
	left = deadline_ns - sys_now_ns();
	if (left <= 0)
		return 0;
	return left / 1000000 >= INT_MAX ? INT_MAX : (int)(left / 1000000 + 1);
}

uint64_t sys_start_time(pid_t pid)
{
	return sys_start_time_at(AT_FDCWD, pid);
}

uint64_t sys_start_time_at(int proc, pid_t pid)
{
	char path[32], text[1024];
	const char *after;
	unsigned long long t = 0;

	/* always fits */
	(void)snprintf(path, sizeof(path), "%s%d/stat", proc == AT_FDCWD ? "/proc/" : "", (int)pid);
	if (sys_get(proc, path, text, sizeof(text)) < 0)
		return 0;
	after = strrchr(text, ')'); /* the name may hold anything */
	if (after)
		(void)sscanf(after + 1,
			" %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*u %*u "
			"%*d %*d %*d %*d %llu",
			&t);
	return t;
}

int sys_setns(int fd, int type)
{
	return (int)syscall(SYS_setns, fd, type);
}

static struct {
	char *at;
	size_t n;
} args;

/* The kernel puts one behind the other. */
void sys_args(int argc, char **argv)
{
	if (argc > 0) {
		args.at = argv[0];
		args.n = (size_t)(argv[argc - 1] - argv[0]) + strlen(argv[argc - 1]);
	}
}

void sys_hide_args(void)
{
	if (args.at)
		memset(args.at, 0, args.n); /* not used any more */
}

/* As sched_setattr(2) has it; the kernel's header does not go with libc's. */
struct sched_slice {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

#define RESET_ON_FORK  1
#define SLICE_NS       100000 /* the shortest there is */
#define SCHED_OF_USERS 0      /* SCHED_OTHER */

void sys_short_slice(pid_t pid)
{
	struct sched_slice a = {.size = sizeof(a)};

	if (syscall(SYS_sched_getattr, pid, &a, sizeof(a), 0) < 0 || a.policy != SCHED_OF_USERS)
		return;
	a.flags = RESET_ON_FORK;
	a.runtime = SLICE_NS;
	(void)syscall(SYS_sched_setattr, pid, &a, 0); /* then it waits its turn */
}

void sys_die_of(int signo)
{
	sigset_t set;

	(void)signal(signo, SIG_DFL);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, signo);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL); /* cannot fail with these arguments */
	(void)raise(signo);
}

#ifndef MADV_POPULATE_WRITE /* of Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif

int sys_populate(void *p, size_t n)
{
	uintptr_t from = (uintptr_t)p & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);

	return madvise((void *)from, (uintptr_t)p + n - from, MADV_POPULATE_WRITE);
}

static int trim_segment(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	(void)size;
	(void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t from = (info->dlpi_addr + h->p_vaddr) & ~(page - 1);
		uintptr_t to = (info->dlpi_addr + h->p_vaddr + h->p_memsz) & ~(page - 1);

		/* What was written to is no file's any more: only segments that never are. */
		if (h->p_type == PT_LOAD && !(h->p_flags & PF_W) && to > from)
			(void)madvise((void *)from, to - from, MADV_DONTNEED); /* only a hint is lost */
	}
	return 1; /* the program itself is the first; others are shared anyway */
}

void sys_default_signals(void)
{
	const struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		uint64_t mask;
	} by_default = {.handler = SIG_DFL};

	for (int i = 1; i < NSIG; i++)
		(void)syscall(SYS_rt_sigaction, i, &by_default, NULL,
			sizeof(by_default.mask)); /* KILL and STOP refuse */
}

void sys_server_signals(void)
{
	sys_default_signals();
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
}

void sys_raise_limit(int resource)
{
	struct rlimit r;

	if (getrlimit(resource, &r) < 0 || r.rlim_cur == r.rlim_max)
		return;
	r.rlim_cur = r.rlim_max;
	(void)setrlimit(resource, &r); /* then it is as it was */
}

/* heap.c keeps them anyway. */
void sys_heap_of_blocks(void)
{
#ifdef __GLIBC__
	(void)mallopt(M_ARENA_MAX, 2);
	(void)mallopt(M_MMAP_THRESHOLD, 4 << 20);
	(void)mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

#ifdef __GLIBC__ /* else heap.c has it */
void sys_trim_heap(void)
{
	(void)malloc_trim(0);
}
#endif

void sys_trim(void)
{
	sys_trim_heap();
	(void)dl_iterate_phdr(trim_segment, NULL);
}

#define CHILDREN_NS 2000000000LL

/* False: none has ended in time. */
static bool reap_any(int64_t until)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) == 0 && sys_now_ns() < until)
		(void)nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL); /* shorter is fine */
	return pid > 0;
}

bool sys_is_held(int dir, const char *path)
{
	char file[64], text[4096], *at;

	(void)snprintf(file, sizeof(file), "%.40s/status", path); /* fits */
	if (sys_get(dir, file, text, sizeof(text)) <= 0 ||
		!(strstr(text, "\nState:\tZ") || strstr(text, "\nState:\tt")))
		return false;
	at = strstr(text, "\nTracerPid:");
	return at && atoi(at + strlen("\nTracerPid:")) != 0;
}

static bool all_are_held(int proc, const char *list, pid_t but)
{
	char path[32], *end;

	for (pid_t pid; (pid = (pid_t)strtol(list, &end, 10)) > 0; list = end) {
		(void)snprintf(path, sizeof(path), "%s%d", proc == AT_FDCWD ? "/proc/" : "",
			(int)pid); /* fits */
		if (pid != but && !sys_is_held(proc, path))
			return false;
	}
	return true;
}

void sys_kill_children(int proc, pid_t but)
{
	for (;;) {
		char list[65536], *at = list, *end;
		bool any = false;

		if (sys_get_numbers(proc,
			    proc == AT_FDCWD ? "/proc/thread-self/children" : "thread-self/children",
			    list, sizeof(list)) < 0)
			return;
		for (pid_t pid; (pid = (pid_t)strtol(at, &end, 10)) > 0; at = end) {
			if (pid == but)
				continue;
			(void)kill(pid, SIGKILL); /* it may have ended by itself */
			any = true;
		}
		/* At least one of them must end; then its children become ours. */
		if (!any)
			return;
		if (!reap_any(sys_now_ns() + SYS_HELD_NS) &&
			(all_are_held(proc, list, but) || !reap_any(sys_now_ns() + CHILDREN_NS)))
			return;
	}
}

int sys_exit_status(pid_t pid)
{
	char path[32], text[1024];
	const char *last;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid); /* fits */
	last = sys_get(AT_FDCWD, path, text, sizeof(text)) > 0 ? strrchr(text, ' ') : NULL;
	return last ? atoi(last) : SIGKILL;
}

int sys_userns_of(int ns)
{
	return ioctl(ns, NS_GET_USERNS);
}

int sys_userns_above(int userns)
{
	return ioctl(userns, NS_GET_PARENT);
}

pid_t sys_first_child(int proc, pid_t pid)
{
	char path[64], list[64];

	/* fits */
	(void)snprintf(path, sizeof(path), "%s%d/task/%d/children",
		proc == AT_FDCWD ? "/proc/" : "", (int)pid, (int)pid);
	return pid > 0 && sys_get(proc, path, list, sizeof(list)) > 0 ? (pid_t)atoi(list) : 0;
}

int sys_ns(int pidfd, enum sys_ns which)
{
	return ioctl(pidfd, _IO(0xff, which), 0); /* PIDFD_GET_..._NAMESPACE, which our oldest headers have not */
}

uint64_t sys_mounts_number(int ns)
{
	uint64_t number = 0;

	return ioctl(ns, _IOR(0xb7, 5, uint64_t), &number) == 0 ? number : 0; /* NS_GET_MNTNS_ID, likewise */
}

int sys_owner_userns(int pidfd, pid_t pid)
{
	char path[48];
	int mnt = sys_ns(pidfd, SYS_NS_MNT), userns;

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid); /* always fits */
	if (mnt < 0)
		mnt = open(path, O_RDONLY | O_CLOEXEC);
	if (mnt < 0) {
		errno = errno == ENOENT ? ESRCH : errno;
		return -1;
	}
	userns = ioctl(mnt, NS_GET_USERNS);
	(void)close(mnt); /* only asked */
	if (userns >= 0)
		(void)fcntl(userns, F_SETFD, FD_CLOEXEC); /* the kernel's already has it; older ones' too */
	return userns;
}
