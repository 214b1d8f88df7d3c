/* SPDX-License-Identifier: Apache-2.0 */
#include "image_name.h"

#include "event.h"
#include "image.h"
#include "ref.h"

#include <string.h>

int image_name(const struct store *s, const char *id, const char *name, struct err *e)
{
	auto_free char *familiar = ref_familiar(name, e);

	if (!familiar)
		return -1;
	if (str_starts(familiar, "sha256:"))
		return err_set(e, ERR_USAGE,
			"refusing to create an ambiguous tag using digest algorithm as name");
	if (strchr(familiar, '@'))
		return err_set(e, ERR_USAGE, "refusing to create a tag with a digest reference");
	if (image_tag(s, id, familiar, e) < 0)
		return -1;
	event_image(s, "tag", id, familiar);
	return 0;
}
