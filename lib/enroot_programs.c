/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_programs: runs docker and podman, if they are installed, to get images from them. */
#include "enroot_parts.h"

#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

char *enroot_program(const char *name)
{
	const char *path = getenv("PATH");
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n < 0 ? 0 : n] = '\0';
	for (path = path ? path : ""; *path;) {
		size_t len = strcspn(path, ":");
		auto_free char *at = xasprintf("%.*s/%s", (int)len, path, name);
		auto_free char *real = len && access(at, X_OK) == 0 ? realpath(at, NULL) : NULL;

		if (real)
			return str_eq(real, self) ? NULL : take(at);
		path += len + (path[len] == ':');
	}
	return NULL;
}

/* out -1: its output is discarded. */
static pid_t begin_program(const char *program, const char *const *words, int out, struct err *e)
{
	const char *argv[6] = {program};
	pid_t parent = getpid(), pid = fork();
	int null;

	if (pid != 0)
		return pid < 0 ? err_sys(e, "fork") : pid;
	for (size_t i = 0; words[i] && i + 2 < ARRAY_LEN(argv); i++)
		argv[i + 1] = words[i];
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(126); /* the child */
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	(void)dup2(null, STDIN_FILENO);
	(void)dup2(out < 0 ? null : out, STDOUT_FILENO);
	if (out < 0)
		(void)dup2(null, STDERR_FILENO);
	sys_default_signals();
	(void)execv(program, (char *const *)argv); /* changes no word */
	_exit(127);                                /* the child */
}

static int end_program(pid_t pid, const char *program, struct err *e)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(e, "wait for %s", program);
	return status ? err_set(e, ERR_SYSTEM, "%s could not do it", program) : 0;
}

static int run_program(const char *program, const char *const *words, int out, struct err *e)
{
	pid_t pid = begin_program(program, words, out, e);

	return pid < 0 ? -1 : end_program(pid, program, e);
}

bool enroot_program_has(const char *program, const char *image)
{
	const char *words[] = {"image", "inspect", image, NULL};
	struct err unused;

	return run_program(program, words, -1, &unused) == 0;
}

int enroot_program_pull(const char *program, const char *image, struct err *e)
{
	const char *words[] = {"pull", image, NULL};

	return run_program(program, words, STDERR_FILENO, e);
}

char *enroot_program_says(const char *program, const char *const *words)
{
	auto_close int from = -1, to = -1;
	auto_free char *text = NULL;
	struct err unused;
	pid_t pid;

	if (sys_pipe(&from, &to) < 0)
		return NULL;
	pid = begin_program(program, words, to, &unused);
	if (pid < 0)
		return NULL;
	(void)close(take_fd(&to)); /* the program's */
	text = sys_text_in(from);
	return end_program(pid, program, &unused) < 0 ? NULL : take(text);
}

pid_t enroot_save_begin(const char *program, const char *image, int *from, struct err *e)
{
	const char *save[] = {"save", image, NULL};
	auto_close int to = -1;
	int pipes[2];
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	to = pipes[1];
	pid = begin_program(program, save, to, e);
	if (pid < 0)
		(void)close(pipes[0]); /* unused */
	else
		*from = pipes[0];
	return pid;
}

int enroot_save_end(pid_t pid, const char *program, struct err *e)
{
	return end_program(pid, program, e);
}
