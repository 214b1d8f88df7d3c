/* SPDX-License-Identifier: Apache-2.0 */
/* A tar from outside: what is read of it is written, and must read as the same again. */
#include "fuzz.h"
#include "str.h"
#include "tar.h"
#include "untar.h"

#include <string.h>

static int put_bytes(void *context, const void *bytes, size_t n)
{
	buf_add(context, bytes, n);
	return 0;
}

static void again(const struct tar_entry *t)
{
	auto_buf struct buf out = {0};
	struct tar_writer w = {.sink = put_bytes, .context = &out};
	auto_tar_entry struct tar_entry copy = {0};
	struct tar_entry bare = *t;
	struct err e = {0};
	char clean[4096];

	(void)untar_clean(t->path, clean, sizeof(clean));
	bare.size = 0;
	if (!*t->path || bare.link == NULL || !*bare.link)
		bare.link = NULL;
	if (!*t->path || tar_add(&w, &bare, &e) < 0 || tar_finish(&w, &e) < 0)
		return;
	struct fuzz_bytes b = {out.s, out.len};
	auto_tar_reader struct tar_reader r = {.source = fuzz_take, .context = &b};
	if (tar_next(&r, &copy, &e) != 1)
		return; /* records of a value with a newline and the like: refused, not crashed over */
	assert(strlen(copy.path) == strlen(t->path) && copy.n_xattrs == t->n_xattrs);
}

/* What is read of a file, holes told or filled, is as long as it says. */
static void content(struct tar_reader *r, const struct tar_entry *t, struct err *e)
{
	char chunk[300];
	int64_t sum = 0;
	ssize_t n;

	for (int turns = 0; turns < 2000; turns++) {
		if (turns % 3 == 1)
			sum += tar_hole(r);
		n = tar_read(r, chunk, sizeof(chunk), e);
		if (n <= 0) {
			assert(n < 0 || tar_hole(r) == 0);
			assert(n < 0 ? sum < t->size : sum == t->size);
			return;
		}
		sum += n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free uint8_t *tar = fuzz_tar(data, size);
	struct fuzz_bytes b = {tar, size};
	auto_tar_reader struct tar_reader r = {.source = fuzz_take, .context = &b};
	struct err e = {0};

	for (int more = 1; more > 0;) {
		auto_tar_entry struct tar_entry t = {0};

		more = tar_next(&r, &t, &e);
		if (more > 0) {
			again(&t);
			content(&r, &t, &e);
		}
	}
	return 0;
}
