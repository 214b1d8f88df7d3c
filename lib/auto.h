/* SPDX-License-Identifier: Apache-2.0 */
/*
 * auto: ownership is visible. A variable marked auto_x releases at the end of its scope;
 * take(p) and take_fd(&fd) hand over. Small allocations cannot fail: they end the process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* offsetof() for rows of tables; a member of another type than the row's does not compile. */
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
		(void)close(*fd); /* nothing to do about a failing close of what is given up */
}

static inline void auto_fclose_(FILE **f)
{
	if (*f)
		(void)fclose(*f); /* as above; writers call fclose themselves and look */
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
