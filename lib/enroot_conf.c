/* SPDX-License-Identifier: Apache-2.0 */
#include "enroot_parts.h"

#include "settings.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

const char *enroot_setting(const char *name)
{
	const char *v = getenv(name);

	return v ? v : "";
}

bool enroot_true(const char *name)
{
	static const char *const no[] = {
		"", "n", "no", "N", "No", "NO", "f", "F", "false", "False", "FALSE"};
	const char *v = enroot_setting(name);

	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		if (str_eq(v, no[i]))
			return false;
	return true;
}

int enroot_files(const char *dir, const char *suffix, struct strv *out, struct err *e)
{
	auto_close int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_strv struct strv all = {0};
	size_t first = out->n;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
		return 0;
	if (fd < 0 || sys_names(fd, &all) < 0)
		return err_sys(e, "read %s", dir);
	for (size_t i = 0; i < all.n; i++)
		if (all.v[i][0] != '.' && str_ends(all.v[i], suffix))
			strv_addf(out, "%s/%s", dir, all.v[i]);
	strv_sort(out, first);
	return 0;
}

/* ---- words of a shell ---- */

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/* What bash sets, whatever the environment says, and what it sets where the environment says nothing. */
static const char *const bash_sets[] = {"BASH", "BASHOPTS", "BASHPID", "COMP_WORDBREAKS",
	"DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS", "FUNCNAME", "GROUPS", "HISTCMD", "IFS",
	"LINENO", "OLDPWD", "OPTERR", "OPTIND", "PIPESTATUS", "PS4", "RANDOM", "SECONDS",
	"SHELLOPTS", "SHLVL", "SRANDOM", "_"};
static const char *const bash_adds[] = {
	"HOSTNAME", "HOSTTYPE", "MACHTYPE", "OSTYPE", "PATH", "SHELL", "TERM"};

static bool is_bash_s(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(bash_adds); i++)
		if (str_eq(name, bash_adds[i]))
			return !getenv(name);
	for (size_t i = 0; i < ARRAY_LEN(bash_sets); i++)
		if (str_eq(name, bash_sets[i]))
			return true;
	return str_starts(name, "BASH_");
}

/* The numbers of this process as bash would tell them, which need no bash. */
static bool number_of(const char *name, unsigned *out)
{
	if (str_eq(name, "UID") || str_eq(name, "EUID"))
		*out = geteuid();
	else if (str_eq(name, "PPID"))
		*out = (unsigned)getppid();
	else
		return false;
	return true;
}

static bool command(const char **at, struct buf *out)
{
	bool group = str_starts(*at, "$(id -g)");

	if (!group && !str_starts(*at, "$(id -u)"))
		return false;
	buf_printf(out, "%u", group ? getegid() : geteuid());
	*at += strlen("$(id -g)");
	return true;
}

/* The WORD of ${NAME-WORD} or ${NAME:-WORD}, at the sign before it. used: the name has no value. */
static bool other_word(const char **at, bool used, struct buf *out)
{
	const char *s = *at + 1;
	size_t n = strcspn(s, "}");
	auto_free char *word = xstrndup(s, n);

	if (strchr(word, '{')) /* one in another */
		return false;
	*at = s + n;
	return !used || enroot_expand(word, out);
}

/* $NAME, ${NAME}, ${NAME-WORD}, ${NAME:-WORD}. */
static bool variable(const char **at, struct buf *out)
{
	const char *s = *at + 1, *value;
	bool braces = *s == '{', colon;
	auto_free char *name = NULL;
	char digits[16];
	unsigned number;
	size_t n;

	if (command(at, out))
		return true;
	s += braces;
	n = strspn(s, letters);
	name = xstrndup(s, n);
	if (n == 0 || is_bash_s(name))
		return false;
	value = getenv(name);
	if (number_of(name, &number)) {
		(void)snprintf(digits, sizeof(digits), "%u", number); /* fits */
		value = digits;
	}
	s += n;
	colon = braces && *s == ':';
	if (braces && s[colon] == '-') {
		bool used = !value || (colon && !*value);

		s += colon;
		if (!other_word(&s, used, out))
			return false;
		value = used ? NULL : value;
	}
	if (braces && *s++ != '}')
		return false;
	buf_puts(out, value ? value : "");
	*at = s;
	return true;
}

bool enroot_expand(const char *word, struct buf *out)
{
	const char *home = getenv("HOME");
	const char *begin = word;
	char quote = 0;

	buf_add(out, "", 0);
	if (*word == '~') {
		if (word[1] && word[1] != '/') /* somebody's, whom a shell finds */
			return false;
		if (!home)
			home = setting_home();
		buf_puts(out, home ? home : "");
		word++;
	}
	while (*word) {
		if (quote != '\'' && *word == '$') {
			if (!variable(&word, out))
				return false;
			continue;
		}
		if (quote ? *word == quote : *word == '"' || *word == '\'') {
			quote = quote ? 0 : *word;
			word++;
			continue;
		}
		if (quote != '\'' && strchr("`\\", *word))
			return false;
		if (!quote && strchr(";&|<>(){}*?[]", *word))
			return false;
		if (!quote && *word == '#' && (word == begin || strchr(" \t", word[-1])))
			return false; /* a comment */
		buf_putc(out, *word++);
	}
	return !quote;
}

/* ---- configuration ---- */

static bool is_key(const char *s, size_t n)
{
	static const char *const words[] = {"SSL_CERT_DIR", "SSL_CERT_FILE", "all_proxy",
		"no_proxy", "http_proxy", "https_proxy"};

	if (n > 7 && memcmp(s, "ENROOT_", 7) == 0)
		return strspn(s + 7, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") >= n - 7;
	if ((n > 9 && memcmp(s, "MELLANOX_", 9) == 0) || (n > 7 && memcmp(s, "NVIDIA_", 7) == 0))
		return strspn(s, letters) >= n;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i]) == n && memcmp(s, words[i], n) == 0)
			return true;
	return false;
}

static int set_from(const char *name, const char *value, bool over, struct err *e)
{
	auto_buf struct buf text = {0};
	auto_free char *script = NULL;
	const char *none[] = {NULL};

	if (!over && *enroot_setting(name))
		return 0;
	if (!enroot_expand(value, &text)) {
		buf_done(&text);
		script = xasprintf("echo %s", value); /* bash -c is the eval */
		if (enroot_bash(script, none, NULL, &text, e) < 0)
			return err_ctx(e, "%s", name);
		while (text.len && text.s[text.len - 1] == '\n')
			text.s[--text.len] = '\0';
	}
	if (setenv(name, text.s ? text.s : "", 1) < 0)
		return err_sys(e, "%s", name);
	return 0;
}

/* "KEY VALUE" or "KEY=VALUE". */
static int set_line(const char *line, bool over, struct err *e)
{
	auto_free char *name = NULL, *value = NULL;
	size_t n = strspn(line, letters), len;

	if (!is_key(line, n) || (line[n] != '=' && line[n] != ' ' && line[n] != '\t'))
		return 0;
	name = xstrndup(line, n);
	line += n + strspn(line + n, " \t");
	if (*line == '=')
		line += 1 + strspn(line + 1, " \t");
	len = strcspn(line, "\n");
	while (len && strchr(" \t\r", line[len - 1]))
		len--;
	value = xstrndup(line, len);
	return set_from(name, value, over, e);
}

static int load_file(const char *path, struct err *e)
{
	auto_free char *text = NULL;

	if (sys_text_maybe(path, &text, e) < 0)
		return -1;
	for (const char *line = text ? text : ""; *line;) {
		const char *at = line + strspn(line, " \t");

		if (set_line(at, false, e) < 0)
			return err_ctx(e, "%s", path);
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return 0;
}

/* What is false is not set: scripts only ask whether it is. */
static void drop_false(void)
{
	auto_strv struct strv names = {0};

	for (char **kv = environ; *kv; kv++)
		if (str_starts(*kv, "ENROOT_"))
			strv_addf(&names, "%.*s", (int)strcspn(*kv, "="), *kv);
	for (size_t i = 0; i < names.n; i++)
		if (*enroot_setting(names.v[i]) && !enroot_true(names.v[i]) &&
			!str_eq(names.v[i], "ENROOT_LOGIN_SHELL"))
			(void)unsetenv(names.v[i]); /* cannot fail */
}

int enroot_conf_script(const char *path, struct err *e)
{
	auto_free char *text =
		sys_text(path); /* a file that cannot be read is reported by enroot_script_read() */

	for (const char *line = text ? text : ""; *line;) {
		const char *at = line + 1 + strspn(line + 1, " \t");

		if (*line == '#' && str_starts(at, "ENROOT_") && set_line(at, true, e) < 0)
			return -1;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	drop_false();
	return 0;
}

static const struct {
	const char *name, *value;
} defaults[] = {
	{"ENROOT_LIBRARY_PATH", "/usr/lib/enroot"},
	{"ENROOT_RUNTIME_PATH", "${XDG_RUNTIME_DIR:-/run}/enroot"},
	{"ENROOT_CONFIG_PATH", "${XDG_CONFIG_HOME:-~/.config}/enroot"},
	{"ENROOT_CACHE_PATH", "${XDG_CACHE_HOME:-~/.cache}/enroot"},
	{"ENROOT_DATA_PATH", "${XDG_DATA_HOME:-~/.local/share}/enroot"},
	{"ENROOT_TEMP_PATH", "${TMPDIR:-/tmp}"},
	{"ENROOT_GZIP_PROGRAM", "gzip"},
	{"ENROOT_ZSTD_OPTIONS", "-1"},
	{"ENROOT_SQUASH_OPTIONS", "-comp zstd"},
	{"ENROOT_MAX_CONNECTIONS", "10"},
	{"ENROOT_CONNECT_TIMEOUT", "30"},
	{"ENROOT_TRANSFER_TIMEOUT", "0"},
	{"ENROOT_TRANSFER_RETRIES", "0"},
	{"ENROOT_NATIVE_OVERLAYFS", "true"},
};

char *enroot_conf_file(void)
{
	return xasprintf("%s/enroot.conf", enroot_setting("ENROOT_SYSCONF_PATH"));
}

static int make_all(const char *path)
{
	auto_free char *dir = xstrdup(path);

	if (!*dir) {
		errno = ENOENT;
		return -1;
	}
	for (char *s = dir + 1; (s = strchr(s, '/')) != NULL; *s++ = '/') {
		*s = '\0';
		if (mkdir(dir, 0700) < 0 && errno != EEXIST)
			return -1;
	}
	return mkdir(dir, 0700) < 0 && errno != EEXIST ? -1 : 0;
}

/* The runtime directory is only for others to find: ours is the store's, so that it need not be there. */
static int make_dirs(struct err *e)
{
	static const char *const needed[] = {"ENROOT_CACHE_PATH", "ENROOT_DATA_PATH"};

	(void)make_all(enroot_setting("ENROOT_RUNTIME_PATH")); /* likewise */
	for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
		const char *path = enroot_setting(needed[i]);

		if (access(path, F_OK) < 0 && make_all(path) < 0)
			return err_sys(e, "mkdir: cannot create directory '%s'", path);
	}
	return 0;
}

/* As a shell has it: the caller's, if that is where we are. Files and scripts tell paths by it. */
static void settle_cwd(void)
{
	const char *told = enroot_setting("PWD");
	char real[4096];
	struct stat st, here;

	if (*told == '/' && stat(told, &st) == 0 && stat(".", &here) == 0 &&
		st.st_ino == here.st_ino && st.st_dev == here.st_dev)
		return;
	if (getcwd(real, sizeof(real)))
		(void)setenv("PWD", real, 1); /* memory only */
}

/* What is empty is as good as not set. */
int enroot_conf_load(struct err *e)
{
	auto_free char *main_file = NULL, *dir = NULL, *cpus = NULL;
	auto_strv struct strv files = {0};

	/* With the owner's bits in it nothing that is made here could be used. */
	(void)umask(umask(0077) & ~(mode_t)0700);
	settle_cwd();
	if (!*enroot_setting("ENROOT_SYSCONF_PATH"))
		(void)setenv("ENROOT_SYSCONF_PATH", "/etc/enroot", 1); /* memory only */
	main_file = enroot_conf_file();
	dir = xasprintf("%s.d", main_file);
	if (load_file(main_file, e) < 0)
		return -1;
	if (enroot_files(dir, ".conf", &files, e) < 0)
		return -1;
	for (size_t i = 0; i < files.n; i++)
		if (load_file(files.v[i], e) < 0)
			return -1;
	for (size_t i = 0; i < ARRAY_LEN(defaults); i++) {
		auto_buf struct buf value = {0};

		if (*enroot_setting(defaults[i].name))
			continue;
		if (enroot_expand(defaults[i].value, &value))
			(void)setenv(defaults[i].name, value.s, 1); /* memory only */
	}
	cpus = xasprintf("%ld", sysconf(_SC_NPROCESSORS_ONLN));
	if (!*enroot_setting("ENROOT_MAX_PROCESSORS"))
		(void)setenv("ENROOT_MAX_PROCESSORS", cpus, 1); /* memory only */
	if (!*enroot_setting("ENROOT_LOGIN_SHELL"))
		(void)unsetenv("ENROOT_LOGIN_SHELL");      /* as if it were not set */
	(void)setenv("ENROOT_VERSION", ENROOT_VERSION, 1); /* memory only */
	drop_false();
	return make_dirs(e);
}
