/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fallback: the layers, by the best way which this machine has.
 *
 * FUSE through the image server; where there is no /dev/fuse (or the setting "fuse" is off) each layer
 * unpacked once into the store, and then `lower` names those directories and the lease only holds the
 * user namespace.
 */
#pragma once

#include "err.h"
#include "layers.h"
#include "store.h"
#include "str.h"

int fallback_lease(const struct store *s, enum ids_mode ids, const struct strv *layers,
	struct lease *out, struct strv *lower, struct err *e);
