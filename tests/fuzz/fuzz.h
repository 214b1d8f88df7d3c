/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz: a parser of outside bytes is one function here, which must survive anything. `make fuzz` lets
 * libFuzzer feed it; built without an engine, the program feeds it the files it is given, as
 * `make check` does with tests/fuzz/corpus/NAME. What was found goes there too.
 */
#pragma once

#include "auto.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input as a string: parsers of text see it up to the first zero byte. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *s = xcalloc(1, size + 1);

	if (size)
		memcpy(s, data, size);
	return s;
}

/* Splits the input at 0xff bytes: the next part, or an empty one. */
static inline char *fuzz_next(const uint8_t **data, size_t *size)
{
	const uint8_t *end = *size ? memchr(*data, 0xff, *size) : NULL;
	size_t n = end ? (size_t)(end - *data) : *size;
	char *s = fuzz_text(*data, n);

	n += end != NULL;
	*data += n;
	*size -= n;
	return s;
}

/* Bytes as the source of a reader. */
struct fuzz_bytes {
	const void *at;
	size_t n;
};

static inline ssize_t fuzz_take(void *context, void *to, size_t n)
{
	struct fuzz_bytes *b = context;

	n = n < b->n ? n : b->n;
	if (n)
		memcpy(to, b->at, n);
	b->at = (const uint8_t *)b->at + n;
	b->n -= n;
	return (ssize_t)n;
}

/* A copy in which the tar headers have the checksums that they should: else each change of one would be refused for it. */
static inline uint8_t *fuzz_tar(const uint8_t *data, size_t size)
{
	uint8_t *tar = (uint8_t *)fuzz_text(data, size);

	for (uint8_t *block = tar; size >= 512; block += 512, size -= 512) {
		unsigned sum = 0;

		if (memcmp(block + 257, "ustar", 5) != 0)
			continue;
		memset(block + 148, ' ', 8);
		for (int i = 0; i < 512; i++)
			sum += block[i];
		(void)snprintf((char *)block + 148, 8, "%06o", sum);
	}
	return tar;
}

#ifndef FUZZING
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		auto_fclose FILE *f = fopen(argv[i], "re");
		auto_free uint8_t *data = xcalloc(1, 1 << 20);

		if (!f) {
			perror(argv[i]);
			return 1;
		}
		(void)LLVMFuzzerTestOneInput(data, fread(data, 1, 1 << 20, f));
	}
	return 0;
}
#endif
