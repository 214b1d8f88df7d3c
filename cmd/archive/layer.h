/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layer: makes the squashfs file of a layer from an archive.
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
	int in, out;   /* the archive; an empty, seekable file to write */
	int level;     /* of zstd */
	bool base;     /* the lowest layer: whiteouts hide nothing, and are dropped */
	bool bare;     /* drop what docker adds to its containers: /.dockerenv, and files in /dev */
	uint64_t most; /* bytes of content; an archive that claims to have more is refused */
	struct meter *meter; /* counts bytes of the archive as given; or NULL */
};

struct layer_made {
	char diff_id[SHA256_HEX + 1]; /* sha256 of the tar, decompressed */
	int64_t size;                 /* bytes of all files */
	int64_t files;
};

int layer_make(const struct layer_ask *ask, struct layer_made *out, struct err *e);
