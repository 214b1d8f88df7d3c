/* SPDX-License-Identifier: Apache-2.0 */
/* A file that calls itself squashfs, truncated or turned inside out: an answer or an error, soon. */
#include "fuzz.h"
#include "sqsh_config.h"

#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_close int fd = memfd_create("image", MFD_CLOEXEC);
	struct err e = {0};

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return 0;
	json_decref(sqsh_config_read(fd, &e));
	return 0;
}
