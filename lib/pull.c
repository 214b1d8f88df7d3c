/* SPDX-License-Identifier: Apache-2.0 */
#include "pull.h"
#include "auto.h"

int pull_image(const struct store *s, const struct ref *r, const char *platform, struct err *e)
{
	auto_free char *repository = ref_repository(r);

	(void)s, (void)platform;
	return err_set(e, ERR_NOT_FOUND,
		"pull access denied for %s, repository does not exist or may require 'docker login': "
		"sbx has no client for registries yet: `sbx import` an archive or a .sqsh file",
		repository);
}
