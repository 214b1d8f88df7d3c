/* SPDX-License-Identifier: Apache-2.0 */
/* sys_process: processes and their namespaces. See sys.h. */
#include "sys.h"

#include "auto.h"
#include "raw.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/nsfs.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* Leaves out the numbers of groups, as far as they have been read. How long the text is then. */
static size_t cut_groups(char *text, size_t len)
{
	char *line = strstr(text, "\nGroups:"); /* a line's end in a name is not shown as one */
	char *end;

	if (!line)
		return len;
	line += strlen("\nGroups:");
	end = strchr(line, '\n');
	if (!end)
		end = text + len;
	len -= (size_t)(end - line);
	(void)memmove(line, end, len + 1 - (size_t)(line - text));
	return len;
}

/* All pieces are of one moment: the kernel makes the text when its beginning is read, and keeps what was not read yet. */
ssize_t sys_status(int fd, char *to, size_t n)
{
	size_t len = 0, room;
	off_t at = 0;
	ssize_t got;

	do {
		room = n - 1 - len;
		got = pread(fd, to + len, room, at);
		if (got < 0)
			return -1;
		at += got;
		to[len + (size_t)got] = '\0';
		len = cut_groups(to, len + (size_t)got);
	} while ((size_t)got == room && len < n - 1);
	return (ssize_t)len;
}

ssize_t sys_get_status(int dir, const char *path, char *to, size_t n)
{
	auto_close int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -1 : sys_status(fd, to, n);
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
