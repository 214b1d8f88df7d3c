/* SPDX-License-Identifier: Apache-2.0 */
#include "launch_say.h"

#include "auto.h"
#include "fdmsg.h"
#include "hop.h"
#include "launch_wait.h"
#include "opt.h"
#include "raw.h"
#include "sys.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct message {
	char what;
	struct err err;
};

void launch_say(int sock, char what, const int *fds, int n)
{
	struct message m = {.what = what};

	/* If the parent is gone it cannot be told; PDEATHSIG kills us. */
	(void)fdmsg_send(sock, &m, sizeof(m.what), fds, n);
}

struct born {
	char what;
	pid_t pid;
};

void launch_say_born(int sock, pid_t pid, int pidfd)
{
	struct born b;

	memset(&b, 0, sizeof(b)); /* as below */
	b.what = SAY_BORN;
	b.pid = pid;
	(void)fdmsg_send(sock, &b, sizeof(b), &pidfd, 1); /* as above */
}

SYS_OTHER_STACK void launch_say_last(int sock, const struct err *e, bool *reached)
{
	struct message m;

	memset(&m, 0, sizeof(m)); /* nothing else of this stack is sent */
	m.what = SAY_ERROR;
	m.err.kind = e->kind;
	m.err.sys = e->sys;
	(void)memccpy(m.err.text, e->text, '\0', sizeof(m.err.text) - 1); /* cut as it was already */
	if (fdmsg_send(sock, &m, sizeof(m), NULL, 0) == 0 && reached)
		__atomic_store_n(reached, true, __ATOMIC_RELEASE);
	raw_exit(127);
}

SYS_OTHER_STACK void launch_say_err(int sock, const struct err *e)
{
	launch_say_last(sock, e, NULL);
}

int launch_refused(const char *name, struct err *e)
{
	return err_set(e, ERR_RUNTIME,
		"exec: %s: ended before it began: the seccomp profile (--security-opt seccomp=FILE) refuses a system "
		"call without which nothing can be started",
		QUOTED(name));
}

void launch_say_refused(int sock, const char *name)
{
	struct message m = {.what = SAY_ERROR};

	(void)launch_refused(name, &m.err);
	(void)fdmsg_send(sock, &m, sizeof(m), NULL, 0); /* as above */
}

int launch_exec_err(const char *name, const char *path, int sys, bool there, struct err *e)
{
	const char *slash = strchr(name, '/');
	auto_buf struct buf word = {0};

	buf_quote(&word, name);
	if (sys == ENOENT && !slash)
		return err_set(
			e, ERR_NO_COMMAND, "exec: %s: executable file not found in $PATH", word.s);
	if (sys == ENOENT && !there)
		return err_set(e, ERR_NO_COMMAND, "exec: %s: stat %s: no such file or directory",
			word.s, path);
	if (sys == ENOENT) /* the file exists, but the interpreter in its first line does not */
		return err_set(e, ERR_NO_COMMAND, "exec %s: no such file or directory", path);
	if (sys == EISDIR)
		return err_set(e, ERR_NOT_EXECUTABLE, "exec: %s: is a directory", word.s);
	if (sys == ENOEXEC)
		return err_set(e, ERR_NOT_EXECUTABLE, "exec %s: exec format error", path);
	if (sys == EACCES || sys == EPERM)
		return err_set(e, ERR_NOT_EXECUTABLE, "exec: %s: permission denied", word.s);
	if (sys == ENOTDIR)
		return err_set(e, ERR_NO_COMMAND, "exec: %s: stat %s: not a directory", word.s, path);
	errno = sys;
	(void)err_sys(e, "exec %s", path);
	e->kind = ERR_NOT_EXECUTABLE;
	return -1;
}

#define START_WORDS                                                                                    \
	"failed to create task for container: failed to create shim task: OCI runtime create failed: " \
	"runc create failed: unable to start container process: error during container init: "
#define EXEC_WORDS "OCI runtime exec failed: exec failed: "
/* docker's daemon adds this to every error about directories. */
#define DIRECTORY_WORDS                                                                              \
	": Are you trying to mount a directory onto a file (or vice-versa)? Check if the specified " \
	"host path exists and is the expected type"

int launch_words(bool exec, struct err *e)
{
	char cause[sizeof(e->text)];
	bool directory, absent;

	if (e->kind != ERR_NO_COMMAND && e->kind != ERR_NOT_EXECUTABLE && e->kind != ERR_RUNTIME)
		return 128;
	memcpy(cause, e->text, sizeof(cause));
	directory = strstr(cause, "not a directory") != NULL;
	absent = strstr(cause, "no such file or directory") != NULL;
	if (exec)
		(void)snprintf(e->text, sizeof(e->text), EXEC_WORDS "%s%.600s: unknown%s",
			str_starts(cause, "Cwd ") ? "" : "unable to start container process: ", cause,
			directory ? DIRECTORY_WORDS : "");
	else
		(void)snprintf(e->text, sizeof(e->text), START_WORDS "%.600s: unknown%s", cause,
			directory ? DIRECTORY_WORDS : "");
	if (exec)
		return err_exit_status(e, 128);
	return directory || absent ? 127 : err_exit_status(e, 128);
}

/* The child shares the container with other processes, one of which may have traced it. */
static int no_reason(const char *name, struct err *e)
{
	return err_set(e, ERR_SYSTEM, "exec: \"%s\": no reason was told", name);
}

static int not_there(const char *name, struct hop_failed *h, long n, struct err *e)
{
	if (n != (long)sizeof(*h))
		return no_reason(name, e);
	h->path[sizeof(h->path) - 1] = '\0';
	return launch_exec_err(name, h->path, h->sys, h->there, e);
}

static int not_done(const char *name, const struct message *m, long n, struct err *e)
{
	if (n != (long)sizeof(*m))
		return no_reason(name, e);
	*e = m->err;
	err_heard(e);
	return -1;
}

/* Whether these descriptors are expected; keeps them. */
static bool keep(char what, const int *fd, int n, const struct launch *l, const struct plan *p,
	struct launched *out)
{
	if (what == SAY_PTY && n == 1 && p->tty && out->pty < 0) {
		out->pty = fd[0];
		return true;
	}
	if (what == SAY_INSIDE && n >= 2 && l && out->mounts < 0) {
		out->mounts = fd[0];
		out->root = fd[1];
		out->proc = fd[2];
		memcpy(out->sysv, fd + 3, sizeof(out->sysv));
		return true;
	}
	return false;
}

int launch_hear_born(int sock, const struct launch *l, pid_t between, struct launched *out, struct err *e)
{
	const char *name = l->plan->argv.v[0];
	const struct launch_wait wait = {
		.container = l, .pid = between, .name = name, .unwanted = l->unwanted, .arg = l->arg};
	union {
		struct message said;
		struct born born;
	} m;
	int fd = -1, n_fds = 1;
	long n;

	if (launch_wait(sock, &wait, e) != LAUNCH_WORD)
		return -1;
	n = fdmsg_recv(sock, &m, sizeof(m), &fd, &n_fds, 0);
	if (n == (long)sizeof(m.born) && m.said.what == SAY_BORN && n_fds == 1) {
		out->pid = m.born.pid;
		out->pidfd = fd;
		return 0;
	}
	auto_close_(&fd);
	return n > 0 && m.said.what == SAY_ERROR ? not_done(name, &m.said, n, e) : no_reason(name, e);
}

int launch_listen(int sock, const struct launch *l, const struct launch_exec *x,
	struct launched *out, struct err *e)
{
	const struct plan *p = l ? l->plan : x->plan;
	const char *name = p->argv.v[0];
	const struct launch_wait wait = {.container = l,
		.pid = out->pid,
		.name = name,
		.unwanted = l ? l->unwanted : x->unwanted,
		.arg = l ? l->arg : x->arg};

	for (;;) {
		union {
			struct message said;
			struct hop_failed hop;
		} m;
		int fd[6] = {-1, -1, -1, -1, -1, -1}, n_fds = ARRAY_LEN(fd);
		long n;

		switch (launch_wait(sock, &wait, e)) {
		case LAUNCH_HELD_UP:
			return -1;
		case LAUNCH_LEFT:
			return 0;
		case LAUNCH_WORD:
			break;
		}
		n = fdmsg_recv(sock, &m, sizeof(m), fd, &n_fds, 0);
		if (n == 0)
			return 0;
		if (n < 0)
			return err_sys(e, "hear of the container");
		if (keep(m.said.what, fd, n_fds, l, p, out))
			continue;
		for (int i = 0; i < n_fds; i++)
			auto_close_(&fd[i]);
		if (m.said.what == HOP_FAILED)
			return not_there(name, &m.hop, n, e);
		if (m.said.what == SAY_ERROR)
			return not_done(name, &m.said, n, e);
		return no_reason(name, e);
	}
}
