/* SPDX-License-Identifier: Apache-2.0 */
/* What is decoded ahead is found without the image. */
#include "auto.h"
#include "squash.h"
#include "tap.h"

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
	is_int(squash_read(sq, &file, 0, got, 1000), -EIO, "which is not the first block");
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
	gone = xasprintf("rm -rf %s", top);
	(void)system(gone);
	return done_testing();
}
