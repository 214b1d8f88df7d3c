/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "state.h"
#include "sys.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pid_t who; /* the process that called say_ended() */
static int lost;  /* errno of the first failed write to standard output */
static struct buf held;

/* Children have this handler until they exec, and are to die of the signal. */
static void exit_by(int signo)
{
	if (getpid() == who)
		_exit(128 + signo);
	(void)signal(signo, SIG_DFL);
	(void)raise(signo);
}

void say_ended(void)
{
	who = getpid();
	(void)signal(SIGINT, exit_by);
	(void)signal(SIGTERM, exit_by);
}

int say_as_daemon(struct err *e)
{
	/* docker's client itself refuses empty names */
	bool by_client = str_ends(e->text, " name or ID: value is empty") ||
	                 str_eq(e->text, STATE_IS_LIST) ||
	                 str_eq(e->text, "container name cannot be empty");

	return by_client ? -1 : err_ctx(e, "Error response from daemon");
}

void say_daemon_error(const struct err *e)
{
	struct err told = *e;

	(void)say_as_daemon(&told);
	(void)fprintf(stderr, "%s\n", told.text);
}

void say_run_error(const char *command, const struct err *e)
{
	(void)fprintf(stderr,
		"docker: Error response from daemon: %s\n\n"
		"Run 'docker %s --help' for more information\n",
		e->text, command);
}

void say_client_error(const char *command, const struct err *e)
{
	(void)fprintf(stderr, "docker: %s\n\nRun 'docker %s --help' for more information\n",
		e->text, command);
}

void say_unwritten(const char *path, int why)
{
	const char *text = errno_text(why); /* Go's texts begin with a lower-case letter */

	(void)fprintf(stderr, "write %s: %c%s\n", path ? path : "/dev/stdout",
		tolower((unsigned char)*text), text + 1);
}

/* Not by stdio, which drops what a pipe that does not wait has no room for. */
static void put(const struct buf *b)
{
	if (b->len && sys_write_all(STDOUT_FILENO, b->s, b->len) < 0 && !lost)
		lost = errno;
}

void say_flush(void)
{
	put(&held);
	held.len = 0;
}

void say_print(const char *format, ...)
{
	static int terminal = -1;
	char *text = NULL;
	va_list ap;

	if (terminal < 0) {
		terminal = isatty(STDOUT_FILENO);
		(void)atexit(say_flush); /* for those who end without say_written() */
	}
	va_start(ap, format);
	if (vasprintf(&text, format, ap) >= 0)
		buf_move(&held, text);
	va_end(ap);
	if (terminal || held.len > 4096)
		say_flush();
}

int say_put(const struct buf *b, struct err *e)
{
	say_flush();
	put(b);
	errno = lost;
	lost = 0;                         /* the error is reported once, by the caller */
	if (errno == 0 || errno == EBADF) /* EBADF: whoever started us has closed it and wants no output */
		return 0;
	return err_sys(e, "write /dev/stdout");
}

int say_out(const struct buf *b)
{
	struct err e;

	return say_put(b, &e) < 0 ? say_cut(&e, 1) : 0;
}

int say_written(int status)
{
	static const struct buf nothing;

	return say_out(&nothing) && status == 0 ? 1 : status;
}

int say_failures(const struct strv *lines)
{
	say_flush(); /* a failed write is reported by main() */
	for (size_t i = 0; i < lines->n; i++)
		(void)fprintf(stderr, "%s\n", lines->v[i]);
	return lines->n ? 1 : 0;
}

int say_unread(const struct strv *unread, int status)
{
	say_flush(); /* as above */
	for (size_t i = 0; i < unread->n; i++)
		(void)fprintf(stderr, "Error response from daemon: %s\n", unread->v[i]);
	return unread->n ? 1 : status;
}

int say_cut(const struct err *cut, int status)
{
	if (cut->kind == ERR_NONE)
		return status;
	if (!cut->sys || !str_starts(cut->text, "write /dev/std"))
		return say_error(cut, 1);
	say_unwritten(str_starts(cut->text, "write /dev/stderr") ? "/dev/stderr" : NULL, cut->sys);
	return 1;
}

int say_detached(void)
{
	(void)fputs("read escape sequence\n", stderr);
	return 1;
}

int say_error(const struct err *e, int status)
{
	(void)fprintf(stderr, "%s\n", e->text);
	return status;
}
