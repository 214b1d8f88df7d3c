/* SPDX-License-Identifier: Apache-2.0 */
/* watch_mm: the memory of one process, which may be that of another one as well, or its threads' alone. */
#include "watch_parts.h"

#include "auto.h"
#include "str.h"
#include "sys.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

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

static int64_t mapped_by(int dir)
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

/* What /proc tells of a process is what it tells of its first thread. When that one has ended, all of it is nothing, and the
 * others go on. */
int watch_open(const struct watch *w, const char *process)
{
	auto_close int dir = openat(w->proc, process, O_PATH | O_DIRECTORY | O_CLOEXEC);
	DIR *threads;
	int found = -1;

	if (dir < 0 || mapped_by(dir) > 0 || !(threads = threads_of(w->proc, process)))
		return take_fd(&dir);
	for (struct dirent *at; found < 0 && (at = readdir(threads)) != NULL;) {
		if (*at->d_name == '.')
			continue;
		found = openat(dirfd(threads), at->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (found >= 0 && mapped_by(found) == 0) {
			(void)close(found); /* only looked at */
			found = -1;
		}
	}
	(void)closedir(threads); /* only read from */
	return found >= 0 ? found : take_fd(&dir);
}

/* Reading maps the page of zeros, which is nobody's, by tables that are somebody's: 4 kB of them for 2 MB, without end, and up
 * to WATCH_TABLES_EACH pages for a page that has a gigabyte for itself. */
int64_t watch_tables(int dir)
{
	char text[4096];

	return sys_get(dir, "status", text, sizeof(text)) > 0 ? watch_field(text, "\nVmPTE:") : 0;
}

#define THREAD_BYTES (20 << 10) /* a stack of the kernel's, and what it knows about a thread */
#define LINKS_ALONE  3          /* that the directory of one thread has */

/* A directory of threads has a link for each: the cheapest way to ask for their number. */
int64_t watch_threads(const struct watch *w, const char *process)
{
	char path[32];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%.15s/task", process); /* fits */
	if (fstatat(w->proc, path, &st, 0) < 0 || st.st_nlink <= LINKS_ALONE)
		return 0;
	return (int64_t)(st.st_nlink - LINKS_ALONE) * THREAD_BYTES;
}

int64_t watch_exact(int dir)
{
	char text[2048];

	if (sys_get(dir, "smaps_rollup", text, sizeof(text)) <= 0)
		return 0; /* it has ended */
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
	return call == SYS_clone && at > text && (flags & CLONE_VM) && (flags & CLONE_VFORK);
}

/* One who is stopped in that call, by a tracer say, may have nobody any more that he waits for. */
static bool waits(int task, const char *thread)
{
	char path[32], text[1024];
	const char *after = NULL;

	(void)snprintf(path, sizeof(path), "%.15s/stat", thread); /* fits */
	if (sys_get(task, path, text, sizeof(text)) > 0)
		after = strrchr(text, ')'); /* the name may hold anything */
	return after && str_starts(after, ") D");
}

/* How many threads of a process wait for a child that has their memory until it becomes another program. */
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

	/* As much as its parent has: who took only half of it away would count for less than he has. */
	if (!p || apart > 1 << 20 || apart < -(1 << 20) || p->lent >= lends(w, parent))
		return false;
	p->lent++;
	return true;
}
