/* SPDX-License-Identifier: Apache-2.0 */
#include "settings.h"
#include "auto.h"
#include "str.h"
#include "sys.h"

#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind {
	TEXT, /* its user checks it */
	PLACE, /* a directory; in a file the path must be absolute, as there is no directory to start from */
	SWITCH, /* on or off */
	IDS,
	COUNT, /* a number, not below 0 */
	KINDS
};

static const struct row {
	const char *name;
	enum kind kind;
} rows[] = {
	{"fuse", SWITCH},
	{"host", TEXT},
	{"ids", IDS},
	{"layers_idle", COUNT},
	{"network", TEXT},
	{"overlay", SWITCH},
	{"root", PLACE},
	{"runtime", PLACE},
	{"scratch", PLACE},
	{"systemd_ms", COUNT},
};

static const char *const words[KINDS][8] = {
	[SWITCH] = {"on", "off", "yes", "no", "1", "0"},
	[IDS] = {"auto", "one", "range"},
};
static const char *const wanted[] = {
	[TEXT] = "a word",
	[PLACE] = "an absolute path",
	[SWITCH] = "on or off",
	[IDS] = "auto, one or range",
	[COUNT] = "a number",
};
static_assert(ARRAY_LEN(wanted) == KINDS, "each kind says what it may be");

/* ---- files ------------------------------------------------------------------------------ */

/* A line of a file, parsed; name is NULL if it is empty or a comment. */
struct line {
	const char *name, *value;
	size_t name_len, value_len;
	bool equals;
};

static size_t trimmed(const char *at, const char *end)
{
	while (end > at && isspace((unsigned char)end[-1]))
		end--;
	return (size_t)(end - at);
}

/* The line at `at`; returns where the next one is. */
static const char *line_at(const char *at, struct line *out)
{
	const char *end = at + strcspn(at, "\n"), *equals;

	*out = (struct line){0};
	at += strspn(at, " \t\r");
	if (at < end && *at != '#') {
		equals = memchr(at, '=', (size_t)(end - at));
		out->equals = equals != NULL;
		out->name = at;
		out->name_len = trimmed(at, equals ? equals : end);
		out->value = equals ? equals + 1 : end;
		out->value += out->value < end ? strspn(out->value, " \t") : 0;
		out->value_len = out->value < end ? trimmed(out->value, end) : 0;
	}
	return *end ? end + 1 : end;
}

/* The value of `name` in "name = value" lines, or NULL; the caller frees. */
static char *value_in(const char *text, const char *name)
{
	struct line l;

	while (*text) {
		text = line_at(text, &l);
		if (l.equals && l.name_len == strlen(name) && memcmp(l.name, name, l.name_len) == 0)
			return l.value_len ? xstrndup(l.value, l.value_len) : xstrdup("");
	}
	return NULL;
}

const char *setting_home(void)
{
	static char *listed;
	static bool looked;
	const char *home = getenv("HOME");
	struct passwd *p;
	FILE *f;

	if ((home && *home) || looked)
		return home && *home ? home : listed;
	looked = true;
	f = fopen("/etc/passwd", "re");
	while (f && !listed && (p = fgetpwent(f)))
		if (p->pw_uid == getuid() && p->pw_dir && *p->pw_dir)
			listed = xstrdup(p->pw_dir);
	if (f)
		(void)fclose(f);
	return listed;
}

/* The path of the user's file (NULL: there is no place for one) or the machine's; the caller frees. */
static char *file_path(int i)
{
	/* The XDG specification says that a path that is not absolute is to be ignored. */
	const char *config = getenv("XDG_CONFIG_HOME"), *home = setting_home();

	if (i == 1)
		return xstrdup("/etc/sbx/config");
	if (config && config[0] == '/')
		return xasprintf("%s/sbx/config", config);
	return home && home[0] == '/' ? xasprintf("%s/.config/sbx/config", home) : NULL;
}

/* ---- values ----------------------------------------------------------------------------- */

/* SBX_NAME; the caller frees. */
static char *variable_of(const char *name)
{
	char *variable = xasprintf("SBX_%s", name);

	for (char *c = variable; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return variable;
}

char *setting(const char *name)
{
	auto_free char *variable = variable_of(name);
	const char *given = getenv(variable);

	if (given && *given)
		return xstrdup(given);
	for (int i = 0; i < 2; i++) {
		auto_free char *path = file_path(i), *text = path ? sys_text(path) : NULL;
		char *value = text ? value_in(text, name) : NULL;

		if (value)
			return value;
	}
	return NULL;
}

static bool is_one_of(const char *const *list, const char *value)
{
	for (; *list; list++)
		if (str_eq(*list, value))
			return true;
	return false;
}

bool setting_is_off(const char *name)
{
	static const char *const off[] = {"off", "no", "0", NULL};
	auto_free char *value = setting(name);

	return value && is_one_of(off, value);
}

/* ---- checks ----------------------------------------------------------------------------- */

static bool fits(enum kind kind, const char *value, bool in_file)
{
	size_t len = strlen(value);

	switch (kind) {
	case PLACE:
		return value[0] == '/' || (!in_file && len > 0);
	case SWITCH:
	case IDS:
		return is_one_of(words[kind], value);
	case COUNT:
		return len > 0 && len < 10 && strspn(value, "0123456789") == len;
	default:
		return len > 0;
	}
}

static const struct row *row_of(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strlen(rows[i].name) == len && memcmp(rows[i].name, name, len) == 0)
			return &rows[i];
	return NULL;
}

static int check_line(const struct line *l, const char *where, int number, struct err *e)
{
	const struct row *row = row_of(l->name, l->name_len);
	auto_free char *value = l->value_len ? xstrndup(l->value, l->value_len) : xstrdup("");

	if (!l->equals)
		return err_set(e, ERR_USAGE, "%s:%d: \"%.*s\" is no setting: name = value", where,
			number, (int)(l->name_len > 40 ? 40 : l->name_len), l->name);
	if (!row) {
		auto_buf struct buf all = {0};

		for (size_t i = 0; i < ARRAY_LEN(rows); i++)
			buf_printf(&all, "%s%s", i ? ", " : "", rows[i].name);
		return err_set(e, ERR_USAGE, "%s:%d: unknown setting \"%.*s\": there are %s", where,
			number, (int)(l->name_len > 40 ? 40 : l->name_len), l->name, all.s);
	}
	if (!fits(row->kind, value, true))
		return err_set(e, ERR_USAGE, "%s:%d: %s = %.80s: must be %s", where, number,
			row->name, value, wanted[row->kind]);
	return 0;
}

int settings_check_text(const char *text, const char *where, struct err *e)
{
	struct line l;

	for (int number = 1; *text; number++) {
		text = line_at(text, &l);
		if (l.name && check_line(&l, where, number, e) < 0)
			return -1;
	}
	return 0;
}

int settings_check(struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_free char *variable = variable_of(rows[i].name);
		const char *value = getenv(variable);

		if (value && *value && !fits(rows[i].kind, value, false))
			return err_set(e, ERR_USAGE, "%s=%.80s: must be %s", variable, value,
				wanted[rows[i].kind]);
	}
	for (int i = 0; i < 2; i++) {
		auto_free char *path = file_path(i), *text = NULL;

		if (path && sys_text_maybe(path, &text, e) < 0)
			return -1;
		if (text && settings_check_text(text, path, e) < 0)
			return -1;
	}
	return 0;
}
