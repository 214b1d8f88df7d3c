/* SPDX-License-Identifier: Apache-2.0 */
#include "pull.h"

#include "auto.h"
#include "image.h"
#include "parse.h"
#include "registry.h"
#include "spec.h"

int pull_check_platform(const char *platform, struct err *e)
{
	auto_free char *os = NULL, *arch = NULL, *variant = NULL;

	return platform && *platform ? parse_platform(platform, &os, &arch, &variant, e) : 0;
}

int pull_image(const struct store *s, const struct ref *r, const char *platform, struct err *e)
{
	auto_free char *repository = ref_repository(r);

	(void)s, (void)platform;
	return err_set(e, ERR_NOT_FOUND,
		"pull access denied for %s, repository does not exist or may require 'docker login': " NO_REGISTRY
		"`sbx import` an archive or a .sqsh file",
		repository);
}

int pull(const struct store *s, const char *what, const char *platform, struct image *out, struct err *e)
{
	auto_image struct image found = {0};
	auto_ref struct ref ref = {0};

	if (ref_parse(what, &ref, e) < 0 || pull_check_platform(platform, e) < 0)
		return -1;
	/* one of another platform is another image */
	if (image_find_ref(s, what, &found, e) == 0 &&
		spec_check_platform(platform, what, found.architecture, e) == 0) {
		*out = found;
		found = (struct image){0};
		return 0;
	}
	if (e->kind != ERR_NOT_FOUND || pull_image(s, &ref, platform, e) < 0)
		return -1;
	return image_find_ref(s, what, out, e);
}
