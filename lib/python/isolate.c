/* SPDX-License-Identifier: Apache-2.0 */
/* What a child of the template does before it may be told what to run. As sixty calls out of python, each through
 * ctypes, it took ten times as long. */
#include "isolate.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define CAPS 64 /* conceivable */

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

static int move_streams(const int from[3], const int to[3])
{
	int last = 2;
	long null;

	for (int i = 0; i < 3; i++)
		if (syscall(SYS_dup3, from[i], to[i], to[i] > 2 ? O_CLOEXEC : 0) < 0)
			return -1;
	for (int i = 0; i < 3; i++) {
		if (to[i] <= last)
			continue;
		if (syscall(SYS_close_range, last + 1, to[i] - 1, 0) < 0)
			return -1;
		last = to[i];
	}
	if (syscall(SYS_close_range, last + 1, ~0U, 0) < 0)
		return -1;
	null = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC);
	return null < 0 || syscall(SYS_dup3, null, 0, 0) < 0 ? -1 : (int)syscall(SYS_close, null);
}

int isolate(const struct isolate_ask *a, int pidfd, const int streams[3])
{
	const int to[3] = {a->channel, 1, 2}; /* the highest one first: it is nobody's number yet */

	if (syscall(SYS_setns, pidfd,
		    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET) < 0)
		return -1;
	/* Its root may be another one than the template's; where there is only one, groups cannot be set. */
	(void)syscall(SYS_setgroups, 0, 0);
	if (syscall(SYS_setresgid, 0, 0, 0) < 0 || syscall(SYS_setresuid, 0, 0, 0) < 0 ||
		syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 ||
		move_streams(streams, to) < 0 || syscall(SYS_chdir, a->workdir) < 0 ||
		syscall(SYS_setsid) < 0 || limit(RLIMIT_CORE, 0) < 0 ||
		limit(RLIMIT_NPROC, (unsigned long)a->pids + 1) < 0) /* one may be ours: hold.c */
		return -1;
	return drop_rights(&a->program);
}
