/* SPDX-License-Identifier: Apache-2.0 */
/* image_name: a name for an image, as tag, commit and import give one. */
#pragma once

#include "err.h"
#include "store.h"

/* image_tag() with what docker's daemon refuses, and the event. name: as the user wrote it. */
int image_name(const struct store *s, const char *id, const char *name, struct err *e);
