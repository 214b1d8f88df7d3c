/* SPDX-License-Identifier: Apache-2.0 */
#include "pull.h"
#include "auto.h"
#include "parse.h"

#include <stdlib.h>

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
		"pull access denied for %s, repository does not exist or may require 'docker login': "
		"sbx has no client for registries yet: `sbx import` an archive or a .sqsh file",
		repository);
}
