/* SPDX-License-Identifier: Apache-2.0 */
#include "blocks.h"

#include "sys.h"

#include "auto.h"

#include <pthread.h>
#include <sys/eventfd.h>

#define BUCKETS  4096
#define POPULATE (64u << 10)
/* From this size on spent blocks make room for new ones: touching fresh pages takes a fifth of the time of decoding
 * into them. */
#define ENOUGH (4u << 20)

struct blocks {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	size_t bytes, limit;
	int wake;
	unsigned trimmed;
	bool woken, busy; /* woken: `wake` was written to; busy: a block came in since the last trim */
	struct block *newest, *oldest; /* all which are filled */
	struct block *bucket[BUCKETS];
};

struct blocks *blocks_new(size_t limit, int wake)
{
	struct blocks *c = xcalloc(1, sizeof(*c));

	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->filled, NULL);
	c->limit = limit;
	c->wake = wake;
	return c;
}

static struct block **bucket_of(struct blocks *c, const void *owner, uint64_t pos)
{
	uint64_t h = (pos ^ (uint64_t)(uintptr_t)owner << 13) * 0x9e3779b97f4a7c15ull;

	return &c->bucket[h >> 52];
}

static_assert(BUCKETS == 1 << (64 - 52), "the hash has as many bits as there are buckets");

static struct block *find(struct blocks *c, const void *owner, uint64_t pos)
{
	struct block *b = *bucket_of(c, owner, pos);

	while (b && (b->pos != pos || b->owner != owner))
		b = b->next;
	return b;
}

static void unhash(struct block *b)
{
	struct block **at = bucket_of(b->home, b->owner, b->pos);

	while (*at != b)
		at = &(*at)->next;
	*at = b->next;
}

static void lru_remove(struct block *b)
{
	struct blocks *c = b->home;

	*(b->newer ? &b->newer->older : &c->newest) = b->older;
	*(b->older ? &b->older->newer : &c->oldest) = b->newer;
}

static void lru_add(struct block *b)
{
	struct blocks *c = b->home;

	b->newer = NULL;
	b->older = c->newest;
	*(c->newest ? &c->newest->newer : &c->oldest) = b;
	c->newest = b;
}

/* Puts it where it is dropped first. */
static void lru_add_oldest(struct block *b)
{
	struct blocks *c = b->home;

	b->older = NULL;
	b->newer = c->oldest;
	*(c->oldest ? &c->oldest->older : &c->newest) = b;
	c->oldest = b;
}

static void drop(struct block *b)
{
	lru_remove(b);
	unhash(b);
	b->home->bytes -= b->cap;
	free(b);
}

static struct block *spent(struct blocks *c, uint32_t cap)
{
	for (struct block *b = c->bytes < ENOUGH ? NULL : c->oldest; b && b->spent; b = b->newer)
		if (b->refs == 0 && b->cap == cap)
			return b;
	return NULL;
}

/* Makes room for cap bytes, reusing a dropped block of exactly that size: returning 128 KiB to the kernel and asking
 * for them again would cost page faults for each block. */
static struct block *room(struct blocks *c, uint32_t cap)
{
	struct block *b = spent(c, cap), *newer;

	if (b) {
		lru_remove(b);
		unhash(b);
		return b;
	}
	for (b = c->oldest; b && c->bytes + cap > c->limit; b = newer) {
		newer = b->newer;
		if (b->refs)
			continue;
		if (b->cap == cap) {
			lru_remove(b);
			unhash(b);
			return b;
		}
		drop(b);
	}
	b = malloc(sizeof(*b) + cap);
	if (!b)
		return NULL;
	c->bytes += cap;
	/* Populates all pages in one call instead of a fault for every 4 KiB; old kernels cannot. */
	if (cap >= POPULATE)
		(void)sys_populate(b, sizeof(*b) + cap);
	return b;
}

static struct block *add(struct blocks *c, const void *owner, uint64_t pos, uint32_t cap)
{
	struct block *b = room(c, cap), **bucket = bucket_of(c, owner, pos);

	if (!b)
		return NULL;
	*b = (struct block){.owner = owner,
		.pos = pos,
		.cap = cap,
		.refs = 1,
		.state = BLOCK_LOADING,
		.home = c,
		.next = *bucket};
	*bucket = b;
	c->busy = true;
	if (!c->woken && c->wake >= 0)
		c->woken = eventfd_write(c->wake, 1) == 0;
	return b;
}

static void put_locked(struct block *b)
{
	if (--b->refs == 0 && b->state == BLOCK_FAILED)
		free(b);
}

/* b, held; NULL when it could not be filled. */
static struct block *wait_filled(struct blocks *c, struct block *b)
{
	b->refs++;
	while (b->state == BLOCK_LOADING)
		pthread_cond_wait(&c->filled, &c->lock);
	if (b->state == BLOCK_READY)
		return b;
	put_locked(b);
	return NULL;
}

struct block *blocks_get(struct blocks *c, const void *owner, uint64_t pos, uint32_t cap, bool *mine)
{
	struct block *b;

	*mine = false;
	pthread_mutex_lock(&c->lock);
	b = find(c, owner, pos);
	if (!b) {
		b = add(c, owner, pos, cap);
		*mine = true;
		goto out;
	}
	b = wait_filled(c, b);
	/* A hostile image may use the same place as blocks of two sizes. */
	if (b && b->cap < cap) {
		put_locked(b);
		b = NULL;
	} else if (b && (c->newest != b || b->spent)) {
		lru_remove(b);
		lru_add(b);
		if (b->spent)
			b->passed_on = 0;
		b->spent = false;
	}
out:
	pthread_mutex_unlock(&c->lock);
	return b;
}

struct block *blocks_peek(struct blocks *c, const void *owner, uint64_t pos)
{
	struct block *b;

	pthread_mutex_lock(&c->lock);
	b = find(c, owner, pos);
	if (b)
		b = wait_filled(c, b);
	pthread_mutex_unlock(&c->lock);
	return b;
}

void blocks_ready(struct block *b, uint32_t size, uint32_t stored)
{
	struct blocks *c = b->home;

	assert(size <= b->cap);
	pthread_mutex_lock(&c->lock);
	b->size = size;
	b->stored = stored;
	b->state = BLOCK_READY;
	lru_add(b);
	pthread_cond_broadcast(&c->filled);
	pthread_mutex_unlock(&c->lock);
}

void blocks_failed(struct block *b)
{
	struct blocks *c = b->home;

	pthread_mutex_lock(&c->lock);
	b->state = BLOCK_FAILED;
	unhash(b);
	c->bytes -= b->cap;
	pthread_cond_broadcast(&c->filled);
	put_locked(b);
	pthread_mutex_unlock(&c->lock);
}

void block_put(struct block *b)
{
	struct blocks *c = b ? b->home : NULL;

	if (!b)
		return;
	pthread_mutex_lock(&c->lock);
	put_locked(b);
	pthread_mutex_unlock(&c->lock);
}

void block_passed_on(struct block *b, size_t n)
{
	struct blocks *c = b->home;

	pthread_mutex_lock(&c->lock);
	n += b->passed_on;
	b->passed_on = n < b->size ? (uint32_t)n : b->size;
	if (b->passed_on == b->size && !b->spent) {
		b->spent = true;
		lru_remove(b);
		lru_add_oldest(b);
	}
	put_locked(b);
	pthread_mutex_unlock(&c->lock);
}

void blocks_forget(struct blocks *c, const void *owner)
{
	struct block *newer;

	pthread_mutex_lock(&c->lock);
	for (struct block *b = c->oldest; b; b = newer) {
		newer = b->newer;
		if (b->owner == owner)
			drop(b);
	}
	pthread_mutex_unlock(&c->lock);
}

bool blocks_trim(struct blocks *c)
{
	struct block *newer;
	bool trim;

	pthread_mutex_lock(&c->lock);
	trim = !c->busy;
	c->busy = false;
	for (struct block *b = trim ? c->oldest : NULL; b; b = newer) {
		newer = b->newer;
		if (b->refs == 0)
			drop(b);
	}
	if (trim) {
		c->woken = false;
		c->trimmed++;
	}
	pthread_mutex_unlock(&c->lock);
	if (trim)
		sys_trim_heap();
	return trim;
}

unsigned blocks_trimmed(struct blocks *c)
{
	unsigned n;

	pthread_mutex_lock(&c->lock);
	n = c->trimmed;
	pthread_mutex_unlock(&c->lock);
	return n;
}

void blocks_free(struct blocks *c)
{
	if (!c)
		return;
	while (c->oldest)
		drop(c->oldest);
	pthread_cond_destroy(&c->filled);
	pthread_mutex_destroy(&c->lock);
	free(c);
}
