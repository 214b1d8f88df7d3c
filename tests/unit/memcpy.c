/* SPDX-License-Identifier: Apache-2.0 */
/* The program's memcpy() and memmove(), whichever libc it is linked with. */
#include "tap.h"

#include <stdbool.h>
#include <string.h>

enum { ROOM = 5000 };

static unsigned char from[ROOM], to[ROOM], want[ROOM];
static void *(*volatile copy)(void *, const void *, size_t) = memcpy; /* not the compiler's own */
static void *(*volatile move)(void *, const void *, size_t) = memmove;

static bool copies(size_t at, size_t n)
{
	memset(to, 0xaa, sizeof(to));
	if (copy(to + at, from + 3, n) != to + at)
		return false;
	for (size_t i = 0; i < ROOM; i++)
		if (to[i] != (i >= at && i < at + n ? from[3 + i - at] : 0xaa))
			return false;
	return true;
}

/* Within one array, which overlaps. */
static bool moves(size_t at, size_t source, size_t n)
{
	for (size_t i = 0; i < ROOM; i++)
		to[i] = want[i] = from[i];
	for (size_t i = 0; i < n; i++)
		want[at + i] = from[source + i];
	(void)move(to + at, to + source, n);
	for (size_t i = 0; i < ROOM; i++)
		if (to[i] != want[i])
			return false;
	return true;
}

int main(void)
{
	bool right = true;

	for (size_t i = 0; i < ROOM; i++)
		from[i] = (unsigned char)(i * 7 + i / 256);
	for (size_t n = 0; n < 200; n++)
		for (size_t at = 0; at < 17; at++)
			right &= copies(at, n);
	ok(right, "every small size, wherever it begins");
	for (size_t n = 1000; n < 1100; n++)
		right &= copies(n % 16, n);
	ok(right && copies(1, 4500), "and large ones");
	for (size_t n = 0; n < 100; n++)
		for (size_t step = 0; step < 40; step++)
			right &= moves(100, 100 + step, n) && moves(100 + step, 100, n);
	ok(right, "memmove() up and down, over what it reads");
	for (size_t step = 1; step < 40; step++)
		right &= moves(100, 100 + step, 2000) && moves(100 + step, 100, 2000);
	ok(right, "much of it");
	return done_testing();
}
