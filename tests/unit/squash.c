/* SPDX-License-Identifier: Apache-2.0 */
/* What is decoded ahead is found without the image. */
#include "auto.h"
#include "squash.h"
#include "tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK  (128u << 10)
#define BLOCKS 9
#define SIZE   (BLOCKS * BLOCK + 1000)

static char top[] = "/tmp/sbx-squash-XXXXXX";

/* An image with one file of SIZE bytes; where the file is, an inode. */
static struct squash *made(const char *how, struct blocks *cache, int *fd, struct squash_inode *file)
{
	auto_free char *line = xasprintf("cd %s && rm -rf i i.sqsh && mkdir i && cp program i && "
					 "mksquashfs i i.sqsh %s -b 128K -quiet -no-progress >/dev/null",
		top, how);
	auto_free char *path = xasprintf("%s/i.sqsh", top);
	struct squash_inode root;
	struct squash *sq;
	struct err e;
	uint64_t ref;

	if (system(line) != 0)
		return NULL;
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	sq = squash_open(*fd, "image", cache, &e);
	if (!sq || squash_inode(sq, squash_info(sq)->root, &root) < 0 ||
		squash_lookup(sq, &root, "program", 7, &ref) < 0 || squash_inode(sq, ref, file) < 0)
		return NULL;
	return sq;
}

static void lose(int fd)
{
	auto_close int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)dup2(null, fd);
}

static void in_pieces(struct squash *sq, const struct squash_inode *file, const char *content)
{
	struct squash_pieces p;
	const size_t from = BLOCK - 10, n = 2 * BLOCK;
	size_t at = from;
	bool same = true;

	is_int(squash_pieces(sq, file, from, n, &p), (long long)n, "it is there in pieces");
	for (int i = 0; i < p.n; at += p.at[i++].iov_len)
		same = same && memcmp(p.at[i].iov_base, content + at, p.at[i].iov_len) == 0;
	ok(p.n == 3 && at == from + n && same, "of a block each");
	squash_pieces_done(&p);
	is_int(squash_pieces(sq, file, SIZE - 5, n, &p), 5, "to the end of the file");
	squash_pieces_done(&p);
	is_int(squash_pieces(sq, file, SIZE, n, &p), 0, "behind which nothing is");
}

static void one(const char *how, const char *content)
{
	struct blocks *cache = blocks_new(8 << 20, -1);
	auto_free char *got = xcalloc(SIZE, 1);
	struct squash_inode file;
	struct squash *sq;
	int fd = -1;

	printf("# %s\n", how);
	sq = made(how, cache, &fd, &file);
	if (!sq)
		exit(1);
	is_int(squash_read(sq, &file, 0, got, SIZE), SIZE, "all of it is read");
	ok(memcmp(got, content, SIZE) == 0, "it is what was put in");
	squash_free(sq);

	sq = made(how, cache, &fd, &file);
	lose(fd);
	is_int(squash_read(sq, &file, BLOCK, got, 1000), -EIO, "without the image nothing can be read");
	squash_free(sq);

	sq = made(how, cache, &fd, &file);
	squash_ahead(sq, &file);
	lose(fd);
	is_int(squash_read(sq, &file, BLOCK, got, (BLOCKS - 1) * BLOCK), (BLOCKS - 1) * BLOCK,
		"but what was decoded ahead");
	ok(memcmp(got, content + BLOCK, (BLOCKS - 1) * BLOCK) == 0, "to the letter");
	is_int(squash_read(sq, &file, BLOCKS * BLOCK, got, 1000), 1000, "and its end");
	squash_free(sq);

	sq = made(how, cache, &fd, &file);
	in_pieces(sq, &file, content);
	squash_free(sq);
	blocks_free(cache);
}

/* A place that could not be found is not remembered as one that was. */
static void for_a_while(const char *content)
{
	struct blocks *cache = blocks_new(8 << 20, -1);
	auto_free char *got = xcalloc(BLOCK, 1);
	struct squash_inode file;
	int fd = -1, kept;
	struct squash *sq = made("-comp zstd", cache, &fd, &file);

	printf("# an image that cannot be read for a while\n");
	if (!sq)
		exit(1);
	kept = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	while (!blocks_trim(cache))
		;
	lose(fd);
	is_int(squash_read(sq, &file, 5 * BLOCK, got, BLOCK), -EIO, "where a block is cannot be found");
	(void)dup2(kept, fd);
	is_int(squash_read(sq, &file, 5 * BLOCK, got, BLOCK), BLOCK, "when it can again");
	ok(memcmp(got, content + 5 * BLOCK, BLOCK) == 0, "it is that block");
	(void)close(kept);
	squash_free(sq);
	blocks_free(cache);
}

/* A cache that holds more than ENOUGH keeps what nobody had yet, and uses again what was passed on. */
static void spent(void)
{
	enum { N = 33 }; /* 32 are enough */
	struct blocks *cache = blocks_new(32 << 20, -1);
	const void *lay[N];
	bool mine;

	for (uint64_t i = 0; i < N; i++) {
		struct block *b = blocks_get(cache, cache, i, BLOCK, &mine);

		lay[i] = b->data;
		blocks_ready(b, BLOCK, BLOCK);
		if (i == 5)
			block_passed_on(b, BLOCK / 2);
		else if (i == 7)
			block_passed_on(b, BLOCK);
		else
			block_put(b);
	}
	ok(lay[32] == lay[7], "what comes in lies where what was passed on lay");
	struct block *b = blocks_get(cache, cache, 5, BLOCK, &mine);
	ok(!mine && b->data == lay[5], "half of it passed on it stays");
	block_passed_on(b, BLOCK / 2);
	b = blocks_get(cache, cache, 5, BLOCK, &mine);
	ok(!mine, "and all of it until there is something else");
	block_put(b);
	b = blocks_get(cache, cache, N + 1, BLOCK, &mine);
	ok(mine && b->data != lay[5], "but not what was asked for since");
	blocks_failed(b);
	blocks_free(cache);
}

static bool whole(struct squash *sq, const char *path)
{
	auto_free char *got = xcalloc(8 << 20, 1);
	struct squash_inode i;
	uint64_t ref = squash_info(sq)->root;
	int r = squash_inode(sq, ref, &i);

	for (size_t n; r == 0 && *path; path += n) {
		n = strcspn(++path, "/");
		r = squash_lookup(sq, &i, path, n, &ref) == 0 ? squash_inode(sq, ref, &i) : -1;
	}
	return r == 0 && squash_read(sq, &i, 0, got, 8 << 20) == (ssize_t)i.size;
}

/* How many files; -1: there is one of which something is missing. */
static int whole_below(struct squash *sq, const char *dir)
{
	auto_free char *path = xasprintf("%s/i%s", top, dir);
	DIR *d = opendir(path);
	int n = 0;

	if (!d)
		return -1;
	for (const struct dirent *f; n >= 0 && (f = readdir(d));) {
		auto_free char *file = xasprintf("%s/%s", dir, f->d_name);

		if (f->d_name[0] != '.')
			n = whole(sq, file) ? n + 1 : -1;
	}
	(void)closedir(d);
	return n;
}

/* The machine's sh, found over links; its libraries are where they are looked for at last. */
static void program(bool beside)
{
	auto_free char *line = xasprintf(
		"cd %s && rm -rf i i.sqsh && mkdir -p i/bin i/opt i/usr/lib i/etc && cp -L /bin/sh i/bin/shell && "
		"echo u >i/etc/passwd && echo g >i/etc/group && "
		"ln -s ../opt/./../bin/shell i/opt/sh && ln -s loop i/opt/loop && ln -s usr/lib i/lib && "
		"cp -L /bin/ls i/bin/other && cp -L $(ldd /bin/sh | grep -o '/[^ ]*') i/lib/ && "
		"f=$(ldd /bin/sh | grep -v '=>' | grep -o '/[^ ]*') && mkdir -p i/$(dirname $f) && cp -L $f i/$f && "
		"mksquashfs i i.sqsh -comp zstd -b 128K -no-fragments -quiet -no-progress >/dev/null",
		top);
	auto_free char *path = xasprintf("%s/i.sqsh", top);
	static const char text[] = "/opt/loop\0/bin\0/opt/no\0/bin/../opt/sh\0/bin/other",
			  none[] = "/opt/no";
	struct blocks *cache = blocks_new(32 << 20, -1);
	auto_free char *libc = NULL;
	struct squash *sq;
	struct err e;
	int fd;

	printf("# programs\n");
	if (system(line) != 0)
		exit(1);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	sq = squash_open(fd, "image", cache, &e);
	if (!sq)
		exit(1);
	squash_foresee(sq, none, sizeof(none), SQUASH_PROGRAM);
	squash_foresee(sq, text, sizeof(text) - 1, SQUASH_PROGRAM);
	squash_foresee(sq, text, sizeof(text), SQUASH_PROGRAM);
	if (beside)
		squash_foresee(sq, text, sizeof(text), SQUASH_BESIDE);
	lose(fd);
	ok(whole(sq, "/bin/shell"), "a program that is going to be run is there");
	ok(beside ? whole_below(sq, "/usr/lib") > 1 : whole_below(sq, "/usr/lib") < 0,
		beside ? "and all that it starts with" : "that alone, where another thread does the rest");
	ok(whole(sq, "/etc/passwd") == beside && whole(sq, "/etc/group") == beside,
		"who is who goes with the rest");
	ok(!whole(sq, "/bin/other"), "and not the next one that it could have been");
	squash_free(sq);
	blocks_free(cache);
}

int main(void)
{
	auto_free char *content = xcalloc(SIZE, 1), *path = NULL, *gone = NULL;
	auto_close int fd = -1;

	for (uint32_t i = 0, x = 1; i < SIZE; i++, x = x * 1664525 + 1013904223)
		content[i] = (char)(i % 3 ? i >> 12 : x >> 28);
	if (!mkdtemp(top))
		return 1;
	path = xasprintf("%s/program", top);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (write(fd, content, SIZE) != SIZE)
		return 1;
	one("-comp zstd", content);
	one("-comp gzip", content);
	one("-comp zstd -noD", content);
	for_a_while(content);
	spent();
	program(true);
	program(false);
	gone = xasprintf("rm -rf %s", top);
	(void)system(gone);
	return done_testing();
}
