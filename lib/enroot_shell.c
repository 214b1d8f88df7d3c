/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory of operation: a --conf script is sourced once, by a bash of its own, which then calls the functions that it is asked
 * for, by name on one pipe. So what one function leaves in variables the next one finds. After each it tells on another pipe what
 * is exported, K=V and a NUL each and one NUL more, which this process takes over: files of variables and mounts, hooks
 * and -e refer to it. What functions print goes to a file, which no process that they leave behind holds up.
 */
#include "enroot_parts.h"

#include "caps.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define TEXT_MAX (4u << 20)
#define FD_FIRST 60 /* of ours in there, as scripts use the low ones */

/* As enroot has functions called, in a function and a subshell: the first command that fails ends it. %d: the pipe of names, the file, the pipe of answers. */
static const char driver[] = "set -euo pipefail; shopt -s lastpipe\n"
			     "_sbx_tell() {\n"
			     "	local IFS=$'\\n' n\n"
			     "	for n in $(compgen -e); do\n"
			     "		[[ ! -v $n ]] || printf '%%s=%%s\\0' \"$n\" \"${!n}\"\n"
			     "	done >&%3$d\n"
			     "	printf '\\0' >&%3$d\n"
			     "}\n"
			     "_sbx_start() (\n"
			     "	source \"$0\"\n"
			     "	_sbx_tell\n"
			     "	local _sbx_name\n"
			     "	while IFS= read -r _sbx_name <&%1$d; do\n"
			     "		if ! declare -F \"$_sbx_name\" >/dev/null; then :\n"
			     "		elif [ \"$_sbx_name\" = rc ]; then declare -f rc >&%2$d\n"
			     "		elif [ \"$_sbx_name\" = hooks ]; then hooks >/dev/null\n"
			     "		else \"$_sbx_name\" >&%2$d; fi\n"
			     "		_sbx_tell\n"
			     "	done\n"
			     ")\n"
			     "_sbx_start \"$@\"\n";

static void __attribute__((noreturn)) become_shell(const struct enroot_shell *s, const char *bash,
	const struct strv *words, const char *cwd, int names, int answers)
{
	int in = fcntl(names, F_DUPFD, FD_FIRST), file = fcntl(s->said, F_DUPFD, FD_FIRST),
	    out = fcntl(answers, F_DUPFD, FD_FIRST);
	auto_strv struct strv argv = {0};

	strv_add(&argv, "bash");
	strv_add(&argv, "-c");
	strv_take(&argv, xasprintf(driver, in, file, out));
	strv_add(&argv, s->script);
	for (size_t i = 0; i < words->n; i++)
		strv_add(&argv, words->v[i]);
	caps_pass_on(); /* as hooks have it */
	(void)signal(SIGXFSZ, SIG_DFL);
	(void)signal(SIGPIPE, SIG_DFL);
	if (in < 0 || file < 0 || out < 0 || (cwd && chdir(cwd) < 0))
		_exit(126); /* the child */
	(void)execv(bash, argv.v);
	_exit(127); /* the child */
}

/* ---- the environment -------------------------------------------------------------------- */

static bool told(const struct buf *all, const char *name, size_t n)
{
	for (size_t at = 0; at + 1 < all->len; at += strlen(all->s + at) + 1)
		if (strncmp(all->s + at, name, n) == 0 && all->s[at + n] == '=')
			return true;
	return false;
}

/* A name that bash has for no variable is not told, and stays. */
static bool is_variable(const char *kv, size_t n)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	return n > 0 && strspn(kv, letters) >= n && !(*kv >= '0' && *kv <= '9');
}

static void set_pair(const char *kv)
{
	auto_free char *name = xstrndup(kv, strcspn(kv, "="));

	(void)setenv(name, kv + strlen(name) + 1, 1); /* memory only */
}

static void take_over(const struct buf *all)
{
	auto_strv struct strv gone = {0};

	for (char **kv = environ; *kv; kv++) {
		size_t n = strcspn(*kv, "=");

		if (is_variable(*kv, n) && !told(all, *kv, n))
			strv_addf(&gone, "%.*s", (int)n, *kv);
	}
	for (size_t i = 0; i < gone.n; i++)
		(void)unsetenv(gone.v[i]); /* cannot fail */
	for (size_t at = 0; at + 1 < all->len; at += strlen(all->s + at) + 1)
		set_pair(all->s + at);
}

static void keep_environment(struct enroot_shell *s)
{
	for (char **kv = environ; *kv; kv++)
		strv_add(&s->before, *kv);
}

static void restore_environment(struct enroot_shell *s)
{
	(void)clearenv(); /* memory only */
	for (size_t i = 0; i < s->before.n; i++)
		set_pair(s->before.v[i]);
	strv_done(&s->before);
}

/* ---- questions and answers -------------------------------------------------------------- */

static bool is_whole(const struct buf *b)
{
	return b->len && !b->s[b->len - 1] && (b->len == 1 || !b->s[b->len - 2]);
}

/* 1: it answered; 0: it ended before. */
static int read_answer(struct enroot_shell *s, struct buf *out, struct err *e)
{
	struct pollfd fds[] = {{.fd = s->answer, .events = POLLIN}, {.fd = s->pidfd, .events = POLLIN}};
	char part[4096];

	while (!is_whole(out)) {
		ssize_t n;

		if (poll(fds, ARRAY_LEN(fds), -1) < 0 && errno != EINTR)
			return err_sys(e, "wait for bash");
		if (!fds[0].revents && fds[1].revents)
			return 0;
		if (!fds[0].revents)
			continue;
		n = sys_read(s->answer, part, sizeof(part));
		if (n <= 0)
			fds[0].fd = -1; /* it closed it, and ends or has ended */
		else
			buf_add(out, part, (size_t)n);
		if (out->len > TEXT_MAX)
			return err_set(e, ERR_USAGE, "%s exports more than %u bytes", s->script, TEXT_MAX);
	}
	return 1;
}

/* It has ended, or does as nothing more is asked. One that ended well has no more functions. name: of the one that was called. */
static int reap(struct enroot_shell *s, const char *name, struct err *e)
{
	int status;

	if (s->ask >= 0)
		(void)close(take_fd(&s->ask)); /* so that it ends */
	while (waitpid(s->pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(e, "wait for bash");
	s->pid = 0;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	return err_set(e, ERR_SYSTEM, "%s%s%s exited with return code %d", s->script, name ? ": " : "",
		name ? name : "", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static int take_answer(struct enroot_shell *s, const char *name, struct err *e)
{
	auto_buf struct buf all = {0};
	int whole = read_answer(s, &all, e);

	if (whole < 0)
		return -1;
	if (!whole)
		return reap(s, name, e);
	take_over(&all);
	return 0;
}

/* What was printed since. */
static int take_said(struct enroot_shell *s, const char *name, struct buf *out, struct err *e)
{
	char part[4096];
	struct stat st;
	ssize_t n;

	if (fstat(s->said, &st) < 0)
		return err_sys(e, "%s", s->script);
	if (st.st_size > TEXT_MAX)
		return err_set(e, ERR_USAGE, "%s: %s says more than %u bytes", s->script, name, TEXT_MAX);
	if (lseek(s->said, 0, SEEK_SET) < 0)
		return err_sys(e, "%s", s->script);
	while ((n = sys_read(s->said, part, sizeof(part))) > 0)
		buf_add(out, part, (size_t)n);
	if (n < 0 || ftruncate(s->said, 0) < 0)
		return err_sys(e, "%s", s->script);
	return 0;
}

/* ---- its life --------------------------------------------------------------------------- */

int enroot_shell_begin(struct enroot_shell *s, const char *script, const struct strv *words,
	const char *cwd, struct err *e)
{
	const char *bash = enroot_find_bash();
	auto_close int names = -1, answers = -1;

	if (!bash)
		return err_set(e, ERR_NOT_FOUND, "Command not found: bash");
	*s = (struct enroot_shell){
		.begun = true, .script = script, .pidfd = -1, .ask = -1, .answer = -1};
	keep_environment(s);
	s->said = open("t/said", O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (s->said < 0 || sys_pipe(&names, &s->ask) < 0 || sys_pipe(&s->answer, &answers) < 0)
		return err_sys(e, "files for %s", script);
	s->pid = sys_fork(&s->pidfd);
	if (s->pid == 0)
		become_shell(s, bash, words, cwd, names, answers);
	if (s->pid < 0) {
		s->pid = 0;
		return err_sys(e, "fork");
	}
	(void)close(take_fd(&answers)); /* so that its end of file shows when the child ends */
	if (take_answer(s, NULL, e) < 0)
		return -1;
	if (!s->pid) /* as enroot, which then has no environment to start with */
		return err_set(e, ERR_SYSTEM, "%s exited with return code 0", script);
	return 0;
}

int enroot_shell_call(struct enroot_shell *s, const char *name, struct buf *out, struct err *e)
{
	auto_free char *line = xasprintf("%s\n", name);

	if (!s->pid)
		return 0;
	if (sys_write_all(s->ask, line, strlen(line)) < 0 && errno != EPIPE)
		return err_sys(e, "%s", s->script);
	if (take_answer(s, name, e) < 0)
		return -1;
	return out ? take_said(s, name, out, e) : 0;
}

static void release(struct enroot_shell *s)
{
	int *const fds[] = {&s->pidfd, &s->ask, &s->answer, &s->said};

	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		if (*fds[i] >= 0)
			(void)close(take_fd(fds[i])); /* nothing is written any more */
	restore_environment(s);
	s->begun = false;
}

int enroot_shell_end(struct enroot_shell *s, struct err *e)
{
	int result = s->pid ? reap(s, NULL, e) : 0;

	if (s->begun)
		release(s);
	return result;
}

void enroot_shell_done(struct enroot_shell *s)
{
	struct err unused;

	(void)enroot_shell_end(s, &unused); /* the error that is told came before */
}
