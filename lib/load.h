/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load: the images of an archive come into the store: docker's form (manifest.json) or an OCI layout (index.json),
 * plain or compressed. The archive is hostile: no name of it becomes a name of a file, each layer is made into a
 * squashfs file by the helper, and an image is stored only when its config names the digests of its layers.
 * Docker keeps the images before a damaged one; here a load that fails leaves what was there, and nothing else.
 */
#pragma once

#include "err.h"
#include "meter.h"
#include "store.h"
#include "str.h"

/* in: the archive; platform: images of others are passed over, NULL or "": none is; report: docker's lines, "Loaded image: web:1". The caller ignores
 * SIGPIPE. */
int load_images(const struct store *s, int in, const char *platform, struct meter *meter,
	struct strv *report, struct err *e);
