/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_env: the environment and the user of a command, from files of the image, of the machine and of the
 * user. */
#include "enroot_parts.h"

#include "copy.h"
#include "json.h"
#include "mount.h"
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

/* So that a full disk does not cut off what the file has. */
static bool has_room(int fd, size_t n)
{
	return n == 0 || fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)n) == 0 ||
	       (errno != ENOSPC && errno != EDQUOT && errno != EFBIG);
}

/* Whatever links the image has on the way. */
int enroot_write_in(int root, const char *path, const char *text, struct err *e)
{
	auto_close int at = mount_point(root, path, false, e), fd = -1;
	size_t n = strlen(text);

	if (at < 0)
		return -1;
	fd = sys_openat2(root, path, O_WRONLY | O_NOCTTY | O_NONBLOCK, IN_ROOT);
	if (fd < 0 || !has_room(fd, n) || sys_write_all(fd, text, n) < 0 ||
		(ftruncate(fd, (off_t)n) < 0 && errno != EINVAL)) /* it is a device */
		return err_sys(e, "write %s", path);
	return 0;
}

/* ---- environment ------------------------------------------------------------------------ */

static const char name_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

static bool is_name(const char *s, size_t n)
{
	return n > 0 && strspn(s, name_letters) >= n && !(s[0] >= '0' && s[0] <= '9');
}

/* ${NAME} is the caller's; ${NAME:-x} and its like stay. */
char *enroot_with_variables(const char *text)
{
	auto_buf struct buf out = {0};

	buf_add(&out, "", 0);
	while (*text) {
		size_t n = str_starts(text, "${") ? strspn(text + 2, name_letters) : 0;
		auto_free char *name = NULL;

		if (!n || text[2 + n] != '}' || !is_name(text + 2, n)) {
			buf_putc(&out, *text++);
			continue;
		}
		name = xstrndup(text + 2, n);
		buf_puts(&out, getenv(name) ? getenv(name) : "");
		text += n + 3;
	}
	return buf_take(&out);
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* As enroot has it: a quote at each end goes, though they are no pair, with the blanks behind the last. */
static void unquote(char *value)
{
	size_t n = strlen(value);

	while (n && strchr(" \t\r\v\f", value[n - 1]))
		n--;
	if (n < 2 || !is_quote(value[0]) || !is_quote(value[n - 1]))
		return;
	memmove(value, value + 1, n - 2);
	value[n - 2] = '\0';
}

/* strv_env_settle() is the caller's. */
static void add_line(const char *line, struct strv *env)
{
	size_t key = strcspn(line, "=");
	char *kv;

	if (!line[key] || !is_name(line, key) || str_starts(line, "ENROOT_"))
		return;
	kv = xstrdup(line);
	unquote(kv + key + 1);
	strv_take(env, kv);
}

static void add_lines(const char *text, bool variables, struct strv *env)
{
	while (text && *text) {
		size_t n = strcspn(text, "\n");
		const char *at = text + strspn(text, " \t");
		auto_free char *raw = xstrndup(at, at < text + n ? (size_t)(text + n - at) : 0);
		auto_free char *line = variables ? enroot_with_variables(raw) : xstrdup(raw);

		if (str_ends(line, "\r"))
			line[strlen(line) - 1] = '\0';
		add_line(line, env);
		text += n;
		text += *text == '\n';
	}
	strv_env_settle(env);
}

void enroot_env_text(const char *text, struct strv *env)
{
	add_lines(text, false, env);
}

static int add_dir(const char *setting, struct strv *env, struct err *e)
{
	auto_free char *dir = xasprintf("%s/environ.d", enroot_setting(setting));
	auto_strv struct strv files = {0};

	if (enroot_files(dir, ".env", &files, e) < 0)
		return -1;
	for (size_t i = 0; i < files.n; i++) {
		auto_free char *text = NULL;

		if (sys_text_maybe(files.v[i], &text, e) < 0)
			return -1;
		add_lines(text, true, env);
	}
	return 0;
}

/* -e K is the caller's K. */
static void add_words(const struct strv *words, struct strv *env)
{
	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->v[i], *value = strchr(word, '=') ? NULL : getenv(word);
		auto_free char *kv = xasprintf("%s=%s", word, value ? value : "");

		add_line(strchr(word, '=') ? word : kv, env);
	}
	strv_env_settle(env);
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
	strv_env_settle(env);
}

int enroot_env(int root, struct enroot_script *script, const struct strv *words, struct strv *env,
	struct err *e)
{
	auto_free char *own = enroot_read_in(root, "/etc/environment");
	auto_buf struct buf said = {0};
	const char *term = getenv("TERM");
	auto_free char *kv = term ? xasprintf("TERM=%s", term) : NULL;

	strv_env_set(env, PATH_DEFAULT);
	if (kv)
		strv_env_set(env, kv);
	add_config(root, env);
	add_lines(own, true, env);
	if (add_dir("ENROOT_SYSCONF_PATH", env, e) < 0 || add_dir("ENROOT_CONFIG_PATH", env, e) < 0 ||
		enroot_script_environ(script, &said, e) < 0)
		return -1;
	enroot_env_text(said.s, env);
	add_words(words, env);
	return 0;
}

/* ---- the user inside -------------------------------------------------------------------- */

/* Field n (from 0) of the first line for this id, the third field; or NULL. */
static char *field_of(const char *table, unsigned id, size_t n)
{
	for (const char *line = table; line && *line;) {
		size_t len = strcspn(line, "\n");
		auto_free char *copy = xstrndup(line, len);
		char *rest = copy, *field[7] = {NULL};

		for (size_t i = 0; i < ARRAY_LEN(field); i++)
			field[i] = strsep(&rest, ":");
		if (field[n] && field[2] && *field[2] && strtoul(field[2], NULL, 10) == id)
			return xstrdup(field[n]);
		line += len;
		line += *line == '\n';
	}
	return NULL;
}

static bool is_there(int root, const char *path)
{
	auto_close int fd = *path == '/' ? sys_openat2(root, path, O_PATH, IN_ROOT) : -1;

	return fd >= 0;
}

/* Best effort: the image may have no users at all. */
static void make_home(int root, const char *home)
{
	struct err e;
	auto_close int at = mount_point(root, home, true, &e), dir = -1, skel = -1;

	dir = at < 0 ? -1 : sys_openat2(root, home, O_RDONLY | O_DIRECTORY, IN_ROOT);
	skel = dir < 0 ? -1 : sys_openat2(root, "/etc/skel", O_RDONLY | O_DIRECTORY, IN_ROOT);
	if (dir >= 0)
		(void)fchmod(dir, 0700); /* as above */
	if (skel >= 0)
		(void)copy_tree(skel, dir, &e); /* likewise */
}

static void put_first(int root, const char *path, const char *line, const char *rest)
{
	auto_free char *text = xasprintf("%s\n%s", line, rest ? rest : "");
	struct err e;

	(void)enroot_write_in(root, path, text, &e); /* best effort, as above */
}

/* The machine's users or groups: the file, or, if that has not this one, what its directory service says of him. */
static char *machine_table(const char *database, unsigned id)
{
	auto_free char *file = xasprintf("/etc/%s", database), *text = sys_text(file);
	auto_free char *name = field_of(text, id, 0), *program = NULL, *number = NULL;
	const char *words[] = {database, NULL, NULL};

	if (name)
		return take(text);
	program = enroot_program("getent");
	words[1] = number = xasprintf("%u", id);
	return program ? enroot_program_says(program, words) : NULL;
}

/* Whether the first line for this id says the same of what programs ask for. */
static bool is_known(const char *passwd, unsigned id, const char *name, const char *home, const char *shell)
{
	auto_free char *is = field_of(passwd, id, 0), *at = field_of(passwd, id, 5),
		       *by = field_of(passwd, id, 6);

	return str_eq(is, name) && str_eq(at, home) && str_eq(by, shell);
}

/* The caller keeps the machine's name and home inside, even if the image has the id, or both, with others. */
static void add_user(int root, uid_t uid, gid_t gid, const char *passwd)
{
	auto_free char *host = machine_table("passwd", uid), *groups = machine_table("group", gid);
	auto_free char *group = enroot_read_in(root, "/etc/group"), *is = field_of(passwd, uid, 0);
	auto_free char *name = field_of(host, uid, 0), *full = field_of(host, uid, 4),
		       *home = field_of(host, uid, 5), *shell = field_of(host, uid, 6),
		       *its = field_of(groups, gid, 0), *known = field_of(group, gid, 0),
		       *line = NULL, *of = NULL;

	if (!name) { /* the image may know better */
		if (is)
			return;
		name = xstrdup(*enroot_setting("USER") ? enroot_setting("USER") : "user");
	}
	if (!shell || !is_there(root, shell)) {
		free(shell);
		shell = xstrdup("/bin/sh");
	}
	line = xasprintf(
		"%s:x:%u:%u:%s:%s:%s", name, uid, gid, full ? full : "", home ? home : "/", shell);
	if (!is_known(passwd, uid, name, home ? home : "/", shell))
		put_first(root, "/etc/passwd", line, passwd);
	if (!known) {
		of = xasprintf("%s:x:%u:", its ? its : name, gid);
		put_first(root, "/etc/group", of, group);
	}
	if (home && !is_there(root, home))
		make_home(root, home);
}

/* To an image that names no user 0, so that programs which ask who they are go on. */
static void add_root(int root, const char *passwd)
{
	auto_free char *name = field_of(passwd, 0, 0), *group = enroot_read_in(root, "/etc/group"),
		       *of = field_of(group, 0, 0);

	if (!name)
		put_first(root, "/etc/passwd", "root:x:0:0:root:/root:/bin/sh", passwd);
	if (!of)
		put_first(root, "/etc/group", "root:x:0:", group);
}

void enroot_home(int root, uid_t uid, gid_t gid, struct strv *env)
{
	static const struct {
		const char *name;
		size_t field;
	} rows[] = {{"USER", 0}, {"LOGNAME", 0}, {"SHELL", 6}, {"HOME", 5}};
	auto_free char *passwd = enroot_read_in(root, "/etc/passwd"), *after = NULL;

	if (uid != 0)
		add_user(root, uid, gid, passwd);
	else
		add_root(root, passwd);
	if (!strv_env(env, "PATH")) /* a hook took it away */
		strv_env_set(env, PATH_DEFAULT);
	after = enroot_read_in(root, "/etc/passwd");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_free char *value = field_of(after, uid, rows[i].field), *kv = NULL;

		if (strv_env(env, rows[i].name))
			continue;
		if ((!value || !*value) && !str_eq(rows[i].name, "HOME"))
			continue;
		kv = xasprintf("%s=%s", rows[i].name,
			value && *value ? value
			: uid == 0      ? "/root"
					: "/");
		strv_env_set(env, kv);
	}
}
