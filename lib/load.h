/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load: loads the images of an archive into the store: docker's format (manifest.json) or an OCI layout (index.json), plain
 * or compressed. The archive is untrusted: none of its names is used as a file name, the helper makes a squashfs file of each
 * layer, and an image is stored only if its config names the digests of its layers. Docker keeps the images that come
 * before a damaged one; here a load that fails adds nothing.
 */
#pragma once

#include "err.h"
#include "meter.h"
#include "store.h"
#include "str.h"

/* in: the archive; platform: images for other platforms are skipped, NULL or "": none is; report: gets docker's lines,
 * "Loaded image: web:1". The caller must ignore SIGPIPE. */
int load_images(const struct store *s, int in, const char *platform, struct meter *meter,
	struct strv *report, struct err *e);
