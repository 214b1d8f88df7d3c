/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layer: an archive becomes the squashfs file of a layer.
 *
 * The archive is a tar, compressed in any of the usual ways or not at all. Whiteouts (".wh.NAME") become
 * what overlayfs understands.
 */
#pragma once

#include "err.h"
#include "meter.h"
#include "sha256.h"

#include <stdbool.h>
#include <stdint.h>

struct layer_ask {
	int in, out; /* the archive; an empty file to write, which can be sought in */
	int level;   /* of zstd */
	bool base;   /* nothing lies below this layer: whiteouts hide nothing and are dropped */
	bool bare; /* without what only an engine's container has: /.dockerenv, and files in /dev */
	uint64_t most;       /* bytes of content; what claims to hold more is refused */
	struct meter *meter; /* of the archive as given; or NULL */
};

struct layer_made {
	char diff_id[SHA256_HEX + 1]; /* sha256 of the tar, decompressed */
	int64_t size;                 /* bytes of all files */
	int64_t files;
};

int layer_make(const struct layer_ask *ask, struct layer_made *out, struct err *e);
