/* SPDX-License-Identifier: Apache-2.0 */
#include "err.h"

#include "str.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static_assert(sizeof(struct err) < 4096, "an err must reach the parent in one write to a pipe");

static enum err_kind kind_of_errno(int sys)
{
	switch (sys) {
	case ENOENT:
		return ERR_NOT_FOUND;
	case EEXIST:
		return ERR_CONFLICT;
	case EPERM:
	case EACCES:
		return ERR_DENIED;
	case ENOSYS:
	case EOPNOTSUPP:
		return ERR_UNSUPPORTED;
	default:
		return ERR_SYSTEM;
	}
}

/* The text may contain untrusted names and be printed to a terminal: replaces control characters. */
static void tame(struct err *e)
{
	char out[sizeof(e->text)];
	size_t n = 0, len = strlen(e->text), bytes;
	bool any = false;

	for (size_t i = 0; i < len && n + sizeof("\\u009b") <= sizeof(out); i += bytes ? bytes : 1) {
		bytes = str_commands(e->text + i, len - i);
		any |= bytes > 0;
		if (bytes)
			n += (size_t)snprintf(out + n, sizeof(out) - n, bytes == 2 ? "\\u%04x" : "\\x%02x",
				(unsigned char)e->text[i + bytes - 1]); /* fits; the second of two is the character's number */
		else
			out[n++] = e->text[i];
	}
	out[n] = '\0';
	if (any)
		memcpy(e->text, out, n + 1);
}

int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	va_list ap;

	e->kind = kind;
	e->sys = 0;
	va_start(ap, fmt);
	(void)vsnprintf(e->text, sizeof(e->text), fmt, ap); /* cut where too long */
	va_end(ap);
	tame(e);
	return -1;
}

/* What errno's text leaves out: whose limit it was. A caller that could wait and retry does not get here with
 * EAGAIN. */
static const char *limit_of(int sys)
{
	switch (sys) {
	case EMFILE:
		return " (ulimit -n)";
	case EAGAIN:
		return " (too many processes or threads: ulimit -u, pids.max of the control group, kernel.pid_max)";
	default:
		return "";
	}
}

static int explain(struct err *e, bool go, const char *fmt, va_list ap)
{
	int sys = errno;
	const char *why = errno_text(sys);
	int n = vsnprintf(e->text, sizeof(e->text), fmt, ap);

	e->kind = kind_of_errno(sys);
	e->sys = sys;
	if (n >= 0 && (size_t)n < sizeof(e->text))
		(void)snprintf(e->text + n, sizeof(e->text) - (size_t)n, ": %c%s%s",
			go ? tolower((unsigned char)*why) : *why, why + 1,
			go && sys != EMFILE ? "" : limit_of(sys));
	tame(e);
	errno = sys;
	return -1;
}

int err_sys(struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)explain(e, false, fmt, ap);
	va_end(ap);
	return -1;
}

int err_go(struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)explain(e, true, fmt, ap);
	va_end(ap);
	return -1;
}

int err_ctx(struct err *e, const char *fmt, ...)
{
	char cause[sizeof(e->text)];
	va_list ap;
	int n;

	memcpy(cause, e->text, sizeof(cause));
	va_start(ap, fmt);
	n = vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(e->text))
		(void)snprintf(e->text + n, sizeof(e->text) - (size_t)n, ": %s", cause);
	tame(e);
	return -1;
}

void err_heard(struct err *e)
{
	if ((unsigned)e->kind >= ERR_KINDS)
		e->kind = ERR_SYSTEM;
	e->text[sizeof(e->text) - 1] = '\0';
	tame(e);
}

void err_clear(struct err *e)
{
	e->kind = ERR_NONE;
	e->sys = 0;
	e->text[0] = '\0';
}

int err_exit_status(const struct err *e, int fallback)
{
	switch (e->kind) {
	case ERR_NO_COMMAND:
		return 127;
	case ERR_NOT_EXECUTABLE:
		return 126;
	default:
		return fallback;
	}
}
