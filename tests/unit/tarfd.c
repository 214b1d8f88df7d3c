/* SPDX-License-Identifier: Apache-2.0 */
#include "tarfd.h"
#include "tap.h"

#include "auto.h"
#include "tarpack.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BIG 300000 /* more than a buffer, and no whole number of blocks */

static char byte_at(size_t i)
{
	return (char)(i * 7 + (i >> 8));
}

static void make_files(int dir)
{
	static char text[BIG];
	auto_close int big = openat(dir, "big", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	auto_close int small = openat(dir, "small", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	for (size_t i = 0; i < BIG; i++)
		text[i] = byte_at(i);
	ok(write(big, text, BIG) == BIG && write(small, "hello", 5) == 5, "files");
}

static bool is_big(const char *s)
{
	for (size_t i = 0; i < BIG; i++)
		if (s[i] != byte_at(i))
			return false;
	return true;
}

/* What is read of it is the two files, to the last byte. */
static void read_back(int fd, const char *what)
{
	auto_tarfd struct tarfd in = tarfd_open(fd);
	auto_tar_reader struct tar_reader r = {.source = tarfd_read, .context = &in};
	auto_free char *s = calloc(1, BIG);
	struct err e = {0};
	size_t files = 0, n = 0;

	for (;;) {
		auto_tar_entry struct tar_entry t = {0};
		ssize_t got;

		if (tar_next(&r, &t, &e) <= 0)
			break;
		for (n = 0; (got = tar_read(&r, s + n, BIG - n, &e)) > 0;)
			n += (size_t)got;
		files += strcmp(t.path, "big") == 0 ? n == BIG && is_big(s)
		                                    : n == 5 && memcmp(s, "hello", 5) == 0;
	}
	ok(files == 2 && !e.text[0], what);
}

static bool pack(int dir, int to)
{
	auto_tarfd struct tarfd out = tarfd_open(to);
	struct tar_writer w = {.sink = tarfd_write, .pass = tarfd_pass, .context = &out};
	struct tarpack p = {.dir = dir, .name = ".", .as = "", .uid = -1, .gid = -1};
	struct err e = {0};
	return tarpack(&w, &p, &e) == 0 && tar_finish(&w, &e) == 0 && tarfd_flush(&out, &e) == 0 &&
	       out.total > BIG;
}

static int nameless(int dir, int flags)
{
	int fd = openat(dir, "out", O_CREAT | O_RDWR | O_CLOEXEC | flags, 0600);

	(void)unlinkat(dir, "out", 0);
	return fd;
}

static void to_file(int dir, int flags, const char *what)
{
	auto_close int fd = nameless(dir, flags);

	ok(pack(dir, fd) && lseek(fd, 0, SEEK_SET) == 0, what);
	read_back(fd, "and out of it");
}

static void to_pipe(int dir)
{
	int ends[2], status = 1;
	pid_t pid;

	if (!ok(pipe(ends) == 0, "a pipe"))
		return;
	pid = fork();
	if (pid == 0)
		_exit(!pack(dir, ends[1]));
	(void)close(ends[1]);
	read_back(ends[0], "out of a pipe");
	(void)close(ends[0]);
	ok(waitpid(pid, &status, 0) == pid && status == 0, "which was written to the end");
}

/* The header was written before it was cut off: zeros fill its place. */
static void cut_short(int dir)
{
	auto_close int from = openat(dir, "big", O_RDWR | O_CLOEXEC);
	auto_close int to = nameless(dir, 0);
	auto_tarfd struct tarfd out = tarfd_open(to);
	struct tar_writer w = {.sink = tarfd_write, .pass = tarfd_pass, .context = &out};
	char path[] = "f";
	struct tar_entry t = {.type = TAR_FILE, .path = path, .size = BIG};
	struct err e = {0};

	ok(ftruncate(from, BIG / 2) == 0 && tar_add(&w, &t, &e) == 0, "a file becomes shorter");
	ok(tar_data_from(&w, from, &e) == BIG / 2, "what there is of it is passed on");
	ok(tar_data_from(&w, from, &e) == 0 && !e.text[0], "and then nothing");
}

int main(void)
{
	char name[] = "/tmp/sbx-tarfd.XXXXXX";
	auto_close int dir = mkdtemp(name) ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	make_files(dir);
	to_file(dir, 0, "into a file");
	to_file(dir, O_APPEND, "into one that is appended to, which takes nothing unseen");
	to_pipe(dir);
	cut_short(dir);
	(void)unlinkat(dir, "big", 0);
	(void)unlinkat(dir, "small", 0);
	(void)rmdir(name);
	return done_testing();
}
