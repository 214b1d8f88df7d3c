/* SPDX-License-Identifier: Apache-2.0 */
/* The API about disk usage: what images, containers and volumes take up. */
#include "api.h"

#include "auto.h"
#include "disk.h"
#include "filter.h"

#include <string.h>

/* type=image&type=volume: only these; none at all: everything. */
static bool wanted(struct api *a, const char *kind)
{
	bool any = false;

	if (a->minor < 42)
		return true; /* there was nothing to choose from */
	for (size_t i = 0; i < a->r->query.n; i++) {
		const char *kv = a->r->query.v[i];

		if (!str_starts(kv, "type="))
			continue;
		any = true;
		if (str_eq(kv + strlen("type="), kind))
			return true;
	}
	return !any;
}

static int check_types(struct api *a, struct err *e)
{
	static const char *const known[] = {"container", "image", "volume", "build-cache"};

	for (size_t i = 0; a->minor >= 42 && i < a->r->query.n; i++) {
		const char *kv = a->r->query.v[i];
		bool good = !str_starts(kv, "type=");

		for (size_t k = 0; k < ARRAY_LEN(known) && !good; k++)
			good = str_eq(kv + strlen("type="), known[k]);
		if (!good)
			return err_set(e, ERR_USAGE, "unknown object type: %.100s", kv + strlen("type="));
	}
	return 0;
}

static json_t *images_of(const struct api *a, const struct disk *d)
{
	static const struct filters none;
	json_t *list = json_array();

	for (size_t i = 0; i < d->n_images; i++) {
		json_t *row = api_image_row(a, &d->images[i], &none);

		json_set(row, "Containers", json_integer(d->image_uses[i].users));
		json_set(row, "SharedSize", json_integer(d->image_uses[i].shared));
		api_old_image_names(a, row);
		(void)json_array_append_new(list, row); /* memory */
	}
	return list;
}

static json_t *containers_of(struct api *a, const struct disk *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->n_containers; i++) {
		struct err unused; /* it has just been removed */
		auto_json json_t *spec = state_load_spec(a->s, d->containers[i].id, &unused);

		(void)json_array_append_new(list,
			api_container_row(a, &d->containers[i], spec, &d->aliases, true)); /* memory */
	}
	return list;
}

static json_t *volumes_of(const struct disk *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->n_volumes; i++) {
		json_t *row = volume_inspect(&d->volumes[i]);

		json_set(row, "UsageData",
			json_pack("{s:I, s:I}", "RefCount", (json_int_t)disk_links(d, i), "Size",
				(json_int_t)d->volume_sizes[i]));
		(void)json_array_append_new(list, row); /* memory */
	}
	return list;
}

static int df(struct api *a, struct err *e)
{
	auto_disk struct disk d = {0};
	json_t *j;

	if (check_types(a, e) < 0 || disk_measure(a->s, &d, e) < 0)
		return -1;
	api_log(a, &d.unread);
	j = json_object();
	json_set(j, "LayersSize", json_integer(wanted(a, "image") ? d.layers_size : 0));
	json_set(j, "Images", wanted(a, "image") ? images_of(a, &d) : json_null());
	json_set(j, "Containers", wanted(a, "container") ? containers_of(a, &d) : json_null());
	json_set(j, "Volumes", wanted(a, "volume") ? volumes_of(&d) : json_null());
	json_set(j, "BuildCache", wanted(a, "build-cache") ? json_array() : json_null());
	if (a->minor < 42)
		json_set(j, "BuilderSize", json_integer(0));
	return api_json(a, 200, j);
}

const struct api_route api_disk[] = {
	{"GET", "/system/df", df},
	{0},
};
