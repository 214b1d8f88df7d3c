/* SPDX-License-Identifier: Apache-2.0 */
#include "top_parts.h"

#include "host_ps.h"
#include "sys.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

/* ---- the options ---- */

#define EF  "user=UID,pid,ppid,c,stime,tname,time,cmd"
#define E_  "pid,tname,time,ucmd"
#define AUX "user,pid,%cpu,%mem,vsz,rss,tname,stat,start_time,time,command"
#define AX  "pid,tname,stat,time,command"

struct ask {
	struct strv keys; /* "pid", "user=UID" */
	const char *sort;
	bool full, user, bsd, jobs;
	bool other; /* something of which ps has more to say than is known here */
};

/* "pid,comm" and "pid comm"; "user=WHO" takes the rest as its title. */
static int add_keys(struct ask *a, const char *list, struct err *e)
{
	for (;;) {
		size_t n = strcspn(list, ", \t=");
		auto_free char *key = xstrndup(list, n);

		if ((n || list[n] == '=') && !top_column(key))
			return err_set(e, ERR_USAGE,
				"ps: error: unknown user-defined format specifier \"%s\"", key);
		if (list[n] == '=') {
			size_t title = a->keys.n || strchr(list, ',') ? strcspn(list + n, ",")
			                                              : strlen(list + n);

			a->other = true;
			strv_take(&a->keys, xstrndup(list, n + title));
			list += n + title;
		} else if (n) {
			strv_add(&a->keys, key);
			list += n;
		}
		if (!*list)
			return 0;
		list += strspn(list, ", \t");
		if (!*list)
			return 0;
	}
}

static int unsupported(const char *kind, struct err *e)
{
	return err_set(e, ERR_USAGE, "ps: error: unsupported %s option", kind);
}

static int long_option(struct ask *a, const char *word, struct err *e)
{
	a->other = true;
	if (str_starts(word, "--sort="))
		a->sort = word + strlen("--sort=");
	else if (str_starts(word, "--format="))
		return add_keys(a, word + strlen("--format="), e);
	else if (!str_eq(word, "--no-headers") && !str_eq(word, "--no-headings"))
		return err_set(e, ERR_USAGE, "ps: error: unknown gnu long option");
	return 0;
}

/* One cluster of letters; *rest: what -o takes, or the next word. */
static int letters(struct ask *a, const char *word, char *const **args, struct err *e)
{
	bool dash = *word == '-';

	a->bsd |= !dash;
	for (const char *c = word + dash; *c; c++) {
		if (*c == 'o') {
			const char *list = c[1] ? c + 1 : **args ? *(*args)++ : NULL;

			return list ? add_keys(a, list, e)
			            : err_set(e, ERR_USAGE,
					      "ps: error: list of format specifiers must follow -o");
		}
		a->other |= !strchr(dash ? "eAfw" : "axuw", *c);
		if (dash && *c == 'f')
			a->full = true;
		else if (*c == 'u' && !dash)
			a->user = true;
		else if (*c == 'j')
			a->jobs = true;
		else if (*c == 'x' && dash)
			a->bsd = true;
		else if (!strchr(dash ? "eAaNdww" : "axeTrgwfc", *c)) /* which processes: they are chosen */
			return unsupported(dash ? "SysV" : "BSD", e);
	}
	return 0;
}

static void ask_done(struct ask *a)
{
	strv_done(&a->keys);
}
#define auto_ask __attribute__((cleanup(ask_done)))

static int parse_args(char *const *args, struct ask *a, struct err *e)
{
	bool none = true, other;
	int bad;

	while (*args) {
		const char *word = *args++;

		if (!*word)
			continue;
		none = false;
		a->other |= strchr(word, ' ') != NULL; /* it is more than one word for docker */
		if ((str_starts(word, "--") ? long_option(a, word, e) : letters(a, word, &args, e)) < 0)
			return -1;
	}
	if (a->keys.n) {
		a->user = a->bsd = false; /* they say no more how a time is written */
		return 0;
	}
	other = a->other;
	bad = add_keys(a,
		none || a->full ? EF
		: a->user       ? AUX
		: a->bsd        ? AX
		: a->jobs       ? "pid,pgid,sid,tname,time,ucmd"
				: E_,
		e);
	a->other = other; /* the title in there is known */
	return bad;
}

int top_columns(char *const *args, struct strv *keys, struct err *e)
{
	auto_ask struct ask a = {0};

	if (parse_args(args, &a, e) < 0)
		return -1;
	strv_copy(keys, &a.keys);
	return 0;
}

/* ---- the whole ---- */

static int cannot_look(pid_t pid, struct err *e)
{
	return procs_gone(errno) ? 0 : err_sys(e, "look at process %d", (int)pid);
}

/* The id which the container gives its user or group, by its own map; 0 of one that has ended. */
static int inside_id(pid_t pid, bool group, uid_t *id, struct err *e)
{
	unsigned int uid = 0, in, out, count;
	char path[40], text[4096], *at;

	*id = 0;
	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid); /* fits */
	if (sys_get(AT_FDCWD, path, text, sizeof(text)) < 0)
		return cannot_look(pid, e);
	at = strstr(text, group ? "\nGid:" : "\nUid:");
	if (!at || sscanf(at + strlen("\nUid:"), " %*u %u", &uid) != 1)
		return 0;
	*id = uid;
	(void)snprintf(path, sizeof(path), "/proc/%d/%cid_map", (int)pid, group ? 'g' : 'u'); /* fits */
	if (sys_get(AT_FDCWD, path, text, sizeof(text)) < 0)
		return cannot_look(pid, e);
	for (at = text; at && sscanf(at, " %u %u %u", &in, &out, &count) == 3; at = strchr(at + 1, '\n'))
		if (uid >= out && uid - out < count) {
			*id = in + (uid - out);
			return 0;
		}
	return 0;
}

/* As docker reads the lines of ps: words, and the rest is the last column's. */
static json_t *split(const char *line, size_t columns_wanted)
{
	auto_buf struct buf rest = {0};
	json_t *cells = json_array();

	while (*(line += strspn(line, " \t"))) {
		size_t n = strcspn(line, " \t");
		auto_free char *word = xstrndup(line, n);

		if (json_array_size(cells) + 1 < columns_wanted)
			(void)json_array_append_new(cells, json_text(word)); /* memory */
		else
			buf_printf(&rest, "%s%s", rest.len ? " " : "", word);
		line += n;
	}
	(void)json_array_append_new(cells, json_text(rest.s ? rest.s : "")); /* memory */
	return cells;
}

static json_t *process(const struct entry *r, const struct ask *a, struct err *e)
{
	auto_buf struct buf line = {0};

	for (size_t i = 0; i < a->keys.n; i++) {
		auto_free char *key = xstrndup(a->keys.v[i], strcspn(a->keys.v[i], "="));
		auto_free char *cell = top_column(key)->cell(r);

		if (!cell) {
			(void)err_sys(e, "look at process %d", (int)r->p->pid);
			return NULL;
		}
		buf_printf(&line, "%s%s", i ? " " : "", cell);
	}
	return split(line.s, a->keys.n);
}

static json_t *titles(const struct ask *a, struct err *e)
{
	json_t *list = json_array();
	bool pid = false;

	for (size_t i = 0; i < a->keys.n; i++) {
		const char *own = strchr(a->keys.v[i], '=');
		auto_free char *key = xstrndup(a->keys.v[i], strcspn(a->keys.v[i], "="));
		const char *title = own && own[1] ? own + 1 : top_column(key)->title;

		pid |= str_eq(title, "PID");
		(void)json_array_append_new(list, json_text(title)); /* memory */
	}
	if (pid)
		return list;
	json_decref(list);
	(void)err_set(e, ERR_USAGE, "Couldn't find PID field in ps output");
	return NULL;
}

static double sort_value(const struct proc *p, const char *key)
{
	if (str_eq(key, "ppid"))
		return p->ppid;
	if (str_eq(key, "rss") || str_eq(key, "%mem") || str_eq(key, "pmem"))
		return (double)p->resident;
	if (str_eq(key, "vsz") || str_eq(key, "vsize"))
		return (double)p->virtual;
	if (str_eq(key, "time") || str_eq(key, "%cpu") || str_eq(key, "pcpu") || str_eq(key, "c"))
		return (double)(p->user + p->system);
	return str_eq(key, "start_time") || str_eq(key, "start") ? (double)p->start : p->pid;
}

static void sort(struct proc *list, size_t n, const char *key)
{
	double way = key && *key == '-' ? -1 : 1;

	key = key ? key + strspn(key, "+-") : "pid";
	for (size_t i = 1; i < n; i++) {
		struct proc p = list[i];
		size_t k = i;

		for (; k > 0 && way * sort_value(&list[k - 1], key) > way * sort_value(&p, key); k--)
			list[k] = list[k - 1];
		list[k] = p;
	}
}

static void look(struct view *v)
{
	struct sysinfo mem = {0};
	struct timespec now;

	(void)clock_gettime(CLOCK_BOOTTIME, &now); /* this clock is always there */
	(void)sysinfo(&mem);                       /* fails only for a bad pointer */
	*v = (struct view){.now = (double)now.tv_sec + (double)now.tv_nsec / 1e9,
		.clock = time(NULL),
		.hz = sysconf(_SC_CLK_TCK),
		.memory = (double)mem.totalram * mem.mem_unit};
}

/* As docker forbids it: a column that would pass for the one of the pids. */
static int check_titles(const char *args, struct err *e)
{
	for (const char *c = args; (c = strchr(c, '=')); c++) {
		const char *title = c + 1 + strspn(c + 1, " "), *key = c;

		while (key > args && key[-1] != ' ')
			key--;
		if (key > args && str_starts(title, "PID") &&
			!(c - key == 3 && memcmp(key, "pid", 3) == 0))
			return err_set(e, ERR_USAGE, "specifying \"%.*s=%.*s\" is not allowed",
				(int)(c - key), key, (int)strcspn(title, " "), title);
	}
	return 0;
}

static const struct proc *proc_of(const struct proc *list, size_t n, const char *pid)
{
	for (size_t i = 0; i < n; i++)
		if (pid && list[i].pid == atoi(pid))
			return &list[i];
	return NULL;
}

static bool is_among(const char *const *words, const char *title)
{
	for (; *words; words++)
		if (str_eq(*words, title))
			return true;
	return false;
}

typedef char *id_cell(const struct entry *r);

/* How column k, whose title is `head` and in which ps wrote `cell`, shows a user or group; NULL: it shows none.
 * a: NULL if not all of the words are known. */
static id_cell *shows_id(const struct ask *a, size_t k, size_t columns, const char *head, const char *cell)
{
	static const char *const users[] = {"EUSER", "RUSER", "USER", NULL};
	static const char *const uids[] = {"EUID", "RUID", "UID", NULL}; /* of some lists it has names */
	static const char *const groups[] = {"EGROUP", "GROUP", "RGROUP", NULL};
	static const char *const gids[] = {"EGID", "GID", "RGID", NULL};
	bool number = isdigit((unsigned char)*cell);

	if (a && a->keys.n == columns) {
		auto_free char *key = xstrndup(a->keys.v[k], strcspn(a->keys.v[k], "="));
		id_cell *own = top_column(key)->cell;

		return own == top_cell_user || own == top_cell_uid ? own : NULL;
	}
	if (is_among(groups, head) || is_among(gids, head))
		return number && is_among(gids, head) ? top_cell_gid : top_cell_group;
	if (is_among(users, head) || is_among(uids, head))
		return number && is_among(uids, head) ? top_cell_uid : top_cell_user;
	return NULL;
}

/* The machine's ps shows the machine's users and groups: replaces them by those inside. */
static int show_inside(
	json_t *table, const struct ask *a, const struct proc *list, size_t n, struct err *e)
{
	json_t *titles = json_object_get(table, "Titles"),
	       *rows = json_object_get(table, "Processes"), *row;
	size_t i, k, pid_at = 0;
	json_t *title;

	json_array_foreach(titles, i, title) if (str_eq(json_string_value(title), "PID")) pid_at = i;
	json_array_foreach(rows, i, row)
	{
		const struct proc *p = proc_of(list, n, json_string_value(json_array_get(row, pid_at)));

		json_array_foreach(titles, k, title)
		{
			const char *cell = json_string_value(json_array_get(row, k)),
				   *head = json_string_value(title);
			id_cell *its = p && cell ? shows_id(a, k, json_array_size(titles), head, cell)
			                         : NULL;
			struct entry r = {p, NULL, 0, false};
			auto_free char *now = NULL;

			if (!its)
				continue;
			if (inside_id(p->pid, its == top_cell_group || its == top_cell_gid, &r.id, e) < 0)
				return -1;
			now = its(&r);
			(void)json_array_set_new(row, k, json_text(now)); /* memory */
		}
	}
	return 0;
}

/* ---- the users that are asked for ---- */

#define NOBODY 65534

/* The number outside of the container's user `id`, by the map of one of its processes. */
static uid_t outside_id(pid_t pid, uid_t id)
{
	unsigned int in, out, count;
	char path[40], text[4096];

	(void)snprintf(path, sizeof(path), "/proc/%d/uid_map", (int)pid); /* fits */
	if (sys_get(AT_FDCWD, path, text, sizeof(text)) < 0)
		return NOBODY;
	for (const char *at = text; at && sscanf(at, " %u %u %u", &in, &out, &count) == 3;
		at = (at = strchr(at, '\n')) ? at + 1 : NULL)
		if (id >= in && id - in < count)
			return out + (id - in);
	return NOBODY;
}

/* False: it is neither a number nor a name of the machine's. */
static bool user_named(const char *word, uid_t *id)
{
	auto_fclose FILE *f = NULL;
	const struct passwd *p;

	if (*word && strspn(word, "0123456789") == strlen(word)) {
		*id = (uid_t)strtoul(word, NULL, 10);
		return true;
	}
	f = fopen("/etc/passwd", "re");
	while (f && (p = fgetpwent(f)))
		if (str_eq(p->pw_name, word)) {
			*id = p->pw_uid;
			return true;
		}
	return false;
}

/* The users of a list "root,33" as the machine's ps is to look for them; what is no user is left to ps to refuse. */
static void add_users(struct buf *b, const char *list, pid_t pid)
{
	while (*list) {
		size_t n = strcspn(list, ", ");
		auto_free char *word = xstrndup(list, n);
		uid_t id;

		if (n && user_named(word, &id))
			buf_printf(b, "%u", outside_id(pid, id));
		else
			buf_puts(b, word);
		list += n;
		if (*list)
			buf_putc(b, *list++);
	}
}

/* Where the list of users begins in a word that chooses by users; NULL: it does not. A list of length 0: it is the next word. */
static const char *chooses_users(const char *word)
{
	const char *equals = strchr(word, '=');

	if (str_starts(word, "--user=") || str_starts(word, "--User="))
		return equals + 1;
	if (str_eq(word, "--user") || str_eq(word, "--User") || str_eq(word, "U"))
		return word + strlen(word);
	if (*word != '-' || word[1] == '-')
		return NULL;
	word += strspn(word, "-AacdefFHjlLMmNPwyZ");
	return *word == 'u' || *word == 'U' ? word + 1 : NULL;
}

static void add_words(struct buf *b, char *const *args, pid_t pid)
{
	bool users = false;

	for (char *const *a = args; *a; a++) {
		const char *list = users ? *a : chooses_users(*a);

		if (a != args)
			buf_putc(b, ' ');
		users = !users && list && !*list;
		if (!list) {
			buf_puts(b, *a);
			continue;
		}
		buf_add(b, *a, (size_t)(list - *a));
		add_users(b, list, pid);
	}
}

/* ---- ps ---- */

/* a: what was understood of the words, or NULL. */
static json_t *ask_host(
	char *const *args, const struct ask *a, const struct proc *list, size_t n, struct err *e)
{
	auto_buf struct buf words = {0}, out = {0};
	json_t *table;

	add_words(&words, args, n ? list[0].pid : 0);
	if (!words.len)
		buf_puts(&words, "-ef");
	if (check_titles(words.s, e) < 0 || host_ps(words.s, list, n, &out, e) < 0)
		return NULL;
	table = host_ps_rows(out.s ? out.s : "", list, n, e);
	if (!table || show_inside(table, a, list, n, e) == 0)
		return table;
	json_decref(table);
	return NULL;
}

/* Without the help of a ps. */
static json_t *ask_ourselves(const struct ask *a, struct proc *list, size_t n, struct err *e)
{
	auto_json json_t *heads = titles(a, e), *processes = json_array();
	struct view view;

	if (!heads)
		return NULL;
	look(&view);
	sort(list, n, a->sort);
	for (size_t i = 0; i < n; i++) {
		struct entry r = {&list[i], &view, 0, !a->user && !a->bsd};
		json_t *one = inside_id(list[i].pid, false, &r.id, e) < 0 ? NULL : process(&r, a, e);

		if (!one)
			return NULL;
		(void)json_array_append_new(processes, one); /* memory */
	}
	return json_pack("{s:O, s:O}", "Titles", heads, "Processes", processes);
}

json_t *top_list(const struct state *st, char *const *args, struct err *e)
{
	auto_free struct proc *list = NULL;
	auto_ask struct ask a = {0};
	struct err unknown;
	json_t *table;
	size_t n = 0;
	bool known = parse_args(args, &a, &unknown) == 0;

	if (procs_list(st, &list, &n, e) < 0)
		return NULL;
	if (known && !a.other)
		return ask_ourselves(&a, list, n, e);
	table = ask_host(args, known ? &a : NULL, list, n, e);
	if (table || e->kind != ERR_NOT_FOUND)
		return table;
	if (known)
		return ask_ourselves(&a, list, n, e);
	*e = unknown;
	return NULL;
}
