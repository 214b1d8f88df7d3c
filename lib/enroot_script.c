/* SPDX-License-Identifier: Apache-2.0 */
#include "enroot_script.h"

#include "enroot_parts.h"
#include "mount.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

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

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* $X or ${X} without a value, which ends a script: bash says so. UID and its like are no variables of the environment. */
static bool is_unset(const char *word)
{
	static const char *const bash_s[] = {"UID", "EUID", "PPID"};
	const char *s = word + 1 + (word[1] == '{');
	size_t n = strspn(s, letters);
	auto_free char *name = xstrndup(s, n);

	for (size_t i = 0; i < ARRAY_LEN(bash_s); i++)
		if (str_eq(name, bash_s[i]))
			return false;
	return (word[1] != '{' || s[n] == '}') && !getenv(name);
}

/* "${X-}" or "${X}" or $X at `at`: its value. used: it is run, not only read. */
static bool expand_here(const char **at, bool used, struct buf *out)
{
	size_t n = *(*at + 1) == '{' ? strcspn(*at, "}") + 1 : 1 + strspn(*at + 1, letters);
	auto_free char *word = xstrndup(*at, n);

	if ((used && is_unset(word)) || !enroot_expand(word, out))
		return false;
	*at += n;
	return true;
}

/* One word: pieces in quotes and bare. */
static bool word_of(const char **at, bool used, struct buf *out)
{
	const char *s = *at;
	char quote = 0;

	buf_add(out, "", 0);
	for (; *s && *s != '\n' && (quote || !strchr(" \t;", *s));) {
		if (quote ? *s == quote : *s == '"' || *s == '\'') {
			quote = quote ? 0 : *s;
			s++;
		} else if (quote != '\'' && *s == '$') {
			if (!expand_here(&s, used, out))
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

	wanted = wanted && out;
	if (!skip(at, "echo") || !word_of(at, wanted, &text))
		return false;
	buf_putc(&text, '\n');
	if (!skip(at, ">")) {
		if (wanted)
			buf_puts(out, text.s);
		return true;
	}
	if (!files || **at == '>' || !word_of(at, wanted, &path))
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
		if (!word_of(&line, out, &word) || !skip(&line, "]") || !skip(&line, "&&"))
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
	enroot_shell_done(&s->shell);
	free(s->path);
	free(s->text);
	free(s->cwd);
	*s = (struct enroot_script){0};
}

/* "NAME() {", as body_of() finds it; other spellings are bash's. */
static bool is_head(const char *line, size_t n, const char *name)
{
	return str_starts(line, name) && str_starts(line + strlen(name), "()") && line[n - 1] == '{';
}

/* Nothing but functions of simple lines, which need no bash to be read. */
static bool is_plain(const char *text)
{
	static const char *const names[] = {"environ", "mounts", "hooks"};
	bool seen[ARRAY_LEN(names)] = {false};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct strv unused = {0};

		if (enroot_script_simple(text, names[i], NULL, &unused) < 0)
			return false;
	}
	for (const char *line = text; *line; line += *line == '\n') {
		size_t n = strcspn(line, "\n");
		bool head = false;

		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			if (is_head(line, n, names[i])) {
				if (seen[i])
					return false; /* the last one counts */
				seen[i] = head = true;
			}
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

/* Run by bash: what is wrong with it, as warnings. */
static const char check[] = "\"$BASH\" -n \"$1\" 2>&1 >/dev/null | while IFS= read -r line; do "
			    "printf '[WARN] %s\\n' \"$line\" >&2; done; exit ${PIPESTATUS[0]}";

static bool is_bash(const char *path)
{
	const char *args[] = {path, NULL};
	struct err unused;

	return enroot_bash(check, args, NULL, NULL, &unused) == 0;
}

int enroot_script_read(
	const char *path, const struct strv *words, struct enroot_script *out, struct err *e)
{
	auto_free char *real = NULL, *text = NULL;
	struct stat st;
	size_t n;

	if (!path)
		return 0;
	real = realpath(path, NULL);
	if (real && stat(real, &st) < 0)
		st = (struct stat){0};
	text = real && S_ISREG(st.st_mode) ? sys_text(real) : NULL;
	if (!text && real && S_ISREG(st.st_mode))
		return err_sys(e, "read %s", real);
	if (!text) {
		real = real ? take(real) : enroot_absolute(path);
		return err_set(e, ERR_NOT_FOUND, "No such file or directory: %s", real);
	}
	*out = (struct enroot_script){.plain = is_plain(text), .words = words};
	out->environ = !out->plain || body_of(text, "environ", &n);
	out->mounts = !out->plain || body_of(text, "mounts", &n);
	out->hooks = !out->plain || body_of(text, "hooks", &n);
	if (!out->plain && !is_bash(real))
		return err_set(e, ERR_USAGE, "Invalid argument: %s", real);
	out->cwd = getcwd(NULL, 0); /* NULL: the directory was removed; / will do */
	out->path = take(real);
	out->text = take(text);
	return 0;
}

int enroot_script_begin(struct enroot_script *s, struct err *e)
{
	if (!s->path || s->plain)
		return 0;
	return enroot_shell_begin(&s->shell, s->path, s->words, s->cwd, e);
}

int enroot_script_end(struct enroot_script *s, struct err *e)
{
	return enroot_shell_end(&s->shell, e);
}

/* A plain one comes here when it meets what only bash can tell. */
static int call(struct enroot_script *s, const char *name, struct buf *out, struct err *e)
{
	if (!s->shell.begun && enroot_shell_begin(&s->shell, s->path, s->words, s->cwd, e) < 0)
		return -1;
	return enroot_shell_call(&s->shell, name, out, e);
}

static int printed(struct enroot_script *s, const char *name, struct buf *out, struct err *e)
{
	auto_buf struct buf words = {0};

	if (!s->plain || enroot_script_simple(s->text, name, &words, NULL) < 0)
		return call(s, name, out, e);
	buf_add(out, words.s ? words.s : "", words.len);
	return 0;
}

int enroot_script_environ(struct enroot_script *s, struct buf *out, struct err *e)
{
	return s->environ ? printed(s, "environ", out, e) : 0;
}

int enroot_script_mounts(struct enroot_script *s, struct buf *out, struct err *e)
{
	return s->mounts ? printed(s, "mounts", out, e) : 0;
}

int enroot_script_hooks(struct enroot_script *s, int root, struct err *e)
{
	auto_strv struct strv files = {0};
	auto_buf struct buf words = {0};
	const char *prefix = getenv("ENROOT_ROOTFS");
	size_t n = prefix ? strlen(prefix) : 0;
	bool simple;

	if (!s->hooks)
		return 0;
	simple = s->plain && enroot_script_simple(s->text, "hooks", &words, &files) == 1;
	for (size_t i = 0; simple && i < files.n; i += 2)
		simple = n && strncmp(files.v[i], prefix, n) == 0 && files.v[i][n] == '/';
	if (!simple)
		return call(s, "hooks", NULL, e);
	for (size_t i = 0; i < files.n; i += 2)
		if (enroot_write_in(root, files.v[i] + n, files.v[i + 1], e) < 0)
			return -1;
	return 0;
}

/* "rc () \n{ \nBODY\n}\n" */
static char *rc_of(const char *text)
{
	const char *at = strchr(text, '\n');
	size_t n;

	at = at ? strchr(at + 1, '\n') : NULL;
	if (!at)
		return NULL;
	n = strlen(++at);
	while (n && at[n - 1] != '}')
		n--;
	return xstrndup(at, n ? n - 1 : 0);
}

int enroot_script_rc(struct enroot_script *s, char **out, struct err *e)
{
	auto_buf struct buf text = {0};

	*out = NULL;
	if (!s->path || s->plain)
		return 0;
	if (call(s, "rc", &text, e) < 0)
		return -1;
	*out = text.len ? rc_of(text.s) : NULL;
	return 0;
}
