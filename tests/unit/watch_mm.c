/* SPDX-License-Identifier: Apache-2.0 */
#include "watch_parts.h"

#include "auto.h"
#include "tap.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void put(int dir, const char *name, const char *text)
{
	auto_close int fd = openat(dir, name, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

	(void)!write(fd, text, strlen(text)); /* of a few bytes */
}

/* A parent with one thread, and a child that has as much memory. Whether the child is taken to run in the parent's. */
static bool borrows(int dir, const char *syscall, const char *stat)
{
	struct watch_known child = {.process = "8", .own = 50 << 20};
	struct watch w = {.proc = dir, .n_known = 1};

	w.known[0] = (struct watch_known){.process = "7", .own = 50 << 20};
	put(dir, "7/task/7/syscall", syscall);
	put(dir, "7/task/7/stat", stat);
	return watch_borrows(&w, &child, "7");
}

#define WAITS "7 (x) D 1 7 7 0 -1"

static void test_vfork(int dir)
{
	char text[128];

	(void)mkdirat(dir, "7", 0700);
	(void)mkdirat(dir, "7/task", 0700);
	(void)mkdirat(dir, "7/task/7", 0700);
	(void)snprintf(text, sizeof(text), "%d 0x%x 0x0 0x0\n", SYS_clone,
		CLONE_VM | CLONE_VFORK | SIGCHLD);
	ok(borrows(dir, text, WAITS), "clone as vfork");
	ok(!borrows(dir, text, "7 (x) t 1 7 7 0 -1"), "whose caller is held by a tracer");
	(void)snprintf(text, sizeof(text), "%d 0x%x 0x0 0x0\n", SYS_clone, CLONE_VM | SIGCHLD);
	ok(!borrows(dir, text, WAITS), "clone that is no vfork");
	(void)snprintf(text, sizeof(text), "%d 0x7ffd10 0x58 0x0\n", SYS_clone3);
	ok(borrows(dir, text, WAITS), "clone3, as posix_spawn() calls it");
	ok(!borrows(dir, text, "7 (x) S 1 7 7 0 -1"), "which does not wait");
	ok(!borrows(dir, "running\n", WAITS), "no call");
	(void)unlinkat(dir, "7/task/7/syscall", 0);
	(void)unlinkat(dir, "7/task/7/stat", 0);
	(void)unlinkat(dir, "7/task/7", AT_REMOVEDIR);
	(void)unlinkat(dir, "7/task", AT_REMOVEDIR);
	(void)unlinkat(dir, "7", AT_REMOVEDIR);
}

static const char *const files[] = {"statm", "status", "smaps_rollup"};

/* In a directory that looks like a process's. */
int main(void)
{
	char name[] = "/tmp/sbx-watch.XXXXXX";
	auto_close int dir = mkdtemp(name) ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int64_t page = sysconf(_SC_PAGESIZE);
	struct watch w = {0};

	put(dir, "statm", "500 300 100 1 0 200 0\n");
	put(dir, "status", "Name:\tx\nVmPTE:\t      12 kB\nVmSwap:\t       8 kB\n");
	is_int(watch_mapped(dir), 500 * page, "what is mapped");
	is_int(watch_exact(&w, dir), 200 * page + (20 << 10),
		"one that cannot be walked over has all its pages");
	put(dir, "smaps_rollup", "0-1 ---p 0 00:00 0 [rollup]\nPss_Anon:  100 kB\nSwapPss:  4 kB\n");
	is_int(watch_exact(&w, dir), 116 << 10, "one that can has its share of them");
	put(dir, "statm", "0 0 0 0 0 0 0\n");
	(void)unlinkat(dir, "smaps_rollup", 0);
	put(dir, "status", "Name:\tx\n");
	is_int(watch_exact(&w, dir), 0, "one that has ended has none");
	test_vfork(dir);
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		(void)unlinkat(dir, files[i], 0);
	(void)rmdir(name);
	return done_testing();
}
