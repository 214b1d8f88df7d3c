/* SPDX-License-Identifier: Apache-2.0 */
#include "prune.h"

#include "auto.h"
#include "engine.h"
#include "event.h"
#include "image.h"
#include "image_sieve.h"
#include "inspect.h"
#include "json.h"
#include "network.h"
#include "owner.h"
#include "parse.h"
#include "size.h"
#include "stamp.h"
#include "statedir.h"
#include "volume.h"

#include <string.h>

const char *const prune_keys[] = {"label", "label!", "until", NULL};
const char *const prune_image_keys[] = {"dangling", "label", "label!", "until", NULL};
const char *const prune_volume_keys[] = {"all", "label", "label!", NULL};

int prune_begin(struct prune *p, const struct store *s, const struct filters *f,
	const char *const *keys, struct err *e)
{
	*p = (struct prune){.s = s, .filters = f};
	return filter_prune(f, keys, &p->until, e);
}

void prune_done(struct prune *p)
{
	strv_done(&p->gone);
	strv_done(&p->failed);
}

/* Emits the event of a prune of this kind, which has freed what was freed since `before`. */
static int told(const struct prune *p, const char *type, int64_t before)
{
	event_prune(p->s, type, p->freed - before);
	return 0;
}

/* If it is in use or gone by now, it is skipped; any other reason is a failure. */
static void stays(struct prune *p, const struct err *why)
{
	bool told = p->failed.n && str_eq(p->failed.v[p->failed.n - 1], why->text);

	if (why->kind != ERR_NOT_FOUND && (why->sys || why->kind == ERR_CORRUPT) && !told)
		strv_add(&p->failed, why->text);
}

static bool wanted(const struct prune *p, const struct strv *labels, const struct timespec *created)
{
	return filter_prunes(p->filters, &p->until, labels, created);
}

/* It is removed even if its size cannot be found out. */
static int64_t known(int64_t bytes)
{
	return bytes < 0 ? 0 : bytes;
}

static int is_leftover(const struct dirent *d, void *unused, struct err *e)
{
	(void)unused, (void)e;
	return str_starts(d->d_name, MARK_OLD);
}

static int remove_one(const struct dirent *d, void *arg, struct err *e)
{
	(void)e; /* one that is being removed by another stays */
	if (str_starts(d->d_name, MARK_OLD))
		remove_leftover(*(const struct store *const *)arg, d->d_name, NULL);
	return 0;
}

static int remove_as_owner(const struct store *s, const void *arg, struct err *e)
{
	(void)arg;
	return statedir_each(s->root, "containers", remove_one, &s, e);
}

/* Files of a range of ids, of containers whose supervisor was killed. Every list of containers has removed other ones. */
static void prune_leftovers(const struct store *s)
{
	struct err ignored; /* nobody has asked for a container */

	if (statedir_each(s->root, "containers", is_leftover, NULL, &ignored) > 0)
		(void)owner_do(s, remove_as_owner, NULL, &ignored);
}

int prune_containers(struct prune *p, struct err *e)
{
	int64_t before = p->freed;
	struct state *all = NULL;
	size_t n = 0;

	if (state_list(p->s, false, &all, &n, e) < 0)
		return -1;
	volume_sweep(p->s);
	for (size_t i = 0; i < n; i++) {
		struct err busy;
		int64_t bytes;

		if (state_runs(&all[i]) || !wanted(p, &all[i].labels, &all[i].created))
			continue;
		bytes = known(container_size(p->s, all[i].id));
		if (engine_remove(p->s, all[i].id, false, false, &busy) < 0) {
			stays(p, &busy);
			continue;
		}
		strv_add(&p->gone, all[i].id);
		p->freed += bytes;
	}
	state_list_free(all, n);
	prune_leftovers(p->s);
	return told(p, "container", before);
}

static bool network_wanted(const struct prune *p, const json_t *j)
{
	auto_strv struct strv labels = {0};
	struct timespec created = {0};

	json_map_strv(json_object_get(j, "Labels"), &labels);
	(void)stamp_read(json_str(j, "Created", ""), &created); /* none: older than all */
	return wanted(p, &labels, &created);
}

int prune_networks(struct prune *p, struct err *e)
{
	auto_json json_t *all = network_list(p->s, &p->failed, e);
	json_t *j;
	size_t i;

	if (!all)
		return -1;
	json_array_foreach(all, i, j)
	{
		const char *name = json_str(j, "Name", "");
		struct err busy;

		if (network_is_predefined(name) || !network_wanted(p, j))
			continue;
		if (network_remove(p->s, name, &busy) == 0)
			strv_add(&p->gone, name);
		else
			stays(p, &busy);
	}
	return told(p, "network", p->freed);
}

/* Unlike those of other boolean filters, docker takes any word of Go's, and whether it is on or off is the same. */
static int named_asked(const struct filters *f, bool *named, struct err *e)
{
	size_t i = 0;
	const char *word = filter_next(f, "all", &i);
	struct err values;

	if (!word)
		return 0;
	if (filter_has_several(f, "all")) {
		(void)filter_invalid(f, "all", &values);
		return err_set(e, ERR_USAGE, "%.800s: only one value is expected", values.text);
	}
	return parse_bool(word, named, e) < 0 ? err_ctx(e, "invalid filter 'all'") : 0;
}

int prune_volumes(struct prune *p, bool named, struct err *e)
{
	auto_json json_t *uses = NULL;
	int64_t before = p->freed;
	struct volume *all = NULL;
	size_t n = 0;

	if (named_asked(p->filters, &named, e) < 0 || !(uses = volume_uses(p->s, e)) ||
		volume_list(p->s, &all, &n, &p->failed, e) < 0)
		return -1;
	volume_sweep(p->s);
	for (size_t i = 0; i < n; i++) {
		struct err busy;
		int64_t bytes;

		if (volume_users(uses, all[i].name) || (!named && !volume_is_anonymous(&all[i])) ||
			all[i].options.n || !wanted(p, &all[i].labels, NULL))
			continue;
		bytes = known(volume_size(&all[i]));
		if (volume_remove(p->s, all[i].name, uses, &busy) < 0) {
			stays(p, &busy);
			continue;
		}
		strv_add(&p->gone, all[i].name);
		p->freed += bytes;
	}
	volume_list_free(all, n);
	return told(p, "volume", before);
}

static bool image_wanted(const struct image *i, void *context)
{
	struct timespec created = image_created(i);

	return wanted(context, &i->config.labels, &created);
}

static int image_ids(const struct store *s, struct strv *out, struct strv *unread, struct err *e)
{
	struct image *all;
	size_t n;

	if (image_list(s, &all, &n, unread, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		strv_add(out, all[i].id);
	image_list_free(all, n);
	strv_sort(out, 0);
	return 0;
}

/* Emits events for what the report says is deleted: images, not their layers. */
static void tell_images(const struct prune *p, const struct strv *were, size_t from)
{
	static const char deleted[] = "Deleted: ";

	for (size_t i = from; i < p->gone.n; i++) {
		const char *id = p->gone.v[i] + strlen(deleted);

		if (str_starts(p->gone.v[i], deleted) && strv_sorted_has(were, id))
			event_image(p->s, "delete", id, NULL);
	}
}

int prune_images(struct prune *p, bool all, struct err *e)
{
	int64_t before = p->freed, freed = 0;
	auto_strv struct strv were = {0}, unread = {0}, unknown = {0};
	size_t from = p->gone.n;
	bool dangling = true;

	if (filter_bool(p->filters, "dangling", !all, &dangling, e) < 0 ||
		image_ids(p->s, &were, &unknown, e) < 0 || /* no events are emitted for these */
		image_prune(p->s, !dangling, image_wanted, p, &p->gone, &unread, &freed, e) < 0)
		return -1;
	p->freed += freed;
	for (size_t i = 0; i < unread.n; i++)
		strv_add(&p->failed, unread.v[i]);
	tell_images(p, &were, from);
	return told(p, "image", before);
}

/* Checks the age filter: only one of two keys, with one value. */
static int check_age(const struct filters *f, struct err *e)
{
	size_t i = 0, k = 0;
	const char *until = filter_next(f, "until", &i), *unused = filter_next(f, "unused-for", &k);
	const char *value = until ? until : unused;
	struct err why;
	int64_t ns;

	if (until && unused)
		return err_set(e, ERR_USAGE, "conflicting filters: \"until\" and \"unused-for\"");
	if (filter_has_several(f, "until") || filter_has_several(f, "unused-for"))
		return err_set(e, ERR_USAGE, "filters expect only one value");
	if (value && parse_duration(value, false, &ns, &why) < 0)
		return err_set(e, ERR_USAGE, "\"%s\" filter expects a duration (e.g., '24h'): %.200s",
			until ? "until" : "unused-for", why.text);
	return 0;
}

int prune_builds(const struct filters *f, struct err *e)
{
	static const char *const keys[] = {"until", "id", "parent", "type", "description", "inuse",
		"shared", "private", "unused-for", "label", "label!", NULL};
	static const char *const single[] = {
		"id", "parent", "type", "description", "inuse", "shared", "private"};

	if (filter_check(f, keys, e) < 0 || check_age(f, e) < 0)
		return err_ctx(e, "failed to prune build cache");
	for (size_t i = 0; i < ARRAY_LEN(single); i++)
		if (filter_has_several(f, single[i])) {
			(void)err_set(e, ERR_USAGE, "filters expect only one value");
			return err_ctx(e, "failed to prune build cache");
		}
	return 0;
}
