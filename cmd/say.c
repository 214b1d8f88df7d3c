/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pid_t who; /* called say_ended() */

/* What the client started, and has its handlers until it execs, dies of them. */
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
	/* docker's client asks nobody for a container without a name */
	bool by_client = str_ends(e->text, " name or ID: value is empty") ||
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
	const char *text = errno_text(why); /* in Go's words, which begin small */

	(void)fprintf(stderr, "write %s: %c%s\n", path ? path : "/dev/stdout",
		tolower((unsigned char)*text), text + 1);
}

static int unwritten(int why)
{
	if (why == EBADF)
		return 0; /* the caller has closed it and wants nothing */
	say_unwritten(NULL, why);
	clearerr(stdout); /* it is said */
	return 1;
}

int say_out(const struct buf *b)
{
	bool whole = fwrite(b->s ? b->s : "", 1, b->len, stdout) == b->len && fflush(stdout) == 0;

	return whole ? 0 : unwritten(errno);
}

int say_written(int status)
{
	int why = fflush(stdout) != 0 ? errno : ferror(stdout) ? EIO : 0;

	return why && unwritten(why) && status == 0 ? 1 : status;
}

int say_failures(const struct strv *lines)
{
	(void)fflush(stdout); /* main looks at what became of it */
	for (size_t i = 0; i < lines->n; i++)
		(void)fprintf(stderr, "%s\n", lines->v[i]);
	return lines->n ? 1 : 0;
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
