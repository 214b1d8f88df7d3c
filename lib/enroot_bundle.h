/* SPDX-License-Identifier: Apache-2.0 */
/* enroot_bundle: this program, an image and its configuration in one executable file. Its command line is cmd/enroot_bundle.c. */
#pragma once

#include "err.h"
#include "json.h"

#include <stdbool.h>
#include <stdint.h>

struct enroot_bundle_ask {
	const char *image, *output, *target;
	const char *desc; /* or NULL */
	bool all, checksum, force;
};
int enroot_bundle_make(const struct enroot_bundle_ask *a, struct err *e);

struct enroot_bundle {
	int fd;
	uint64_t offset, size; /* of the image */
	json_t *about;
	const char *compression, *description, *target, *checksum; /* of `about`; the last may be NULL */
};
/* Whether the running program is a bundle. */
bool enroot_bundle_open(struct enroot_bundle *out);
void enroot_bundle_done(struct enroot_bundle *b);
#define auto_bundle __attribute__((cleanup(enroot_bundle_done)))
int enroot_bundle_check(const struct enroot_bundle *b, struct err *e);
void enroot_bundle_settings(const struct enroot_bundle *b); /* to the environment, where they are not set yet */
/* A new temporary directory with "image", "system" and "user" in it. The caller removes it and frees the path. */
char *enroot_bundle_scratch(const struct enroot_bundle *b, struct err *e);
/* Copies the files of scratch/image to the new directory target. */
int enroot_bundle_extract(const char *scratch, const char *target, struct err *e);
