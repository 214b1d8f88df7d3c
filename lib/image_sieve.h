/* SPDX-License-Identifier: Apache-2.0 */
/* image_sieve: which images, and which of their names, the filters of `images` let through. */
#pragma once

#include "filter.h"
#include "image.h"

#include <time.h>

struct image_sieve {
	const struct filters *f; /* the caller's, as long as this lives */
	bool all;                /* set by the caller: intermediate images pass, too */
	bool dangling_asked, dangling, has_before, has_since;
	struct timespec before, since;
};

/* Unknown keys and values are ERR_USAGE in the daemon's words. */
int image_sieve_make(
	const struct store *s, const struct filters *f, struct image_sieve *out, struct err *e);
bool image_sieve_passes(const struct image_sieve *v, const struct image *i);
/* Whether a name passes: --filter reference= selects names of images. */
bool image_sieve_name(const struct filters *f, const char *ref);
/* Where the tag of "host:5000/name:tag" begins; NULL: none. */
const char *image_ref_tag(const char *ref);
/* When the image was created; STAMP_NEVER if it does not say. */
struct timespec image_created(const struct image *i);
