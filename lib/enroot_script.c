/* SPDX-License-Identifier: Apache-2.0 */
#include "enroot_script.h"

#include "enroot_parts.h"
#include "mount.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define IN_ROOT (RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS)

/* ---- the simple shapes: pure ------------------------------------------------------------ */

/* The lines of NAME() { ... }: from behind the brace to the line with the closing one. */
static const char *body_of(const char *text, const char *name, size_t *n)
{
	auto_free char *head = xasprintf("%s()", name);

	for (const char *line = text; *line;) {
		const char *at = line + strspn(line, " \t");
		size_t len = strcspn(line, "\n");

		if (str_starts(at, "function "))
			at += 9;
		if (str_starts(at, head)) {
			const char *open = at + strlen(head), *end;

			open += strspn(open, " \t\n");
			if (*open != '{')
				return NULL;
			open++;
			end = open + strcspn(open, "\n");
			if (open + strspn(open, " \t") == end) { /* its lines are its own */
				end = strstr(open, "\n}");
			} else {
				while (end > open && *end != '}')
					end--;
			}
			*n = end ? (size_t)(end - open) : strlen(open);
			return open;
		}
		line += len;
		line += *line == '\n';
	}
	return NULL;
}

/* "${X-}" or "${X}" or $X at `at`: its value. */
static bool expand_here(const char **at, struct buf *out)
{
	size_t n = *(*at + 1) == '{'
	                   ? strcspn(*at, "}") + 1
	                   : 1 + strspn(*at + 1,
					 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	auto_free char *word = xstrndup(*at, n);

	if (!enroot_expand(word, out))
		return false;
	*at += n;
	return true;
}

/* One word: pieces in quotes and bare. */
static bool word_of(const char **at, struct buf *out)
{
	const char *s = *at;
	char quote = 0;

	buf_add(out, "", 0);
	for (; *s && *s != '\n' && (quote || !strchr(" \t;", *s));) {
		if (quote ? *s == quote : *s == '"' || *s == '\'') {
			quote = quote ? 0 : *s;
			s++;
		} else if (quote != '\'' && *s == '$') {
			if (!expand_here(&s, out))
				return false;
		} else if (quote != '\'' && strchr("`\\", *s)) {
			return false;
		} else if (!quote && strchr("&|<>(){}*?[]~#!", *s)) {
			return false;
		} else {
			buf_putc(out, *s++);
		}
	}
	*at = s;
	return !quote;
}

static void blanks(const char **at)
{
	*at += strspn(*at, " \t");
}

static bool skip(const char **at, const char *word)
{
	blanks(at);
	if (!str_starts(*at, word))
		return false;
	*at += strlen(word);
	blanks(at);
	return true;
}

/* echo WORD [> FILE] */
static bool echo_line(const char **at, bool wanted, struct buf *out, struct strv *files)
{
	auto_buf struct buf text = {0}, path = {0};

	if (!skip(at, "echo") || !word_of(at, &text))
		return false;
	buf_putc(&text, '\n');
	if (!skip(at, ">")) {
		if (wanted)
			buf_puts(out, text.s);
		return true;
	}
	if (!files || **at == '>' || !word_of(at, &path))
		return false;
	if (wanted) {
		strv_take(files, buf_take(&path));
		strv_take(files, buf_take(&text));
	}
	return true;
}

static bool simple_line(const char *line, struct buf *out, struct strv *files)
{
	bool wanted = true;
	auto_buf struct buf word = {0};

	blanks(&line);
	if (!*line || *line == '#' || str_eq(line, ":") || str_eq(line, "true"))
		return true;
	if (skip(&line, "[ -n ")) {
		if (!word_of(&line, &word) || !skip(&line, "]") || !skip(&line, "&&"))
			return false;
		wanted = word.len > 0;
		if (!echo_line(&line, wanted, out, files) || !skip(&line, "||") || !skip(&line, ":"))
			return false;
	} else if (!echo_line(&line, wanted, out, files)) {
		return false;
	}
	blanks(&line);
	line += *line == ';';
	blanks(&line);
	return !*line;
}

int enroot_script_simple(const char *text, const char *name, struct buf *out, struct strv *files)
{
	size_t n = 0;
	const char *body = body_of(text, name, &n);
	auto_free char *copy = body ? xstrndup(body, n) : NULL;
	char *rest = copy;

	if (!body)
		return 0;
	for (char *line; (line = strsep(&rest, "\n")) != NULL;)
		if (!simple_line(line, out, files))
			return -1;
	return 1;
}

/* ---- the script ------------------------------------------------------------------------- */

void enroot_script_done(struct enroot_script *s)
{
	free(s->path);
	free(s->text);
	free(s->cwd);
	*s = (struct enroot_script){0};
}

static bool defines(const char *text, const char *name)
{
	size_t n;

	return body_of(text, name, &n) != NULL;
}

/* Nothing but functions of simple lines, which need no bash to be read. */
static bool is_plain(const char *text)
{
	static const char *const names[] = {"environ", "mounts", "hooks"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		auto_strv struct strv files = {0};
		auto_buf struct buf out = {0};

		if (enroot_script_simple(text, names[i], &out, &files) < 0)
			return false;
	}
	for (const char *line = text; *line; line += *line == '\n') {
		size_t n = strcspn(line, "\n");
		bool head = false;

		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			head = head || (str_starts(line, names[i]) && line[n - 1] == '{');
		if (head) {
			const char *end = strstr(line, "\n}\n");

			if (!end)
				return false;
			line = end + 2;
			continue;
		}
		if (n && *line != '#')
			return false;
		line += n;
	}
	return true;
}

static int check_syntax(const char *path)
{
	const char *args[] = {path, NULL};
	struct err unused;

	return enroot_bash("\"$BASH\" -n \"$1\" 2>&1 >/dev/null | while IFS= read -r line; do "
			   "printf '[WARN] %s\\n' \"$line\" >&2; done; exit ${PIPESTATUS[0]}",
		args, NULL, NULL, &unused);
}

int enroot_script_read(const char *path, struct enroot_script *out, struct err *e)
{
	auto_free char *real = NULL, *text = NULL;

	if (!path)
		return 0;
	real = realpath(path, NULL);
	text = real ? sys_text(real) : NULL;
	if (!text) {
		real = real ? take(real) : enroot_absolute(path);
		return err_set(e, ERR_NOT_FOUND, "No such file or directory: %s", real);
	}
	if (!is_plain(text) && check_syntax(real) < 0)
		return err_set(e, ERR_USAGE, "Invalid argument: %s", real);
	*out = (struct enroot_script){
		.environ = defines(text, "environ"),
		.mounts = defines(text, "mounts"),
		.hooks = defines(text, "hooks"),
		.rc = defines(text, "rc"),
	};
	out->cwd = getcwd(NULL, 0); /* NULL: it is gone, and / is as good */
	out->path = take(real);
	out->text = take(text);
	return 0;
}

static int call(const struct enroot_script *s, const char *name, struct buf *out, struct err *e)
{
	const char *args[] = {s->path, name, NULL};

	return enroot_bash("source \"$1\" >&2 && \"$2\"", args, s->cwd, out, e);
}

static int printed(const struct enroot_script *s, const char *name, struct buf *out, struct err *e)
{
	auto_buf struct buf said = {0};
	int simple = enroot_script_simple(s->text, name, &said, NULL);

	if (simple < 0) {
		buf_done(&said);
		if (call(s, name, &said, e) < 0)
			return -1;
	}
	buf_add(out, said.s ? said.s : "", said.len);
	return 0;
}

int enroot_script_environ(const struct enroot_script *s, struct buf *out, struct err *e)
{
	return s->environ ? printed(s, "environ", out, e) : 0;
}

int enroot_script_mounts(const struct enroot_script *s, struct buf *out, struct err *e)
{
	return s->mounts ? printed(s, "mounts", out, e) : 0;
}

int enroot_script_hooks(const struct enroot_script *s, int root, struct err *e)
{
	auto_strv struct strv files = {0};
	auto_buf struct buf said = {0};
	const char *prefix = getenv("ENROOT_ROOTFS");
	size_t n = prefix ? strlen(prefix) : 0;
	bool simple;

	if (!s->hooks)
		return 0;
	simple = enroot_script_simple(s->text, "hooks", &said, &files) == 1;
	for (size_t i = 0; simple && i < files.n; i += 2)
		simple = n && strncmp(files.v[i], prefix, n) == 0 && files.v[i][n] == '/';
	if (!simple)
		return call(s, "hooks", NULL, e);
	for (size_t i = 0; i < files.n; i += 2)
		if (enroot_write_in(root, files.v[i] + n, files.v[i + 1], e) < 0)
			return -1;
	return 0;
}

char *enroot_script_rc(const struct enroot_script *s)
{
	size_t n = 0;
	const char *body = s->rc ? body_of(s->text, "rc", &n) : NULL;

	return body ? xasprintf("%.*s\n", (int)n, body) : NULL;
}
