/* SPDX-License-Identifier: Apache-2.0 */
/* volume_show: what is told of volumes: who uses them, how large they are, docker's object. */
#include "stamp.h"
#include "state.h"
#include "volume.h"
#include "weigh.h"

#include <string.h>
#include <sys/stat.h>

static void add_uses(json_t *uses, const char *id, const json_t *json)
{
	auto_spec struct spec spec;
	struct err unused;

	spec_init(&spec);
	if (spec_from_json(&spec, json, &unused) < 0)
		return; /* a spec that cannot be read uses nothing that we could know */
	for (size_t i = 0; i < spec.n_mounts; i++) {
		const struct spec_mount *m = &spec.mounts[i];
		json_t *ids;

		if (m->kind != MOUNT_VOLUME || !m->src)
			continue;
		ids = json_object_get(uses, m->src);
		if (!ids) {
			ids = json_array();
			(void)json_object_set_new(uses, m->src, ids); /* memory */
		}
		(void)json_array_append_new(ids, json_string(id)); /* memory */
	}
}

json_t *volume_uses(const struct store *s, struct err *e)
{
	json_t *uses = json_object();
	struct state *list = NULL;
	struct err gone;
	size_t n = 0;

	if (state_list(s, false, &list, &n, e) < 0) {
		json_decref(uses);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		auto_json json_t *spec = NULL;

		if (list[i].mountless)
			continue;
		spec = state_load_spec(s, list[i].id, &gone); /* it may be gone by now */

		if (spec)
			add_uses(uses, list[i].id, spec);
	}
	state_list_free(list, n);
	return uses;
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
	return json_pack("{s:s, s:s, s:o, s:s, s:s, s:o, s:s}", "CreatedAt", created, "Driver",
		"local", "Labels", v->labels.n ? json_from_map(&v->labels) : json_null(),
		"Mountpoint", v->path, "Name", v->name, "Options",
		v->options.n ? json_from_map(&v->options) : json_null(), "Scope", "local");
}

int64_t volume_size(const struct volume *v)
{
	return weigh(v->path);
}
