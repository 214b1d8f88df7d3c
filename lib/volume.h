/* SPDX-License-Identifier: Apache-2.0 */
/*
 * volume: named and anonymous volumes: root/volumes/<name>/_data, and the sources of binds.
 */
#pragma once

#include "err.h"
#include "spec.h"
#include "store.h"

/* At create: makes what -v may make, refuses what --mount misses, gives anonymous volumes (those of the
 * image as well) their names, and makes volumes that are not there. */
int volume_prepare(const struct store *s, struct spec *spec, struct err *e);
/* At start: the src of every volume becomes its path. Not stored. */
int volume_resolve(const struct store *s, struct spec *spec, struct err *e);
/* rm -v: the anonymous ones of this container go. */
int volume_remove_anonymous(const struct store *s, const struct spec *spec, struct err *e);
