/* SPDX-License-Identifier: Apache-2.0 */
/* volume_show: information about volumes: their users, their size, docker's object. */
#include "stamp.h"
#include "state.h"
#include "volume.h"
#include "weigh.h"

#include <string.h>
#include <sys/stat.h>

/* The key for containers of which it is not known what they use. No volume has this name. */
#define ANY_VOLUME ""

/* The key for the moment when the directory of containers had last changed, in ns; none: it cannot be told whether it changed
 * since. No volume has this name either. */
#define AS_OF "."

/* File systems count time in steps of some ms: a change soon after another one may not show. */
#define STEP_NS 50000000

static int64_t changed_ns(const struct store *s)
{
	struct stat st;

	if (fstatat(s->root, "containers", &st, 0) < 0)
		return -1;
	return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

/* To be called before the containers are looked up. */
static json_t *begin_uses(const struct store *s)
{
	json_t *uses = json_object();
	int64_t at = changed_ns(s);
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail */
	if (at >= 0 && (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - at > STEP_NS)
		json_set(uses, AS_OF, json_integer(at));
	return uses;
}

bool volume_uses_hold(const struct store *s, const json_t *uses)
{
	const json_t *at = json_object_get(uses, AS_OF);

	return at && json_integer_value(at) == changed_ns(s);
}

static void add_use(json_t *uses, const char *name, const char *id)
{
	json_t *ids = json_object_get(uses, name);

	if (!ids) {
		ids = json_array();
		(void)json_object_set_new(uses, name, ids); /* memory */
	}
	(void)json_array_append_new(ids, json_string(id)); /* memory */
}

/* A spec that cannot be read may name any volume: so none may be removed before that container. */
static void add_uses(json_t *uses, const struct store *s, const char *id)
{
	struct err e = {0};
	auto_json json_t *json = state_load_spec(s, id, &e);
	auto_spec struct spec spec;

	spec_init(&spec);
	if (!json && e.kind == ERR_NOT_FOUND)
		return; /* it is gone by now */
	if (!json || spec_from_json(&spec, json, &e) < 0) {
		add_use(uses, ANY_VOLUME, id);
		return;
	}
	for (size_t i = 0; i < spec.n_mounts; i++)
		if (spec.mounts[i].kind == MOUNT_VOLUME && spec.mounts[i].src)
			add_use(uses, spec.mounts[i].src, id);
}

json_t *volume_uses(const struct store *s, struct err *e)
{
	json_t *uses = begin_uses(s);
	struct state *list = NULL;
	size_t n = 0;

	if (state_list(s, false, &list, &n, e) < 0) {
		json_decref(uses);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		if (!list[i].mountless)
			add_uses(uses, s, list[i].id);
	state_list_free(list, n);
	return uses;
}

json_t *volume_uses_now(const struct store *s, struct err *e)
{
	auto_strv struct strv ids = {0};
	json_t *uses = begin_uses(s);

	if (state_ids(s, &ids, e) < 0) {
		json_decref(uses);
		return NULL;
	}
	for (size_t i = 0; i < ids.n; i++)
		add_uses(uses, s, ids.v[i]);
	return uses;
}

const json_t *volume_users(const json_t *uses, const char *name)
{
	const json_t *ids = json_object_get(uses, name);

	return ids ? ids : json_object_get(uses, ANY_VOLUME);
}

static bool has_other(const json_t *ids, const char *id)
{
	json_t *user;
	size_t i;

	json_array_foreach(ids, i, user)
	{
		if (!str_eq(json_string_value(user), id))
			return true;
	}
	return false;
}

bool volume_is_shared(const json_t *uses, const char *name, const char *id)
{
	return has_other(json_object_get(uses, name), id) ||
	       has_other(json_object_get(uses, ANY_VOLUME), id);
}

bool volume_is_anonymous(const struct volume *v)
{
	return strv_env(&v->labels, VOLUME_ANONYMOUS);
}

json_t *volume_inspect(const struct volume *v)
{
	struct timespec seconds = {.tv_sec = v->created.tv_sec};
	char created[STAMP_SIZE];

	stamp_print(&seconds, created);
	return json_pack("{s:s, s:s, s:o, s:o, s:s, s:o, s:s}", "CreatedAt", created, "Driver",
		"local", "Labels", v->labels.n ? json_from_map(&v->labels) : json_null(),
		"Mountpoint", json_text(v->path), "Name", v->name, "Options",
		v->options.n ? json_from_map(&v->options) : json_null(), "Scope", "local");
}

int64_t volume_size(const struct volume *v)
{
	return weigh(v->path);
}
