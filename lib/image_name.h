/* SPDX-License-Identifier: Apache-2.0 */
/* image_name: a name for an image, as tag, commit and import give one. */
#pragma once

#include "err.h"
#include "store.h"

/* The familiar name, or NULL: what docker's daemon refuses as a name for an image. The caller frees. */
char *image_name_of(const char *name, struct err *e);
/* image_tag() with what docker's daemon refuses, and the event. name: as the user wrote it. */
int image_name(const struct store *s, const char *id, const char *name, struct err *e);
