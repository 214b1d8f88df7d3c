/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pull: an image is fetched from its registry. There is no client for registries yet: this is its
 * place, and what `pull`, `run` and `create` call.
 */
#pragma once

#include "err.h"
#include "ref.h"
#include "store.h"

/* Words that name no platform; NULL or "": any. */
int pull_check_platform(const char *platform, struct err *e);
/* What `pull` is asked for: an image that is here and of that platform, which is then as new as any, else one that its
 * registry gave. platform may be NULL. */
struct image;
int pull(const struct store *s, const char *what, const char *platform, struct image *out,
	struct err *e);
/* platform may be NULL. Fails in docker's words: "pull access denied for ...". */
int pull_image(const struct store *s, const struct ref *r, const char *platform, struct err *e);
