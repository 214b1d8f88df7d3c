/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_say.h"

#include "auto.h"
#include "fdmsg.h"

#include <unistd.h>

struct message {
	char what;
	struct err err;
};

void launch_say(int sock, char what, const int *fds, int n)
{
	struct message m = {.what = what};

	/* A parent which is gone cannot be told; PDEATHSIG ends us. */
	(void)fdmsg_send(sock, &m, sizeof(m.what), fds, n);
}

void launch_say_err(int sock, const struct err *e)
{
	struct message m = {.what = SAY_ERROR, .err = *e};

	(void)fdmsg_send(sock, &m, sizeof(m), NULL, 0);
	_exit(127);
}

int launch_listen(int sock, const struct launch *l, struct launched *out, struct err *e)
{
	for (;;) {
		struct message m;
		int fd[3] = {-1, -1, -1}, n_fds = ARRAY_LEN(fd);
		long n;

		if (l) /* it may be waiting for the layers, which nobody else may hold */
			layers_wait(l->store, l->lease, sock);
		n = fdmsg_recv(sock, &m, sizeof(m), fd, &n_fds, 0);
		if (n == 0)
			return 0;
		if (n < 0)
			return err_sys(e, "hear of the container");
		if (m.what == SAY_ERROR) {
			*e = m.err;
			return -1;
		}
		if (m.what == SAY_PTY) {
			out->pty = fd[0];
		} else if (m.what == SAY_INSIDE) {
			out->mounts = fd[0];
			out->proc = fd[1];
			out->sysv = fd[2];
		}
	}
}
