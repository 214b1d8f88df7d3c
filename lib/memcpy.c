/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memcpy() for the program that is linked with musl, whose own is a single string instruction on x86-64: about 30 cycles
 * before the first byte, whatever the size. This program mostly copies words of about 16 bytes.
 */
#ifndef __GLIBC__
#include <stdint.h>
#include <string.h>

/* Or a loop here would be made a call of memcpy(). */
#define AS_WRITTEN __attribute__((optimize("no-tree-loop-distribute-patterns")))

#ifdef __x86_64__
enum { LONG = 1024 }; /* from this length on the string instruction's start does not matter */

static AS_WRITTEN void copy_long(char *to, const char *from, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}
#else
enum { LONG = INT32_MAX };

static AS_WRITTEN void copy_long(char *to, const char *from, size_t n)
{
	while (n--)
		*to++ = *from++;
}
#endif

typedef struct {
	uint64_t low, high;
} pair;

/* Copies the first and the last bytes, which overlap if n is less than both together. */
#define COPY_ENDS(type, to, from, n)                                                   \
	do {                                                                           \
		type first_, last_;                                                    \
		__builtin_memcpy(&first_, (from), sizeof(first_));                     \
		__builtin_memcpy(&last_, (from) + (n) - sizeof(last_), sizeof(last_)); \
		__builtin_memcpy((to), &first_, sizeof(first_));                       \
		__builtin_memcpy((to) + (n) - sizeof(last_), &last_, sizeof(last_));   \
	} while (0)

static void copy_short(char *to, const char *from, size_t n)
{
	if (n >= sizeof(uint64_t))
		COPY_ENDS(uint64_t, to, from, n);
	else if (n >= sizeof(uint32_t))
		COPY_ENDS(uint32_t, to, from, n);
	else if (n >= sizeof(uint16_t))
		COPY_ENDS(uint16_t, to, from, n);
	else if (n)
		*to = *from;
}

/* Upwards, so that `to` may lie in what follows it: memmove() relies on that. The last bytes are read before
 * anything is written over them. */
static AS_WRITTEN void *copy_up(char *to, const char *from, size_t n)
{
	pair last, one;

	if (n >= LONG) {
		copy_long(to, from, n);
		return to;
	}
	if (n <= sizeof(pair)) {
		copy_short(to, from, n);
		return to;
	}
	__builtin_memcpy(&last, from + n - sizeof(last), sizeof(last));
	for (size_t at = 0; at + sizeof(one) < n; at += sizeof(one)) {
		__builtin_memcpy(&one, from + at, sizeof(one));
		__builtin_memcpy(to + at, &one, sizeof(one));
	}
	__builtin_memcpy(to + n - sizeof(last), &last, sizeof(last));
	return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	return copy_up(to, from, n);
}

/* What musl's memmove() calls where it copies upwards. */
void *__memcpy_fwd(void *to, const void *from, size_t n);
void *__memcpy_fwd(void *to, const void *from, size_t n)
{
	return copy_up(to, from, n);
}
#endif
