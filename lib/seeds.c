/* SPDX-License-Identifier: Apache-2.0 */
#include "seeds.h"

#include "auto.h"
#include "fdmsg.h"
#include "mount.h"
#include "net.h"
#include "preread.h"
#include "sys.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define SEED_FLAGS (CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)

/* In a mount namespace that ends with this process; or -1: containers make their own /dev. */
static int make_dev(void)
{
	struct err unused;

	if (unshare(CLONE_NEWNS) < 0 || sys_mount(NULL, "/", NULL, SYS_MS_REC | SYS_MS_PRIVATE, NULL) < 0)
		return -1;
	return mount_dev(&unused);
}

/* Runs in the new namespaces, once their maps are written. Reports when all is ready, and waits until the parent has
 * opened them. */
static void __attribute__((noreturn)) germinate(int sock)
{
	struct err e;
	char go;
	int dev;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sys_read(sock, &go, 1) != 1)
		_exit(1);
	go = net_lo_up(&e) == 0 ? 'y' : 'n';
	dev = make_dev();
	(void)fdmsg_send(sock, &go, 1, &dev, dev >= 0); /* if the parent is gone, the next read tells as well */
	(void)!sys_read(sock, &go, 1);
	_exit(0);
}

static int open_namespaces(int proc, int fds[SEED_FDS])
{
	static const char *const names[SEED_NAMESPACES] = {
		[SEED_USER] = "ns/user",
		[SEED_NET] = "ns/net",
		[SEED_IPC] = "ns/ipc",
		[SEED_UTS] = "ns/uts",
	};

	for (int i = 0; i < SEED_NAMESPACES; i++) {
		fds[i] = openat(proc, names[i], O_RDONLY | O_CLOEXEC);
		if (fds[i] < 0) {
			while (i-- > 0)
				(void)close(fds[i]); /* only examined */
			return -1;
		}
	}
	return 0;
}

static int tend(const struct idmap *ids, pid_t pid, int sock, int fds[SEED_FDS])
{
	char path[32], ready = 0;
	auto_close int proc = -1, dev = -1;
	int got = 1;

	(void)snprintf(path, sizeof(path), "/proc/%d", (int)pid); /* always fits */
	proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (proc < 0 || sys_put(proc, "uid_map", ids->uid_text) < 0 ||
		sys_put(proc, "gid_map", ids->gid_text) < 0 || write(sock, "g", 1) != 1 ||
		fdmsg_recv(sock, &ready, 1, &dev, &got, 0) != 1 || ready != 'y' ||
		open_namespaces(proc, fds) < 0)
		return -1;
	fds[SEED_DEV] = take_fd(&dev);
	return 0;
}

static int make_seed(const struct idmap *ids, int fds[SEED_FDS])
{
	struct clone_args args = {.flags = SEED_FLAGS, .exit_signal = SIGCHLD};
	int pair[2], result;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	pid = sys_clone3(&args);
	if (pid == 0) {
		(void)close(pair[0]); /* the other side's */
		germinate(pair[1]);
	}
	(void)close(pair[1]); /* likewise */
	result = pid < 0 ? -1 : tend(ids, pid, pair[0], fds);
	(void)close(pair[0]); /* lets the child go */
	if (pid > 0)
		(void)waitpid(pid, NULL, 0);
	return result;
}

static int hand_seed(const struct idmap *ids, int sock)
{
	int fds[SEED_FDS], made = make_seed(ids, fds) == 0;
	int sent = fdmsg_send(sock, "s", 1, fds, made ? seeds_count(fds) : 0);

	for (int i = 0; made && i < SEED_FDS; i++)
		auto_close_(&fds[i]); /* handed over */
	return sent;
}

static void __attribute__((noreturn)) make_seeds(const struct idmap *ids, int sock)
{
	char ask[1 + SEEDS_TEXT];
	pid_t reader = -1;
	int mount, n;
	long len;

	(void)prctl(PR_SET_NAME, "sbx-seeds");
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)signal(SIGCHLD, SIG_IGN); /* readers are not waited for */
	while (n = 1, (len = fdmsg_recv(sock, ask, sizeof(ask), &mount, &n, 0)) > 0) {
		if (n == 0 && hand_seed(ids, sock) < 0)
			break;
		if (n == 0)
			continue;
		/* One at a time: where the processor is for others they would only become more. */
		if (reader < 0 || kill(reader, 0) < 0)
			reader = preread_start(mount, ask + 1, (size_t)len - 1);
		(void)close(mount); /* the reader has it */
	}
	_exit(0);
}

int seeds_start(const struct idmap *ids, struct err *e)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	pid = fork();
	if (pid < 0) {
		(void)err_sys(e, "fork");
		(void)close(pair[0]);
		(void)close(pair[1]);
		return -1;
	}
	if (pid == 0) {
		sys_keep_only((int[]){pair[1]}, 1);
		make_seeds(ids, pair[1]);
	}
	(void)close(pair[1]); /* the maker's */
	return pair[0];
}

int seeds_ask(int sock)
{
	return send(sock, "s", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? 0 : -1;
}

void seeds_preread(int sock, int mount, const char *paths, size_t len)
{
	struct pollfd room = {.fd = sock, .events = POLLOUT};
	char ask[1 + SEEDS_TEXT] = "r";

	if (len > SEEDS_TEXT || poll(&room, 1, 0) <= 0)
		return; /* only a hint */
	memcpy(ask + 1, paths, len);
	(void)fdmsg_send(sock, ask, 1 + len, &mount, 1); /* likewise */
}

int seeds_count(const int fds[SEED_FDS])
{
	return fds[SEED_DEV] < 0 ? SEED_NAMESPACES : SEED_FDS;
}

bool seeds_of(const int *got, int n, int fds[SEED_FDS])
{
	if (n != SEED_NAMESPACES && n != SEED_FDS)
		return false;
	fds[SEED_DEV] = -1;
	memcpy(fds, got, sizeof(*got) * (size_t)n);
	return true;
}

int seeds_take(int sock, int fds[SEED_FDS])
{
	char said;
	int got[SEED_FDS], n = SEED_FDS;
	long len = fdmsg_recv(sock, &said, 1, got, &n, MSG_DONTWAIT);

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (len <= 0)
		return -1;
	if (seeds_of(got, n, fds))
		return 1;
	for (int i = 0; i < n; i++)
		(void)close(got[i]);
	return 0;
}
