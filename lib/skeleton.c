/* SPDX-License-Identifier: Apache-2.0 */
/* skeleton: making a skeleton. */
#include "skeleton.h"

#include "skeleton_form.h"
#include "str.h"
#include "sys.h"

#include <string.h>
#include <zstd.h>

#define BYTES_MAX (256u << 20) /* compressed; a larger skeleton is not kept */
#define LEVEL     3

struct skeleton {
	ZSTD_CCtx *z;
	struct buf out;
	unsigned char block[TAR_BLOCK];
	size_t have;   /* bytes of the next header */
	uint64_t drop; /* of content to come, */
	uint64_t keep; /* then bytes that are not content, */
	char telling; /* 'x', 'L': the bytes being kept are about the next entry: pax records, or a long name */
	bool ended; /* all up to the end is kept */
	struct buf records;
	int64_t size; /* the size that pax records gave, or -1 */
	bool map_in_data; /* pax records say that the entry is a sparse file with its map in front of its data */
	bool map;         /* its blocks are coming */
	uint64_t numbers; /* numbers of that map that are still to come, */
	uint64_t number;  /* and the first one so far, */
	bool counted;     /* after it was read completely */
	char last; /* the last byte of the long name, of which the header has only a part; or 0 */
	bool broken;
};

struct skeleton *skeleton_new(void)
{
	struct skeleton *k = xcalloc(1, sizeof(*k));

	k->z = ZSTD_createCCtx();
	k->size = -1;
	k->broken = !k->z || ZSTD_isError(ZSTD_CCtx_setParameter(k->z, ZSTD_c_compressionLevel, LEVEL));
	return k;
}

void skeleton_free(struct skeleton *k)
{
	if (!k)
		return;
	(void)ZSTD_freeCCtx(k->z); /* takes NULL, and cannot fail */
	buf_done(&k->out);
	buf_done(&k->records);
	free(k);
}

static void compress(struct skeleton *k, const void *bytes, size_t n, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = {bytes, n, 0};
	size_t left = 1;

	while (!k->broken && (in.pos < in.size || (end == ZSTD_e_end && left > 0))) {
		char chunk[16384];
		ZSTD_outBuffer out = {chunk, sizeof(chunk), 0};

		left = ZSTD_compressStream2(k->z, &out, &in, end);
		if (ZSTD_isError(left) || k->out.len + out.pos > BYTES_MAX)
			k->broken = true;
		else
			buf_add(&k->out, chunk, out.pos);
	}
}

static uint64_t padding(uint64_t n)
{
	return -n & (TAR_BLOCK - 1);
}

/* A sparse file of this format stores a map before its data: lines with the number of pairs, and the pairs. What the
 * pairs mean only matters to whoever reads the tar. */
static bool map_goes_on(struct skeleton *k)
{
	for (size_t i = 0; i < TAR_BLOCK; i++) {
		if (k->block[i] != '\n') {
			k->broken |= !k->counted && k->number > TAR_PAX_MAX;
			k->number = k->number * 10 + (uint64_t)(k->block[i] - '0');
			continue;
		}
		k->numbers = k->counted ? k->numbers - 1 : 2 * k->number;
		k->counted = true;
		if (k->numbers == 0)
			return false;
	}
	return true;
}

static void on_map(struct skeleton *k)
{
	compress(k, k->block, TAR_BLOCK, ZSTD_e_continue);
	k->broken |= k->drop < TAR_BLOCK;
	k->drop -= TAR_BLOCK;
	k->map = map_goes_on(k);
}

static void begin_map(struct skeleton *k)
{
	k->map = true;
	k->number = k->numbers = 0;
	k->counted = false;
}

/* One of an entry's headers is whole: what follows it? */
static void on_header(struct skeleton *k)
{
	struct tar_peek p;
	bool map;

	compress(k, k->block, TAR_BLOCK, ZSTD_e_continue);
	if (!tar_peek(k->block, &p)) {
		k->ended = true; /* zeros, or nothing that we understand */
		return;
	}
	if (p.type == 'S')
		k->broken = true; /* docker does not load what has such entries */
	if ((p.type == 'x' || p.type == 'L') && p.size > 0) {
		k->telling = p.type;
		k->records.len = 0;
		k->map_in_data &= p.type != 'x';
	}
	if (strchr("xgLKX", p.type)) {
		k->keep = (uint64_t)p.size + padding((uint64_t)p.size);
		return;
	}
	if (k->size >= 0)
		p.size = k->size;
	k->size = -1;
	if (p.type == '0' && (k->last ? k->last == '/' : p.slash))
		p.type = '5';
	k->last = '\0';
	map = k->map_in_data;
	k->map_in_data = false;
	if (strchr("123456", p.type))
		return;
	if (p.type == '0')
		k->drop = (uint64_t)p.size;
	else
		k->keep = (uint64_t)p.size;
	k->keep += padding((uint64_t)p.size);
	if (p.type == '0' && map)
		begin_map(k);
}

static void on_record(struct skeleton *k, const char *key, const char *value, size_t n)
{
	if (str_starts(key, "size="))
		k->size = strtoll(value, NULL, 10);
	if (str_starts(key, "path=") && n > 0)
		k->last = value[n - 1];
	if (str_starts(key, "GNU.sparse.major="))
		k->map_in_data = n > 0 && *value != '0';
	k->broken |= k->size < -1;
}

/* "20 size=8589934592\n" */
static void on_records(struct skeleton *k)
{
	const char *at = k->records.s, *end = at + k->records.len;

	while (at < end) {
		char *space;
		unsigned long n = strtoul(at, &space, 10);
		const char *equal;

		if (n > (size_t)(end - at) || *space != ' ' || space + 2 > at + n ||
			!(equal = memchr(space, '=', (size_t)(at + n - space))))
			return;
		on_record(k, space + 1, equal + 1, (size_t)(at + n - equal) - 2);
		at += n;
	}
}

static void on_told(struct skeleton *k)
{
	size_t n = k->records.s ? strnlen(k->records.s, k->records.len) : 0;

	if (k->telling == 'x' && n)
		on_records(k);
	else if (n)
		k->last = k->records.s[n - 1];
	k->telling = '\0';
}

/* A header, or of a map. */
static size_t take_block(struct skeleton *k, const char *s, size_t n)
{
	size_t want = TAR_BLOCK - k->have;

	n = n < want ? n : want;
	memcpy(k->block + k->have, s, n);
	k->have += n;
	if (k->have == TAR_BLOCK) {
		k->have = 0;
		if (k->map)
			on_map(k);
		else
			on_header(k);
	}
	return n;
}

void skeleton_feed(struct skeleton *k, const void *bytes, size_t n)
{
	const char *s = bytes;

	while (n > 0 && !k->broken) {
		size_t used = n;

		if (k->ended) {
			compress(k, s, n, ZSTD_e_continue);
		} else if (k->map) {
			used = take_block(k, s, n);
		} else if (k->drop) {
			used = n < k->drop ? n : (size_t)k->drop;
			k->drop -= used;
		} else if (k->keep) {
			used = n < k->keep ? n : (size_t)k->keep;
			compress(k, s, used, ZSTD_e_continue);
			if (k->telling && k->records.len + used <= TAR_PAX_MAX)
				buf_add(&k->records, s, used);
			k->keep -= used;
			if (!k->keep && k->telling)
				on_told(k);
		} else {
			used = take_block(k, s, n);
		}
		s += used;
		n -= used;
	}
}

int skeleton_write(struct skeleton *k, int fd, struct err *e)
{
	off_t end = lseek(fd, 0, SEEK_END);
	struct skeleton_foot foot = {.magic = SKELETON_MAGIC};

	compress(k, k->block, k->have, ZSTD_e_end);
	if (k->broken)
		return 0; /* a tar that is not understood in full is not written again */
	foot.offset = (uint64_t)end;
	foot.size = k->out.len;
	if (end < 0 || sys_write_all(fd, k->out.s, k->out.len) < 0 ||
		sys_write_all(fd, &foot, sizeof(foot)) < 0 || fsync(fd) < 0)
		return err_sys(e, "write the layer");
	return 0;
}
