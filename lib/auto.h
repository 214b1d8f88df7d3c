/* SPDX-License-Identifier: Apache-2.0 */
/*
 * auto: ownership is visible. What a variable marked auto_x holds is released at the end of its scope; take(p) and
 * take_fd(&fd) hand it over to somebody else. The x...() functions never return NULL: without memory they end the process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* offsetof() for the rows of tables; does not compile if the member's type is not `want`. */
#define MEMBER_AT(T, member, want)                                                              \
	(offsetof(T, member) + 0 * sizeof(struct {                                              \
		static_assert(__builtin_types_compatible_p(__typeof__(((T *)0)->member), want), \
			"a row and its member differ in type");                                 \
		int unused;                                                                     \
	}))

static inline void auto_free_(void *p)
{
	free(*(void **)p);
}

static inline void auto_close_(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd); /* given up: nothing to do if it fails */
}

static inline void auto_fclose_(FILE **f)
{
	if (*f)
		(void)fclose(*f); /* likewise; writers call fclose() themselves and check it */
}

#define auto_free   __attribute__((cleanup(auto_free_)))
#define auto_close  __attribute__((cleanup(auto_close_)))
#define auto_fclose __attribute__((cleanup(auto_fclose_)))

/* Hands a pointer over: the variable becomes NULL. */
#define take(p)                         \
	({                              \
		__typeof__(p) t_ = (p); \
		(p) = NULL;             \
		t_;                     \
	})

static inline int take_fd(int *fd)
{
	int t = *fd;
	*fd = -1;
	return t;
}

void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *p, size_t n, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
