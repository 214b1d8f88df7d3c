/* SPDX-License-Identifier: Apache-2.0 */
#include "helper.h"
#include "auto.h"
#include "confine.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#ifndef SBX_LIBEXEC
#define SBX_LIBEXEC "/usr/local/libexec/sbx"
#endif

#define ANSWER_MAX (1u << 20)
#define LAYER_MAX \
	((int64_t)1 << 45) /* no disk is as large, and sums of as many as possible do not overflow */

/* The path of the helper; ERR_NOT_FOUND says how to get it. */
static char *helper_path(struct err *e)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *beside, *slash;

	if (n > 0) {
		self[n] = '\0';
		slash = strrchr(self, '/');
		beside = xasprintf("%.*s/sbx-archive", slash ? (int)(slash - self) : 0, self);
		if (access(beside, X_OK) == 0)
			return beside;
		free(beside);
	}
	if (access(SBX_LIBEXEC "/sbx-archive", X_OK) == 0)
		return xstrdup(SBX_LIBEXEC "/sbx-archive");
	(void)err_set(e, ERR_NOT_FOUND,
		"the program sbx-archive is neither beside sbx nor in " SBX_LIBEXEC
		": `make install` puts it there");
	return NULL;
}

/* In the child, between fork and exec. First copies all to high numbers, so that none is overwritten. */
static void arrange(int in, int out, int file, const struct meter *meter)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int high_in = fcntl(in < 0 ? null : in, F_DUPFD_CLOEXEC, 10);
	int high_out = fcntl(out < 0 ? null : out, F_DUPFD_CLOEXEC, 10);
	int high_file = fcntl(file < 0 ? null : file, F_DUPFD_CLOEXEC, 10);
	int high_meter = meter ? fcntl(meter->fd, F_DUPFD_CLOEXEC, 10) : -1;

	if (dup2(high_in, 0) < 0 || dup2(high_out, 1) < 0 || dup2(high_file, 3) < 0 ||
		(meter && dup2(high_meter, 4) < 0))
		_exit(126);
}

pid_t helper_start(const char *const *words, int in, int out, int file, const struct meter *meter,
	struct err *e)
{
	auto_free char *path = helper_path(e);
	const char *argv[16] = {"sbx-archive"};
	pid_t parent = getpid(), pid;
	size_t n = 1;

	if (!path)
		return -1;
	for (; *words && n + 1 < ARRAY_LEN(argv); words++)
		argv[n++] = *words;
	pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (pid > 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(126); /* it died before it could take us along */
	arrange(in, out, file, meter);
	(void)execv(path, (char *const *)argv); /* execv changes no word */
	_exit(127);
}

/* It was found, and is linked dynamically. */
static int not_started(struct err *e)
{
	auto_free char *path = helper_path(e);

	return path ? err_set(e, ERR_SYSTEM,
			      "%s cannot be started: `ldd %s` tells which library is missing", path, path)
	            : -1;
}

int helper_end(pid_t pid, const json_t *answer, struct err *e)
{
	const char *why = json_str(answer, "Error", NULL);
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(e, "wait for sbx-archive");
	if (why) {
		int kind = (int)json_int(answer, "Kind", ERR_SYSTEM);

		(void)err_set(e, kind > 0 && kind < ERR_KINDS ? (enum err_kind)kind : ERR_SYSTEM,
			"%s", why);
		e->sys = (int)json_int(answer, "Errno", 0);
		return -1;
	}
	if (WIFSIGNALED(status))
		return confine_err("sbx-archive", status, e);
	if (WEXITSTATUS(status) == 127)
		return not_started(e);
	if (status != 0)
		return err_set(e, ERR_SYSTEM, "sbx-archive failed with status %d", WEXITSTATUS(status));
	return 0;
}

json_t *helper_answer(int fd)
{
	auto_buf struct buf text = {0};
	char chunk[4096];
	ssize_t n;

	while ((n = sys_read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 || text.len + (size_t)n > ANSWER_MAX)
			return NULL;
		buf_add(&text, chunk, (size_t)n);
	}
	return json_loadb(text.s ? text.s : "", text.len, 0, NULL);
}

int helper_layer(const json_t *answer, char diff_id[65], int64_t *size, struct err *e)
{
	const char *hex = json_str(answer, "DiffID", "");
	int64_t bytes = json_int(answer, "Size", 0);

	/* It read a stranger's bytes. */
	if (!str_is_hex(hex, 64))
		return err_set(e, ERR_SYSTEM, "sbx-archive gave no digest");
	if (bytes < 0 || bytes > LAYER_MAX)
		return err_set(e, ERR_SYSTEM, "sbx-archive speaks of a layer of %lld bytes",
			(long long)bytes);
	memcpy(diff_id, hex, 65);
	*size = bytes;
	return 0;
}

json_t *helper_ask(const char *const *words, int in, int file, const struct meter *meter, struct err *e)
{
	auto_json json_t *answer = NULL;
	auto_close int mine = -1, its = -1;
	int pipes[2];
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC) < 0) {
		(void)err_sys(e, "pipe");
		return NULL;
	}
	mine = pipes[0];
	its = pipes[1];
	pid = helper_start(words, in, its, file, meter, e);
	if (pid < 0)
		return NULL;
	(void)close(take_fd(&its)); /* so that the helper's end is the end of file */
	answer = helper_answer(mine);
	if (helper_end(pid, answer, e) < 0)
		return NULL;
	if (!answer)
		(void)err_set(e, ERR_SYSTEM, "sbx-archive gave no answer");
	return take(answer);
}
