/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import: makes an image of one layer from an archive, a directory or a squashfs file.
 *
 * Archives are read by the helper program sbx-archive, found beside the executable or in libexec: its libraries would make
 * every start of this program slower, and untrusted bytes are parsed in a process of their own anyway.
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
	const char *name;     /* for the image, or NULL */
	const char *platform; /* "linux/arm64/v8"; NULL: this machine's */
	struct meter *meter;  /* or NULL */
	/* A pipe that brings a byte if `in` was sent completely, as its end of file may also mean that the connection broke; or
	 * NULL. */
	const int *whole;
};

struct image_layer;

/* The first half of importing a squashfs file: makes the layer, in the file `out` of layer->temporary (image_layer_begin()), and
 * returns the config of an image of that layer, without storing an image. The caller frees; NULL on failure. */
char *import_base(const struct store *s, int in, int out, struct meter *meter,
	struct image_layer *layer, struct err *e);

/* *id: "sha256:<hex>", the caller frees. */
int import_image(const struct store *s, const struct import_ask *ask, char **id, struct err *e);
