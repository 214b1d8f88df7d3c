/* SPDX-License-Identifier: Apache-2.0 */
#include "host_ps.h"

#include "sys.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { TEXT_MAX = 16 << 20 };

/* ---- running it ---- */

/* In the child. Without a terminal, like the daemon's: otherwise ps would choose processes by it, and cut lines to its
 * width. */
static _Noreturn void become_ps(char *const *argv, int out, int complaint, pid_t parent)
{
	static const char *const places[] = {"/usr/bin/ps", "/bin/ps", "/usr/local/bin/ps"};
	char *const env[] = {(char *)(uintptr_t) "PATH=/usr/local/bin:/usr/bin:/bin",
		(char *)(uintptr_t) "LC_ALL=C.UTF-8", NULL};

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || setsid() < 0 || dup2(out, 1) < 0 || dup2(complaint, 2) < 0)
		_exit(126);
	(void)close(0); /* nothing is read from it */
	(void)sys_close_range(3, ~0U, 0);
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		(void)execve(places[i], argv, env); /* the next one, then */
	_exit(127);
}

static int read_all(int fd, struct buf *out, struct err *e)
{
	off_t size = lseek(fd, 0, SEEK_END);
	ssize_t n;

	if (size < 0 || size > TEXT_MAX)
		return err_set(e, ERR_SYSTEM, "ps: too much output");
	buf_room(out, (size_t)size);
	n = pread(fd, out->s + out->len, (size_t)size, 0);
	if (n < 0)
		return err_sys(e, "ps: read its output");
	out->len += (size_t)n;
	out->s[out->len] = '\0';
	return 0;
}

/* Returns ps's exit status, 128 and more for a signal; -1: it could not be run. */
static int run(const struct strv *argv, struct buf *out, struct buf *complaint, struct err *e)
{
	auto_close int to = memfd_create("ps", MFD_CLOEXEC), other = memfd_create("ps", MFD_CLOEXEC);
	pid_t parent = getpid(), pid;
	int status;

	if (to < 0 || other < 0)
		return err_sys(e, "ps: memfd_create");
	pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (pid == 0)
		become_ps(argv->v, to, other, parent);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(e, "wait for ps");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return err_set(e, ERR_NOT_FOUND, "ps: not found");
	if (read_all(to, out, e) < 0 || read_all(other, complaint, e) < 0)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* A single blank separates words: between two blanks there is an empty word, as docker splits them. */
static void add_words(struct strv *argv, const char *args)
{
	for (;; args++) {
		size_t n = strcspn(args, " ");

		strv_take(argv, xstrndup(args, n));
		args += n;
		if (!*args)
			return;
	}
}

int host_ps(const char *args, const struct proc *list, size_t n, struct buf *out, struct err *e)
{
	auto_strv struct strv chosen = {0}, all = {0};
	auto_buf struct buf pids = {0}, first = {0}, complaint = {0};
	int status;

	buf_puts(&pids, "-q");
	for (size_t i = 0; i < n; i++)
		buf_printf(&pids, "%s%d", i ? "," : "", (int)list[i].pid);
	strv_add(&chosen, "ps");
	strv_take(&chosen, buf_take(&pids));
	add_words(&chosen, args);
	strv_add(&all, "ps");
	add_words(&all, args);
	status = run(&chosen, &first, &complaint, e);
	if (status == 0)
		buf_add(out, first.s, first.len);
	if (status <= 0)
		return status;
	complaint.len = 0;
	status = run(&all, out, &complaint, e);
	if (status <= 0)
		return status;
	if (complaint.len && *complaint.s != '\n')
		return err_set(e, ERR_USAGE, "ps: %.*s", (int)strcspn(complaint.s, "\n"), complaint.s);
	return err_set(e, ERR_USAGE, "ps: exit status %d", status);
}

/* ---- reading it ---- */

static bool is_listed(const struct proc *list, size_t n, long pid)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].pid == pid)
			return true;
	return false;
}

/* Splits a line into words; those beyond `columns` are joined to the last one by single blanks. */
static json_t *fields(const char *line, size_t length, size_t columns)
{
	auto_buf struct buf rest = {0};
	json_t *cells = json_array();
	const char *end = line + length;

	while (line < end) {
		size_t n;

		line += strspn(line, " \t\v\f\r");
		n = strcspn(line, " \t\v\f\r\n");
		if (line >= end)
			break;
		if (!columns || json_array_size(cells) + 1 < columns)
			(void)json_array_append_new(cells, json_stringn_nocheck(line, n)); /* memory */
		else
			buf_printf(&rest, "%s%.*s", rest.len ? " " : "", (int)n, line);
		line += n;
	}
	if (rest.s)
		(void)json_array_append_new(cells, json_text(rest.s)); /* memory */
	return cells;
}

static int pid_column(const json_t *titles)
{
	size_t i;
	json_t *title;

	json_array_foreach(titles, i, title) if (str_eq(json_string_value(title), "PID")) return (int)i;
	return -1;
}

/* The lines of threads have a dash, and belong to the process above them. */
static int add_rows(json_t *rows, const char *text, size_t columns, int pid_at,
	const struct proc *list, size_t n, struct err *e)
{
	bool ours = false;

	for (const char *line = text; *line; line += *line == '\n') {
		size_t length = strcspn(line, "\n");
		auto_json json_t *cells = fields(line, length, columns);
		const char *pid = json_string_value(json_array_get(cells, (size_t)pid_at));
		char *end;
		long number;

		line += length;
		if (!pid)
			continue;
		if (!str_eq(pid, "-")) {
			number = strtol(pid, &end, 10);
			if (*end || end == pid)
				return err_set(e, ERR_USAGE,
					"Unexpected pid '%s': strconv.Atoi: parsing %s: invalid syntax",
					pid, QUOTED(pid));
			ours = is_listed(list, n, number);
		}
		if (ours)
			(void)json_array_append(rows, cells); /* memory */
	}
	return 0;
}

json_t *host_ps_rows(const char *text, const struct proc *list, size_t n, struct err *e)
{
	size_t length = strcspn(text, "\n");
	auto_json json_t *titles = fields(text, length, 0), *rows = json_array();
	int pid_at = pid_column(titles);

	if (pid_at < 0) {
		(void)err_set(e, ERR_USAGE, "Couldn't find PID field in ps output");
		return NULL;
	}
	if (add_rows(rows, text + length + (text[length] == '\n'), json_array_size(titles), pid_at,
		    list, n, e) < 0)
		return NULL;
	return json_pack("{s:O, s:O}", "Titles", titles, "Processes", rows);
}
