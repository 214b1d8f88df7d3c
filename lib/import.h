/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import: an archive, a directory or a squashfs file becomes an image of one layer.
 *
 * Archives are read by the helper program sbx-archive, which lies beside the executable or in libexec: its
 * libraries would make every other start slower, and what parses hostile bytes is a process of its own.
 */
#pragma once

#include "err.h"
#include "meter.h"
#include "store.h"
#include "str.h"

struct import_ask {
	int in;               /* the archive or squashfs file, or a directory */
	struct strv changes;  /* instructions of a Dockerfile */
	const char *message;  /* the image's comment; NULL: docker's */
	const char *name;     /* which the image is to have, or NULL */
	const char *platform; /* "linux/arm64/v8"; NULL: this machine's */
	struct meter *meter;  /* or NULL */
	/* NULL, or a pipe that brings a byte when all that was sent of `in` has come: its end alone says no more than
	 * that no more comes. */
	const int *whole;
};

struct image_layer;

/* What a squashfs file is by itself: the config of an image with this one layer, which is not stored. out: the file of
 * layer->temporary (image_layer_begin), which becomes the layer. The caller frees; NULL on failure. */
char *import_base(const struct store *s, int in, int out, struct meter *meter,
	struct image_layer *layer, struct err *e);

/* *id: "sha256:<hex>", the caller frees. */
int import_image(const struct store *s, const struct import_ask *ask, char **id, struct err *e);
