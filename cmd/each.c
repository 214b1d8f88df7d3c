/* SPDX-License-Identifier: Apache-2.0 */
#include "each.h"

#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

enum { AT_ONCE = 16 };

struct job {
	pid_t pid; /* 0: done */
	int pipe;  /* brings the process's struct err */
	struct err e;
	bool failed;
};

static void do_here(struct job *j, const struct store *s, const char *name, each_op *op, const void *arg)
{
	j->failed = op(s, name, arg, &j->e) != 0;
}

/* What ends us does not end it: neither a signal from the terminal, nor one to our process group. Who reads what we print
 * does not wait for it. */
static void go_on(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)setsid(); /* a child leads no process group */
	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		(void)dup2(null, fd); /* both are there */
}

/* Runs op in a process of its own; or here, if none can be made. */
static void begin(struct job *j, const struct store *s, const char *name, each_op *op,
	const void *arg, unsigned how)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0) {
		do_here(j, s, name, op, arg);
		return;
	}
	j->pid = fork();
	if (j->pid == 0) {
		if (how & EACH_GOES_ON)
			go_on();
		do_here(j, s, name, op, arg);
		/* A struct err is smaller than PIPE_BUF, so written whole or not at all. */
		if (j->failed)
			(void)!write(ends[1], &j->e, sizeof(j->e));
		_exit(j->failed);
	}
	(void)close(ends[1]); /* the child's */
	if (j->pid < 0) {
		j->pid = 0;
		(void)close(ends[0]); /* without a child nothing will come */
		do_here(j, s, name, op, arg);
		return;
	}
	j->pipe = ends[0];
}

static void finish(struct job *j)
{
	int status = 0;
	ssize_t n;

	if (j->pid == 0)
		return;
	do
		n = read(j->pipe, &j->e, sizeof(j->e));
	while (n < 0 && errno == EINTR);
	(void)close(j->pipe); /* only read from */
	while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
		;
	j->failed = status != 0;
	if (j->failed && n != sizeof(j->e))
		(void)err_set(&j->e, ERR_SYSTEM, "the process for it ended with status %d", status);
	j->pid = 0;
}

int each_container(char **names, int n, each_op *op, const void *arg, unsigned how)
{
	auto_free struct job *jobs = xcalloc((size_t)n, sizeof(*jobs));
	bool at_once = (how & EACH_AT_ONCE) && n > 1;
	auto_store struct store s = {-1, -1, NULL, NULL};
	struct err e;
	int status = 0;

	if (store_open(&s, &e) < 0) {
		say_daemon_error(&e);
		return 1;
	}
	state_know_ids(&s, names);
	for (int i = 0, begun = 0; i < n; i++) {
		for (; at_once && begun < n && begun < i + AT_ONCE; begun++)
			begin(&jobs[begun], &s, names[begun], op, arg, how);
		if (!at_once && (how & EACH_GOES_ON))
			begin(&jobs[i], &s, names[i], op, arg, how);
		else if (!at_once)
			do_here(&jobs[i], &s, names[i], op, arg);
		finish(&jobs[i]);
		if (!jobs[i].failed && !(how & EACH_QUIET))
			say_print("%s\n", names[i]);
	}
	say_flush(); /* names before errors; a failed write is reported by main() */
	for (int i = 0; i < n; i++) {
		if (!jobs[i].failed)
			continue;
		say_daemon_error(&jobs[i].e);
		if (!(how & EACH_MISSING_OK) || jobs[i].e.kind != ERR_NOT_FOUND)
			status = 1;
	}
	return status;
}
