/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks: decoded blocks of squashfs images, shared by all threads of the image server.
 *
 * One thread decodes a block while other threads that want it wait, so that nothing is decompressed
 * twice at the same time: many small files share one fragment block, and the kernel's read-ahead
 * asks for a data block in several pieces. Blocks that nobody holds are kept up to a limit and dropped least recently used
 * first; before all others those that were passed on to the last byte, since the kernel caches them now.
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
	uint32_t size;   /* valid bytes of data */
	uint32_t stored; /* bytes that the block takes in the image, with its header */
	uint32_t cap;
	/* below: blocks.c only */
	int refs;
	uint32_t passed_on; /* bytes passed on, since it was filled or last asked for when spent */
	bool spent;         /* all of it was passed on */
	enum { BLOCK_LOADING, BLOCK_READY, BLOCK_FAILED } state;
	struct blocks *home;
	struct block *next; /* in its hash bucket */
	struct block *newer, *older;
	unsigned char data[];
};

struct blocks;

/* wake: an eventfd that is written to when the cache stops being empty: at the first block, and at the first one after a trim
 * that left none; or -1. */
struct blocks *blocks_new(size_t limit, int wake);
/* Drops all blocks that nobody holds, if no block came in since the last call. True: it dropped them. */
bool blocks_trim(struct blocks *c);
unsigned blocks_trimmed(struct blocks *c); /* how often blocks_trim() returned true */
/* Only when nobody holds a block any more. */
void blocks_free(struct blocks *c);
/* The block with room for at least `cap` bytes. *mine: the caller must fill it. NULL: there is no
 * memory, or the thread that was filling it failed. */
struct block *blocks_get(struct blocks *c, const void *owner, uint64_t pos, uint32_t cap, bool *mine);
/* The block only if it is there already, or another thread is filling it: then it waits for that. Else NULL. */
struct block *blocks_peek(struct blocks *c, const void *owner, uint64_t pos);
void blocks_ready(struct block *b, uint32_t size, uint32_t stored);
/* Like blocks_ready(), but releases the caller's hold. */
void blocks_failed(struct block *b);
void block_put(struct block *b); /* takes NULL */
/* block_put() after n bytes were passed on to the kernel, which caches them. */
void block_passed_on(struct block *b, size_t n);
/* Forgets the blocks of an owner, none of which may be held. */
void blocks_forget(struct blocks *c, const void *owner);
