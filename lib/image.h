/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image: the store of images.
 *
 * An image is a config (docker's image config JSON, kept byte for byte: its sha256 is the
 * image's id) and an ordered list of layers, lowest first. A layer is one squashfs file named by the
 * digest of its uncompressed tar (diff id), shared by all images which have it. References
 * ("debian:12") are small files which hold an image id. A .sqsh file given by path is an image
 * of one layer that was never imported: its config comes from the file itself (sqsh_config.h).
 *
 *   $SBX_ROOT/images/<hex>/config.json       the config, as docker has it
 *   $SBX_ROOT/images/<hex>/meta.json         layers, created, size, the Config part: all a run needs
 *   $SBX_ROOT/layers/<hex>.sqsh              diff id; made under a temporary name and renamed
 *   $SBX_ROOT/layers/<hex>.json              what is known of the layer: its size unpacked
 *   $SBX_ROOT/layers/<key>.d/                unpacked, where there is no /dev/fuse (unpack.h)
 *   $SBX_ROOT/refs/<reference, / as +>       "sha256:<hex>\n"
 *
 * Only this module knows these names. Readers take no lock; who adds or removes holds the flock of
 * images/, so that a layer is not removed while an image that shares it is added.
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
	struct strv refs;   /* "debian:12" spelled as docker lists them; see image_load_refs() */
};

void image_done(struct image *i);
#define auto_image __attribute__((cleanup(image_done)))
void image_list_free(struct image *list, size_t n);

/* By reference, id, id prefix, or path. What is a path: it contains a '/' or ends in ".sqsh" or
 * ".squashfs", and such a file exists. Not found: kind ERR_NOT_FOUND, docker's words
 * ("No such image: web:latest"); no reference at all: ERR_USAGE, "invalid reference format".
 * Costs the same with ten thousand images, and therefore leaves refs empty. */
int image_find(const struct store *s, const char *what, struct image *out, struct err *e);
/* All references of the image, in order. */
int image_load_refs(const struct store *s, struct image *i, struct err *e);
/* All images with their refs, newest first. */
int image_list(const struct store *s, struct image **out, size_t *n, struct err *e);
/* The inspect object of docker, with docker's types. */
json_t *image_inspect(const struct store *s, const struct image *i, struct err *e);
/* The config as docker has it: {"architecture", "config", "rootfs", "history", ...}. */
json_t *image_read_config(const struct store *s, const struct image *i, struct err *e);

/* Name an image: `ref` as the user wrote it; a name that was another image's moves. */
int image_tag(const struct store *s, const char *id, const char *ref, struct err *e);

/* ---- config (image_config.c; pure) ---- */

#define IMAGE_CONFIG_MAX (8u << 20) /* bytes of JSON that are read at most */

/* Docker's Config object ("Env", "Cmd", ...), as in an image config or in a container's. Absent and
 * null are the same; a wrong type is ERR_CORRUPT. */
int image_config_parse(const json_t *config, struct image_config *out, struct err *e);
/* The Config object with docker's fields. Never NULL. */
json_t *image_config_json(const struct image_config *c);
void image_config_done(struct image_config *c);
#define auto_image_config __attribute__((cleanup(image_config_done)))
