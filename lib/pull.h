/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pull: fetches an image from its registry, for `pull`, `run` and `create`. There is no client for registries yet; this
 * is the place for it.
 */
#pragma once

#include "err.h"
#include "ref.h"
#include "store.h"

/* ERR_USAGE: not a platform; NULL or "" means any. */
int pull_check_platform(const char *platform, struct err *e);
struct image;
/* The command `pull`: an image of that platform that the store has counts as up to date; else it is fetched. platform may be
 * NULL. */
int pull(const struct store *s, const char *what, const char *platform, struct image *out,
	struct err *e);
/* Fetches the image; so far it always fails, in docker's words: "pull access denied for ...". platform may be NULL. */
int pull_image(const struct store *s, const struct ref *r, const char *platform, struct err *e);
