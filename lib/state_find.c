/* SPDX-License-Identifier: Apache-2.0 */
/* Which container a word means: its id, its name, or how its id begins. */
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
	struct err unused; /* then each look-up says it */
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

/* The only one that begins so, as far as is known. */
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

static bool exists(const struct store *s, const char *id)
{
	path_text path;

	statedir_path(path, "", id, "state");
	return faccessat(s->root, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* "web/db" is what the container web calls db, by --link. */
static bool linked(const struct store *s, const char *what, id_text out)
{
	size_t n = strcspn(what, "/"), i;
	auto_free char *parent = xstrndup(what, n);
	auto_json json_t *spec = NULL;
	struct err gone;
	id_text id;
	json_t *v;

	if (!what[n] || !name_lookup(s, parent, id) || !(spec = state_load_spec(s, id, &gone)))
		return false;
	json_array_foreach(json_object_get(json_object_get(spec, "HostConfig"), "Links"), i, v)
	{
		const char *link = json_string_value(v); /* "ID:alias" */

		if (!link || strlen(link) <= ID_LEN || !str_eq(link + ID_LEN + 1, what + n + 1))
			continue;
		memcpy(out, link, ID_LEN);
		out[ID_LEN] = '\0';
		return exists(s, out);
	}
	return false;
}

static int find(const struct store *s, const char *what, id_text out, struct err *e)
{
	struct prefix p = {.text = what, .len = strlen(what), .out = out};
	const char *id;
	struct err not_a_name;

	if (str_is_hex(what, ID_LEN) && exists(s, what)) {
		memcpy(out, what, ID_LEN + 1);
		return 0;
	}
	errno = 0;
	if (name_check(what, &not_a_name) && name_lookup(s, what, out) && exists(s, out))
		return 0;
	/* A disk that cannot be read does not say that there is no such container. */
	if (errno && errno != ENOENT && errno != ENOTDIR && errno != EINVAL) {
		(void)err_sys(e, "look for container %s", what);
		return store_ctx(s, e);
	}
	if (p.len < ID_LEN && str_is_hex(what, p.len)) {
		id = known(s->ids, what, p.len);
		if (id && exists(s, id)) {
			memcpy(out, id, ID_LEN + 1);
			return 0;
		}
		if (statedir_each(s->root, "containers", match_prefix, &p, e) < 0)
			return store_ctx(s, e);
		if (p.found)
			return 0;
	}
	return linked(s, what, out) ? 0 : statedir_no_such(what, e);
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
