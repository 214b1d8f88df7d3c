/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shim: system calls that valgrind (3.19) does not know, for tests/valgrind/run. Linked with --wrap=syscall, which all of
 * sbx's own go through.
 *
 * Valgrind answers ENOSYS to a number that is not in its table. Such a call is made natively here, behind its back;
 * and since it must know of descriptors to tell which are left, those that come of one are copied by a call that it
 * knows. clone3() becomes clone(), close_range() many close(): valgrind has descriptors of its own, above the limit that
 * it shows. Filters are left out: they forbid what valgrind itself does beside the program. So are seeds: who enters one
 * shares its parent's memory, which is a fork() to valgrind, as is whoever else does.
 */
#include "layers.h"
#include "sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

pid_t __wrap_sys_clone_vm(int (*run)(void *), void *arg, int flags, int *pidfd, int *shared);
bool __wrap_sys_still_shared(const int *shared, int64_t ns);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
bool __wrap_layers_ask_seed(const struct lease *l);

static long raw(long valgrinds_thread, const long *a)
{
	register long r10 __asm__("r10") = a[4];
	register long r8 __asm__("r8") = a[5];
	register long r9 __asm__("r9") = a[6];
	long result;

	(void)valgrinds_thread;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(a[0]), "D"(a[1]), "S"(a[2]), "d"(a[3]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static long natively(const long *a)
{
	long result = VALGRIND_NON_SIMD_CALL1(raw, a);

	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

/* The same descriptor, as one that valgrind has seen coming. */
static long known(long fd)
{
	const long close_it[7] = {SYS_close, fd};
	int seen, saved;

	if (fd < 0)
		return fd;
	seen = fcntl((int)fd, F_DUPFD_CLOEXEC, 0);
	saved = errno;
	(void)natively(close_it); /* fcntl() is what may have failed */
	errno = saved;
	return seen;
}

static long close_all(unsigned int first, unsigned int last)
{
	DIR *d = opendir("/proc/self/fd");
	int limit = (int)sysconf(_SC_OPEN_MAX), fds[1024], n = 0;

	/* without a /proc, all that there may be */
	for (int fd = 0; !d && fd < limit && n < 1024; fd++)
		if ((unsigned int)fd >= first && (unsigned int)fd <= last)
			fds[n++] = fd;
	for (struct dirent *at; d && (at = readdir(d)) != NULL && n < 1024;) {
		int fd = atoi(at->d_name);

		if (*at->d_name != '.' && fd != dirfd(d) && fd < limit &&
			(unsigned int)fd >= first && (unsigned int)fd <= last)
			fds[n++] = fd;
	}
	if (d)
		(void)closedir(d); /* only read from */
	while (n > 0)
		(void)close(fds[--n]); /* whatever it was */
	return 0;
}

static long clone_for(const struct clone_args *c)
{
	return __real_syscall(SYS_clone, (long)(c->flags | c->exit_signal), 0L, c->pidfd, 0L, 0L);
}

long __wrap_syscall(long number, ...)
{
	long a[7] = {number};
	va_list words;

	va_start(words, number);
	for (int i = 1; i < 7; i++)
		a[i] = va_arg(words, long);
	va_end(words);
	if (!RUNNING_ON_VALGRIND) /* which alone does as raw() wants; commands beside those that are looked at */
		return __real_syscall(number, a[1], a[2], a[3], a[4], a[5], a[6]);
	switch (number) {
	case SYS_open_tree:
	case SYS_fsopen:
	case SYS_fsmount:
	case SYS_openat2:
	case SYS_pidfd_open:
		return known(natively(a));
	case SYS_mount: /* no type need be given, it thinks one must */
	case SYS_move_mount:
	case SYS_fsconfig:
	case SYS_mount_setattr:
	case SYS_pidfd_send_signal:
		return natively(a);
	case SYS_close_range:
		return (unsigned int)a[3] & CLOSE_RANGE_CLOEXEC
		               ? natively(a)
		               : close_all((unsigned int)a[1], (unsigned int)a[2]);
	case SYS_clone3:
		return clone_for((const struct clone_args *)a[1]);
	case SYS_seccomp:
		return 0;
	case SYS_landlock_create_ruleset:
		errno = ENOSYS;
		return -1;
	default:
		return __real_syscall(number, a[1], a[2], a[3], a[4], a[5], a[6]);
	}
}

bool __wrap_layers_ask_seed(const struct lease *l)
{
	(void)l;
	return false;
}

pid_t __wrap_sys_clone_vm(int (*run)(void *), void *arg, int flags, int *pidfd, int *shared)
{
	pid_t pid = pidfd ? sys_fork(pidfd) : fork();

	(void)flags;
	(void)shared;
	if (pid == 0)
		_exit(run(arg));
	return pid;
}

bool __wrap_sys_still_shared(const int *shared, int64_t ns)
{
	(void)shared;
	(void)ns;
	return false;
}
