/* SPDX-License-Identifier: Apache-2.0 */
#include "ctl.h"

#include "auto.h"
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>

int ctl_send(int sock, enum ctl_kind kind, const void *data, size_t n)
{
	char k = (char)kind;
	struct iovec iov[2] = {{&k, 1}, {(void *)data, n}};
	struct msghdr h = {.msg_iov = iov, .msg_iovlen = n ? 2 : 1};
	ssize_t done;

	do
		done = sendmsg(sock, &h, MSG_NOSIGNAL);
	while (done < 0 && errno == EINTR);
	return done < 0 ? -1 : 0;
}

ssize_t ctl_recv(int sock, struct ctl_frame *f)
{
	ssize_t n;

	/* If the other side closed without having read everything, that is reported once, before its last message. */
	do
		n = recv(sock, f, sizeof(*f), 0);
	while (n < 0 && (errno == EINTR || errno == ECONNRESET));
	return n <= 0 ? -1 : n - 1;
}

/* A socket's address has little room; through a descriptor's path in /proc a path of any length fits. */
static const char *address(int dir, const char *id, struct sockaddr_un *a)
{
	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	/* Fits: 64 digits, and a number. */
	(void)snprintf(a->sun_path, sizeof(a->sun_path), "/proc/self/fd/%d/%s.ctl", dir, id);
	return strrchr(a->sun_path, '/') + 1;
}

int ctl_listen(const struct store *s, const char *id, struct err *e)
{
	auto_close int dir = state_runtime_dir(s, e);
	auto_close int sock = -1;
	struct sockaddr_un a;

	if (dir < 0)
		return -1;
	sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock < 0)
		return err_sys(e, "socket");
	(void)unlinkat(dir, address(dir, id, &a), 0); /* of a supervisor which was killed, if at all */
	/* The directory has mode 0700, so that only we can reach the socket; besides, it is created with this mode. */
	if (fchmod(sock, 0600) < 0 || bind(sock, (struct sockaddr *)&a, sizeof(a)) < 0 ||
		listen(sock, 64) < 0)
		return err_sys(e, "listen for clients");
	return take_fd(&sock);
}

static int connect_in(int dir, const char *id)
{
	auto_close int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un a;

	(void)address(dir, id, &a);
	return sock < 0 || connect(sock, (struct sockaddr *)&a, sizeof(a)) < 0 ? -1 : take_fd(&sock);
}

int ctl_connect(const struct store *s, const char *id, struct err *e)
{
	auto_close int dir = state_runtime_dir(s, e), elsewhere = -1;
	int sock, why;

	if (dir < 0)
		return -1;
	sock = connect_in(dir, id);
	if (sock >= 0)
		return sock;
	why = errno;
	if (why == ENOENT || why == ECONNREFUSED)
		elsewhere = state_runtime_elsewhere(s, id);
	if (elsewhere >= 0)
		sock = connect_in(elsewhere, id);
	errno = why;
	return sock < 0 ? err_sys(e, "connect to the supervisor") : sock;
}
