/* SPDX-License-Identifier: Apache-2.0 */
#include "image_name.h"

#include "event.h"
#include "image.h"
#include "ref.h"

#include <string.h>

char *image_name_of(const char *name, struct err *e)
{
	auto_free char *familiar = ref_familiar(name, e);

	if (!familiar)
		return NULL;
	if (!str_starts(familiar, "sha256:") && !strchr(familiar, '@'))
		return take(familiar);
	(void)err_set(e, ERR_USAGE,
		str_starts(familiar, "sha256:")
			? "refusing to create an ambiguous tag using digest algorithm as name"
			: "refusing to create a tag with a digest reference");
	return NULL;
}

int image_name(const struct store *s, const char *id, const char *name, struct err *e)
{
	auto_free char *familiar = image_name_of(name, e);

	if (!familiar || image_tag(s, id, familiar, e) < 0)
		return -1;
	event_image(s, "tag", id, familiar);
	return 0;
}
