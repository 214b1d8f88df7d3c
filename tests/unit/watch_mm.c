/* SPDX-License-Identifier: Apache-2.0 */
#include "watch_parts.h"

#include "auto.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void put(int dir, const char *name, const char *text)
{
	auto_close int fd = openat(dir, name, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);

	(void)!write(fd, text, strlen(text)); /* of a few bytes */
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
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		(void)unlinkat(dir, files[i], 0);
	(void)rmdir(name);
	return done_testing();
}
