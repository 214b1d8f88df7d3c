/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop of the template: it is asked for children, and says when they have ended.
 *
 * Page faults were half of a child's time, 320 pages of them; 30 are left. Its end looks at new objects alone, and flushes C's
 * files by a function found before. One page of each mapped file is written to in the template, since a fork copies the page
 * tables of nothing else. What every child writes to is pinned in the template, by a ring's registered buffers: the fork copies
 * pinned pages, which takes a third of what a fault takes. A first child, which runs some of what most programs do, tells which
 * pages these are. Each lane pins 1.3 MB; the usual limit of 8 MB, of all that a user has, is enough for six lanes. A lane
 * that could pin none takes 15 % longer: where there are no rings (RLIMIT_MEMLOCK, kernel.io_uring_disabled) a child
 * copies these pages while it waits for its request, unless requests wait.
 */
#include "../keeper.h"
#include "isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#define CHILDREN 4096
#define ENDED    125 /* exit code of those that have run nothing */

int fork(void);
char *strerror(int number);
size_t strlen(const char *s);
void PyOS_BeforeFork(void);
void PyOS_AfterFork_Parent(void);
void PyOS_AfterFork_Child(void);

struct serve {
	const struct isolate_ask *ask;
	int asked, tell, own, signals; /* own: the pid namespace of the template */
	int cpu;                       /* where it works; -1: anywhere */
	long may_len;
	unsigned long may[1024 / 8 / sizeof(long)]; /* the processors that it may use */
	int n;
	struct {
		int pid;
		uint32_t number;
	} children[CHILDREN];
};

static void __attribute__((noreturn)) end(int status)
{
	for (;;)
		(void)syscall(SYS_exit_group, status);
}

static void tell_end(const struct serve *s, uint32_t number, int status, const struct rusage *u)
{
	struct keeper_end m = {.what = 'e', .number = number, .status = status};

	m.user_us = (uint64_t)(u->ru_utime.tv_sec * 1000000 + u->ru_utime.tv_usec);
	m.system_us = (uint64_t)(u->ru_stime.tv_sec * 1000000 + u->ru_stime.tv_usec);
	m.maxrss_kb = u->ru_maxrss;
	/* A manager that is gone: then we are, too. */
	(void)syscall(SYS_write, s->tell, &m, sizeof(m));
}

/* It cannot be isolated here, and will run nothing. */
static void refuse(int channel, int error)
{
	const char *why = strerror(error);
	const uint32_t len = (uint32_t)strlen(why);
	struct {
		char kind[5], text[200];
	} frame = {.kind = {KEEPER_REFUSED}};

	for (uint32_t i = 0; i < 4; i++)
		frame.kind[1 + i] = (char)(len >> 8 * i);
	for (uint32_t i = 0; i < len && i < sizeof(frame.text); i++)
		frame.text[i] = why[i];
	/* Nobody there: nobody to tell. */
	(void)syscall(SYS_write, channel, &frame, len < sizeof(frame.text) ? 5 + len : sizeof(frame));
}

static void reap(struct serve *s)
{
	char info[128 * 4]; /* of signalfd */
	struct rusage usage;
	int status;
	long pid;

	(void)syscall(SYS_read, s->signals, info, sizeof(info)); /* only to make it quiet */
	while ((pid = syscall(SYS_wait4, -1, &status, WNOHANG, &usage)) > 0)
		for (int i = 0; i < s->n; i++)
			if (s->children[i].pid == pid) {
				tell_end(s, s->children[i].number, status, &usage);
				s->children[i] = s->children[--s->n];
				break;
			}
}

static bool read_all(int fd, void *to, size_t n)
{
	char *at = to;

	while (n > 0) {
		long got = syscall(SYS_read, fd, at, n);

		if (got <= 0)
			return false;
		at += got;
		n -= (size_t)got;
	}
	return true;
}

static bool is_quiet(int fd)
{
	const struct timespec now = {0};
	struct pollfd on = {.fd = fd, .events = POLLIN};

	return syscall(SYS_ppoll, &on, 1, &now, 0, 0) == 0;
}

/* From where it is isolated on it can do no more than what it will run. */
static long be_child(const struct serve *s, bool haste, const int fds[4])
{
	const struct isolate_ask *a = s->ask;
	const unsigned long none = 0; /* a set of signals, as the kernel has it */
	char first[5] = {KEEPER_ISOLATED};
	bool held;
	struct __attribute__((packed)) {
		uint64_t room;
		uint32_t size;
	} head;
	unsigned long both[2];

	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, sizeof(none));
	if (isolate(a, fds[0], fds + 1) < 0) {
		int error = errno;

		refuse(a->channel, error); /* how far it came is not known */
		refuse(fds[1], error);
		end(ENDED);
	}
	held = !haste && is_quiet(a->channel) && hold_memory() == 0;
	if (held)
		first[0] = KEEPER_HELD;
	both[0] = both[1] = (unsigned long)a->pids + held;
	if (syscall(SYS_prlimit64, 0, RLIMIT_NPROC, both, 0) < 0)
		end(ENDED);
	(void)syscall(SYS_write, a->channel, first, sizeof(first)); /* nobody there: nobody to tell */
	/* Until it is told to begin there is time to copy what would else be copied then. Older kernels refuse. */
	for (long i = 0; i < a->n_hot && is_quiet(a->channel); i++)
		(void)syscall(SYS_madvise, a->hot[i].at, a->hot[i].len, 23 /* MADV_POPULATE_WRITE */);
	if (!read_all(a->channel, &head, sizeof(head)))
		end(ENDED);
	both[0] = both[1] = a->data + head.room;
	if (syscall(SYS_prlimit64, 0, RLIMIT_DATA, both, 0) < 0)
		end(ENDED);
	if (s->cpu >= 0) /* it was woken where the others are; it may compute wherever it likes */
		(void)syscall(SYS_sched_setaffinity, 0, s->may_len, s->may);
	return head.size;
}

/* A child begins on the template's processor. One that may be used no more is no reason to end. */
static void settle(struct serve *s, int cpu)
{
	unsigned long one[sizeof(s->may) / sizeof(*s->may)] = {0};

	if (cpu == s->cpu || s->may_len <= 0 || cpu >= (int)sizeof(one) * 8)
		return;
	s->cpu = cpu;
	if (cpu >= 0)
		one[cpu / 64] = 1UL << cpu % 64;
	(void)syscall(SYS_sched_setaffinity, 0, s->may_len, cpu >= 0 ? one : s->may);
}

/* fds: pidfd, channel, stdout, stderr. -1 in the template itself. */
static long make_child(struct serve *s, const struct keeper_message *m, const int fds[4])
{
	const struct rusage none = {0};
	int error = EAGAIN, pid = -1;

	settle(s, m->cpu);
	if (s->n < CHILDREN && syscall(SYS_setns, fds[0], 0x20000000 /* CLONE_NEWPID */) == 0) {
		PyOS_BeforeFork();
		pid = fork();
		error = errno;
		if (pid == 0) {
			PyOS_AfterFork_Child();
			return be_child(s, m->haste, fds);
		}
		PyOS_AfterFork_Parent();
	} else if (s->n < CHILDREN) {
		error = errno;
	}
	if (pid > 0) {
		s->children[s->n].pid = pid;
		s->children[s->n++].number = m->number;
	} else { /* its pid 1 was killed, or there is no room for one more */
		refuse(fds[1], error);
		tell_end(s, m->number, ENDED << 8, &none);
	}
	if (syscall(SYS_setns, s->own, 0x20000000) < 0)
		end(1);
	return -1;
}

static long hear(struct serve *s)
{
	struct keeper_message m;
	struct iovec part = {&m, sizeof(m)};
	union {
		struct cmsghdr head; /* its alignment */
		char bytes[CMSG_SPACE(4 * sizeof(int))];
	} control;
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control)};
	long len = syscall(SYS_recvmsg, s->asked, &message, MSG_CMSG_CLOEXEC), size;
	const int *fds = (const int *)CMSG_DATA(&control.head);
	const struct rusage none = {0};
	int n = 0;

	if (len < 0 && (errno == EINTR || errno == EAGAIN))
		return -1;
	if (len <= 0)
		end(0);
	if (message.msg_controllen >= sizeof(control.head))
		n = (int)((control.head.cmsg_len - CMSG_LEN(0)) / sizeof(int));
	if (n == 4) {
		size = make_child(s, &m, fds);
	} else if (n < 2) { /* a limit leaves no room even for those by which it is told */
		end(1);
	} else {
		refuse(fds[1], EMFILE);
		tell_end(s, m.number, ENDED << 8, &none);
		size = -1;
	}
	for (int i = 0; size < 0 && i < n; i++)
		(void)syscall(SYS_close, fds[i]);
	return size;
}

long serve(const struct isolate_ask *a, int asked, int tell)
{
	const unsigned long child = 1UL << (SIGCHLD - 1);
	struct serve s = {.ask = a, .asked = asked, .tell = tell, .cpu = -1};
	struct pollfd on[2] = {{.fd = asked, .events = POLLIN}, {.events = POLLIN}};
	long size = -1;

	s.own = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	s.signals = (int)syscall(SYS_signalfd4, -1, &child, sizeof(child), O_CLOEXEC | O_NONBLOCK);
	s.may_len = syscall(SYS_sched_getaffinity, 0, sizeof(s.may), s.may);
	on[1].fd = s.signals;
	if (s.own < 0 || s.signals < 0)
		end(1);
	while (size < 0) {
		if (syscall(SYS_ppoll, on, 2, 0, 0, 0) < 0)
			continue;
		if (on[1].revents)
			reap(&s);
		if (on[0].revents)
			size = hear(&s);
	}
	return size;
}
