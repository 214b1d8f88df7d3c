/* SPDX-License-Identifier: Apache-2.0 */
#include "fdmsg.h"

#include "auto.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(FDMSG_MAX * sizeof(int))];
};

/* The kernel compares the descriptors in flight of all of the user's processes with the sender's soft limit: so it is
 * raised for this moment. */
static ssize_t send_among_many(int sock, const struct msghdr *m)
{
	struct rlimit was, most;
	ssize_t sent;
	int error;

	if (getrlimit(RLIMIT_NOFILE, &was) < 0)
		return -1;
	most = (struct rlimit){was.rlim_max, was.rlim_max};
	(void)setrlimit(RLIMIT_NOFILE, &most); /* then it fails again */
	sent = sendmsg(sock, m, MSG_NOSIGNAL);
	error = errno;
	(void)setrlimit(RLIMIT_NOFILE, &was); /* as it was before: nothing to fail */
	errno = error;
	return sent;
}

int fdmsg_send(int sock, const void *data, size_t len, const int *fds, int n)
{
	union control control;
	struct iovec iov = {.iov_base = (void *)data, .iov_len = len};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t sent;

	assert(n <= FDMSG_MAX);
	if (n > 0) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_LEN((size_t)n * sizeof(int));
		control.align = (struct cmsghdr){
			.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = m.msg_controllen};
		memcpy(CMSG_DATA(&control.align), fds, (size_t)n * sizeof(int));
	}
	do
		sent = sendmsg(sock, &m, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent < 0 && errno == ETOOMANYREFS)
		sent = send_among_many(sock, &m);
	return sent < 0 ? -1 : 0;
}

static int take_fds(struct msghdr *m, int *fds, int room)
{
	int n = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (n < room)
				fds[n] = fd;
			else
				(void)close(fd); /* reported below as too many */
			n++;
		}
	}
	return n;
}

long fdmsg_recv(int sock, void *data, size_t len, int *fds, int *n, int flags)
{
	union control control;
	struct iovec iov = {.iov_base = data, .iov_len = len};
	struct msghdr m = {.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	int room = *n, got_fds;
	ssize_t got;

	*n = 0;
	do
		got = recvmsg(sock, &m, flags | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -1;
	got_fds = take_fds(&m, fds, room);
	*n = got_fds < room ? got_fds : room;
	if ((m.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) || got_fds > room) {
		while (*n > 0)
			(void)close(fds[--*n]);
		/* there was room for all descriptors, so it was this process's limit */
		errno = (m.msg_flags & MSG_CTRUNC) && got_fds <= room ? EMFILE : EMSGSIZE;
		return -1;
	}
	return got;
}
