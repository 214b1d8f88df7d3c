/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isolate: what a child of the template does before it may be told what to run, in one call: sixty calls out of
 * python, each through ctypes, took ten times as long.
 *
 * A shared object of its own, which python loads from memory. It is linked with nothing: `syscall` is that of
 * the libc which python runs on, glibc's or another.
 */
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#define RLIMIT_CORE  4 /* <sys/resource.h> is libc's */
#define RLIMIT_NPROC 6
#define CAPS         64 /* conceivable */

long syscall(long number, ...);

struct isolate_ask {
	int pidfd;   /* of the cell's pid 1 */
	int from[3]; /* streams... */
	int to[3];   /* ...and the numbers that they get; the last one is the highest */
	int pids;
	const char *workdir;
	struct sock_fprog program;
};

int isolate(const struct isolate_ask *a);

static int limit(int resource, unsigned long n)
{
	unsigned long both[2] = {n, n};

	return (int)syscall(SYS_prlimit64, 0, resource, both, 0);
}

static int drop_rights(const struct sock_fprog *program)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};

	for (int cap = 0; cap < CAPS; cap++)
		if (syscall(SYS_prctl, PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
			break; /* this kernel has no more */
	if (syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		syscall(SYS_capset, &head, none) < 0)
		return -1;
	return program->len
	               ? (int)syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0)
	               : 0;
}

/* 0, or -1 and errno is set: then the process must end. */
int isolate(const struct isolate_ask *a)
{
	int last = 2;

	if (syscall(SYS_setns, a->pidfd,
		    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET) < 0)
		return -1;
	/* Its root may be another one than the template's; where there is only one, groups cannot be set. */
	(void)syscall(SYS_setgroups, 0, 0);
	if (syscall(SYS_setresgid, 0, 0, 0) < 0 || syscall(SYS_setresuid, 0, 0, 0) < 0 ||
		syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		return -1;
	for (int i = 0; i < 3; i++)
		if (syscall(SYS_dup3, a->from[i], a->to[i],
			    a->to[i] > 2 ? 02000000 /* O_CLOEXEC */ : 0) < 0)
			return -1;
	for (int i = 0; i < 3; i++) {
		if (a->to[i] <= last)
			continue;
		if (syscall(SYS_close_range, last + 1, a->to[i] - 1, 0) < 0)
			return -1;
		last = a->to[i];
	}
	if (syscall(SYS_close_range, last + 1, ~0U, 0) < 0 || syscall(SYS_chdir, a->workdir) < 0 ||
		syscall(SYS_setsid) < 0 || limit(RLIMIT_CORE, 0) < 0 ||
		limit(RLIMIT_NPROC, (unsigned long)a->pids) < 0)
		return -1;
	return drop_rights(&a->program);
}
