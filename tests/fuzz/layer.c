/* SPDX-License-Identifier: Apache-2.0 */
/* An archive that becomes a layer, as the helper program does it: a squashfs or an error. */
#include "archive/layer.h"
#include "fuzz.h"

#include <sys/mman.h>
#include <sys/stat.h>

/* libsquashfs 1.2 forgets a block of its own when its block processor is destroyed. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libsquashfs";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_close int in = memfd_create("archive", MFD_CLOEXEC),
		       out = memfd_create("layer", MFD_CLOEXEC);
	struct layer_ask ask = {.in = in, .out = out, .level = 1, .most = 64 << 20, .base = size % 2};
	auto_free uint8_t *tar = fuzz_tar(data, size);
	struct layer_made made;
	struct err e = {0};
	struct stat st;
	char magic[4];

	if (in < 0 || out < 0 || write(in, tar, size) != (ssize_t)size || lseek(in, 0, SEEK_SET) != 0)
		return 0;
	if (layer_make(&ask, &made, &e) < 0)
		return 0;
	assert(fstat(out, &st) == 0 && st.st_size >= 96);
	assert(pread(out, magic, sizeof(magic), 0) == sizeof(magic) && memcmp(magic, "hsqs", 4) == 0);
	return 0;
}
