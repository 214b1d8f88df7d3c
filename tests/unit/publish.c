/* SPDX-License-Identifier: Apache-2.0 */
/* Who passes on is in a container's network, and has nothing of the supervisor's but what it listens on. */
#include "auto.h"
#include "publish.h"
#include "publish_parts.h"
#include "spec.h"
#include "str.h"
#include "sys.h"
#include "tap.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A process with a network of its own; its pidfd. */
static int container(pid_t *pid)
{
	auto_close int in = -1, out = -1;
	char ready;

	if (sys_pipe(&in, &out) < 0)
		return -1;
	*pid = fork();
	if (*pid == 0) {
		if (syscall(SYS_unshare, CLONE_NEWNET) == 0)
			(void)!write(out, "r", 1);
		(void)close(take_fd(&out));
		(void)pause();
		_exit(0);
	}
	(void)close(take_fd(&out));
	return read(in, &ready, 1) == 1 ? sys_pidfd_open(*pid) : -1;
}

static void holds_nothing(int pidfd)
{
	auto_spec struct spec s = {0};
	auto_close int in = -1, out = -1;
	struct pollfd end;
	struct publish p;
	struct err e = {0};

	strv_add(&s.ports, "127.0.0.1::80");
	if (!ok(publish_listen(&p, &s, &e) == 0 && p.n == 1, "a port is listened on") ||
		sys_pipe(&in, &out) < 0)
		return;
	if (!ok(publish_begin(&p, pidfd, &e) == 0, "and passed on"))
		printf("# %s\n", e.text);
	(void)close(take_fd(&out));
	end = (struct pollfd){.fd = in, .events = POLLIN};
	ok(poll(&end, 1, 0) == 1 && (end.revents & POLLHUP),
		"who does it has none of our descriptors open");
	publish_done(&p);
}

/* No number that is none, and none that is cut to 16 bits. */
static void numbers(void)
{
	static const char *const bad[] = {"65536", "70000", "65535-65536", "8080-8070", "x", "80x",
		"80-", "80-81x", "4294967376", "18446744073709551616"};
	size_t refused = 0;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		auto_spec struct spec s = {0};
		auto_free char *word = xasprintf("127.0.0.1:%s:80", bad[i]);
		struct publish p = {0};
		struct err e = {0};

		strv_add(&s.ports, word);
		if (publish_listen(&p, &s, &e) < 0)
			refused++;
		else
			printf("# %s\n", bad[i]);
		publish_done(&p);
	}
	is_int((int64_t)refused, (int64_t)ARRAY_LEN(bad), "a port that is no port is refused");
}

int main(void)
{
	pid_t pid = -1;
	auto_close int pidfd = -1;

	numbers();
	if (syscall(SYS_unshare, CLONE_NEWUSER) < 0 || (pidfd = container(&pid)) < 0)
		skip("who passes on", "no user namespaces here");
	else
		holds_nothing(pidfd);
	if (pid > 0) {
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, 0);
	}
	return done_testing();
}
