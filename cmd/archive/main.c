/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sbx-archive: work for sbx that needs libarchive or libsquashfs, which would make every start of sbx slower; so it is a program of
 * its own.
 *
 *	sbx-archive layer [base] [bare] [level=N] [meter] <ARCHIVE 3<>OUT.sqsh 4<>METER
 *	sbx-archive tar >TAR 3<DIRECTORY
 *	sbx-archive plain [head=HEX] [most=N] <COMPRESSED >PLAIN 3>ANSWER
 *
 * `layer` answers with one JSON object on standard output: {"DiffID", "Size", "Files"}, or {"Error", "Kind", "Errno"}; the exit
 * status says which. `plain` has an answer only if it fails; `head` is what was read already, `most` the largest number of bytes
 * that may come out. `tar` reports errors on standard error.
 */
#include "dir.h"
#include "layer.h"
#include "plain.h"

#include "confine.h"
#include "json.h"
#include "meter.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>

/* zstd. 340 MB of Debian with numpy on two cores: level 3 takes 1.9 s and makes 117.8 MB, 4: 1.7 s and 116.2, 5: 2.4 s
 * and 113.5, 6: 3.1 s and 111.2, 15 (mksquashfs's default): 30 s and 103.8. Reading takes the same time for all. */
#define LEVEL 4

#define FILE_FD  3 /* the squashfs to write, the directory to read */
#define METER_FD 4

static int answer(json_t *value, int status)
{
	auto_json json_t *v = value;

	return json_dumpf(v, stdout, JSON_COMPACT) == 0 && fflush(stdout) == 0 ? status : 1;
}

static json_t *failure(const struct err *e)
{
	return json_pack("{s:s%, s:i, s:i}", "Error", e->text, strlen(e->text), "Kind",
		(int)e->kind, "Errno", e->sys);
}

static int fail(const struct err *e)
{
	return answer(failure(e), 1);
}

#define MOST (64ull << 30)

/* The limit for a layer's content: the size of the disk, but never too small, as the content is stored compressed. */
static uint64_t most(int file)
{
	struct statvfs fs;
	uint64_t size = fstatvfs(file, &fs) == 0 ? (uint64_t)fs.f_blocks * fs.f_frsize : 0;

	return size > MOST ? size : MOST;
}

static int make_layer(int argc, char **argv)
{
	struct layer_ask ask = {
		.in = STDIN_FILENO, .out = FILE_FD, .level = LEVEL, .most = most(FILE_FD)};
	struct layer_made made;
	struct err e = {0};
	int result;

	for (int i = 2; i < argc; i++) {
		if (str_eq(argv[i], "base"))
			ask.base = true;
		else if (str_eq(argv[i], "bare"))
			ask.bare = true;
		else if (str_starts(argv[i], "level="))
			ask.level = atoi(argv[i] + 6);
		else if (str_eq(argv[i], "meter"))
			ask.meter = meter_open(METER_FD);
	}
	result = confine(CONFINE_CONVERT, &e);
	if (result == 0)
		result = layer_make(&ask, &made, &e);
	if (result < 0)
		return fail(&e);
	return answer(json_pack("{s:s, s:I, s:I}", "DiffID", made.diff_id, "Size",
			      (json_int_t)made.size, "Files", (json_int_t)made.files),
		0);
}

static int make_tar(void)
{
	struct err e = {0};

	(void)signal(SIGPIPE, SIG_DFL); /* the reader gave up and has said why */
	if (dir_to_tar(FILE_FD, STDOUT_FILENO, &e) == 0)
		return 0;
	(void)fprintf(stderr, "%s\n", e.text);
	return 1;
}

/* "1f8b08" */
static size_t head_of(const char *hex, unsigned char head[PLAIN_HEAD])
{
	size_t n = 0;
	unsigned byte;

	for (; n < PLAIN_HEAD && sscanf(hex + 2 * n, "%2x", &byte) == 1; n++)
		head[n] = (unsigned char)byte;
	return n;
}

static int make_plain(int argc, char **argv)
{
	struct plain_ask ask = {.in = STDIN_FILENO, .out = STDOUT_FILENO, .most = MOST};
	auto_json json_t *answer = NULL;
	struct err e = {0};

	for (int i = 2; i < argc; i++) {
		if (str_starts(argv[i], "head="))
			ask.n_head = head_of(argv[i] + 5, ask.head);
		else if (str_starts(argv[i], "most="))
			ask.most = strtoull(argv[i] + 5, NULL, 10);
	}
	if (confine(CONFINE_CONVERT, &e) == 0 && plain_copy(&ask, &e) == 0)
		return 0;
	if (e.sys == EPIPE) /* the reader gave up and has said why */
		return 0;
	answer = failure(&e);
	return json_dumpfd(answer, FILE_FD, JSON_COMPACT) == 0 ? 1 : 2;
}

/* Limits our memory to half of the machine's: an archive of a few megabytes can name more files than fit into memory. Not with the
 * address sanitizer, which maps terabytes. */
static void leave_memory_to_others(void)
{
#ifndef __SANITIZE_ADDRESS__
	struct sysinfo all;
	struct rlimit r;

	if (sysinfo(&all) < 0 || getrlimit(RLIMIT_DATA, &r) < 0)
		return;
	if (r.rlim_cur > (rlim_t)all.totalram / 2 * all.mem_unit)
		r.rlim_cur = r.rlim_max = (rlim_t)all.totalram / 2 * all.mem_unit;
	(void)setrlimit(RLIMIT_DATA, &r); /* lowering is always allowed */
#endif
}

int main(int argc, char **argv)
{
	leave_memory_to_others();
	/* names in pax headers are UTF-8; libarchive hands them out in the locale's encoding */
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		(void)setlocale(LC_CTYPE, ""); /* the next best */
	(void)signal(SIGPIPE, SIG_IGN);        /* writes fail with EPIPE instead */
	if (argc > 1 && str_eq(argv[1], "layer"))
		return make_layer(argc, argv);
	if (argc > 1 && str_eq(argv[1], "tar"))
		return make_tar();
	if (argc > 1 && str_eq(argv[1], "plain"))
		return make_plain(argc, argv);
	(void)fputs("sbx-archive is a part of sbx and not for use by hand\n", stderr);
	return 2;
}
