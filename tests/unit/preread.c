/* SPDX-License-Identifier: Apache-2.0 */
#include "preread.h"

#include "auto.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>

static char top[] = "/tmp/sbx-unit-XXXXXX";

static const char *in_top(const char *name)
{
	static char path[200];

	(void)snprintf(path, sizeof(path), "%s/%s", top, name);
	return path;
}

static void make(const char *name, mode_t mode, off_t size)
{
	auto_close int fd = -1;

	if (S_ISDIR(mode)) {
		if (mkdir(in_top(name), mode & 0777) < 0)
			abort();
		return;
	}
	fd = open(in_top(name), O_WRONLY | O_CREAT | O_CLOEXEC, mode & 0777);
	if (fd < 0 || ftruncate(fd, size) < 0)
		abort();
}

/* Of the names that were watched those that were read, "a b ". */
static const char *was_read(int notify, const char *const *name, const int *watch, size_t n)
{
	static char all[400];
	_Alignas(struct inotify_event) char events[4096];
	bool seen[16] = {false};
	ssize_t len;

	while ((len = read(notify, events, sizeof(events))) > 0)
		for (char *at = events; at < events + len;) {
			const struct inotify_event *e = (const struct inotify_event *)at;

			for (size_t k = 0; k < n; k++)
				seen[k] = seen[k] || (e->wd == watch[k] && e->len == 0);
			at += sizeof(*e) + e->len;
		}
	all[0] = '\0';
	for (size_t k = 0; k < n; k++)
		if (seen[k])
			(void)snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s ", name[k]);
	return all;
}

static void count(void *arg)
{
	++*(int *)arg;
}

static void reads(const char *paths, size_t len, const char *want, int turns, const char *sentence)
{
	static const char *const name[] = {"usr/bin/python3.9", "usr/bin/plain", "usr/bin/large",
		"usr/lib/python3.9", "usr/lib/python3.9/encodings",
		"usr/lib/python3.9/encodings/aliases.py", "usr/lib/python3.9/os.py",
		"usr/lib/python3.11"};
	auto_close int root = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC),
		       notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	int watch[ARRAY_LEN(name)], n = 0;

	for (size_t k = 0; k < ARRAY_LEN(name); k++)
		watch[k] = inotify_add_watch(notify, in_top(name[k]), IN_ACCESS);
	preread(root, paths, len, count, &n);
	is_str(was_read(notify, name, watch, ARRAY_LEN(name)), want, sentence);
	is_int(n, turns, "in its turn");
}

#define READS(paths, ...) reads(paths, sizeof(paths), __VA_ARGS__)

int main(void)
{
	auto_free char *clean = NULL;

	if (!mkdtemp(top))
		abort();
	make("usr", S_IFDIR | 0755, 0);
	make("usr/bin", S_IFDIR | 0755, 0);
	make("usr/bin/python3.9", 0755, 300000);
	make("usr/bin/plain", 0644, 5);
	make("usr/bin/large", 0755, 3 * PREREAD_MAX);
	make("usr/lib", S_IFDIR | 0755, 0);
	make("usr/lib/python3.9", S_IFDIR | 0755, 0);
	make("usr/lib/python3.9/os.py", 0644, 5);
	make("usr/lib/python3.9/encodings", S_IFDIR | 0755, 0);
	make("usr/lib/python3.9/encodings/aliases.py", 0644, 5);
	make("usr/lib/python3.11", S_IFDIR | 0755, 0);
	if (symlink("python3.9", in_top("usr/bin/python3")) < 0 ||
		symlink("/usr/bin/large", in_top("out")) < 0 || mkfifo(in_top("usr/bin/pipe"), 0755) < 0)
		abort();
	READS("/usr/bin/python3",
		"usr/bin/python3.9 usr/lib/python3.9 usr/lib/python3.9/encodings usr/lib/python3.9/encodings/aliases.py ",
		4 + 2 + 2 + 2, "a python, and what it begins with");
	READS("/nothing\0/usr/bin/plain\0/usr/bin/pipe\0/usr/bin\0/out", "usr/bin/large ",
		PREREAD_MAX / (128 << 10),
		"the first that is a program, below this root; of a large one the beginning");
	READS("/nothing", "", 0, "nothing that is not there");
	reads("/usr/bin/large", 5, "", 0, "nothing by a name that does not end");
	reads("", 0, "", 0, "nor by none");
	clean = xasprintf("rm -rf %s", top);
	(void)!system(clean); /* only a directory in /tmp */
	return done_testing();
}
