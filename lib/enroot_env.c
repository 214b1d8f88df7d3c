/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_env: the environment of a command, and who it is: what files of the image, of the machine and of the
 * user say about it. */
#include "enroot_parts.h"

#include "enroot_script.h"
#include "idmap.h"
#include "json.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define IN_ROOT      (RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS)
#define FILE_MAX     (1 << 20)
#define PATH_DEFAULT "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* ---- files of the container ------------------------------------------------------------- */

char *enroot_read_in(int root, const char *path)
{
	auto_close int fd = sys_openat2(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, IN_ROOT);
	auto_free char *text = NULL;
	struct stat st;
	ssize_t n = 0;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > FILE_MAX)
		return NULL;
	text = xcalloc((size_t)st.st_size + 1, 1);
	for (size_t len = 0; len < (size_t)st.st_size; len += (size_t)n) {
		n = sys_read(fd, text + len, (size_t)st.st_size - len);
		if (n <= 0)
			break;
	}
	return n < 0 ? NULL : take(text);
}

/* Best effort: the image may be of a kind which has no such file. */
static void append_in(int root, const char *path, const char *text)
{
	auto_close int fd =
		sys_openat2(root, path, O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK, IN_ROOT);

	if (fd >= 0)
		(void)sys_write_all(fd, text, strlen(text)); /* as above */
}

/* ---- environment ------------------------------------------------------------------------ */

/* ${NAME} is the caller's. */
char *enroot_with_variables(const char *text)
{
	auto_buf struct buf out = {0};

	buf_add(&out, "", 0);
	while (*text) {
		const char *end = str_starts(text, "${") ? strchr(text, '}') : NULL;
		auto_free char *name = end ? xstrndup(text + 2, (size_t)(end - text - 2)) : NULL;

		if (!name) {
			buf_putc(&out, *text++);
			continue;
		}
		buf_puts(&out, getenv(name) ? getenv(name) : "");
		text = end + 1;
	}
	return buf_take(&out);
}

static bool is_name(const char *s, size_t n)
{
	static const char ok[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	return n > 0 && strspn(s, ok) >= n && !(s[0] >= '0' && s[0] <= '9');
}

static void add_line(const char *line, struct strv *env)
{
	size_t key = strcspn(line, "="), n = strlen(line);
	auto_free char *kv = NULL;

	if (!line[key] || !is_name(line, key) || str_starts(line, "ENROOT_"))
		return;
	if (n - key > 2 && (line[key + 1] == '"' || line[key + 1] == '\'') &&
		line[n - 1] == line[key + 1])
		kv = xasprintf("%.*s=%.*s", (int)key, line, (int)(n - key - 3), line + key + 2);
	else
		kv = xstrdup(line);
	strv_env_set(env, kv);
}

void enroot_env_text(const char *text, struct strv *env)
{
	while (text && *text) {
		size_t n = strcspn(text, "\n");
		const char *at = text + strspn(text, " \t");
		auto_free char *raw = xstrndup(at, at < text + n ? (size_t)(text + n - at) : 0);
		auto_free char *line = enroot_with_variables(raw);

		if (str_ends(line, "\r"))
			line[strlen(line) - 1] = '\0';
		add_line(line, env);
		text += n;
		text += *text == '\n';
	}
}

static void add_dir(const char *setting, struct strv *env)
{
	auto_free char *dir = xasprintf("%s/environ.d", enroot_setting(setting));
	auto_strv struct strv files = {0};

	enroot_files(dir, ".env", &files);
	for (size_t i = 0; i < files.n; i++) {
		auto_free char *text = enroot_text(files.v[i]);

		enroot_env_text(text, env);
	}
}

/* -e K is the caller's K. */
void enroot_env_words(const struct strv *words, struct strv *env)
{
	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->v[i], *value = getenv(word);
		auto_free char *kv = NULL;

		if (strchr(word, '='))
			strv_env_set(env, word);
		else if (value)
			strv_env_set(env, kv = xasprintf("%s=%s", word, value));
	}
}

/* Of an image which was not made for enroot. */
static void add_config(int root, struct strv *env)
{
	auto_free char *text = enroot_read_in(root, "/.sbx/config.json");
	auto_json json_t *all = text ? json_loads(text, 0, NULL) : NULL;
	const json_t *config = json_object_get(all, "config"), *list, *word;
	size_t i;

	list = json_object_get(config ? config : all, "Env");
	json_array_foreach(list, i, word) if (json_is_string(word))
		add_line(json_string_value(word), env);
}

int enroot_env(int root, const struct enroot_script *script, const struct strv *words,
	struct strv *env, struct err *e)
{
	auto_free char *own = enroot_read_in(root, "/etc/environment");
	auto_buf struct buf said = {0};
	const char *term = getenv("TERM");
	auto_free char *kv = term ? xasprintf("TERM=%s", term) : NULL;

	strv_env_set(env, PATH_DEFAULT);
	if (kv)
		strv_env_set(env, kv);
	add_config(root, env);
	enroot_env_text(own, env);
	add_dir("ENROOT_SYSCONF_PATH", env);
	add_dir("ENROOT_CONFIG_PATH", env);
	if (enroot_script_environ(script, &said, e) < 0)
		return -1;
	enroot_env_text(said.s, env);
	enroot_env_words(words, env);
	return 0;
}

/* ---- who we are inside ------------------------------------------------------------------ */

/* The home directory of a line of passwd, or NULL. */
static char *home_of(const char *passwd, uid_t uid)
{
	for (const char *line = passwd; line && *line;) {
		size_t n = strcspn(line, "\n");
		auto_free char *copy = xstrndup(line, n);
		char *rest = copy, *field[6] = {NULL};

		for (size_t i = 0; i < ARRAY_LEN(field); i++)
			field[i] = strsep(&rest, ":");
		if (field[5] && field[2][0] && strtoul(field[2], NULL, 10) == uid && *field[5])
			return xstrdup(field[5]);
		line += n;
		line += *line == '\n';
	}
	return NULL;
}

static bool has_id(const char *text, unsigned id)
{
	auto_free char *in = xasprintf(":%u:", id);

	for (const char *at = text; (at = strstr(at, in)) != NULL; at++) {
		const char *line = at;

		while (line > text && line[-1] != '\n')
			line--;
		if (memchr(line, ':', (size_t)(at - line))) /* the third field, behind name and password */
			return true;
	}
	return false;
}

/* The caller gets a name inside. */
static void add_user(int root, uid_t uid, gid_t gid, const char *passwd)
{
	auto_free char *host = enroot_text("/etc/passwd"), *group = enroot_read_in(root, "/etc/group");
	auto_free char *name = host ? idmap_user(host, uid) : NULL, *home = NULL, *line = NULL,
		       *grp = NULL;

	if (!name)
		name = xstrdup(*enroot_setting("USER") ? enroot_setting("USER") : "user");
	home = host ? home_of(host, uid) : NULL;
	line = xasprintf("%s%s:x:%u:%u::%s:/bin/sh\n",
		passwd && !str_ends(passwd, "\n") && *passwd ? "\n" : "", name, uid, gid,
		home ? home : "/");
	append_in(root, "/etc/passwd", line);
	if (group && !has_id(group, gid)) {
		grp = xasprintf("%s%s:x:%u:\n", *group && !str_ends(group, "\n") ? "\n" : "", name, gid);
		append_in(root, "/etc/group", grp);
	}
}

void enroot_home(int root, uid_t uid, gid_t gid, struct strv *env)
{
	auto_free char *passwd = enroot_read_in(root, "/etc/passwd"), *after = NULL, *home = NULL,
		       *kv = NULL;

	if (uid != 0 && passwd && !has_id(passwd, uid))
		add_user(root, uid, gid, passwd);
	if (strv_env(env, "HOME"))
		return;
	after = enroot_read_in(root, "/etc/passwd");
	home = home_of(after, uid);
	kv = xasprintf("HOME=%s", home ? home : uid == 0 ? "/root" : "/");
	strv_env_set(env, kv);
}
