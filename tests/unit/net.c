/* SPDX-License-Identifier: Apache-2.0 */
#include "caps.h"
#include "net.h"
#include "tap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_NAMESPACE = 77 };

static int talks_to_itself(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof(to);
	int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return bind(server, (struct sockaddr *)&to, sizeof(to)) == 0 && listen(server, 1) == 0 &&
	       getsockname(server, (struct sockaddr *)&to, &n) == 0 &&
	       connect(client, (struct sockaddr *)&to, sizeof(to)) == 0;
}

static int fresh(void)
{
	struct err e = {0};

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		return NO_NAMESPACE;
	if (talks_to_itself())
		return 1; /* it was up before */
	if (net_lo_up(&e) < 0 || net_lo_up(&e) < 0) {
		printf("# %s\n", e.text);
		return 2;
	}
	return talks_to_itself() ? 0 : 3;
}

static int without_right(void)
{
	struct err e = {0};

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		return NO_NAMESPACE;
	if (caps_apply(0, 0, &e) < 0)
		return 2;
	return net_lo_up(&e) < 0 && e.kind == ERR_DENIED ? 0 : 1;
}

static int in_child(int (*what)(void))
{
	pid_t pid = fork();
	int st;

	if (pid == 0)
		_exit(what());
	return waitpid(pid, &st, 0) == pid && WIFEXITED(st) ? WEXITSTATUS(st) : -1;
}

int main(void)
{
	if (in_child(fresh) == NO_NAMESPACE) {
		skip("loopback", "no user namespaces here");
		return done_testing();
	}
	is_int(in_child(fresh), 0, "a fresh network namespace can talk to itself, and twice is once");
	is_int(in_child(without_right), 0, "without the right it is a denial");
	return done_testing();
}
