/* SPDX-License-Identifier: Apache-2.0 */
#include "auto.h"

#include <stdarg.h>
#include <string.h>

/* A program that cannot get a few bytes has nothing sensible left to do. */
static void *or_die(void *p)
{
	static const char text[] = "sbx: out of memory\n";

	if (p)
		return p;
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1); /* the process ends here anyway */
	_exit(125);
}

void *xcalloc(size_t n, size_t size)
{
	return or_die(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t n, size_t size)
{
	return or_die(reallocarray(p, n ? n : 1, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return or_die(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return or_die(strndup(s, n));
}

/* Most texts are short: they are formatted once, where vasprintf() formats twice. */
char *xasprintf(const char *fmt, ...)
{
	char room[256], *s;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(room, sizeof(room), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(room)) {
		s = malloc((size_t)n + 1);
		return s ? memcpy(s, room, (size_t)n + 1) : or_die(s);
	}
	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return or_die(n < 0 ? NULL : s);
}
