/* SPDX-License-Identifier: Apache-2.0 */
/* The API about what nobody uses: prune of each kind, and what takes how much of the disk. */
#include "api.h"

#include "auto.h"
#include "engine.h"
#include "event.h"
#include "filter.h"
#include "image.h"
#include "image_sieve.h"
#include "inspect.h"
#include "network.h"
#include "stamp.h"
#include "status.h"
#include "volume.h"

#include <string.h>

struct prune {
	struct filters filters;
	struct timespec until;
};

static void prune_done(struct prune *p)
{
	filter_done(&p->filters);
}
#define auto_prune __attribute__((cleanup(prune_done)))

static bool passes(const struct prune *p, const struct strv *labels, const struct timespec *created)
{
	return filter_prunes(&p->filters, &p->until, labels, created);
}

static int begin(struct api *a, struct prune *p, const char *const *known, struct err *e)
{
	if (api_filters(a, &p->filters, e) < 0)
		return -1;
	return filter_prune(&p->filters, known, &p->until, e);
}

static int answer(struct api *a, const char *key, json_t *deleted, int64_t freed)
{
	if (json_array_size(deleted) == 0) {
		json_decref(deleted);
		deleted = json_null();
	}
	return api_json(
		a, 200, json_pack("{s:o, s:I}", key, deleted, "SpaceReclaimed", (json_int_t)freed));
}

static int containers(struct api *a, struct err *e)
{
	static const char *const known[] = {"label", "label!", "until", NULL};
	auto_prune struct prune p = {0};
	struct state *all = NULL;
	json_t *deleted;
	int64_t freed = 0;
	size_t n = 0;

	if (begin(a, &p, known, e) < 0 || state_list(a->s, false, &all, &n, e) < 0)
		return -1;
	deleted = json_array();
	for (size_t i = 0; i < n; i++) {
		struct err gone;
		int64_t bytes;

		if (status_runs(&all[i]) || !passes(&p, &all[i].labels, &all[i].created))
			continue;
		bytes = container_size(a->s, all[i].id);
		if (engine_remove(a->s, all[i].id, false, false, &gone) < 0)
			continue; /* started or removed meanwhile */
		freed += bytes;
		(void)json_array_append_new(deleted, json_string(all[i].id)); /* memory */
	}
	state_list_free(all, n);
	return answer(a, "ContainersDeleted", deleted, freed);
}

static bool image_wanted(const struct image *i, void *context)
{
	struct timespec created = image_created(i);

	return passes(context, &i->config.labels, &created);
}

static int images(struct api *a, struct err *e)
{
	static const char *const known[] = {"dangling", "label", "label!", "until", NULL};
	auto_prune struct prune p = {0};
	auto_strv struct strv report = {0};
	bool dangling = true;
	json_t *deleted;
	int64_t freed = 0;

	if (begin(a, &p, known, e) < 0 || filter_bool(&p.filters, "dangling", true, &dangling, e) < 0 ||
		image_prune(a->s, !dangling, image_wanted, &p, &report, &freed, e) < 0)
		return -1;
	deleted = json_array();
	for (size_t i = 0; i < report.n; i++) {
		const char *line = report.v[i], *colon = strchr(line, ':');
		bool gone = str_starts(line, "Deleted: ");

		if (!colon)
			continue;
		(void)json_array_append_new(deleted,
			json_pack("{s:s}", gone ? "Deleted" : "Untagged", colon + 2)); /* memory */
		if (gone)
			event_emit(a->s, "image", "delete", colon + 2, NULL);
	}
	return answer(a, "ImagesDeleted", deleted, freed);
}

static int volumes(struct api *a, struct err *e)
{
	static const char *const known[] = {"all", "label", "label!", NULL};
	auto_prune struct prune p = {0};
	auto_json json_t *uses = NULL;
	struct volume *all = NULL;
	/* Before 1.42 it took named ones too. */
	bool named = a->minor < 42;
	json_t *deleted;
	int64_t freed = 0;
	size_t n = 0;

	if (begin(a, &p, known, e) < 0 || filter_bool(&p.filters, "all", named, &named, e) < 0 ||
		!(uses = volume_uses(a->s, e)) || volume_list(a->s, &all, &n, e) < 0)
		return -1;
	deleted = json_array();
	for (size_t i = 0; i < n; i++) {
		struct err gone;
		int64_t bytes;

		if (json_object_get(uses, all[i].name) || (!named && !volume_is_anonymous(&all[i])) ||
			!passes(&p, &all[i].labels, NULL))
			continue;
		bytes = volume_size(&all[i]);
		if (volume_remove(a->s, all[i].name, uses, &gone) < 0)
			continue; /* removed meanwhile */
		freed += bytes;
		(void)json_array_append_new(deleted, json_text(all[i].name)); /* memory */
	}
	volume_list_free(all, n);
	return api_json(a, 200,
		json_pack("{s:o, s:I}", "VolumesDeleted", deleted, "SpaceReclaimed", (json_int_t)freed));
}

static bool network_wanted(const struct prune *p, const json_t *j)
{
	auto_strv struct strv labels = {0};
	struct timespec created = {0};

	json_map_strv(json_object_get(j, "Labels"), &labels);
	(void)stamp_read(json_str(j, "Created", ""), &created); /* none: older than all */
	return passes(p, &labels, &created);
}

static int networks(struct api *a, struct err *e)
{
	static const char *const known[] = {"label", "label!", "until", NULL};
	auto_prune struct prune p = {0};
	auto_json json_t *all = NULL;
	json_t *deleted, *one;
	size_t i;

	if (begin(a, &p, known, e) < 0 || !(all = network_list(a->s, e)))
		return -1;
	deleted = json_array();
	json_array_foreach(all, i, one)
	{
		const char *name = json_str(one, "Name", "");
		auto_json json_t *users = network_containers(a->s, name, e);
		struct err gone;

		if (network_is_predefined(name) || !users || json_object_size(users) > 0 ||
			!network_wanted(&p, one) || network_remove(a->s, name, &gone) < 0)
			continue;
		(void)json_array_append_new(deleted, json_text(name)); /* memory */
	}
	if (json_array_size(deleted) == 0) {
		json_decref(deleted);
		deleted = json_null();
	}
	return api_json(a, 200, json_pack("{s:o}", "NetworksDeleted", deleted));
}

/* Nothing is built here, so nothing of it is left. */
static int builds(struct api *a, struct err *e)
{
	(void)e;
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
