/* SPDX-License-Identifier: Apache-2.0 */
/* The API's prune calls, for each kind of object. */
#include "api.h"

#include "auto.h"
#include "prune.h"

#include <string.h>

static int begin(
	struct api *a, struct filters *f, struct prune *p, const char *const *keys, struct err *e)
{
	return api_filters(a, f, e) < 0 ? -1 : prune_begin(p, a->s, f, keys, e);
}

/* Nothing is null, as in docker. */
static json_t *or_null(json_t *list)
{
	if (json_array_size(list) > 0)
		return list;
	json_decref(list);
	return json_null();
}

static int answer(struct api *a, const char *key, json_t *deleted, int64_t freed)
{
	return api_json(a, 200,
		json_pack("{s:o, s:I}", key, or_null(deleted), "SpaceReclaimed", (json_int_t)freed));
}

static int containers(struct api *a, struct err *e)
{
	auto_filters struct filters f = {0};
	auto_prune struct prune p = {0};

	if (begin(a, &f, &p, prune_keys, e) < 0 || prune_containers(&p, e) < 0)
		return -1;
	api_log(a, &p.failed);
	return answer(a, "ContainersDeleted", json_from_strv(&p.gone), p.freed);
}

static int images(struct api *a, struct err *e)
{
	auto_filters struct filters f = {0};
	auto_prune struct prune p = {0};
	json_t *deleted;

	if (begin(a, &f, &p, prune_image_keys, e) < 0 || prune_images(&p, false, e) < 0)
		return -1;
	api_log(a, &p.failed);
	deleted = json_array();
	for (size_t i = 0; i < p.gone.n; i++) { /* "Deleted: sha256:..." */
		char *word = p.gone.v[i], *colon = strchr(word, ':');

		*colon = '\0';
		(void)json_array_append_new(deleted, json_pack("{s:s}", word, colon + 2)); /* memory */
	}
	return answer(a, "ImagesDeleted", deleted, p.freed);
}

static int volumes(struct api *a, struct err *e)
{
	auto_filters struct filters f = {0};
	auto_prune struct prune p = {0};

	if (a->minor < 42) /* it took named ones, too */
		filter_put(&f, "all", "true");
	if (begin(a, &f, &p, prune_volume_keys, e) < 0 || prune_volumes(&p, false, e) < 0)
		return -1;
	api_log(a, &p.failed);
	return api_json(a, 200,
		json_pack("{s:o, s:I}", "VolumesDeleted", json_from_strv(&p.gone), "SpaceReclaimed",
			(json_int_t)p.freed));
}

static int networks(struct api *a, struct err *e)
{
	auto_filters struct filters f = {0};
	auto_prune struct prune p = {0};

	if (begin(a, &f, &p, prune_keys, e) < 0 || prune_networks(&p, e) < 0)
		return -1;
	api_log(a, &p.failed);
	return api_json(a, 200, json_pack("{s:o}", "NetworksDeleted", or_null(json_from_strv(&p.gone))));
}

static int builds(struct api *a, struct err *e)
{
	auto_filters struct filters f = {0};
	int64_t keep; /* nothing is kept */

	if (api_number(a, "keep-storage", 0, &keep, e) < 0) {
		auto_free char *why = xstrdup(e->text);

		return err_set(e, ERR_USAGE,
			"keep-storage is in bytes and expects an integer, got %.100s: %s",
			http_query(a->r, "keep-storage"), why);
	}
	if (api_filters(a, &f, e) < 0 || prune_builds(&f, e) < 0)
		return -1;
	return answer(a, "CachesDeleted", json_array(), 0);
}

const struct api_route api_prune[] = {
	{"POST", "/containers/prune", containers},
	{"POST", "/images/prune", images},
	{"POST", "/volumes/prune", volumes},
	{"POST", "/networks/prune", networks},
	{"POST", "/build/prune", builds},
	{0},
};
