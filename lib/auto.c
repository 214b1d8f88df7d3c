/* SPDX-License-Identifier: Apache-2.0 */
#include "auto.h"

#include <stdarg.h>
#include <string.h>

/* There is nothing sensible left to do for a program which cannot have a few bytes. */
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

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return or_die(n < 0 ? NULL : s);
}
