/* SPDX-License-Identifier: Apache-2.0 */
/* The API about volumes. */
#include "api.h"

#include "auto.h"
#include "filter.h"
#include "volume.h"

static int list(struct api *a, struct err *e)
{
	static const char *const known[] = {"dangling", "driver", "label", "name", NULL};
	auto_filters struct filters f = {0};
	auto_json json_t *uses = NULL;
	auto_strv struct strv unread = {0};
	struct volume *all = NULL;
	bool picky, dangling;
	json_t *rows;
	size_t n = 0;

	if (api_filters(a, &f, e) < 0 || filter_check(&f, known, e) < 0 ||
		filter_bool(&f, "dangling", false, &dangling, e) < 0)
		return -1;
	picky = filter_has(&f, "dangling");
	if ((picky && !(uses = volume_uses(a->s, e))) || volume_list(a->s, &all, &n, &unread, e) < 0)
		return -1;
	rows = json_array();
	for (size_t i = 0; i < n; i++) {
		bool used = volume_users(uses, all[i].name) != NULL;

		if ((!picky || used != dangling) && filter_match(&f, "name", all[i].name) &&
			(!filter_has(&f, "driver") || filter_lists(&f, "driver", "local")) &&
			filter_labels(&f, &all[i].labels))
			(void)json_array_append_new(rows, volume_inspect(&all[i])); /* memory */
	}
	volume_list_free(all, n);
	return api_json(a, 200,
		json_pack("{s:o, s:o}", "Volumes", rows, "Warnings",
			unread.n ? json_from_strv(&unread) : json_null()));
}

static int inspect(struct api *a, struct err *e)
{
	auto_volume struct volume v = {0};

	return volume_find(a->s, a->arg, &v, e) < 0 ? -1 : api_json(a, 200, volume_inspect(&v));
}

static void words_of(const json_t *object, struct strv *out)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)object, key, v)
		strv_addf(out, "%s=%s", key, json_is_string(v) ? json_string_value(v) : "");
}

static int create(struct api *a, struct err *e)
{
	auto_json json_t *ask = api_read_json(a, e);
	auto_strv struct strv labels = {0}, options = {0};
	auto_volume struct volume v = {0};
	const char *driver;

	if (!ask || api_types("VolumeCreateBody", ask, e) < 0)
		return -1;
	driver = json_str(ask, "Driver", "");
	words_of(json_object_get(ask, "Labels"), &labels);
	words_of(json_object_get(ask, "DriverOpts"), &options);
	if (volume_create(a->s, json_str(ask, "Name", NULL), *driver ? driver : NULL, &labels,
		    &options, &v, e) < 0)
		return -1;
	return api_json(a, 201, volume_inspect(&v));
}

static int remove_it(struct api *a, struct err *e)
{
	auto_json json_t *uses = volume_uses(a->s, e);

	if (!uses)
		return -1;
	if (volume_remove(a->s, a->arg, uses, e) < 0 &&
		!(e->kind == ERR_NOT_FOUND && http_query_bool(a->r, "force")))
		return -1;
	return api_done(a, 204);
}

const struct api_route api_volumes[] = {
	{"GET", "/volumes", list},
	{"POST", "/volumes/create", create},
	{"GET", "/volumes/*", inspect},
	{"DELETE", "/volumes/*", remove_it},
	{0},
};
