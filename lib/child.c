/* SPDX-License-Identifier: Apache-2.0 */
#include "child.h"

#include "auto.h"
#include "sys.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/wait.h>

struct report {
	int result;
	struct err e;
};

int child_do(int (*work)(void *arg, struct err *e), void *arg, struct err *e)
{
	auto_close int from = -1, to = -1;
	struct report r = {-1, {.kind = ERR_NONE}};
	pid_t pid, parent = getpid();
	bool told;

	if (sys_pipe(&from, &to) < 0)
		return err_sys(e, "pipe");
	pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent && getpid() != 1) /* whose parent has no number in its pid namespace */
			_exit(1); /* it died before it could take us along */
		r.result = work(arg, &r.e);
		_exit(sys_write_all(to, &r, sizeof(r)) < 0); /* the child */
	}
	(void)close(take_fd(&to)); /* so that the child's end is the end of file */
	told = sys_read(from, &r, sizeof(r)) == (ssize_t)sizeof(r); /* less than PIPE_BUF: in one piece */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!told)
		return err_set(e, ERR_SYSTEM, "the process which does the work died");
	if (r.result < 0)
		*e = r.e;
	return r.result;
}
