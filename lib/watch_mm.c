/* SPDX-License-Identifier: Apache-2.0 */
/* watch_mm: the memory of one process. It may be its parent's as well (vfork), or only be seen through a thread that is not
 * the first. */
#include "watch_parts.h"

#include "auto.h"
#include "str.h"
#include "sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int64_t watch_field(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoll(at + strlen(name), NULL, 10) * 1024 : 0;
}

bool watch_quick(int statm, struct watch_quick *out)
{
	char text[128], *at = text;
	ssize_t n = statm < 0 ? -1 : pread(statm, text, sizeof(text) - 1, 0);
	int64_t page = sysconf(_SC_PAGESIZE);

	if (n <= 0)
		return false;
	text[n] = '\0';
	out->mapped = strtol(at, &at, 10) * page;
	out->resident = strtol(at, &at, 10) * page;
	out->own = out->resident - strtol(at, &at, 10) * page;
	return true;
}

int64_t watch_mapped(int dir)
{
	auto_close int statm = openat(dir, "statm", O_RDONLY | O_CLOEXEC);
	struct watch_quick q;

	return watch_quick(statm, &q) ? q.mapped : 0;
}

static DIR *threads_of(int proc, const char *process)
{
	char path[32];
	int fd;
	DIR *d;

	(void)snprintf(path, sizeof(path), "%.15s/task", process); /* fits */
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d)
		auto_close_(&fd);
	return d;
}

#define STACK_BYTES  (16 << 10) /* a thread's kernel stack: no less than a page */
#define THREAD_BYTES (4 << 10)  /* its task_struct */
#define LINKS_ALONE  3          /* links of /proc/PID/task where there is one thread */

/* The number of links of /proc/PID/task is the cheapest way to ask for the number of threads. */
int64_t watch_threads(const struct watch *w, const char *process)
{
	int64_t page = sysconf(_SC_PAGESIZE),
		each = THREAD_BYTES + (page > STACK_BYTES ? page : STACK_BYTES);
	char path[32];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%.15s/task", process); /* fits */
	if (fstatat(w->proc, path, &st, 0) < 0 || st.st_nlink <= LINKS_ALONE)
		return 0;
	return (int64_t)(st.st_nlink - LINKS_ALONE) * each;
}

/* One of its threads that has not ended; -1: none was found. */
static int open_thread(const struct watch *w, const char *process)
{
	DIR *threads = threads_of(w->proc, process);
	int found = -1;

	if (!threads)
		return -1;
	for (struct dirent *at; found < 0 && (at = readdir(threads)) != NULL;) {
		if (*at->d_name == '.')
			continue;
		found = openat(dirfd(threads), at->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (found >= 0 && watch_mapped(found) == 0) {
			(void)close(found); /* only looked at */
			found = -1;
		}
	}
	(void)closedir(threads); /* only read from */
	return found;
}

/* How often to look for one: each thread may start the next one and end. */
#define HOPS 64

/* /proc/PID shows the first thread's memory: none, if that thread has ended while others go on. */
int watch_open(const struct watch *w, const char *process)
{
	auto_close int dir = openat(w->proc, process, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int found = -1;

	if (dir < 0 || watch_mapped(dir) > 0)
		return take_fd(&dir);
	for (int i = 0; found < 0 && i < HOPS && watch_threads(w, process) > 0; i++)
		found = open_thread(w, process);
	return found >= 0 ? found : take_fd(&dir);
}

/* Page tables must count: a process that only reads untouched memory maps the shared page of zeros, which counts for nobody,
 * by 4 kB of tables for each 2 MB, without end; and by WATCH_TABLES_EACH pages for one page alone in its gigabyte. */
int64_t watch_tables(int dir)
{
	char text[4096];

	return sys_get_status(dir, "status", text, sizeof(text)) > 0 ? watch_field(text, "\nVmPTE:") : 0;
}

/* Nobody's walk takes as long, on a machine under load either. */
#define WALK_MAX_NS 10000000000LL

static void copy_out(int dir, const char *name, int to)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	char text[4096];
	ssize_t n;

	while ((n = sys_read(fd, text, sizeof(text))) > 0 && sys_write_all(to, text, (size_t)n) == 0)
		;
}

/* Until the end, or too late: false. */
static bool copy_in(const struct watch *w, int from, FILE *to)
{
	int64_t until = sys_now_ns() + WALK_MAX_NS;
	char text[4096];
	ssize_t n;

	if (w->end && w->end < until)
		until = w->end;
	do {
		struct pollfd p = {.fd = from, .events = POLLIN};
		int64_t left = until - sys_now_ns();

		if (left <= 0 || poll(&p, 1, (int)(left / 1000000) + 1) == 0)
			return false;
		n = sys_read(from, text, sizeof(text));
		if (n > 0)
			(void)fwrite(text, 1, (size_t)n, to); /* a copy that is cut tells less */
	} while (n > 0);
	return true;
}

/* In the kernel a page fault on a file of FUSE may hold the lock of its process's memory until that file's server answers. Only
 * a fatal signal ends the waiting for such a lock. */
static bool copy_warily(const struct watch *w, int dir, const char *name, FILE *copy)
{
	auto_close int from = -1, to = -1;
	pid_t pid, parent = getpid();
	bool whole;

	if (sys_pipe(&from, &to) < 0 || (pid = fork()) < 0)
		return true; /* as if the process had ended */
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == parent)
			copy_out(dir, name, to);
		_exit(0);
	}
	(void)close(take_fd(&to)); /* so that the child's end is the end of file */
	whole = copy_in(w, from, copy);
	if (!whole)
		(void)kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return whole;
}

FILE *watch_walk_over(struct watch *w, int dir, const char *name)
{
	FILE *file = NULL;
	int fd;

	if (w->blind)
		return NULL;
	if (w->wary) {
		fd = memfd_create("sbx-walk", MFD_CLOEXEC);
		file = fd < 0 ? NULL : fdopen(fd, "w+e");
		if (file && !copy_warily(w, dir, name, file) && !watch_is_over(w))
			w->blind = true;
		if (file)
			rewind(file);
		return file;
	}
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	file = fd < 0 ? NULL : fdopen(fd, "re");
	if (!file)
		auto_close_(&fd);
	return file;
}

/* What it has at most: the shared pages count for it alone. */
static int64_t at_most(int dir)
{
	auto_close int statm = openat(dir, "statm", O_RDONLY | O_CLOEXEC);
	char text[4096];
	struct watch_quick q;

	if (!watch_quick(statm, &q) || sys_get_status(dir, "status", text, sizeof(text)) <= 0)
		return 0; /* it has ended */
	return q.own + watch_field(text, "\nVmSwap:") + watch_field(text, "\nVmPTE:");
}

/* A process that runs a file which it may not read shows its memory to nobody; and we may be short of descriptors, memory or
 * time. */
int64_t watch_exact(struct watch *w, int dir)
{
	char text[2048];
	FILE *file;
	ssize_t n = 0;

	if (watch_is_late(w)) {
		text[0] = '\0';
	} else if (w->wary) {
		file = watch_walk_over(w, dir, "smaps_rollup");
		n = file ? (ssize_t)fread(text, 1, sizeof(text) - 1, file) : 0;
		text[n] = '\0';
		if (file)
			(void)fclose(file); /* only read from */
	} else {
		n = sys_get(dir, "smaps_rollup", text, sizeof(text));
	}
	if (n <= 0)
		return at_most(dir);
	return watch_field(text, "Pss_Anon:") + watch_field(text, "SwapPss:") + watch_tables(dir);
}

static bool is_vfork(const char *text)
{
	char *at;
	long call = strtol(text, &at, 10);
	unsigned long long flags = strtoull(at, NULL, 16);

#ifdef SYS_vfork
	if (call == SYS_vfork)
		return true;
#endif
#ifdef SYS_clone3 /* as posix_spawn() */
	/* Its flags are in memory, which a FUSE may have us wait for. A clone that is no vfork() waits for nothing so long, unless for a
	 * FUSE; and who may call this one may mount memory file systems, which do not count either. */
	if (call == SYS_clone3)
		return true;
#endif
	return call == SYS_clone && at > text && (flags & CLONE_VM) && (flags & CLONE_VFORK);
}

/* Whether a thread in vfork() really waits (state D): if it is stopped there instead, its child may be gone already. */
static bool waits(int task, const char *thread)
{
	char path[32], text[1024];
	const char *after = NULL;

	(void)snprintf(path, sizeof(path), "%.15s/stat", thread); /* fits */
	if (sys_get(task, path, text, sizeof(text)) > 0)
		after = strrchr(text, ')'); /* the name may hold anything */
	return after && str_starts(after, ") D");
}

/* How many threads of a process wait in vfork() for a child that runs in their memory. */
static int lends(const struct watch *w, const char *process)
{
	DIR *threads = threads_of(w->proc, process);
	int n = 0;

	if (!threads)
		return 0;
	for (struct dirent *at; (at = readdir(threads)) != NULL;) {
		char path[32], text[256];

		(void)snprintf(path, sizeof(path), "%.15s/syscall", at->d_name); /* fits */
		n += *at->d_name != '.' && sys_get(dirfd(threads), path, text, sizeof(text)) > 0 &&
		     is_vfork(text) && waits(dirfd(threads), at->d_name);
	}
	(void)closedir(threads); /* only read from */
	return n;
}

bool watch_borrows(struct watch *w, struct watch_known *child, const char *parent)
{
	struct watch_known *p = watch_known(w, parent);
	int64_t apart = p ? p->own - child->own : 0;

	/* Only a child with as much memory as its parent: else two processes could hide what they do not share. */
	if (!p || apart > 1 << 20 || apart < -(1 << 20) || p->lent >= lends(w, parent))
		return false;
	p->lent++;
	return true;
}
