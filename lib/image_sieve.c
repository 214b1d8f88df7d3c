/* SPDX-License-Identifier: Apache-2.0 */
#include "image_sieve.h"

#include "stamp.h"

#include <fnmatch.h>
#include <string.h>

struct timespec image_created(const struct image *i)
{
	struct timespec t = {.tv_sec = STAMP_NEVER};

	(void)stamp_read(i->created ? i->created : "", &t); /* then never */
	return t;
}

static const char *const known[] = {
	"before", "dangling", "label", "label!", "reference", "since", "until", NULL};

static int created_at(const struct store *s, const char *name, struct timespec *out, struct err *e)
{
	auto_image struct image i = {0};

	if (image_find(s, name, &i, e) < 0)
		return -1;
	*out = image_created(&i);
	return 0;
}

/* Whether docker accepts the pattern: each set is closed, and there is no backslash at the end. */
static bool is_pattern(const char *s)
{
	for (; *s; s++) {
		if (*s == '\\' && !*++s)
			return false;
		if (*s == '[' && !(s = strchr(s + 1, ']')))
			return false;
	}
	return true;
}

int image_sieve_make(
	const struct store *s, const struct filters *f, struct image_sieve *out, struct err *e)
{
	const char *v;

	*out = (struct image_sieve){.f = f, .dangling_asked = filter_asked(f, "dangling")};
	if (filter_check(f, known, e) < 0 || filter_bool(f, "dangling", false, &out->dangling, e) < 0)
		return -1;
	for (size_t i = 0; (v = filter_next(f, "reference", &i));)
		if (!is_pattern(v))
			return err_set(e, ERR_USAGE, "syntax error in pattern");
	for (size_t i = 0; (v = filter_next(f, "before", &i)); out->has_before = true)
		if (created_at(s, v, &out->before, e) < 0)
			return -1;
	for (size_t i = 0; (v = filter_next(f, "until", &i)); out->has_before = true) {
		struct timespec now, until;

		(void)clock_gettime(CLOCK_REALTIME, &now); /* this clock is always there */
		if (stamp_parse(v, &now, &until, e) < 0)
			return -1;
		if (!out->has_before || stamp_cmp(&until, &out->before) < 0)
			out->before = until;
	}
	for (size_t i = 0; (v = filter_next(f, "since", &i)); out->has_since = true)
		if (created_at(s, v, &out->since, e) < 0)
			return -1;
	return 0;
}

bool image_sieve_passes(const struct image_sieve *v, const struct image *i)
{
	struct timespec made = image_created(i);

	if (!v->all && i->refs.n == 0 && i->is_parent)
		return false;
	if (v->dangling_asked && v->dangling != (i->refs.n == 0 && !i->is_parent))
		return false;
	if (v->has_before && stamp_cmp(&made, &v->before) >= 0)
		return false;
	if (v->has_since && stamp_cmp(&made, &v->since) <= 0)
		return false;
	return filter_labels(v->f, &i->config.labels);
}

const char *image_ref_tag(const char *ref)
{
	const char *slash = strrchr(ref, '/');

	return strchr(slash ? slash : ref, ':');
}

static bool fits(const char *pattern, const char *ref)
{
	const char *tag = image_ref_tag(ref);
	auto_free char *name = tag ? xstrndup(ref, (size_t)(tag - ref)) : xstrdup(ref);

	return fnmatch(pattern, ref, FNM_PATHNAME) == 0 || fnmatch(pattern, name, FNM_PATHNAME) == 0;
}

bool image_sieve_name(const struct filters *f, const char *ref)
{
	const char *pattern;

	for (size_t i = 0; (pattern = filter_next(f, "reference", &i));)
		if (fits(pattern, ref))
			return true;
	return !filter_asked(f, "reference");
}
