/* SPDX-License-Identifier: Apache-2.0 */
/* The tar of an image that somebody brought: an error, or what reads as a tar to its end. */
#include "fuzz.h"
#include "squash_tar.h"
#include "str.h"

#include <errno.h>
#include <sys/mman.h>

enum { BYTES_MAX = 1 << 20 }; /* then it is enough: there may be gigabytes of nothing */

static int put_bytes(void *context, const void *bytes, size_t n)
{
	struct buf *out = context;

	if (out->len + n > BYTES_MAX) {
		errno = EFBIG;
		return -1;
	}
	buf_add(out, bytes, n);
	return 0;
}

static void read_again(const struct buf *tar, int64_t content)
{
	struct fuzz_bytes b = {tar->s, tar->len};
	auto_tar_reader struct tar_reader r = {.source = fuzz_take, .context = &b};
	struct err e = {0};
	int64_t sum = 0;

	for (int more = 1; more > 0;) {
		auto_tar_entry struct tar_entry t = {0};

		more = tar_next(&r, &t, &e);
		assert(more >= 0);
		sum += t.size;
	}
	assert(sum == content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_close int fd = memfd_create("image", MFD_CLOEXEC);
	auto_buf struct buf tar = {0};
	struct err e = {0};
	int64_t content = 0;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return 0;
	if (squash_tar(take_fd(&fd), put_bytes, &tar, &content, &e) == 0)
		read_again(&tar, content);
	else
		assert(e.kind != ERR_NONE && *e.text);
	return 0;
}
