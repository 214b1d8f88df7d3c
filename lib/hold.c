/* SPDX-License-Identifier: Apache-2.0 */
#include "hold.h"

#include "auto.h"
#include "raw.h"
#include "sweep.h"
#include "sys.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define LOCK_MS      2000  /* another exec's crowd is killed meanwhile */
#define WORD_MS      10000 /* beside thousands its first turn may come seconds late */
#define WORD_LOOK_MS 100

/* Locks the directory of the namespace's first process in the machine's procfs. Processes inside cannot take this lock: in the
 * container's own procfs it is another file. */
static int lock_of(int machine_proc, int init)
{
	char path[48], text[1024], *at;
	int number = 0, first = 0;
	auto_close int dir = -1;

	(void)snprintf(path, sizeof(path), "thread-self/fdinfo/%d", init); /* fits */
	if (sys_get(machine_proc, path, text, sizeof(text)) <= 0 || !(at = strstr(text, "\nNSpid:")))
		return -1;
	/* It must be number 1 of a namespace directly below the machine's; with more numbers it is in another one than our
	 * children. */
	if (sscanf(at, "\nNSpid: %d %d", &number, &first) != 2 || first != 1)
		return -1;
	(void)snprintf(path, sizeof(path), "%d", number); /* fits */
	dir = openat(machine_proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < LOCK_MS; i++) {
		if (dir < 0 || flock(dir, LOCK_EX | LOCK_NB) == 0)
			return take_fd(&dir);
		(void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* a shorter one is as good */
	}
	return -1;
}

struct inside {
	int talk, self;
};

/* Runs in the holder's memory, and the holder beside it: must not touch errno. */
SYS_OTHER_STACK static int stay_inside(void *arg)
{
	const struct inside *in = arg;
	struct pollfd on[2] = {{.fd = in->talk, .events = POLLIN}, {.fd = in->self, .events = POLLIN}};
	struct iovec vec = {&(char){'s'}, 1};
	const struct msghdr done = {.msg_iov = &vec, .msg_iovlen = 1};

	(void)raw_call(SYS_kill, -1, SIGSTOP, 0, 0); /* all but pid 1 and us */
	(void)raw_call(SYS_sendmsg, on[0].fd, (long)&done, MSG_NOSIGNAL, 0); /* its end is as good */
	while (raw_call(SYS_ppoll, (long)on, 2, 0, 0) < 0)
		;
	(void)raw_call(SYS_kill, -1, SIGCONT, 0,
		0); /* told to let go, or the holder, which alone knew who was stopped before, is gone */
	return 0;
}

/* The child may be stopped by processes that it is about to stop. */
static void wait_for(const struct hold *h, int fd)
{
	struct pollfd word = {.fd = fd, .events = POLLIN};

	for (int i = 0; i < WORD_MS && poll(&word, 1, WORD_LOOK_MS) == 0; i += WORD_LOOK_MS)
		(void)sys_pidfd_kill(h->inside, SIGCONT); /* it may have been killed */
}

static bool is_ours(int machine_proc)
{
	struct stat children, own;

	return fstatat(machine_proc, "thread-self/ns/pid_for_children", &children, 0) < 0 ||
	       fstatat(machine_proc, "thread-self/ns/pid", &own, 0) < 0 ||
	       own.st_ino == children.st_ino;
}

bool hold_begin(struct hold *h, const struct hold_whom *whom)
{
	static char stack[4 * 4096] __attribute__((aligned(16)));
	static struct inside in;
	int pair[2] = {-1, -1};

	*h = (struct hold){.proc = whom->proc, .lock = -1, .talk = -1, .inside = -1};
	if (is_ours(whom->machine_proc))
		return false;
	h->lock = lock_of(whom->machine_proc, whom->init);
	if (h->lock < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	in = (struct inside){pair[1], whom->self};
	h->pid = clone(stay_inside, stack + sizeof(stack), CLONE_VM | CLONE_PIDFD | SIGCHLD, &in,
		&h->inside);
	auto_close_(&pair[1]);
	h->talk = pair[0];
	if (h->pid < 0)
		return false;
	sys_short_slice(h->pid); /* to get the processor soon, behind thousands of others */
	wait_for(h, h->talk);
	return true;
}

static bool was_stopped(int dir)
{
	char text[4096], *at;

	return sys_get_status(dir, "status", text, sizeof(text)) > 0 &&
	       strstr(text, "\nState:\tT") && (at = strstr(text, "\nShdPnd:")) &&
	       (strtoull(at + strlen("\nShdPnd:"), NULL, 16) >> (SIGSTOP - 1)) & 1;
}

static void let_go(int dir, void *unused)
{
	(void)unused;
	if (!was_stopped(dir))
		(void)sys_pidfd_kill(dir, SIGCONT); /* it may have ended */
}

void hold_end(struct hold *h)
{
	if (h->inside >= 0) {
		bool all_go = h->proc >= 0 && sweep_each(&(struct sweep){.proc = h->proc}, let_go, NULL);

		if (!all_go && send(h->talk, "c", 1, MSG_NOSIGNAL) == 1)
			wait_for(h, h->inside);
		(void)sys_pidfd_kill(h->inside, SIGKILL); /* it may have ended */
		(void)waitpid(h->pid, NULL, 0); /* our child; if SIGCHLD is ignored its status is lost */
	}
	auto_close_(&h->inside);
	auto_close_(&h->talk);
	auto_close_(&h->lock);
}
