/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image: the store of images.
 *
 * An image is a config (docker's image config JSON, kept byte for byte: its sha256 is the
 * image's id) and an ordered list of layers, lowest first. A layer is one squashfs file named by the
 * digest of its uncompressed tar (diff id), shared by all images which have it. References
 * ("debian:12") are small files which hold an image id. A .sqsh file given by path is an image
 * of one layer that was never imported: its config comes from the file's own /etc/environment, /etc/rc.
 *
 *   $SBX_ROOT/images/<hex>/config.json       the config, as docker has it
 *   $SBX_ROOT/images/<hex>/meta.json         layers, created, size, ...
 *   $SBX_ROOT/layers/<hex>.sqsh              diff id; made under a temporary name and renamed
 *   $SBX_ROOT/layers/<hex>/                  the same unpacked, where there is no /dev/fuse
 *   $SBX_ROOT/refs/<escaped reference>       "sha256:<hex>\n"
 *
 * Only this module knows these names.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "store.h"
#include "str.h"

struct image_config {
	struct strv env, cmd, entrypoint, labels /* K=V */, volumes, exposed, shell;
	char *workdir, *user, *stop_signal;
	json_t *health; /* docker's Healthcheck object or NULL */
};

struct image {
	char *id;        /* "sha256:<hex>"; for a file by path: digest of path, inode and mtime */
	char *by_path;   /* absolute path when it was given as a file, else NULL */
	char *architecture, *os, *created;
	int64_t size;
	struct image_config config;
	struct strv layers; /* absolute paths of the .sqsh files, lowest first */
	struct strv refs;   /* "debian:12" spelled as docker lists them */
};

void image_done(struct image *i);
#define auto_image __attribute__((cleanup(image_done)))

/* By reference, id, id prefix, or path. What is a path: it contains a '/' or ends in ".sqsh" or
 * ".squashfs", and such a file exists. Not found: kind ERR_NOT_FOUND, docker's words
 * ("No such image: web:latest"). */
int image_find(const struct store *s, const char *what, struct image *out, struct err *e);
/* All images, newest first. */
int image_list(const struct store *s, struct image **out, size_t *n, struct err *e);
/* The inspect object of docker, with docker's types. */
json_t *image_inspect(const struct store *s, const struct image *i, struct err *e);

/* Name an image: `ref` as the user wrote it. */
int image_tag(const struct store *s, const char *id, const char *ref, struct err *e);
/* Take away one reference, or (force or last reference) the image and layers nobody else has.
 * What happened goes to `report` as docker prints it: "Untagged: ...", "Deleted: sha256:...". */
int image_remove(const struct store *s, const char *what, bool force, bool prune_parents,
	struct strv *report, struct err *e);
