/* SPDX-License-Identifier: Apache-2.0 */
#include "owner.h"

#include "layers.h"
#include "sys.h"

#include <sys/wait.h>
#include <unistd.h>

int owner_do(const struct store *s, int (*work)(const struct store *s, const void *arg, struct err *e),
	const void *arg, struct err *e)
{
	auto_lease struct lease lease = {.conn = -1, .userns = -1};
	int status;
	pid_t pid;

	if (layers_lease(s, IDS_RANGE, NULL, 0, &lease, e) < 0)
		return -1;
	pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (pid == 0)
		_exit(sys_setns(lease.userns, CLONE_NEWUSER) < 0 || work(s, arg, e) < 0);
	if (waitpid(pid, &status, 0) < 0 || status != 0)
		return err_set(e, ERR_DENIED, "files of other ids than one's own");
	return 0;
}
