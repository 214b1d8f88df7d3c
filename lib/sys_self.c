/* SPDX-License-Identifier: Apache-2.0 */
/* sys_self: this process: its clock, descriptors, arguments, signals and memory. See sys.h. */
#include "sys.h"

#include "auto.h"
#include "str.h"

#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

int sys_own_path(char *to, size_t n)
{
	static const char gone[] = " (deleted)";
	ssize_t len = readlink("/proc/self/exe", to, n - 1);

	if (len < 0)
		return -1;
	to[len] = '\0';
	if (str_ends(to, gone) && faccessat(AT_FDCWD, to, F_OK, 0) < 0)
		to[len - (ssize_t)strlen(gone)] = '\0';
	return 0;
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Whoever runs us may refuse close_range(), as container engines did that were older than it. */
static void close_between(unsigned int from, unsigned int to)
{
	enum { MANY = 1 << 20 };
	auto_strv struct strv there = {0};
	auto_close int dir = -1;
	long end;

	if (sys_close_range(from, to, 0) == 0)
		return;
	dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0 && sys_names(dir, &there) == 0) {
		for (size_t i = 0; i < there.n; i++) {
			unsigned int fd = (unsigned int)atoi(there.v[i]);

			if (fd >= from && fd <= to && fd != (unsigned int)dir)
				(void)close((int)fd); /* it may be the one they were listed by */
		}
		return;
	}
	end = sysconf(_SC_OPEN_MAX);
	for (unsigned int fd = from;
		fd <= to && fd < (unsigned int)(end > 0 && end < MANY ? end : MANY); fd++)
		if ((int)fd != dir)
			(void)close((int)fd); /* few of them are there */
}

void sys_keep_only(int *fds, size_t n)
{
	unsigned int from = 0;

	if (n)
		qsort(fds, n, sizeof(*fds), by_number);
	for (size_t i = 0; i < n; i++) {
		if (fds[i] < 0)
			continue;
		if ((unsigned int)fds[i] > from)
			close_between(from, (unsigned int)fds[i] - 1);
		from = (unsigned int)fds[i] + 1;
	}
	close_between(from, ~0U);
}

int64_t sys_now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail */
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t sys_after(int64_t at, int64_t ns)
{
	int64_t later;

	return __builtin_add_overflow(at, ns, &later) ? INT64_MAX : later;
}

int sys_poll_ms(int64_t deadline_ns)
{
	int64_t left;

	if (!deadline_ns)
		return -1;
	left = deadline_ns - sys_now_ns();
	if (left <= 0)
		return 0;
	return left / 1000000 >= INT_MAX ? INT_MAX : (int)(left / 1000000 + 1);
}

static struct {
	char *at;
	size_t n;
} args;

/* The kernel puts one behind the other. */
void sys_args(int argc, char **argv)
{
	if (argc > 0) {
		args.at = argv[0];
		args.n = (size_t)(argv[argc - 1] - argv[0]) + strlen(argv[argc - 1]);
	}
}

void sys_hide_args(void)
{
	if (args.at)
		memset(args.at, 0, args.n); /* not used any more */
}

void sys_die_of(int signo)
{
	sigset_t set;

	(void)signal(signo, SIG_DFL);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, signo);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL); /* cannot fail with these arguments */
	(void)raise(signo);
}

#ifndef MADV_POPULATE_WRITE /* of Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif

int sys_populate(void *p, size_t n)
{
	uintptr_t from = (uintptr_t)p & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);

	return madvise((void *)from, (uintptr_t)p + n - from, MADV_POPULATE_WRITE);
}

static int trim_segment(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	(void)size;
	(void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t from = (info->dlpi_addr + h->p_vaddr) & ~(page - 1);
		uintptr_t to = (info->dlpi_addr + h->p_vaddr + h->p_memsz) & ~(page - 1);

		/* What was written to is no file's any more: only segments that never are. */
		if (h->p_type == PT_LOAD && !(h->p_flags & PF_W) && to > from)
			(void)madvise((void *)from, to - from, MADV_DONTNEED); /* only a hint is lost */
	}
	return 1; /* the program itself is the first; others are shared anyway */
}

void sys_default_signals(void)
{
	const struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		uint64_t mask;
	} by_default = {.handler = SIG_DFL};

	for (int i = 1; i < NSIG; i++)
		(void)syscall(SYS_rt_sigaction, i, &by_default, NULL,
			sizeof(by_default.mask)); /* KILL and STOP refuse */
}

void sys_server_signals(void)
{
	sys_default_signals();
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
}

void sys_raise_limit(int resource)
{
	struct rlimit r;

	if (getrlimit(resource, &r) < 0 || r.rlim_cur == r.rlim_max)
		return;
	r.rlim_cur = r.rlim_max;
	(void)setrlimit(resource, &r); /* then it is as it was */
}

/* heap.c keeps them anyway. */
void sys_heap_of_blocks(void)
{
#ifdef __GLIBC__
	(void)mallopt(M_ARENA_MAX, 2);
	(void)mallopt(M_MMAP_THRESHOLD, 4 << 20);
	(void)mallopt(M_TRIM_THRESHOLD, 4 << 20);
#endif
}

#ifdef __GLIBC__ /* else heap.c has it */
void sys_trim_heap(void)
{
	(void)malloc_trim(0);
}
#endif

void sys_trim(void)
{
	sys_trim_heap();
	(void)dl_iterate_phdr(trim_segment, NULL);
}
