/* SPDX-License-Identifier: Apache-2.0 */
/* A file that calls itself squashfs, truncated or turned inside out: its texts, and what they say, or an error, soon.
 * Not in a child: there the fuzzer would see neither what an input reaches nor how it ends. */
#include "fuzz.h"
#include "sqsh_config.h"
#include "squash.h"

#include <sys/mman.h>

static void look(struct squash *sq)
{
	auto_free char *all = xcalloc(SQSH_CONFIG_TEXT_MAX, 1);
	char *text[SQSH_CONFIG_TEXTS] = {0};
	struct err e = {0};

	for (int i = 0; i < SQSH_CONFIG_TEXTS; i++) {
		int32_t n = sqsh_config_text(sq, i, all);

		assert(n <= (int32_t)SQSH_CONFIG_TEXT_MAX);
		if (n >= 0)
			text[i] = fuzz_text((uint8_t *)all, (size_t)n);
	}
	json_decref(sqsh_config_from(text[SQSH_CONFIG_JSON], text[SQSH_CONFIG_ENVIRONMENT],
		text[SQSH_CONFIG_RC], text[SQSH_CONFIG_RC_LOCAL], &e));
	for (int i = 0; i < SQSH_CONFIG_TEXTS; i++)
		free(text[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_close int fd = memfd_create("image", MFD_CLOEXEC);
	struct blocks *cache = blocks_new(4 << 20, -1);
	struct squash *sq = NULL;
	struct err e = {0};

	if (fd >= 0 && write(fd, data, size) == (ssize_t)size)
		sq = squash_open(fd, "image", cache, &e);
	if (sq) {
		(void)take_fd(&fd);
		look(sq);
		squash_free(sq);
	}
	blocks_free(cache);
	return 0;
}
