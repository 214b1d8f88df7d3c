/* SPDX-License-Identifier: Apache-2.0 */
#include "registry.h"

#include "auto.h"
#include "image.h"
#include "parse.h"

#include <string.h>

/* ---- search ---- */

/* Checks the filters with the errors of docker's search, which begin with another letter. */
static int check_filters(const struct filters *f, struct err *e)
{
	static const char *const known[] = {"is-automated", "is-official", "stars", NULL};
	const char *stars;
	int64_t unused;
	bool truth;

	if (filter_check(f, known, e) < 0 || filter_bool(f, "is-automated", false, &truth, e) < 0 ||
		filter_bool(f, "is-official", false, &truth, e) < 0) {
		*e->text = 'I';
		return -1;
	}
	for (size_t i = 0; (stars = filter_next(f, "stars", &i));)
		if (parse_decimal(stars, &unused, e) < 0)
			return err_set(e, ERR_USAGE, "Invalid filter 'stars=%s'", stars);
	return 0;
}

int registry_search(const char *term, const struct filters *f, int64_t limit, struct err *e)
{
	if (check_filters(f, e) < 0)
		return -1;
	if (strstr(term, "://"))
		return err_set(e, ERR_USAGE,
			"Invalid repository name (ex: \"registry.domain.tld/myrepos\")");
	if (limit != REGISTRY_LIMIT_UNSET && (limit < 1 || limit > 100))
		return err_set(e, ERR_USAGE, "Limit %lld is outside the range of [1, 100]",
			(long long)limit);
	return err_set(e, ERR_UNSUPPORTED, NO_REGISTRY "there is nothing to search in");
}

/* ---- push ---- */

static bool is_called(const struct image *i, const char *full, const char *prefix)
{
	for (size_t k = 0; k < i->refs.n; k++) {
		auto_ref struct ref other = {0};
		auto_free char *name = NULL;
		struct err no_name;

		if (ref_parse(i->refs.v[k], &other, &no_name) < 0)
			continue;
		name = ref_full(&other);
		if (full ? str_eq(name, full) : str_starts(name, prefix))
			return true;
	}
	return false;
}

int registry_push(const struct store *s, const struct ref *r, bool any_tag, struct err *e)
{
	auto_free char *full = any_tag ? NULL : ref_full(r), *repository = ref_repository(r),
		       *prefix = xasprintf("%s/%s:", r->domain, r->path);
	auto_strv struct strv unread = {0}; /* they cannot be pushed */
	struct image *list = NULL;
	bool found = false;
	size_t n = 0;

	if (image_list(s, &list, &n, &unread, e) < 0)
		return -1;
	for (size_t i = 0; i < n && !found; i++)
		found = is_called(&list[i], full, prefix);
	image_list_free(list, n);
	if (!found)
		return err_set(e, ERR_NOT_FOUND, "An image does not exist locally with the tag: %s",
			repository);
	return err_set(e, ERR_UNSUPPORTED, NO_REGISTRY "`sbx save` writes an image to an archive");
}
