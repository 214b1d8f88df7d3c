/* SPDX-License-Identifier: Apache-2.0 */
#include "parse.h"

#include <ctype.h>
#include <string.h>

bool parse_ends_in_dot(const char *path)
{
	size_t n = strlen(path);

	while (n > 0 && path[n - 1] == '/')
		n--;
	return n > 0 && path[n - 1] == '.' && (n == 1 || path[n - 2] == '/');
}

char *parse_clean_path(const char *path)
{
	auto_buf struct buf out = {0};
	bool absolute = *path == '/';
	size_t floor = absolute; /* what .. cannot take away: the root, or leading .. of a relative path */

	if (absolute)
		buf_putc(&out, '/');
	while (*path) {
		size_t n = strcspn(path, "/");
		bool up = n == 2 && memcmp(path, "..", 2) == 0;

		if (up && out.len > floor) {
			while (out.len > floor && out.s[out.len - 1] != '/')
				out.len--;
			if (out.len > floor)
				out.len--;
			out.s[out.len] = '\0';
		} else if (n > 0 && !(n == 1 && *path == '.') && !(up && absolute)) {
			if (out.len > 0 && out.s[out.len - 1] != '/')
				buf_putc(&out, '/');
			buf_add(&out, path, n);
			if (up)
				floor = out.len;
		}
		path += n;
		path += strspn(path, "/");
	}
	if (out.len == 0)
		buf_putc(&out, '.');
	return buf_take(&out);
}

#define ROUTE "/objects"

static char *request_path(const char *name)
{
	auto_free char *path = xasprintf(ROUTE "/%s", name);

	return parse_clean_path(path);
}

bool parse_request_lists(const char *name)
{
	auto_free char *clean = request_path(name);

	return str_eq(clean, ROUTE);
}

/* No route of the daemon's has a newline in it. */
char *parse_request_name(const char *name, struct err *e)
{
	auto_free char *clean = request_path(name);

	if (str_starts(clean, ROUTE "/") && !strchr(clean, '\n'))
		return xstrdup(clean + strlen(ROUTE "/"));
	(void)err_set(e, ERR_NOT_FOUND, PAGE_NOT_FOUND);
	return NULL;
}

char *parse_object_name(const char *name, struct err *e)
{
	auto_free char *bare = str_trim(name);

	return parse_request_name(bare, e);
}

/* Docker's client makes a source absolute when it begins with a dot, and only then. */
char *parse_source(const char *src, size_t n, const char *cwd)
{
	auto_free char *word = xstrndup(src, n), *joined = NULL;

	if (!cwd || *word != '.')
		return take(word);
	joined = xasprintf("%s/%s", cwd, word);
	return parse_clean_path(joined);
}

char *parse_target(const char *dst, size_t n)
{
	auto_free char *word = xstrndup(dst, n);

	return *word == '/' ? parse_clean_path(word) : take(word);
}

static void clean_path(char **path, char **said)
{
	auto_free char *clean = *path && **path == '/' ? parse_clean_path(*path) : NULL;

	if (!clean || str_eq(clean, *path))
		return;
	free(*said);
	*said = *path;
	*path = take(clean);
}

void parse_mount_paths(struct spec_mount *m)
{
	clean_path(&m->src, &m->said_src);
	clean_path(&m->dst, &m->said_dst);
}

/* Words of a -v mode; each may be there once, and only one of a kind. */
static const struct mode_word {
	const char *word;
	enum mode_kind {
		KIND_ACCESS,
		KIND_LABEL,
		KIND_PROPAGATION,
		KIND_COPY,
		KIND_CONSISTENCY
	} kind;
} mode_words[] = {
	{"ro", KIND_ACCESS},
	{"rw", KIND_ACCESS},
	{"z", KIND_LABEL},
	{"Z", KIND_LABEL},
	{"private", KIND_PROPAGATION},
	{"rprivate", KIND_PROPAGATION},
	{"slave", KIND_PROPAGATION},
	{"rslave", KIND_PROPAGATION},
	{"shared", KIND_PROPAGATION},
	{"rshared", KIND_PROPAGATION},
	{"nocopy", KIND_COPY},
	{"consistent", KIND_CONSISTENCY},
	{"cached", KIND_CONSISTENCY},
	{"delegated", KIND_CONSISTENCY},
	{"default", KIND_CONSISTENCY},
};

static const struct mode_word *find_mode_word(const char *s, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(mode_words); i++)
		if (strlen(mode_words[i].word) == n && memcmp(mode_words[i].word, s, n) == 0)
			return &mode_words[i];
	return NULL;
}

bool parse_mode_ok(const char *mode)
{
	unsigned seen = 0;

	while (*mode) {
		size_t n = strcspn(mode, ",");
		const struct mode_word *w = find_mode_word(mode, n);

		if (!w || (seen & 1u << w->kind) || str_eq(mode + n, ","))
			return false;
		seen |= 1u << w->kind;
		mode += n + (mode[n] == ',');
	}
	return true;
}

bool parse_mode_from_ok(const char *mode)
{
	for (const char *at = mode; *at;) {
		size_t n = strcspn(at, ",");
		const struct mode_word *w = find_mode_word(at, n);

		if (w && (w->kind == KIND_PROPAGATION || w->kind == KIND_COPY))
			return false;
		at += n + (at[n] == ',');
	}
	return parse_mode_ok(mode);
}

bool parse_mode_read_only(const char *mode)
{
	for (; *mode; mode += strcspn(mode, ",") + (mode[strcspn(mode, ",")] == ','))
		if (strcspn(mode, ",") == 2 && str_starts(mode, "ro"))
			return true;
	return false;
}

bool parse_propagation_ok(const char *s)
{
	const struct mode_word *w = find_mode_word(s, strlen(s));

	return !*s || (w && w->kind == KIND_PROPAGATION);
}

/* Unknown words are passed over here: parse_mounts_check() refuses them, as docker's daemon does. */
static void apply_mode(struct spec_mount *m)
{
	for (const char *at = m->mode; *at;) {
		size_t n = strcspn(at, ",");
		const struct mode_word *w = find_mode_word(at, n);

		if (w && w->kind == KIND_ACCESS)
			m->read_only = str_eq(w->word, "ro");
		else if (w && w->kind == KIND_COPY)
			m->nocopy = true;
		else if (w && w->kind == KIND_PROPAGATION && !m->propagation)
			m->propagation = xstrdup(w->word);
		at += n + (at[n] == ',');
	}
}

/* A letter alone is a drive of Windows to docker's client, and what follows its colon belongs to it. */
static size_t section(const char *at)
{
	size_t n = strcspn(at, ":");

	return n == 1 && isalpha((unsigned char)*at) && at[1] ? 2 + strcspn(at + 2, ":") : n;
}

/* What docker's client looks at. alone: there is only a path inside. */
static int check_word(const char *word, bool *alone, struct err *e)
{
	const char *at = word;
	int parts = 0;

	*alone = true;
	if (!*word)
		return err_set(e, ERR_USAGE, "invalid empty volume spec");
	if (strlen(word) <= 2)
		return 0;
	for (;; at++) {
		size_t n = section(at);

		if (!n)
			return err_set(e, ERR_USAGE,
				"invalid spec: %s: empty section between colons", word);
		at += n;
		if (++parts == 3 && *at)
			return err_set(e, ERR_USAGE, "invalid spec: %s: too many colons", word);
		if (!*at)
			break;
	}
	*alone = parts == 1;
	return 0;
}

static void add_target(struct spec *s, const char *word)
{
	for (size_t i = 0; i < s->volumes.n; i++)
		if (str_eq(s->volumes.v[i], word))
			return;
	strv_add(&s->volumes, word);
}

char *parse_target_in(const char *word)
{
	auto_free char *path = xasprintf("/%s", word);

	return parse_clean_path(path);
}

/* cwd NULL: what the client has passed on already. */
int parse_volume(struct spec *s, const char *word, const char *cwd, struct err *e)
{
	size_t n[4] = {0}, parts = 0;
	const char *part[4] = {0};
	bool alone = false;
	struct spec_mount *m;

	if (cwd && check_word(word, &alone, e) < 0)
		return -1;
	for (const char *at = word; !alone && parts < 4; at += n[parts - 1] + 1) {
		part[parts] = at;
		n[parts] = strcspn(at, ":");
		if (!at[n[parts++]])
			break;
	}
	if (alone || parts == 1) {
		add_target(s, word);
		return 0;
	}
	/* docker's daemon refuses "/foo:rw" and any other mode in place of a path. */
	if (!n[0] || parts == 4 || (parts == 2 && parse_mode_ok(part[1])))
		return err_set(e, ERR_USAGE, "invalid volume specification: '%s'", word);
	m = spec_add_mount(s);
	m->src = parse_source(part[0], n[0], cwd);
	m->dst = xstrndup(part[1], n[1]);
	m->kind = *m->src == '/' ? MOUNT_BIND : MOUNT_VOLUME;
	m->create_src = true;
	m->mode = xstrdup(parts == 3 ? part[2] : "");
	m->why = xasprintf("--volume %s", word);
	parse_mount_paths(m);
	apply_mode(m);
	return 0;
}

int parse_tmpfs(struct spec *s, const char *word, struct err *e)
{
	const char *colon = strchr(word, ':');
	auto_free char *said = colon ? xstrndup(word, (size_t)(colon - word)) : xstrdup(word);
	struct spec_mount *m = NULL;

	(void)e;
	/* Docker keeps them in a map by their target as given: so a later one replaces an earlier one. */
	for (size_t i = 0; i < s->n_mounts; i++)
		if (s->mounts[i].tmpfs_options && str_eq(spec_mount_dst(&s->mounts[i]), said))
			m = &s->mounts[i];
	if (!m) {
		m = spec_add_mount(s);
		m->dst = take(said);
		parse_mount_paths(m);
	}
	free(m->tmpfs_options);
	free(m->why);
	m->kind = MOUNT_TMPFS;
	m->tmpfs_options = xstrdup(colon ? colon + 1 : "");
	m->why = xasprintf("--tmpfs %s", word);
	return 0;
}
