/* SPDX-License-Identifier: Apache-2.0 */
/* What sys does where the kernel, or who runs us, forbids a call. */
#include "sys.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEPT = 20, KEPT_TOO = 23, ABOVE = 40 };

static void forbid(unsigned int nr)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(9);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* In a child, that has nothing to say with afterwards: 0: the right ones are open. */
static int keep(bool without_range, bool without_proc)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		int fds[] = {KEPT_TOO, -1, KEPT};

		if (without_proc && setrlimit(RLIMIT_NOFILE, &(struct rlimit){64, 64}) < 0)
			_exit(8);
		for (int fd = 3; fd < ABOVE + 1; fd++)
			if (dup2(1, fd) < 0)
				_exit(7);
		if (without_range)
			forbid(SYS_close_range);
		if (without_proc)
			forbid(SYS_getdents64);
		sys_keep_only(fds, 3);
		for (int fd = 0; fd < 64; fd++)
			if (is_open(fd) != (fd == KEPT || fd == KEPT_TOO))
				_exit(1);
		_exit(0);
	}
	(void)waitpid(pid, &status, 0);
	return status;
}

int main(void)
{
	is_int(keep(false, false), 0, "all but two descriptors are closed");
	is_int(keep(true, false), 0, "likewise where nobody may close a range");
	is_int(keep(true, true), 0, "and where it cannot be seen which there are");
	return done_testing();
}
