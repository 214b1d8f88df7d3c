/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_bash: runs what only bash can read. */
#include "enroot_parts.h"

#include "caps.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#define TEXT_MAX (4u << 20)

const char *enroot_find_bash(void)
{
	static const char *const places[] = {"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"};

	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (access(places[i], X_OK) == 0)
			return places[i];
	return NULL;
}

static void __attribute__((noreturn))
become_bash(const char *path, const char *script, const char *const *args, const char *cwd, int to)
{
	const char *argv[8] = {"bash", "-c", script, "bash"};

	for (size_t n = 4; *args && n + 1 < ARRAY_LEN(argv); n++)
		argv[n] = *args++;
	(void)dup2(to, STDOUT_FILENO);
	caps_pass_on(); /* as hooks have it */
	if (cwd && chdir(cwd) < 0)
		_exit(126);                     /* the child */
	(void)execv(path, (char *const *)argv); /* changes no word */
	_exit(127);                             /* the child */
}

int enroot_bash(const char *script, const char *const *args, const char *cwd, struct buf *out,
	struct err *e)
{
	const char *path = enroot_find_bash();
	auto_close int in = -1, to = -1;
	char part[4096];
	int status;
	ssize_t n;
	pid_t pid;

	if (!path)
		return err_set(e, ERR_NOT_FOUND, "Command not found: bash");
	if (sys_pipe(&in, &to) < 0)
		return err_sys(e, "pipe");
	pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (pid == 0)
		become_bash(path, script, args, cwd, out ? to : STDERR_FILENO);
	(void)close(take_fd(&to)); /* so that its end of file shows when the child ends */
	while ((n = sys_read(in, part, sizeof(part))) > 0 && (!out || out->len < TEXT_MAX))
		if (out)
			buf_add(out, part, (size_t)n);
	(void)close(take_fd(&in)); /* so that it ends, whatever else it wants to write */
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(e, "wait for bash");
	if (n > 0)
		return err_set(e, ERR_USAGE, "%s says more than %u bytes",
			args[0] ? args[args[1] != NULL] : "bash", TEXT_MAX);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_set(e, ERR_SYSTEM, "%s exited with return code %d",
			args[0] ? args[args[1] != NULL] : "bash",
			WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
