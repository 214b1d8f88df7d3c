/* SPDX-License-Identifier: Apache-2.0 */
/* state_find: finds a container by its id, its name, or the beginning of its id. */
#include "names.h"
#include "parse.h"
#include "statedir.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ---- ids that were read before ---- */

struct known_ids {
	size_t n, room;
	id_text v[]; /* sorted */
};

static int add_known(const struct dirent *d, void *arg, struct err *e)
{
	struct known_ids **ids = arg;

	(void)e; /* nothing fails */
	if (!str_is_hex(d->d_name, ID_LEN))
		return 0;
	if ((*ids)->n == (*ids)->room) {
		(*ids)->room = 2 * (*ids)->room + 64;
		*ids = xrealloc(*ids, 1, sizeof(**ids) + (*ids)->room * sizeof(id_text));
	}
	memcpy((*ids)->v[(*ids)->n++], d->d_name, sizeof(id_text));
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

void state_know_ids(struct store *s, char *const *what)
{
	enum { MANY = 8 };
	struct known_ids *ids;
	struct err unused; /* on failure each look-up reports it */
	size_t n = 0;

	while (n < MANY && what[n])
		n++;
	if (n < MANY)
		return;
	ids = xcalloc(1, sizeof(*ids));
	if (statedir_each(s->root, "containers", add_known, &ids, &unused) == 0 && ids->n)
		qsort(ids->v, ids->n, sizeof(ids->v[0]), by_text);
	free(s->ids);
	s->ids = ids;
}

/* The only known id that begins like that. */
static const char *known(const struct known_ids *ids, const char *begin, size_t len)
{
	size_t from = 0, to = ids ? ids->n : 0;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (strncmp(ids->v[middle], begin, len) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	if (!ids || from == ids->n || strncmp(ids->v[from], begin, len) != 0)
		return NULL;
	return from + 1 < ids->n && strncmp(ids->v[from + 1], begin, len) == 0 ? NULL : ids->v[from];
}

/* ---- one word ---- */

struct prefix {
	const char *text;
	size_t len, found;
	char *out;
};

static int match_prefix(const struct dirent *d, void *arg, struct err *e)
{
	struct prefix *p = arg;

	if (strncmp(d->d_name, p->text, p->len) != 0 || !str_is_hex(d->d_name, ID_LEN))
		return 0;
	if (p->found++)
		return err_set(e, ERR_USAGE, "multiple IDs found with provided prefix: %s", p->text);
	memcpy(p->out, d->d_name, ID_LEN + 1);
	return 0;
}

/* 1: it exists; 0: it does not; -1: it cannot be found out, as the disk cannot be read. */
static int answer(const struct store *s, bool there, const char *what, struct err *e)
{
	if (there || errno == ENOENT || errno == ENOTDIR || errno == EINVAL)
		return there;
	(void)err_sys(e, "look for container %s", what);
	return store_ctx(s, e);
}

static int has_id(const struct store *s, const char *id, const char *what, struct err *e)
{
	static const char *const files[] = {"state", "spec.json"}; /* one may be lost */
	bool there = false;
	path_text path;

	for (size_t i = 0; i < ARRAY_LEN(files) && !there; i++) {
		statedir_path(path, "", id, files[i]);
		there = faccessat(s->root, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	}
	return answer(s, there, what, e);
}

static int has_name(const struct store *s, const char *name, const char *what, id_text out, struct err *e)
{
	errno = ENOENT; /* a link of another kind is as good as none */
	if (!name_lookup(s, name, out))
		return answer(s, false, what, e);
	return has_id(s, out, what, e);
}

/* "web/db": the container that is called db in the container web, by --link. */
static int has_link(const struct store *s, const char *what, id_text out, struct err *e)
{
	size_t n = strcspn(what, "/"), i;
	auto_free char *parent = xstrndup(what, n);
	auto_json json_t *spec = NULL;
	id_text id;
	json_t *v;
	int there = what[n] ? has_name(s, parent, what, id, e) : 0;

	if (there <= 0)
		return there;
	spec = state_load_spec(s, id, e);
	if (!spec)
		return e->kind == ERR_NOT_FOUND ? 0 : -1;
	json_array_foreach(json_object_get(json_object_get(spec, "HostConfig"), "Links"), i, v)
	{
		const char *link = json_string_value(v); /* "ID:alias" */

		if (!link || strlen(link) <= ID_LEN || !str_eq(link + ID_LEN + 1, what + n + 1))
			continue;
		memcpy(out, link, ID_LEN);
		out[ID_LEN] = '\0';
		return has_id(s, out, what, e);
	}
	return 0;
}

static int find(const struct store *s, const char *what, id_text out, struct err *e)
{
	struct prefix p = {.text = what, .len = strlen(what), .out = out};
	const char *id;
	struct err not_a_name;
	int there = 0;

	if (str_is_hex(what, ID_LEN) && (there = has_id(s, what, what, e)) > 0)
		memcpy(out, what, ID_LEN + 1);
	if (there == 0 && name_check(what, &not_a_name))
		there = has_name(s, what, what, out, e);
	if (there != 0)
		return there < 0 ? -1 : 0;
	if (p.len < ID_LEN && str_is_hex(what, p.len)) {
		id = known(s->ids, what, p.len);
		if (id && has_id(s, id, what, e) > 0) {
			memcpy(out, id, ID_LEN + 1);
			return 0;
		}
		if (statedir_each(s->root, "containers", match_prefix, &p, e) < 0)
			return store_ctx(s, e);
		if (p.found)
			return 0;
	}
	there = has_link(s, what, out, e);
	return there > 0 ? 0 : there < 0 ? -1 : statedir_no_such(what, e);
}

int state_find(const struct store *s, const char *what, id_text out, struct err *e)
{
	auto_free char *clean = NULL;

	if (!what[strspn(what, STR_BLANKS)])
		return err_set(e, ERR_USAGE, "invalid container name or ID: value is empty");
	if (!strpbrk(what, "/." STR_BLANKS))
		return find(s, what, out, e);
	clean = parse_object_name(what, e);
	return clean ? find(s, clean, out, e) : -1;
}

int state_find_inspected(const struct store *s, const char *what, id_text out, struct err *e)
{
	auto_free char *bare = str_trim(what);

	if (*bare && parse_request_lists(bare))
		return err_set(e, ERR_USAGE, STATE_IS_LIST);
	return state_find(s, what, out, e);
}

int state_find_said(const struct store *s, const char *what, id_text out, struct err *e)
{
	const char *name = what + (*what == '/');
	bool may_be = *name && !strchr(name, '/');

	if (may_be && find(s, name, out, e) == 0)
		return 0;
	if (may_be && e->kind != ERR_NOT_FOUND)
		return -1;
	return err_set(e, ERR_NOT_FOUND, "No such container: %s", what);
}
