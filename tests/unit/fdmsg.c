/* SPDX-License-Identifier: Apache-2.0 */
/* Messages with descriptors: none stays open that nobody was told of, whatever the sender sends. */
#include "fdmsg.h"
#include "auto.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static int pair[2];

static int open_now(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void send_it(const void *data, size_t len, int n)
{
	int fds[FDMSG_MAX];

	for (int i = 0; i < n; i++)
		fds[i] = STDOUT_FILENO;
	ok(fdmsg_send(pair[0], data, len, fds, n) == 0, "a message is sent");
}

static void refused(size_t room, int most, int why, const char *sentence)
{
	char data[64];
	int fds[FDMSG_MAX], n = most, before = open_now();
	long got = fdmsg_recv(pair[1], data, room, fds, &n, MSG_DONTWAIT);
	int sys = errno;

	is_int(got, -1, sentence);
	is_int(sys, why, "why is told");
	is_int(n, 0, "none of its descriptors are given");
	is_int(open_now(), before, "nor left open");
}

int main(void)
{
	struct rlimit all, few;
	char data[64] = "";
	int fds[FDMSG_MAX], n = 4, before;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return 1;
	before = open_now();
	send_it("hello", 6, 3);
	is_int(fdmsg_recv(pair[1], data, sizeof(data), fds, &n, MSG_DONTWAIT), 6, "it is received");
	is_str(data, "hello", "as it was sent");
	is_int(n, 3, "with its descriptors");
	for (int i = 0; i < n; i++) {
		ok(fcntl(fds[i], F_GETFD) == FD_CLOEXEC, "which no other program gets");
		(void)close(fds[i]);
	}
	is_int(open_now(), before, "and there are no others");

	send_it("hello", 6, 3);
	refused(sizeof(data), 2, EMSGSIZE, "more descriptors than are wanted");
	send_it("hello", 6, FDMSG_MAX);
	refused(sizeof(data), 0, EMSGSIZE, "any where none is wanted");
	send_it("hello", 6, 2);
	refused(3, 2, EMSGSIZE, "a text that is too long");
	send_it("hello", 6, 0);
	refused(3, 2, EMSGSIZE, "also without descriptors");
	send_it("hello", 6, 3);
	(void)getrlimit(RLIMIT_NOFILE, &all);
	few = all;
	few.rlim_cur = (rlim_t)pair[1] + 1; /* up to there none is free */
	(void)setrlimit(RLIMIT_NOFILE, &few);
	refused(sizeof(data), 3, EMFILE, "more than this process may have");
	(void)setrlimit(RLIMIT_NOFILE, &all);
	refused(sizeof(data), 3, EAGAIN, "then there is no message left");

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return 1;
	(void)close(pair[1]);
	(void)signal(SIGPIPE, SIG_DFL);
	is_int(fdmsg_send(pair[0], "x", 1, NULL, 0), -1, "nobody hears, and no signal comes");
	is_int(errno, EPIPE, "it is said");
	return done_testing();
}
