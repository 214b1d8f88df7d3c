/* SPDX-License-Identifier: Apache-2.0 */
/* squash_data: the content of files: blocks and fragments, and finding a block of a file. */
#include "squash_parts.h"

#include "auto.h"

#include <errno.h>
#include <sched.h>
#include <sys/stat.h>

#define AHEAD (8u << 20)
#define WALK_MAX \
	(1u << 25) /* bytes of one file on the way to the wanted block: a process that waits for it cannot even be killed */

/* A block of data as the image stores it, unpacked to at most `room` bytes; how many. */
static ssize_t data_unpack(struct squash *sq, uint64_t pos, uint32_t word, void *out, size_t room)
{
	uint32_t stored = word & (STORED_PLAIN - 1);
	bool plain = word & STORED_PLAIN;
	auto_free void *packed = NULL;

	if (stored == 0 || stored > sq->info.block_size || !squash_inside(sq, pos, stored))
		return -EIO;
	if (plain && stored > room)
		return -EIO;
	/* All of one size, so that the next one has the pages of the last. */
	if (!plain && !(packed = malloc(sq->info.block_size)))
		return -ENOMEM;
	if (squash_read_at(sq, plain ? out : packed, stored, pos) != (ssize_t)stored)
		return -EIO;
	if (plain)
		return stored;
	if (!squash_unpack(sq, packed, stored, out, &room))
		return -EIO;
	return (ssize_t)room;
}

static struct block *data_block(struct squash *sq, uint64_t pos, uint32_t word)
{
	struct block *b;
	ssize_t size;
	bool mine;

	b = blocks_get(sq->cache, sq, pos, sq->info.block_size, &mine);
	if (!b || !mine)
		return b;
	size = data_unpack(sq, pos, word, b->data, b->cap);
	if (size < 0) {
		blocks_failed(b);
		return NULL;
	}
	blocks_ready(b, (uint32_t)size, word & (STORED_PLAIN - 1));
	return b;
}

/* The destination of a read: one of the two. */
struct sink {
	char *copy;
	struct squash_pieces *pieces;
};

/* n bytes at `off` of b, which holds them; b is let go, or held by the sink. */
static int sink_block(struct sink *to, struct block *b, uint32_t off, uint32_t n)
{
	struct squash_pieces *p = to->pieces;

	if (!p) {
		memcpy(to->copy, b->data + off, n);
		to->copy += n;
		block_put(b);
		return 0;
	}
	if (p->n == SQUASH_PIECES) {
		block_put(b);
		return -EOVERFLOW;
	}
	p->at[p->n] = (struct iovec){b->data + off, n};
	p->held[p->n++] = b;
	return 0;
}

static int sink_hole(struct sink *to, uint32_t n)
{
	if (to->pieces)
		return -EOVERFLOW;
	memset(to->copy, 0, n);
	to->copy += n;
	return 0;
}

/* n bytes at `off` of a block which holds at least `want`. */
static int read_part(struct squash *sq, uint64_t pos, uint32_t word, uint32_t want, uint32_t off,
	struct sink *to, uint32_t n)
{
	struct block *b;

	if (to->copy && off == 0 && n == want) {
		/* A whole block is cached by the kernel; in this cache it would only displace blocks that are read in
		 * pieces. */
		b = blocks_peek(sq->cache, sq, pos);
		if (!b) {
			if (data_unpack(sq, pos, word, to->copy, want) != want)
				return -EIO;
			to->copy += n;
			return 0;
		}
	} else {
		b = data_block(sq, pos, word);
	}
	if (b && b->size >= want)
		return sink_block(to, b, off, n);
	block_put(b);
	return -EIO;
}

static int read_fragment(
	struct squash *sq, const struct squash_inode *i, uint32_t off, struct sink *to, uint32_t n)
{
	unsigned char row[16];
	struct block *b;

	if (i->frag >= sq->n_frags || squash_row(sq, sq->frags_at, i->frag, row, sizeof(row)) < 0)
		return -EIO;
	b = data_block(sq, get64(row), get32(row + 8));
	if (b && (uint64_t)i->frag_off + off + n <= b->size)
		return sink_block(to, b, i->frag_off + off, n);
	block_put(b);
	return -EIO;
}

struct chain { /* of a file's blocks */
	struct squash_at at;
	struct block *held;
	uint64_t pos;
	bool lost; /* it could not be followed to where it was to lead */
};

static struct hint *hint_of(struct squash *sq, uint64_t ref)
{
	return &sq->hints[(ref ^ ref >> 16) % HINTS];
}

static int chain_next(struct squash *sq, struct chain *c, uint64_t *pos, uint32_t *word)
{
	unsigned char raw[4];

	if (squash_meta_on(sq, &c->at, &c->held, raw, 4) < 0) {
		c->lost = true;
		return -EIO;
	}
	*pos = c->pos;
	*word = get32(raw);
	c->pos += *word & (STORED_PLAIN - 1);
	return 0;
}

/* The chain at block k. */
static int chain_seek(struct squash *sq, const struct squash_inode *i, uint64_t k, struct chain *c)
{
	struct hint *h = hint_of(sq, i->ref);
	uint64_t at = 0, pos;
	uint32_t word;

	*c = (struct chain){.at = i->rest, .pos = i->start};
	pthread_mutex_lock(&sq->lock);
	if (h->ref == i->ref && h->index && h->index <= k) {
		at = h->index;
		c->at = h->at;
		c->pos = h->pos;
	}
	pthread_mutex_unlock(&sq->lock);
	if (k - at > WALK_MAX) {
		c->lost = true;
		return -EFBIG;
	}
	for (; at < k; at++)
		if (chain_next(sq, c, &pos, &word) < 0)
			return -EIO;
	return 0;
}

static void chain_done(struct squash *sq, const struct squash_inode *i, uint64_t k, struct chain *c)
{
	pthread_mutex_lock(&sq->lock);
	if (!c->lost)
		*hint_of(sq, i->ref) = (struct hint){i->ref, k, c->pos, c->at};
	pthread_mutex_unlock(&sq->lock);
	block_put(c->held);
}

static int read_blocks(
	struct squash *sq, const struct squash_inode *i, uint64_t off, struct sink *to, size_t n)
{
	const uint32_t bs = sq->info.block_size;
	uint64_t k = off / bs;
	struct chain c;
	int r = chain_seek(sq, i, k, &c);

	while (r == 0 && n > 0) {
		uint64_t left = i->size - k * bs, pos;
		uint32_t want = left < bs ? (uint32_t)left : bs, skip = off % bs, part, word;

		part = want - skip < n ? want - skip : (uint32_t)n;
		r = chain_next(sq, &c, &pos, &word);
		if (r < 0)
			break;
		r = word == 0 ? sink_hole(to, part) : read_part(sq, pos, word, want, skip, to, part);
		k++;
		off += part;
		n -= part;
	}
	chain_done(sq, i, k, &c);
	return r;
}

static ssize_t read_to(
	struct squash *sq, const struct squash_inode *i, uint64_t off, struct sink *to, size_t n)
{
	const uint32_t bs = sq->info.block_size;
	uint64_t in_blocks = i->frag == NONE ? i->size : i->size - i->size % bs;
	size_t first = 0;
	int r = 0;

	if (!S_ISREG(i->mode))
		return -EINVAL;
	if (off >= i->size)
		return 0;
	if (n > i->size - off)
		n = i->size - off;
	if (off < in_blocks) {
		first = n < in_blocks - off ? n : in_blocks - off;
		r = read_blocks(sq, i, off, to, first);
	}
	if (r == 0 && first < n)
		r = read_fragment(sq, i, (uint32_t)(off + first - in_blocks), to, (uint32_t)(n - first));
	return r < 0 ? r : (ssize_t)n;
}

ssize_t squash_read(struct squash *sq, const struct squash_inode *i, uint64_t off, void *buf, size_t n)
{
	struct sink to = {.copy = buf};

	return read_to(sq, i, off, &to, n);
}

ssize_t squash_pieces(struct squash *sq, const struct squash_inode *i, uint64_t off, size_t n,
	struct squash_pieces *out)
{
	struct sink to = {.pieces = out};
	ssize_t r;

	out->n = 0;
	r = read_to(sq, i, off, &to, n);
	for (; r < 0 && out->n > 0; out->n--)
		block_put(out->held[out->n - 1]);
	return r;
}

void squash_pieces_done(struct squash_pieces *p)
{
	for (; p->n > 0; p->n--)
		block_passed_on(p->held[p->n - 1], p->at[p->n - 1].iov_len);
}

/* Again it would cost more than it gives: what was passed on already is not in the cache any more. */
static bool ahead_already(struct squash *sq, uint64_t ref)
{
	unsigned now = blocks_trimmed(sq->cache);
	bool already = false;

	pthread_mutex_lock(&sq->lock);
	if (sq->ahead_in != now) {
		memset(sq->ahead, 0, sizeof(sq->ahead));
		sq->ahead_in = now;
	}
	for (int k = 0; k < AHEADS && !already; k++)
		already = sq->ahead[k] == ref + 1;
	if (!already)
		sq->ahead[sq->n_ahead++ % AHEADS] = ref + 1; /* + 1, as 0 means none */
	pthread_mutex_unlock(&sq->lock);
	return already;
}

void squash_ahead(struct squash *sq, const struct squash_inode *i)
{
	const uint32_t bs = sq->info.block_size;
	uint64_t end = (i->size < AHEAD ? i->size : AHEAD) / bs, k = 0; /* whole blocks */
	struct chain c;
	char last;
	int r;

	if (!S_ISREG(i->mode) || ahead_already(sq, i->ref))
		return;
	r = chain_seek(sq, i, k, &c);
	while (r == 0 && k < end) {
		uint64_t pos;
		uint32_t word;

		r = chain_next(sq, &c, &pos, &word);
		if (r < 0)
			break;
		if (word != 0)
			block_put(data_block(sq, pos, word));
		k++;
		(void)sched_yield(); /* any thread that wants the processor has something more urgent to do */
	}
	chain_done(sq, i, k, &c);
	if (i->size % bs && i->size <= AHEAD)
		(void)squash_read(sq, i, i->size - 1, &last, 1); /* the rest, or the fragment that it lies in */
}
