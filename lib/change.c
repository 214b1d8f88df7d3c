/* SPDX-License-Identifier: Apache-2.0 */
#include "change_parts.h"

#include "parse.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define FEW 16 /* variables, which are set one by one */

/* ---- instructions ---- */

static json_t *member(json_t *object, const char *key, json_t *(*make)(void))
{
	json_t *v = json_object_get(object, key);

	if (v && !json_is_null(v))
		return v;
	(void)json_object_set_new(object, key, make()); /* fails for want of memory alone, as all below */
	return json_object_get(object, key);
}

static int needs_arguments(const struct change *c, const char *arguments, struct err *e)
{
	return *arguments ? 0 : err_set(e, ERR_USAGE, "%s requires at least one argument", c->name);
}

/* What is no JSON list at all is NULL in *words. */
static int list_of_words(const char *rest, json_t **words, struct err *e)
{
	auto_json json_t *list = change_json_list(rest);

	*words = change_json_words(rest);
	if (!*words && json_is_array(list))
		return err_set(e, ERR_USAGE,
			"when using JSON array syntax, arrays must be comprised of strings only");
	return 0;
}

static json_t *command(const char *rest, struct err *e)
{
	json_t *words;

	if (list_of_words(rest, &words, e) < 0)
		return NULL;
	return words ? words : json_pack("[s, s, s]", "/bin/sh", "-c", rest);
}

static int do_cmd(struct change *c, struct err *e)
{
	json_t *words = *c->rest ? command(c->rest, e) : json_pack("[s, s]", "/bin/sh", "-c");

	if (!words)
		return -1;
	c->cmd_set = json_array_size(words) > 0;
	(void)json_object_set_new(c->config, "Cmd", words); /* memory */
	return 0;
}

static int do_entrypoint(struct change *c, struct err *e)
{
	auto_json json_t *words = *c->rest ? command(c->rest, e) : NULL;
	bool none = !words || json_array_size(words) == 0;

	if (!words && *c->rest)
		return -1;
	(void)json_object_set_new(c->config, "Entrypoint", none ? json_null() : json_incref(words));
	if (!c->cmd_set && !none)
		(void)json_object_set_new(c->config, "Cmd", json_null());
	return 0;
}

/* NAME VALUE to the end of the line, in which quotes do not hold a name together. */
static int old_pair(
	struct change *c, int (*add)(struct change *, const char *, const char *), struct err *e)
{
	size_t n = strcspn(c->rest, BLANKS);
	const char *rest = c->rest + n + strspn(c->rest + n, BLANKS);
	auto_free char *name = xstrndup(c->rest, n);
	auto_buf struct buf key = {0}, value = {0};

	if (!*rest)
		return err_set(e, ERR_USAGE, "%s must have two arguments", c->name);
	if (change_unquote(c, name, &key, e) < 0 || change_unquote(c, rest, &value, e) < 0)
		return -1;
	return add(c, key.s, value.s);
}

/* NAME=VALUE words, or the old form. Calls add(key, value). */
static int pairs(struct change *c, int (*add)(struct change *, const char *, const char *), struct err *e)
{
	auto_strv struct strv words = {0};

	change_split(c->rest, &words);
	if (words.n && !strchr(words.v[0], '='))
		return old_pair(c, add, e);
	for (size_t i = 0; i < words.n; i++) {
		char *equals = strchr(words.v[i], '=');
		auto_buf struct buf key = {0}, value = {0};

		if (!equals)
			return err_set(e, ERR_USAGE,
				"Syntax error - can't find = in \"%s\". Must be of the form: name=value",
				words.v[i]);
		if (equals == words.v[i])
			return err_set(e, ERR_USAGE, "%s names can not be blank", c->name);
		*equals = '\0';
		if (change_unquote(c, words.v[i], &key, e) < 0 ||
			change_unquote(c, equals + 1, &value, e) < 0)
			return -1;
		(void)add(c, key.s, value.s); /* cannot fail */
	}
	return 0;
}

static int add_env(struct change *c, const char *key, const char *value)
{
	strv_take(&c->set, xasprintf("%s=%s", key, value));
	return 0;
}

static int do_env(struct change *c, struct err *e)
{
	if (needs_arguments(c, c->rest, e) < 0 || pairs(c, add_env, e) < 0)
		return -1;
	for (size_t i = 0; c->set.n <= FEW && i < c->set.n; i++)
		strv_env_set(&c->env, c->set.v[i]);
	if (c->set.n > FEW) {
		for (size_t i = 0; i < c->set.n; i++)
			strv_add(&c->env, c->set.v[i]);
		strv_env_settle(&c->env);
	}
	c->env.set = true;
	return 0;
}

static int add_label(struct change *c, const char *key, const char *value)
{
	return json_object_set_new(member(c->config, "Labels", json_object), key, json_string(value));
}

static int do_label(struct change *c, struct err *e)
{
	return needs_arguments(c, c->rest, e) < 0 ? -1 : pairs(c, add_label, e);
}

/* "80", "80/udp", "1000-1002/tcp"; what comes before the container's port, as with -p, is ignored. */
static int expose(struct change *c, const char *word, struct err *e)
{
	auto_strv struct strv ports = {0}, exposed = {0};

	if (parse_publish(word, &ports, &exposed, e) < 0) {
		*e->text = (char)toupper((unsigned char)*e->text); /* the daemon's words; -p has the client's */
		return -1;
	}
	for (size_t i = 0; i < exposed.n; i++)
		(void)json_object_set_new(member(c->config, "ExposedPorts", json_object),
			exposed.v[i], json_object()); /* memory */
	return 0;
}

static int do_expose(struct change *c, struct err *e)
{
	auto_strv struct strv words = {0}, ports = {0};

	change_split_blanks(c->rest, &words);
	for (size_t i = 0; i < words.n; i++) {
		auto_buf struct buf word = {0};

		if (change_unquote(c, words.v[i], &word, e) < 0)
			return -1;
		change_split_blanks(word.s, &ports); /* a variable may hold several, or none */
	}
	strv_sort(&ports, 0);
	for (size_t i = 0; i < ports.n; i++)
		if (expose(c, ports.v[i], e) < 0)
			return -1;
	return needs_arguments(c, c->rest, e);
}

/* One word, which may have quotes and variables; the caller frees it. */
static char *one_word(const struct change *c, struct err *e)
{
	auto_buf struct buf word = {0};

	if (!*c->rest) {
		(void)err_set(e, ERR_USAGE, "%s requires exactly one argument", c->name);
		return NULL;
	}
	return change_unquote(c, c->rest, &word, e) < 0 ? NULL : buf_take(&word);
}

static int do_user(struct change *c, struct err *e)
{
	auto_free char *user = one_word(c, e);

	return user ? json_object_set_new(c->config, "User", json_string(user)) : -1;
}

static int do_volume(struct change *c, struct err *e)
{
	auto_json json_t *list = NULL;
	auto_strv struct strv words = {0};

	if (list_of_words(c->rest, &list, e) < 0)
		return -1;
	if (list)
		json_strv(list, &words);
	else
		change_split_blanks(c->rest, &words);
	for (size_t i = 0; i < words.n; i++) {
		auto_buf struct buf dir = {0};

		if (change_unquote(c, words.v[i], &dir, e) < 0)
			return -1;
		if (!dir.len)
			return err_set(e, ERR_USAGE, "VOLUME specified can not be an empty string");
		(void)json_object_set_new(
			member(c->config, "Volumes", json_object), dir.s, json_object());
	}
	return needs_arguments(c, words.n ? c->rest : "", e);
}

/* A relative one starts from the previous one; an absolute one is kept as it was written, although a container's is
 * cleaned. */
static int do_workdir(struct change *c, struct err *e)
{
	auto_free char *word = one_word(c, e), *path = NULL, *clean = NULL;

	if (!word)
		return -1;
	if (!*word)
		return err_set(e, ERR_USAGE, "cannot normalize nothing");
	if (*word == '/')
		return json_object_set_new(c->config, "WorkingDir", json_string(word));
	path = xasprintf("/%s/%s", json_str(c->config, "WorkingDir", ""), word);
	clean = parse_clean_path(path);
	return json_object_set_new(c->config, "WorkingDir", json_string(clean));
}

static int do_onbuild(struct change *c, struct err *e)
{
	size_t n = strcspn(c->rest, BLANKS);

	if (needs_arguments(c, c->rest, e) < 0)
		return -1;
	if (n == 7 && strncasecmp(c->rest, "ONBUILD", n) == 0)
		return err_set(e, ERR_USAGE, "Chaining ONBUILD via `ONBUILD ONBUILD` isn't allowed");
	if ((n == 4 && strncasecmp(c->rest, "FROM", n) == 0) ||
		(n == 10 && strncasecmp(c->rest, "MAINTAINER", n) == 0))
		return err_set(e, ERR_USAGE, "%s isn't allowed as an ONBUILD trigger",
			n == 4 ? "FROM" : "MAINTAINER");
	return json_array_append_new(member(c->config, "OnBuild", json_array), json_string(c->rest));
}

static int health_retries(json_t *health, const char *value, struct err *e)
{
	char *end;
	long n = strtol(value, &end, 10);

	if (*end)
		return err_set(e, ERR_USAGE, "strconv.ParseInt: parsing %s: invalid syntax",
			QUOTED(value));
	if (n < 1 || n > INT32_MAX)
		return err_set(e, ERR_USAGE, "--retries must be at least 1 (not %ld)", n);
	return json_object_set_new(health, "Retries", json_integer(n));
}

/* --NAME=VALUE; an empty value counts as not given. */
static int health_flag(json_t *health, const char *flag, struct err *e)
{
	static const char *const durations[][2] = {{"interval", "Interval"}, {"timeout", "Timeout"},
		{"start-period", "StartPeriod"}, {"start-interval", "StartInterval"}};
	auto_free char *name = xstrndup(flag + 2, strcspn(flag + 2, "="));
	const char *value = flag + 2 + strlen(name), *key = NULL;
	int64_t ns;

	for (size_t i = 0; i < ARRAY_LEN(durations); i++)
		if (str_eq(name, durations[i][0]))
			key = durations[i][1];
	if (!key && !str_eq(name, "retries"))
		return err_set(e, ERR_USAGE, "Unknown flag: %s", name);
	if (*value++ != '=')
		return err_set(e, ERR_USAGE, "Missing a value on flag: %s", name);
	if (!*value)
		return 0;
	if (!key)
		return health_retries(health, value, e);
	if (parse_duration(value, false, &ns, e) < 0)
		return -1;
	if (ns < 1000000)
		return err_set(e, ERR_USAGE, "Interval \"%s\" cannot be less than 1ms", name);
	return json_object_set_new(health, key, json_integer(ns));
}

static int unknown_check(const char *word, struct err *e)
{
	auto_free char *type = xstrndup(word, strcspn(word, BLANKS));

	for (char *p = type; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return err_set(e, ERR_USAGE, "Unknown type %s in HEALTHCHECK (try CMD)", QUOTED(type));
}

static json_t *fail(struct err *e, const char *text)
{
	(void)err_set(e, ERR_USAGE, "%s", text);
	return NULL;
}

/* The check of "NONE" or "CMD ...". */
static json_t *health_test(const char *at, struct err *e)
{
	size_t n = strcspn(at, BLANKS);
	const char *rest = at + n + strspn(at + n, BLANKS);
	bool none = n == 4 && strncasecmp(at, "NONE", n) == 0;
	auto_json json_t *words = NULL;
	json_t *test;

	if (!none && !(n == 3 && strncasecmp(at, "CMD", n) == 0)) {
		(void)unknown_check(at, e);
		return NULL;
	}
	if (list_of_words(rest, &words, e) < 0)
		return NULL;
	if (words ? json_array_size(words) == 0 : !*rest)
		return none ? json_pack("[s]", "NONE")
		            : fail(e, "Missing command after HEALTHCHECK CMD");
	if (none)
		return fail(e, "HEALTHCHECK NONE takes no arguments");
	test = words ? json_pack("[s]", "CMD") : json_pack("[s, s]", "CMD-SHELL", rest);
	if (words)
		(void)json_array_extend(test, words); /* memory */
	return test;
}

static int do_healthcheck(struct change *c, struct err *e)
{
	auto_json json_t *health = json_object();
	json_t *test;

	(void)json_object_set_new(health, "Test", json_null()); /* docker shows it first; memory */
	if (needs_arguments(c, c->rest, e) < 0)
		return -1;
	for (size_t i = 0; i < c->flags.n; i++)
		if (health_flag(health, c->flags.v[i], e) < 0)
			return -1;
	if (!(test = health_test(c->rest, e)))
		return -1;
	(void)json_object_set_new(health, "Test", test);
	return json_object_set(c->config, "Healthcheck", health);
}

static const struct instruction {
	const char *name;
	int (*apply)(struct change *c, struct err *e);
} instructions[] = {
	{"CMD", do_cmd},
	{"ENTRYPOINT", do_entrypoint},
	{"ENV", do_env},
	{"EXPOSE", do_expose},
	{"HEALTHCHECK", do_healthcheck},
	{"LABEL", do_label},
	{"ONBUILD", do_onbuild},
	{"USER", do_user},
	{"VOLUME", do_volume},
	{"WORKDIR", do_workdir},
};

/* NULL: there is none of that name, which is that long. */
static const struct instruction *instruction(const char *line, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(instructions); i++)
		if (strlen(instructions[i].name) == n && strncasecmp(line, instructions[i].name, n) == 0)
			return &instructions[i];
	return NULL;
}

/* Before anything is done. */
static int check_names(const struct strv *lines, struct err *e)
{
	for (size_t i = 0; i < lines->n; i++) {
		size_t n = strcspn(lines->v[i], BLANKS);
		auto_free char *name = xstrndup(lines->v[i], n);

		if (instruction(name, n))
			continue;
		for (char *p = name; *p; p++)
			*p = (char)tolower((unsigned char)*p);
		return err_set(e, ERR_USAGE, "%s is not a valid change command", name);
	}
	return 0;
}

static int apply_line(struct change *c, const char *line, struct err *e)
{
	size_t n = strcspn(line, BLANKS);
	const struct instruction *i = instruction(line, n);

	c->name = i->name;
	c->rest = change_flags(line + n, &c->flags);
	/* One that needs arguments, and has none, says that first. */
	if (c->flags.n && i->apply != do_healthcheck &&
		(*c->rest || i->apply == do_cmd || i->apply == do_entrypoint))
		return err_set(e, ERR_USAGE, "Unknown flag: %.*s",
			(int)strcspn(c->flags.v[0] + 2, "="), c->flags.v[0] + 2);
	return i->apply(c, e);
}

/* One backslash at the end of a line continues it; comment lines in between are skipped. */
static char *next_line(char **at)
{
	char *line = strsep(at, "\n"), *end = line, *more;

	while (line) {
		end += strlen(end);
		while (end > line && strchr(" \t\r", end[-1]))
			end--;
		if (end == line || end[-1] != '\\' || (end - line > 1 && end[-2] == '\\') ||
			line[strspn(line, BLANKS)] == '#')
			break;
		*--end = '\0';
		do
			more = strsep(at, "\n");
		while (more && (more[strspn(more, BLANKS)] == '#' || !more[strspn(more, BLANKS)]));
		if (!more)
			break;
		memmove(end, more, strlen(more) + 1);
	}
	return line;
}

/* All changes are one text to docker: a line may go on in the next one. */
static void split_lines(const struct strv *changes, struct strv *lines)
{
	auto_buf struct buf all = {0};
	auto_free char *text = NULL;

	for (size_t i = 0; i < changes->n; i++)
		buf_printf(&all, "%s%s", i ? "\n" : "", changes->v[i]);
	text = json_utf8(all.s ? all.s : "", all.len);
	for (char *at = text, *line; (line = next_line(&at));) {
		size_t end;

		line += strspn(line, BLANKS);
		end = strlen(line);
		while (end && isspace((unsigned char)line[end - 1]))
			line[--end] = '\0';
		if (*line && *line != '#')
			strv_add(lines, line);
	}
}

static void change_done(struct change *c)
{
	strv_done(&c->env);
	strv_done(&c->set);
	strv_done(&c->flags);
}

int change_config(json_t *config, const struct strv *changes, struct err *e)
{
	__attribute__((cleanup(change_done))) struct change c = {.config = config};
	auto_strv struct strv lines = {0};

	json_strv(json_object_get(config, "Env"), &c.env);
	c.env.set = false;
	split_lines(changes, &lines);
	if (changes->n && !lines.n)
		return err_set(e, ERR_USAGE, "file with no instructions");
	if (check_names(&lines, e) < 0)
		return -1;
	for (size_t i = 0; i < lines.n; i++) {
		int result = apply_line(&c, lines.v[i], e);

		strv_done(&c.set);
		strv_done(&c.flags);
		if (result < 0)
			return -1;
	}
	if (c.env.set)
		(void)json_object_set_new(config, "Env", json_from_strv(&c.env)); /* memory */
	return 0;
}

/* ---- a whole config over another ---- */

static void merge_env(json_t *config, const json_t *over)
{
	auto_strv struct strv env = {0};
	json_t *v;
	size_t i;

	json_strv(json_object_get(config, "Env"), &env);
	json_array_foreach((json_t *)(uintptr_t)over, i, v) strv_add(&env, json_string_value(v));
	strv_env_settle(&env);
	(void)json_object_set_new(config, "Env", json_from_strv(&env)); /* memory */
}

static void merge_map(json_t *config, const char *key, json_t *over)
{
	json_t *was = json_object_get(config, key);

	/* Only memory can fail. */
	if (json_is_object(was))
		(void)json_object_update(was, over);
	else
		(void)json_object_set(config, key, over);
}

static bool all_words(const json_t *list)
{
	json_t *v;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, v) if (!json_is_string(v)) return false;
	return true;
}

static bool is_empty(const json_t *v)
{
	return !v || json_is_null(v) || (json_is_string(v) && !*json_string_value(v)) ||
	       (json_is_integer(v) && json_integer_value(v) == 0) ||
	       (json_is_array(v) && json_array_size(v) == 0) ||
	       (json_is_object(v) && json_object_size(v) == 0);
}

static void fill_in(json_t *config, const json_t *under, const char *key)
{
	json_t *v = json_object_get(under, key);

	if (v && is_empty(json_object_get(config, key)))
		(void)json_object_set(config, key, v); /* memory */
}

void change_fill(json_t *config, const json_t *under)
{
	static const char *const checks[] = {
		"Test", "Interval", "Timeout", "StartPeriod", "StartInterval", "Retries"};
	auto_json json_t *health = json_deep_copy(json_object_get(config, "Healthcheck"));

	fill_in(config, under, "User");
	if (is_empty(json_object_get(config, "Entrypoint"))) {
		fill_in(config, under, "Cmd");
		fill_in(config, under, "Entrypoint");
	}
	for (size_t i = 0; json_is_object(health) && i < ARRAY_LEN(checks); i++)
		fill_in(health, json_object_get(under, "Healthcheck"), checks[i]);
	if (json_is_object(health))
		(void)json_object_set(config, "Healthcheck", health); /* memory */
	else
		fill_in(config, under, "Healthcheck");
}

int change_merge(json_t *config, const json_t *over, struct err *e)
{
	static const struct {
		const char *key;
		json_type type;
	} keys[] = {{"User", JSON_STRING}, {"WorkingDir", JSON_STRING}, {"StopSignal", JSON_STRING},
		{"StopTimeout", JSON_INTEGER}, {"Healthcheck", JSON_OBJECT},
		{"OnBuild", JSON_ARRAY}, {"Shell", JSON_ARRAY}, {"Env", JSON_ARRAY},
		{"Entrypoint", JSON_ARRAY}, {"Cmd", JSON_ARRAY}, {"Labels", JSON_OBJECT},
		{"ExposedPorts", JSON_OBJECT}, {"Volumes", JSON_OBJECT}};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const char *key = keys[i].key;
		json_t *v = json_object_get(over, key);

		if (is_empty(v))
			continue;
		if (json_typeof(v) != keys[i].type || !all_words(v))
			return err_set(e, ERR_USAGE, "invalid JSON: %s is of another type", key);
		if (str_eq(key, "Env"))
			merge_env(config, v);
		else if (str_eq(key, "Labels") || str_eq(key, "ExposedPorts") || str_eq(key, "Volumes"))
			merge_map(config, key, v);
		else
			(void)json_object_set(config, key, v); /* memory, as below */
		/* The old program's arguments mean nothing to a new one. */
		if (str_eq(key, "Entrypoint"))
			(void)json_object_set_new(config, "Cmd", json_null());
	}
	return 0;
}
