/* SPDX-License-Identifier: Apache-2.0 */
/* A network namespace is used again where nobody left anything in it. */
#include "cell_net.h"
#include "auto.h"
#include "net.h"
#include "sys.h"
#include "tap.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void nothing(void)
{
}

/* An abstract name: who comes next could talk to whoever holds it. */
static void name(void)
{
	static const struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "\0left"};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)bind(fd, (const struct sockaddr *)&a, sizeof(a));
}

static void names(void)
{
	for (int i = 0; i < 100; i++) {
		struct sockaddr_un a = {.sun_family = AF_UNIX};
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);

		(void)snprintf(a.sun_path + 1, sizeof(a.sun_path) - 1, "left.%d", i);
		(void)bind(fd, (const struct sockaddr *)&a, sizeof(a));
	}
}

static void datagram(void)
{
	const struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	(void)sendto(fd, "x", 1, 0, (const struct sockaddr *)&a, sizeof(a));
}

/* A process in a network of its own that has done so. */
static pid_t begin(void (*what)(void))
{
	auto_close int in = -1, out = -1;
	struct err e;
	char ready;
	pid_t pid;

	if (sys_pipe(&in, &out) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		if (syscall(SYS_unshare, CLONE_NEWUSER | CLONE_NEWNET) == 0 && net_lo_up(&e) == 0) {
			what();
			(void)!write(out, "r", 1);
		}
		(void)close(take_fd(&out));
		(void)pause();
		_exit(0);
	}
	(void)close(take_fd(&out));
	if (read(in, &ready, 1) == 1)
		return pid;
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	return -1;
}

static void is_kept(void (*what)(void), size_t enough, bool wanted, const char *sentence)
{
	struct cell_nets nets = {0};
	struct cell_net net = {-1, -1, -1};
	pid_t pid = begin(what);
	struct err e;

	if (pid < 0) {
		skip(sentence, "no user namespaces here");
		return;
	}
	if (ok(cell_net_open(pid, &net, &e) == 0, "a network namespace is opened")) {
		cell_net_give(&nets, &net, enough);
		is_int((int64_t)nets.n, wanted, sentence);
		ok(net.ns < 0 && net.dev < 0 && net.sockets < 0, "it is nobody else's");
	}
	net = cell_net_take(&nets);
	ok((net.ns >= 0) == wanted, "and what was kept is taken again");
	(void)close(net.ns);
	(void)close(net.dev);
	(void)close(net.sockets);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

int main(void)
{
	is_kept(nothing, 1, true, "where nothing was done it is kept");
	is_kept(nothing, 0, false, "but not more than are wanted");
	is_kept(name, 1, false, "where a name is taken it is not");
	is_kept(names, 1, false, "nor where there are many");
	is_kept(datagram, 1, false, "nor where something was sent");
	return done_testing();
}
