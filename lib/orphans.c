/* SPDX-License-Identifier: Apache-2.0 */
/* orphans: anonymous volumes of containers whose remover or creator was killed before it removed them. The directory of such
 * a container is called .rmv-<id>, and its spec tells the volumes. */
#include "spec.h"
#include "statedir.h"
#include "volume.h"

#include <sys/file.h>

/* False: it cannot be found out now. A container without a complete spec has no volumes: these are made after it, and
 * removed before it. */
static bool read_spec(int dir, struct spec *out)
{
	struct err e = {0};
	auto_json json_t *json = json_read_at(dir, "spec.json", JSON_STORED_MAX, &e);
	struct err no_spec;

	if (json)
		(void)spec_from_json(out, json, &no_spec); /* as far as it is one */
	return json || e.kind == ERR_NOT_FOUND || e.kind == ERR_CORRUPT;
}

bool orphans_have_volumes(int dir)
{
	auto_spec struct spec spec;

	spec_init(&spec);
	return !read_spec(dir, &spec) || volume_any_anonymous(&spec);
}

static bool take_volumes(const struct store *s, const char *id, const json_t *uses)
{
	auto_close int dir = statedir_open(s, MARK_VOLUMES, id);
	auto_spec struct spec spec;

	spec_init(&spec);
	/* locked: another process is removing it */
	if (dir < 0 || flock(dir, LOCK_EX | LOCK_NB) < 0 || !read_spec(dir, &spec))
		return false;
	volume_remove_unused(s, &spec, uses);
	state_volumes_gone(s, id);
	return true;
}

void orphans_remove(const struct store *s, const struct strv *ids)
{
	struct err later; /* the next command does it */
	auto_json json_t *uses = ids->n ? volume_uses_now(s, &later) : NULL;

	for (size_t i = 0; uses && i < ids->n; i++) {
		auto_free char *entry = xasprintf(MARK_OLD "%s", ids->v[i]);

		if (take_volumes(s, ids->v[i], uses))
			remove_leftover(s, entry, NULL);
	}
}
