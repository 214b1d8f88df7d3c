/* SPDX-License-Identifier: Apache-2.0 */
/* The API about images. */
#include "api.h"

#include "api_bundle.h"
#include "auto.h"
#include "event.h"
#include "filter.h"
#include "image.h"
#include "image_name.h"
#include "image_sieve.h"
#include "pull.h"
#include "ref.h"
#include "registry.h"
#include "spec.h"
#include "stamp.h"

#include <string.h>

/* ---- list and inspect ----------------------------------------------------------------- */

static json_t *refs_of(const struct image *i, const struct filters *f, bool digests)
{
	json_t *list = json_array();

	for (size_t k = 0; k < i->refs.n; k++)
		if ((strchr(i->refs.v[k], '@') != NULL) == digests && image_sieve_name(f, i->refs.v[k]))
			(void)json_array_append_new(list, json_text(i->refs.v[k])); /* memory */
	return list;
}

json_t *api_image_row(const struct api *a, const struct image *i, const struct filters *f)
{
	struct timespec created = image_created(i);
	json_t *j = json_object();

	json_set(j, "Containers", json_integer(-1));
	json_set(j, "Created", json_integer(created.tv_sec));
	json_set(j, "Id", json_string(i->id));
	json_set(j, "Labels", i->config.labels.n ? json_from_map(&i->config.labels) : NULL);
	json_set(j, "ParentId", json_string(i->parent ? i->parent : ""));
	json_set(j, "RepoDigests", refs_of(i, f, true));
	json_set(j, "RepoTags", refs_of(i, f, false));
	json_set(j, "SharedSize", json_integer(-1));
	json_set(j, "Size", json_integer(i->size));
	if (a->minor < 44)
		json_set(j, "VirtualSize", json_integer(i->size));
	return j;
}

/* filters, and what clients had before there were any. */
static int list_filters(struct api *a, struct filters *f, struct err *e)
{
	const char *name = a->minor < 41 ? http_query(a->r, "filter") : NULL;
	auto_free char *word = name && *name ? xasprintf("reference=%s", name) : NULL;

	return api_filters(a, f, e) < 0 || (word && filter_add(f, word, e) < 0) ? -1 : 0;
}

static int list(struct api *a, struct err *e)
{
	auto_filters struct filters f = {0};
	struct image_sieve sieve;
	auto_strv struct strv unread = {0};
	struct image *all = NULL;
	json_t *rows;
	size_t n = 0;

	if (list_filters(a, &f, e) < 0 || image_sieve_make(a->s, &f, &sieve, e) < 0 ||
		image_list(a->s, &all, &n, &unread, e) < 0)
		return -1;
	api_log(a, &unread);
	sieve.all = http_query_bool(a->r, "all");
	rows = json_array();
	for (size_t i = 0; i < n; i++) {
		auto_json json_t *one = NULL;

		if (!image_sieve_passes(&sieve, &all[i]))
			continue;
		one = api_image_row(a, &all[i], &f);
		if (filter_asked(&f, "reference") &&
			json_array_size(json_object_get(one, "RepoTags")) == 0)
			continue;
		api_old_image_names(a, one);
		(void)json_array_append(rows, one); /* memory */
	}
	image_list_free(all, n);
	return api_json(a, 200, rows);
}

static int find(struct api *a, struct image *i, struct err *e)
{
	return image_find(a->s, a->arg, i, e) < 0 ? -1 : image_load_refs(a->s, i, e);
}

/* Finds an image for the wanted platform; one for another platform does not count. */
static int find_for(struct api *a, const char *key, int since, struct image *i, struct err *e)
{
	auto_free char *platform = NULL;

	if (api_platform(a, key, since, &platform, e) < 0 || find(a, i, e) < 0)
		return -1;
	return spec_check_platform(platform, a->arg, i->architecture, e);
}

static int inspect(struct api *a, struct err *e)
{
	auto_image struct image i = {0};
	json_t *j;

	if (find_for(a, "platform", 49, &i, e) < 0)
		return -1;
	j = image_inspect(a->s, &i, e);
	if (!j)
		return -1;
	api_old_image(a, j);
	return api_json(a, 200, j);
}

static int history(struct api *a, struct err *e)
{
	auto_image struct image i = {0};
	json_t *j;

	if (find_for(a, "platform", 48, &i, e) < 0)
		return -1;
	j = image_history(a->s, &i, e);
	return j ? api_json(a, 200, j) : -1;
}

/* ---- names ---------------------------------------------------------------------------- */

static int tag(struct api *a, struct err *e)
{
	const char *repo = http_query(a->r, "repo"), *word = http_query(a->r, "tag");
	auto_image struct image i = {0};
	auto_free char *ref = NULL;

	if (!repo || !*repo)
		return err_set(e, ERR_USAGE, "repository name is missing");
	ref = ref_tagged(repo, word, e);
	if (!ref || image_find_ref(a->s, a->arg, &i, e) < 0 || image_name(a->s, i.id, ref, e) < 0)
		return -1;
	return api_done(a, 201);
}

static int remove_it(struct api *a, struct err *e)
{
	auto_strv struct strv report = {0};
	auto_image struct image i = {0};
	auto_free char *platform = NULL;
	json_t *list;

	if (!a->arg[strspn(a->arg, " \t\n")])
		return err_set(e, ERR_USAGE, "image name cannot be blank");
	if (api_platform(a, "platforms", 50, &platform, e) < 0 ||
		image_find_ref(a->s, a->arg, &i, e) < 0 ||
		spec_check_platform(platform, a->arg, i.architecture, e) < 0 ||
		image_remove(a->s, a->arg, http_query_bool(a->r, "force"),
			!http_query_bool(a->r, "noprune"), &report, e) < 0)
		return -1;
	event_image_removed(a->s, i.id, &i.config.labels, &report);
	list = json_array();
	for (size_t k = 0; k < report.n; k++) {
		const char *line = report.v[k], *colon = strchr(line, ':');
		auto_free char *key = colon ? xstrndup(line, (size_t)(colon - line)) : xstrdup(line);

		(void)json_array_append_new(list, json_pack("{s:s}", key, colon ? colon + 2 : "")); /* memory */
	}
	return api_json(a, 200, list);
}

/* ---- pull ----------------------------------------------------------------------------- */

static int say(struct api *a, const char *id, const char *status)
{
	auto_json json_t *j = json_object();
	auto_free char *text = NULL, *line = NULL;

	json_set(j, "status", json_text(status));
	if (id)
		json_set(j, "id", json_text(id));
	text = json_dumps(j, JSON_COMPACT);
	line = xasprintf("%s\r\n", text ? text : "{}");
	return http_write(a->h, line, strlen(line));
}

/* The reference "name:tag" or "name@digest" of a pull's two words; the caller frees. NULL: not a reference. */
static char *pull_ref(const char *image, const char *tag, struct err *e)
{
	if (!tag || !*tag)
		return xstrdup(image);
	return str_starts(tag, "sha256:") ? xasprintf("%s@%s", image, tag) : ref_tagged(image, tag, e);
}

static int pull_named(struct api *a, const char *image, struct err *e)
{
	const char *tag = http_query(a->r, "tag"), *platform = http_query(a->r, "platform");
	auto_free char *what = pull_ref(image, tag, e), *from = NULL, *status = NULL, *repository = NULL;
	auto_image struct image found = {0};
	auto_ref struct ref ref = {0};

	if (!what || ref_parse(what, &ref, e) < 0 || pull(a->s, what, platform, &found, e) < 0)
		return -1;
	if (http_begin(a->h, 200, "application/json") < 0)
		return 0;
	repository = ref_repository(&ref);
	from = xasprintf("Pulling from %s", str_starts(ref.path, "library/") ? ref.path : repository);
	status = xasprintf("Status: Image is up to date for %s", what);
	(void)say(a, ref.tag ? ref.tag : ref.digest, from); /* the end of the answer sees it too */
	(void)say(a, NULL, status);
	(void)http_end(a->h);
	return 0;
}

static int create(struct api *a, struct err *e)
{
	const char *image = http_query(a->r, "fromImage"), *src = http_query(a->r, "fromSrc");

	if (image && *image)
		return pull_named(a, image, e);
	if (src && *src)
		return api_import(a, e);
	return err_set(e, ERR_USAGE, "one of fromImage and fromSrc is needed");
}

static int distribution(struct api *a, struct err *e)
{
	auto_ref struct ref r = {0};

	if (ref_parse(a->arg, &r, e) < 0)
		return -1;
	return api_error(a, 403, e, NO_REGISTRY "nothing can be asked about %.200s", a->arg);
}

static int search(struct api *a, struct err *e)
{
	auto_filters struct filters f = {0};
	const char *term = http_query(a->r, "term");
	int64_t limit;

	if (api_number(a, "limit", REGISTRY_LIMIT_UNSET, &limit, e) < 0 || api_filters(a, &f, e) < 0)
		return -1;
	return registry_search(term ? term : "", &f, limit, e);
}

/* A missing image is reported in the answer's body, where docker's clients look for it. */
static int push(struct api *a, struct err *e)
{
	const char *tag = http_query(a->r, "tag"); /* none: whatever the repository has */
	auto_free char *what = tag && *tag ? xasprintf("%s:%s", a->arg, tag) : xstrdup(a->arg),
		       *status = NULL, *text = NULL, *line = NULL;
	auto_ref struct ref r = {0};
	auto_json json_t *j = NULL;

	if (ref_parse(what, &r, e) < 0)
		return -1;
	(void)registry_push(a->s, &r, !tag || !*tag, e); /* always fails, and says why */
	if (e->kind != ERR_NOT_FOUND)
		return -1;
	if (http_begin(a->h, 200, "application/json") < 0)
		return 0;
	status = xasprintf("The push refers to repository [%s/%s]", r.domain, r.path);
	(void)say(a, NULL, status); /* the end of the answer sees it too, as below */
	j = json_pack("{s:{s:o}, s:o}", "errorDetail", "message", json_text(e->text), "error",
		json_text(e->text));
	text = json_dumps(j, JSON_COMPACT);
	line = xasprintf("%s\r\n", text ? text : "{}");
	(void)http_write(a->h, line, strlen(line));
	(void)http_end(a->h);
	return 0;
}

const struct api_route api_images[] = {
	{"GET", "/images/json", list},
	{"POST", "/images/create", create},
	{"GET", "/images/search", search},
	{"GET", "/images/*/json", inspect},
	{"GET", "/images/*/history", history},
	{"POST", "/images/*/tag", tag},
	{"POST", "/images/*/push", push},
	{"DELETE", "/images/*", remove_it},
	{"GET", "/distribution/*/json", distribution},
	{0},
};
