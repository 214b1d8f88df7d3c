/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks: decoded blocks of squashfs images, shared by all threads of the image server.
 *
 * One thread decodes a block while the others who want it wait, so that nothing is decompressed
 * twice at the same time: many small files share one fragment block, and the kernel's read-ahead
 * asks for a data block in several pieces. What nobody holds is kept up to a limit, and given
 * up in the order in which it was last used; first what was passed on to its last byte, which the kernel has now.
 *
 *	struct block *b = blocks_get(cache, owner, pos, cap, &mine);
 *	if (b && mine)
 *		... fill b->data, then blocks_ready(b, size) or blocks_failed(b)
 *	...
 *	block_put(b);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block {
	const void *owner; /* owner and pos are the key */
	uint64_t pos;
	uint32_t size;   /* bytes of data which are valid */
	uint32_t stored; /* bytes it takes in the image, its header included */
	uint32_t cap;
	/* below: blocks.c only */
	int refs;
	uint32_t passed_on; /* bytes, since it was filled or asked for after all were */
	bool spent;         /* it was passed on whole */
	enum { BLOCK_LOADING, BLOCK_READY, BLOCK_FAILED } state;
	struct blocks *home;
	struct block *next; /* in its hash bucket */
	struct block *newer, *older;
	unsigned char data[];
};

struct blocks;

/* wake: an eventfd which is written when the first block comes in, and the first after each trim
 * that left none; -1: none. */
struct blocks *blocks_new(size_t limit, int wake);
/* Gives up what nobody holds, if nothing came in since the last call. True: it did. */
bool blocks_trim(struct blocks *c);
unsigned blocks_trimmed(struct blocks *c); /* how often it did */
/* Nobody holds a block any more. */
void blocks_free(struct blocks *c);
/* The block with room for at least `cap` bytes. *mine: the caller must fill it. NULL: there is no
 * memory, or the thread that was filling it failed. */
struct block *blocks_get(struct blocks *c, const void *owner, uint64_t pos, uint32_t cap, bool *mine);
/* Only if it is there, or somebody is filling it: then when that is done. */
struct block *blocks_peek(struct blocks *c, const void *owner, uint64_t pos);
void blocks_ready(struct block *b, uint32_t size, uint32_t stored);
/* The caller's hold is given up, too. */
void blocks_failed(struct block *b);
void block_put(struct block *b); /* takes NULL */
/* The same, after n bytes of it went where they are kept. */
void block_passed_on(struct block *b, size_t n);
/* An owner goes: its blocks are forgotten. It holds none. */
void blocks_forget(struct blocks *c, const void *owner);
