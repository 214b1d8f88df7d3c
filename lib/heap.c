/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap: malloc() for the program that is linked with musl, whose own asks the kernel for pages all the time: 40 system calls
 * and as many page faults in a `run`, 0.4 of its 4 ms.
 *
 * A chunk has one of 32 small sizes, or above these one of four sizes in each doubling; free chunks of a size are in a list.
 * New chunks are cut from a piece of memory, of which the first one is part of the program: most commands never need another.
 * A large chunk is a mapping of its own; sys_trim_heap() unmaps free ones. Memory that was never used is known to be zero,
 * so calloc() does not touch it.
 *
 * Locking takes longer than everything else, so there is no locking until there are threads. None of our processes with
 * threads forks.
 */
#include "sys.h"

#ifndef __GLIBC__
#include <errno.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define STEP     16
#define SMALL    512                 /* 2^9: up to here all multiples of STEP */
#define LARGE    ((size_t)64 << 10)  /* from this size on a chunk is a mapping of its own */
#define HUGE     ((size_t)16 << 20)  /* from this size on a free chunk is unmapped at once */
#define KEEP     ((size_t)8 << 20)   /* of large ones that are free */
#define PIECE    ((size_t)256 << 10) /* what the kernel is asked for */
#define SIZES    (SMALL / STEP + 4 * 16)
#define IN_USE   0x7573u
#define IS_FREE  0x6672u
#define NOT_KEPT UINT16_MAX

/* Precedes each chunk. An aligned one has a second header, which leads to the first. */
struct head {
	union {
		size_t room;       /* behind the head */
		struct head *next; /* in its list, while it is free */
	};
	uint32_t back; /* the distance from an aligned chunk to its real beginning; else 0 */
	uint16_t size; /* index of its list */
	uint16_t state;
};

static_assert(sizeof(struct head) == STEP, "chunks are aligned as malloc() promises");

static struct {
	pthread_mutex_t lock;
	struct head *free[SIZES];
	char *at, *end; /* of the piece that is cut from */
	size_t kept;    /* bytes of large chunks in the lists */
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

static alignas(64) char first_piece[96 << 10];

/* The list for n bytes. */
static unsigned size_of(size_t n)
{
	unsigned top, quarter;

	if (n <= SMALL)
		return n ? (unsigned)((n - 1) / STEP) : 0;
	top = 63 - (unsigned)__builtin_clzl(n - 1); /* 2^top <= n - 1 */
	quarter = (unsigned)((n - 1) >> (top - 2)) & 3;
	return SMALL / STEP + (top - 9) * 4 + quarter;
}

/* What all in a list have. */
static size_t room_of(unsigned size)
{
	unsigned top = 9 + (size - SMALL / STEP) / 4, quarter = (size - SMALL / STEP) % 4;

	if (size < SMALL / STEP)
		return (size_t)(size + 1) * STEP;
	return ((size_t)1 << top) + (size_t)(quarter + 1) * ((size_t)1 << (top - 2));
}

static void *map(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* ---- the lock, which is taken only while there are threads to keep out ---- */

static atomic_int others; /* threads beside the first */

struct work {
	void *(*function)(void *arg);
	void *arg;
};

static void *begin(void *arg)
{
	struct work w = *(struct work *)arg;
	void *result;

	free(arg);
	result = w.function(w.arg);
	(void)atomic_fetch_sub(&others, 1); /* it allocates nothing any more */
	return result;
}

/* The linker puts this in front of libc's pthread_create() (--wrap). A thread that does not return from its function
 * counts for ever. */
int __real_pthread_create(pthread_t *id, const pthread_attr_t *how, void *(*function)(void *), void *arg);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *how, void *(*function)(void *), void *arg);
int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *how, void *(*function)(void *), void *arg)
{
	struct work *w = malloc(sizeof(*w));
	int error;

	if (!w)
		return EAGAIN;
	*w = (struct work){function, arg};
	(void)atomic_fetch_add(&others, 1);
	error = __real_pthread_create(id, how, begin, w);
	if (error) {
		(void)atomic_fetch_sub(&others, 1);
		free(w);
	}
	return error;
}

static bool lock(void)
{
	return atomic_load(&others) && pthread_mutex_lock(&heap.lock) == 0;
}

static void unlock(bool locked)
{
	if (locked)
		(void)pthread_mutex_unlock(&heap.lock); /* it is ours */
}

/* ---- chunks ---- */

/* To be called under the lock. What is left of the old piece is wasted: less than a large chunk, of every 256 KiB. */
static struct head *cut(size_t n)
{
	struct head *h;

	if (!heap.at) {
		heap.at = first_piece;
		heap.end = first_piece + sizeof(first_piece);
	}
	if ((size_t)(heap.end - heap.at) < n) {
		char *piece = map(PIECE);

		if (!piece)
			return NULL;
		heap.at = piece;
		heap.end = piece + PIECE;
	}
	h = (struct head *)(void *)heap.at;
	heap.at += n;
	return h;
}

static size_t in_pages(size_t n)
{
	return (n + 4095) & ~(size_t)4095;
}

/* The usable size of a chunk for n bytes, and the list for that size. */
static size_t room_for(size_t n, unsigned *size)
{
	*size = n < HUGE ? size_of(n) : NOT_KEPT;
	return n < HUGE ? room_of(*size) : in_pages(n + sizeof(struct head)) - sizeof(struct head);
}

/* *fresh: it was never used. */
static void *take(size_t n, bool *fresh)
{
	struct head *h;
	unsigned size;
	size_t room;
	bool locked;

	*fresh = true;
	if (n > PTRDIFF_MAX - PIECE) {
		errno = ENOMEM;
		return NULL;
	}
	room = room_for(n, &size);
	if (size == NOT_KEPT) {
		h = map(room + sizeof(*h));
	} else {
		locked = lock();
		h = heap.free[size];
		if (h) {
			heap.free[size] = h->next;
			heap.kept -= room >= LARGE ? room : 0;
			*fresh = false;
		} else if (room < LARGE) {
			h = cut(room + sizeof(*h));
		}
		unlock(locked);
		if (!h && room >= LARGE)
			h = map(in_pages(room + sizeof(*h)));
	}
	if (!h) {
		errno = ENOMEM;
		return NULL;
	}
	*h = (struct head){.room = room, .size = (uint16_t)size, .state = IN_USE};
	return h + 1;
}

/* The header of a chunk in use; a program that frees anything else is ended here rather than later. */
static struct head *head_of(void *p)
{
	struct head *h = (struct head *)p - 1;

	if (h->state != IN_USE)
		abort();
	if (!h->back)
		return h;
	h = (struct head *)(void *)((char *)p - h->back) - 1;
	if (h->state != IN_USE)
		abort();
	return h;
}

void *malloc(size_t n)
{
	bool fresh;

	return take(n, &fresh);
}

void *calloc(size_t n, size_t each)
{
	size_t all;
	bool fresh;
	void *p;

	if (__builtin_mul_overflow(n, each, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	p = take(all, &fresh);
	if (p && !fresh)
		memset(p, 0, all);
	return p;
}

void free(void *p)
{
	int before = errno;
	struct head *h;
	size_t room;
	bool locked;

	if (!p)
		return;
	h = head_of(p);
	room = h->room;
	h->state = IS_FREE;
	if (h->size != NOT_KEPT) {
		locked = lock();
		if (room < LARGE || heap.kept + room <= KEEP) {
			heap.kept += room >= LARGE ? room : 0;
			h->next = heap.free[h->size];
			heap.free[h->size] = h;
			h = NULL;
		}
		unlock(locked);
	}
	if (h)
		(void)munmap(h, in_pages(room + sizeof(*h)));
	errno = before;
}

/* The pages of a large chunk are moved without being copied. */
static void *remap(struct head *h, size_t n)
{
	unsigned size;
	size_t room = room_for(n, &size);
	struct head *moved =
		mremap(h, in_pages(h->room + sizeof(*h)), in_pages(room + sizeof(*h)), MREMAP_MAYMOVE);

	if (moved == MAP_FAILED)
		return NULL;
	moved->room = room;
	moved->size = (uint16_t)size;
	return moved + 1;
}

void *realloc(void *p, size_t n)
{
	struct head *h;
	size_t had;
	void *q;

	if (!p)
		return malloc(n);
	h = head_of(p);
	had = h->room - (size_t)((char *)p - (char *)(h + 1));
	if (n <= had && (n >= had / 4 || had <= SMALL))
		return p;
	if (h->room >= LARGE && h + 1 == p && n >= LARGE && n < PTRDIFF_MAX - PIECE)
		return remap(h, n);
	q = malloc(n);
	if (!q)
		return NULL;
	memcpy(q, p, n < had ? n : had);
	free(p);
	return q;
}

void *aligned_alloc(size_t align, size_t n)
{
	char *p, *q;

	if (align & (align - 1) || align > UINT32_MAX / 2) {
		errno = EINVAL;
		return NULL;
	}
	if (align <= STEP)
		return malloc(n);
	if (n > PTRDIFF_MAX - PIECE - align) {
		errno = ENOMEM;
		return NULL;
	}
	p = malloc(n + align);
	if (!p)
		return NULL;
	q = (char *)(((uintptr_t)p + align - 1) & ~(uintptr_t)(align - 1));
	if (q != p) /* the two are STEP or more apart, as both are multiples of it */
		((struct head *)(void *)q)[-1] =
			(struct head){.back = (uint32_t)(q - p), .state = IN_USE};
	return q;
}

/* The small ones stay: a sleeper has few. */
void sys_trim_heap(void)
{
	bool locked = lock();

	for (unsigned i = 0; i < SIZES; i++) {
		size_t room = room_of(i);

		while (room >= LARGE && heap.free[i]) {
			struct head *h = heap.free[i];

			heap.free[i] = h->next;
			heap.kept -= room;
			(void)munmap(h, in_pages(room + sizeof(*h)));
		}
	}
	unlock(locked);
}
#endif
