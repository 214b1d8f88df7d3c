/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include "auto.h"
#include "err.h"
#include "sys.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#define CHUNK     (256u << 10)
#define GZIP_ONLY (16 + MAX_WBITS)

struct source {
	int in;
	struct meter *meter;
	unsigned char *chunk, *plain;
	size_t n;           /* bytes in chunk that nobody has had */
	bool begun;         /* what kind it is has been looked at */
	bool gzip, between; /* between two members */
	const char *fault;  /* it has failed */
	z_stream z;
};

struct source *source_new(int in, const void *head, size_t n_head, struct meter *meter)
{
	struct source *s = xcalloc(1, sizeof(*s));

	*s = (struct source){.in = in, .meter = meter, .n = n_head};
	s->chunk = xcalloc(CHUNK, 1);
	if (n_head > 0)
		memcpy(s->chunk, head, n_head);
	return s;
}

void source_free(struct source *s)
{
	if (s->gzip)
		(void)inflateEnd(&s->z); /* fails only for what is no stream */
	free(s->chunk);
	free(s->plain);
	free(s);
}

/* Reads behind what is in the chunk. */
static ssize_t fetch(struct source *s, const char **why)
{
	ssize_t n = sys_read_wait(s->in, s->chunk + s->n, CHUNK - s->n);

	if (n < 0) {
		*why = errno_text(errno);
		return -1;
	}
	meter_add(s->meter, (uint64_t)n);
	s->n += (size_t)n;
	return n;
}

/* As docker, by three bytes. */
static int begin(struct source *s, const char **why)
{
	ssize_t n = 1;

	s->begun = true;
	while (s->n < 3 && n > 0)
		n = fetch(s, why);
	if (n < 0)
		return -1;
	if (s->n < 3 || memcmp(s->chunk, "\x1f\x8b\x08", 3) != 0)
		return 0;
	if (inflateInit2(&s->z, GZIP_ONLY) != Z_OK) {
		*why = "no memory to decompress it";
		return -1;
	}
	s->gzip = true;
	s->plain = xcalloc(CHUNK, 1);
	s->z.next_in = s->chunk;
	s->z.avail_in = (uInt)s->n;
	s->n = 0;
	return 0;
}

/* What zlib says of a gzip, in Go's words. */
static const char *gzip_fault(const char *said)
{
	static const char *const known[][2] = {
		{"incorrect data check", "gzip: invalid checksum"},
		{"incorrect length check", "gzip: invalid checksum"},
		{"incorrect header check", "gzip: invalid header"},
		{"unknown compression method", "gzip: invalid header"},
		{"unknown header flags set", "gzip: invalid header"},
		{"header crc mismatch", "gzip: invalid header"},
	};

	for (size_t i = 0; said && i < ARRAY_LEN(known); i++)
		if (strcmp(said, known[i][0]) == 0)
			return known[i][1];
	return "gzip decompression failed";
}

/* More for zlib to read: 1, or 0 at the end of all members. */
static int feed(struct source *s, const char **why)
{
	ssize_t n;

	if (s->z.avail_in > 0)
		return 1;
	n = fetch(s, why);
	s->n = 0;
	s->z.next_in = s->chunk;
	s->z.avail_in = n > 0 ? (uInt)n : 0;
	if (n == 0 && !s->between) {
		*why = "unexpected EOF";
		return -1;
	}
	return n > 0 ? 1 : (int)n;
}

/* One step of zlib's: 1, 0 at the end, -1. */
static int step(struct source *s, const char **why)
{
	int code, more = feed(s, why);

	if (more <= 0)
		return more;
	if (s->between)
		(void)inflateReset(&s->z); /* cannot fail for a stream that was begun */
	code = inflate(&s->z, Z_NO_FLUSH);
	s->between = code == Z_STREAM_END;
	if (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR)
		return 1;
	*why = code == Z_MEM_ERROR ? "no memory to decompress it" : gzip_fault(s->z.msg);
	return -1;
}

static ssize_t decompress(struct source *s, const char **why)
{
	int more = 1;

	s->z.next_out = s->plain;
	s->z.avail_out = CHUNK;
	while (more > 0 && s->z.avail_out == CHUNK && !s->fault) {
		more = step(s, why);
		if (more < 0)
			s->fault = *why;
	}
	if (s->z.avail_out < CHUNK) /* what came out before an error is passed on first */
		return (ssize_t)(CHUNK - s->z.avail_out);
	*why = s->fault;
	return s->fault ? -1 : 0;
}

ssize_t source_read(struct source *s, const void **out, const char **why)
{
	size_t n;

	if (!s->begun && begin(s, why) < 0)
		return -1;
	if (s->gzip) {
		*out = s->plain;
		return decompress(s, why);
	}
	*out = s->chunk;
	if (s->n == 0 && fetch(s, why) < 0)
		return -1;
	n = s->n;
	s->n = 0;
	return (ssize_t)n;
}
