/* SPDX-License-Identifier: Apache-2.0 */
#include "apart.h"

#include "auto.h"
#include "confine.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define ANSWER_MAX \
	(64 << 20) /* a hundred times what any archive needs; only a child that was taken over sends more */

/* Whose work it is, and where it may write. */
struct job {
	enum confine who;
	int dirs[2], n_dirs;
	int fd; /* kept beside these and no other; -1: all are */
	int (*work)(void *arg, struct buf *answer, struct err *e);
	void *arg;
};

static void __attribute__((noreturn)) child(const struct job *j, int out, pid_t parent)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct buf answer = {0};
	struct err e = {0};

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1); /* it died before it could take us along */
	for (int i = 0; j->fd >= 0 && i < 3; i++)
		(void)dup2(null, i); /* nobody is to read what a library prints */
	if (j->fd >= 0)
		sys_keep_only((int[]){0, 1, 2, j->dirs[0], j->fd, out}, 6);
	if (confine_writes(j->dirs, j->n_dirs, &e) == 0 && confine(j->who, &e) == 0)
		(void)j->work(j->arg, &answer, &e); /* the error is sent with the answer */
	/* If the parent cannot be told, it is gone. */
	_exit(sys_write_all(out, &e, sizeof(e)) < 0 || sys_write_all(out, answer.s, answer.len) < 0);
}

/* Reads the error and the answer; false: the child ended before it had sent both. */
static bool hear(int in, struct buf *answer, struct err *e)
{
	char chunk[4096];
	size_t got = 0;
	ssize_t n;

	while (got < sizeof(*e) && (n = sys_read(in, (char *)e + got, sizeof(*e) - got)) > 0)
		got += (size_t)n;
	if (got < sizeof(*e))
		return false;
	for (got = 0; got <= ANSWER_MAX && (n = sys_read(in, chunk, sizeof(chunk))) > 0; got += (size_t)n)
		buf_add(answer, chunk, (size_t)n);
	return got <= ANSWER_MAX && n == 0;
}

static int do_apart(const struct job *j, struct buf *answer, struct err *e)
{
	auto_close int in = -1, out = -1;
	pid_t pid, parent = getpid();
	struct err said = {0};
	int status;
	bool whole;

	if (sys_pipe(&in, &out) < 0)
		return err_sys(e, "pipe");
	pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (pid == 0)
		child(j, out, parent);
	(void)close(take_fd(&out)); /* so that the child's end is the end of file */
	whole = hear(in, answer, &said);
	if (!whole)
		(void)kill(pid, SIGKILL); /* mostly it is dead already */
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(e, "wait");
	if (!whole)
		return confine_err("the process that reads it", status, e);
	err_heard(&said); /* untrusted: its sender has read a stranger's bytes */
	if (said.kind == ERR_NONE)
		return 0;
	*e = said;
	return -1;
}

int apart(const struct store *s, int (*work)(void *arg, struct buf *answer, struct err *e),
	void *arg, struct buf *answer, struct err *e)
{
	const struct job j = {CONFINE_IMPORT, {s->root, s->runtime}, 2, -1, work, arg};

	return do_apart(&j, answer, e);
}

int apart_below(const struct apart_fence *f,
	int (*work)(void *arg, struct buf *answer, struct err *e), void *arg, struct err *e)
{
	const struct job j = {f->who, {f->dir}, 1, f->fd, work, arg};
	auto_buf struct buf none = {0};

	return do_apart(&j, &none, e);
}
