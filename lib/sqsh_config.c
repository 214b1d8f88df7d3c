/* SPDX-License-Identifier: Apache-2.0 */
#include "sqsh_config.h"
#include "confine.h"
#include "image.h"
#include "spec.h"
#include "squash.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CACHE_BYTES (4u << 20)
#define TEXTS       SQSH_CONFIG_TEXTS
#define TEXT_MAX    SQSH_CONFIG_TEXT_MAX

static const char *const text_path[TEXTS] = {
	[SQSH_CONFIG_JSON] = ".sbx/config.json",
	[SQSH_CONFIG_ENVIRONMENT] = "etc/environment",
	[SQSH_CONFIG_RC] = "etc/rc",
	[SQSH_CONFIG_RC_LOCAL] = "etc/rc.local",
};

/* ---- what the texts say: pure ---- */

/* "K=V", K a name which a shell could have, one pair of quotes around V taken off. */
static void env_line(const char *line, size_t n, struct strv *env)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	size_t key = strspn(line, letters), from = key + 1;
	auto_free char *kv = NULL;

	if (key == 0 || key >= n || line[key] != '=' || (line[0] >= '0' && line[0] <= '9'))
		return;
	if (n - from >= 2 && (line[from] == '"' || line[from] == '\'') && line[n - 1] == line[from]) {
		from++;
		n--;
	}
	kv = xasprintf("%.*s=%.*s", (int)key, line, (int)(n - from), line + from);
	strv_add(env, kv);
}

static void parse_environment(const char *text, struct strv *env)
{
	while (*text && env->n <= IMAGE_WORDS_MAX) { /* with one more the config is refused */
		const char *at = text + strspn(text, " \t");
		size_t n = strcspn(at, "\n");

		text = at + n + (at[n] == '\n');
		env_line(at, n && at[n - 1] == '\r' ? n - 1 : n, env);
	}
	if (env->n <= IMAGE_WORDS_MAX)
		strv_env_settle(env);
}

/* One word of a shell's line without expansions: bare, 'single', "double", $'ansi' joined. */
static bool quoted_part(const char **at, struct buf *word)
{
	const char *c = *at;
	char quote = *c;
	bool ansi = quote == '$';

	if (ansi && *++c != '\'')
		return false;
	quote = *c++;
	for (; *c && *c != quote; c++) {
		if (quote == '"' && (*c == '$' || *c == '`'))
			return false;
		if (*c == '\\' && quote == '"' && strchr("\\\"$`", c[1]) && c[1])
			c++;
		else if (*c == '\\' && ansi) {
			static const char from[] = "abfnrtv\\'\"?eE",
					  to[] = "\a\b\f\n\r\t\v\\'\"?\033\033";
			const char *which = c[1] ? strchr(from, c[1]) : NULL;

			if (!which)
				return false; /* \x41, \101: no word that the generator needs */
			buf_putc(word, to[which - from]);
			c++;
			continue;
		}
		buf_putc(word, *c);
	}
	if (*c != quote)
		return false;
	*at = c + 1;
	return true;
}

static bool shell_word(const char **at, struct buf *word)
{
	const char *c = *at;

	buf_add(word, "", 0);
	for (; *c && !strchr(" \t\n", *c);) {
		if (strchr("'\"$", *c)) {
			if (!quoted_part(&c, word))
				return false;
		} else if (*c == '\\' && c[1] && c[1] != '\n') {
			buf_putc(word, c[1]);
			c += 2;
		} else if (strchr("\\`;&|<>(){}*?[]~#!", *c)) {
			return false;
		} else {
			buf_putc(word, *c++);
		}
	}
	*at = c;
	return true;
}

/* The words of a line to its end, or to `"$@"` at its end, which sets *rest. */
static bool shell_words(const char *at, struct strv *out, bool *rest)
{
	*rest = false;
	for (at += strspn(at, " \t"); *at; at += strspn(at, " \t")) {
		auto_buf struct buf word = {0};

		if (str_starts(at, "\"$@\"")) {
			*rest = true;
			at += 4;
			return at[strspn(at, " \t")] == '\0';
		}
		if (!shell_word(&at, &word))
			return false;
		strv_take(out, buf_take(&word));
	}
	out->set = true;
	return true;
}

struct rc {
	char *workdir;
	struct strv entrypoint, command /* with the entrypoint in front */, labels;
	bool has_entrypoint, has_command;
};

static void rc_done(struct rc *rc)
{
	free(rc->workdir);
	strv_done(&rc->entrypoint);
	strv_done(&rc->command);
	strv_done(&rc->labels);
}

static bool rc_cd(struct rc *rc, const char *at)
{
	auto_buf struct buf dir = {0};

	if (!shell_word(&at, &dir))
		return false;
	free(rc->workdir);
	rc->workdir = buf_take(&dir);
	return at[0] == '\0' || str_starts(at, " &&") || str_starts(at, " ||");
}

static bool rc_exec(struct rc *rc, const char *at)
{
	auto_strv struct strv words = {0};
	bool rest;

	if (!shell_words(at, &words, &rest))
		return false;
	if (rest ? rc->has_entrypoint : rc->has_command)
		return false;
	strv_copy(rest ? &rc->entrypoint : &rc->command, &words);
	*(rest ? &rc->has_entrypoint : &rc->has_command) = true;
	return true;
}

/* "# key value" */
static void rc_label(struct rc *rc, const char *at)
{
	size_t key = strcspn(at, " ");

	if (key && at[key] && *at != '!')
		strv_addf(&rc->labels, "%.*s=%s", (int)key, at, at + key + 1);
}

/* Whether enroot writes such a line; with any other line it is somebody's own script. */
static bool rc_line(struct rc *rc, const char *line)
{
	static const char *const known[] = {"if [ -s /etc/rc.local ]; then", ". /etc/rc.local",
		"fi", "if [ $# -gt 0 ]; then", "else", ""};

	line += strspn(line, " \t");
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_eq(line, known[i]))
			return true;
	if (str_starts(line, "# ")) {
		rc_label(rc, line + 2);
		return true;
	}
	if (str_starts(line, "cd "))
		return rc_cd(rc, line + 3);
	if (str_starts(line, "exec "))
		return rc_exec(rc, line + 5);
	return line[0] == '#' || str_starts(line, "mkdir -p ");
}

static bool parse_rc(const char *text, struct rc *rc)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		auto_free char *line = xstrndup(text, n);

		text += n + (text[n] == '\n');
		if (!rc_line(rc, line))
			return false;
	}
	if (!rc->has_entrypoint || !rc->has_command || rc->command.n < rc->entrypoint.n)
		return false;
	for (size_t i = 0; i < rc->entrypoint.n; i++)
		if (!str_eq(rc->entrypoint.v[i], rc->command.v[i]))
			return false;
	return true;
}

/* Enroot's own rc.local is comments; one with commands in it has to be run. */
static bool only_comments(const char *text)
{
	while (text && *text) {
		text += strspn(text, " \t");
		if (*text != '#' && *text != '\n')
			return false;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return true;
}

static void apply_rc(const char *text, const char *rc_local, struct image_config *c)
{
	__attribute__((cleanup(rc_done))) struct rc rc = {0};

	if (!parse_rc(text, &rc) || !only_comments(rc_local)) {
		strv_add(&c->entrypoint, "/bin/sh");
		strv_add(&c->entrypoint, "/etc/rc");
		return;
	}
	if (rc.workdir && !str_eq(rc.workdir, "/"))
		c->workdir = take(rc.workdir);
	if (rc.entrypoint.n)
		strv_copy(&c->entrypoint, &rc.entrypoint);
	for (size_t i = rc.entrypoint.n; i < rc.command.n; i++)
		strv_add(&c->cmd, rc.command.v[i]);
	strv_copy(&c->labels, &rc.labels);
}

static json_t *config_of_json(const char *text, struct err *e)
{
	json_error_t why;
	json_t *j = json_loads(text, 0, &why);

	if (!json_is_object(j)) {
		(void)err_set(e, ERR_CORRUPT, "/.sbx/config.json: %s", j ? "no object" : why.text);
		json_decref(j);
		return NULL;
	}
	if (json_is_object(json_object_get(j, "config")))
		return j;
	return json_pack("{s:s, s:s, s:o}", "architecture", spec_own_arch(), "os", "linux", "config", j);
}

json_t *sqsh_config_from(const char *config_json, const char *environment, const char *rc,
	const char *rc_local, struct err *e)
{
	auto_image_config struct image_config c = {0};

	if (config_json)
		return config_of_json(config_json, e);
	if (environment)
		parse_environment(environment, &c.env);
	if (rc)
		apply_rc(rc, rc_local, &c);
	else
		strv_add(&c.cmd, "/bin/sh");
	return json_pack("{s:s, s:s, s:o}", "architecture", spec_own_arch(), "os", "linux",
		"config", image_config_json(&c));
}

/* ---- reading the texts: in a child ---- */

int32_t sqsh_config_text(struct squash *sq, enum sqsh_config_text which, char *text)
{
	const char *path = text_path[which];
	uint64_t ref = squash_info(sq)->root;
	struct squash_inode inode;
	ssize_t n;

	for (;;) {
		size_t len = strcspn(path, "/");

		if (squash_inode(sq, ref, &inode) < 0)
			return SQSH_CONFIG_DAMAGED;
		if (len == 0)
			break;
		n = S_ISDIR(inode.mode) ? squash_lookup(sq, &inode, path, len, &ref) : -ENOENT;
		if (n < 0 && n != -ENOENT)
			return SQSH_CONFIG_DAMAGED;
		if (n < 0)
			return SQSH_CONFIG_ABSENT;
		path += len + (path[len] == '/');
	}
	if (!S_ISREG(inode.mode))
		return SQSH_CONFIG_ABSENT;
	n = squash_read(sq, &inode, 0, text, TEXT_MAX);
	return n < 0 ? SQSH_CONFIG_DAMAGED : (int32_t)n;
}

static void child_write(int out, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n > 0) {
		ssize_t done = write(out, p, n);

		if (done <= 0)
			_exit(1);
		p += done;
		n -= (size_t)done;
	}
}

/* The address sanitizer maps shadow by the terabyte. */
#ifdef __SANITIZE_ADDRESS__
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

__attribute__((noreturn)) static void child(struct squash *sq, int out)
{
	const struct rlimit memory = {1u << 30, 1u << 30}, seconds = {10, 10}, core = {0, 0};
	void *text = xcalloc(TEXT_MAX, 1);
	struct err e;

	/* Failing to set a limit is no reason to go without the answer: the filter is the fence. */
	if (!sanitized)
		(void)setrlimit(RLIMIT_AS, &memory);
	(void)setrlimit(RLIMIT_CPU, &seconds);
	(void)setrlimit(RLIMIT_CORE, &core);
	(void)prctl(PR_SET_DUMPABLE, 0);
	if (confine(CONFINE_READER, &e) < 0)
		_exit(2);
	for (int i = 0; i < TEXTS; i++) {
		int32_t n = sqsh_config_text(sq, i, text);

		if (n == SQSH_CONFIG_DAMAGED)
			_exit(1);
		child_write(out, &n, sizeof(n));
		if (n > 0)
			child_write(out, text, (size_t)n);
	}
	_exit(0);
}

static bool read_whole(int fd, void *bytes, size_t n)
{
	char *p = bytes;

	while (n > 0) {
		ssize_t got = read(fd, p, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		p += got;
		n -= (size_t)got;
	}
	return true;
}

/* A text ends at its first 0: nothing of ours can hold one. */
static bool receive(int fd, char *text[TEXTS])
{
	for (int i = 0; i < TEXTS; i++) {
		int32_t n;

		if (!read_whole(fd, &n, sizeof(n)) || n > (int32_t)TEXT_MAX)
			return false;
		if (n < 0)
			continue;
		text[i] = xcalloc((size_t)n + 1, 1);
		if (!read_whole(fd, text[i], (size_t)n))
			return false;
	}
	return true;
}

static int read_texts(struct squash *sq, char *text[TEXTS], struct err *e)
{
	auto_close int in = -1, out = -1;
	int status;
	bool whole;
	pid_t pid;

	if (sys_pipe(&in, &out) < 0)
		return err_sys(e, "pipe");
	pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (pid == 0)
		child(sq, out);
	(void)close(take_fd(&out)); /* so that the child's end is the end of file */
	whole = receive(in, text);
	if (!whole)
		(void)kill(pid, SIGKILL); /* it is our child and not yet waited for */
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(e, "wait");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		return err_set(e, ERR_SYSTEM, "the reader of squashfs images cannot be sealed");
	if (!whole || status != 0)
		return err_set(e, ERR_CORRUPT, "the squashfs image is damaged");
	return 0;
}

json_t *sqsh_config_read(int fd, struct err *e)
{
	struct blocks *cache = blocks_new(CACHE_BYTES, -1);
	int mine = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct squash *sq = squash_open(mine, "squashfs image", cache, e);
	char *text[TEXTS] = {0};
	json_t *config = NULL;

	if (!sq && mine >= 0)
		(void)close(mine); /* only read */
	if (sq && read_texts(sq, text, e) == 0)
		config = sqsh_config_from(text[SQSH_CONFIG_JSON], text[SQSH_CONFIG_ENVIRONMENT],
			text[SQSH_CONFIG_RC], text[SQSH_CONFIG_RC_LOCAL], e);
	for (int i = 0; i < TEXTS; i++)
		free(text[i]);
	squash_free(sq);
	blocks_free(cache);
	return config;
}
