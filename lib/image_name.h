/* SPDX-License-Identifier: Apache-2.0 */
/* image_name: naming an image, for tag, commit and import. */
#pragma once

#include "err.h"
#include "store.h"

/* The familiar form of a name, the caller frees; NULL: docker's daemon refuses it as a name for an image. */
char *image_name_of(const char *name, struct err *e);
/* image_tag() with docker's checks and the event. name: as the user wrote it. */
int image_name(const struct store *s, const char *id, const char *name, struct err *e);
