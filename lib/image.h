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
	char *id;      /* "sha256:<hex>"; for a file by path: digest of path, inode and mtime */
	char *by_path; /* absolute path when it was given as a file, else NULL */
	char *architecture, *os, *created;
	char *parent; /* id of the image whose container was committed to make this one; NULL: none */
	int64_t size;
	struct image_config config;
	struct strv layers; /* absolute paths of the .sqsh files, lowest first */
	struct strv refs;   /* "debian:12" spelled as docker lists them; see image_load_refs() */
	bool is_parent;     /* of another image in the store; known in a list of all of them */
};

void image_done(struct image *i);
#define auto_image __attribute__((cleanup(image_done)))
void image_list_free(struct image *list, size_t n);

/* By reference, id, id prefix, or path. What is a path: it contains a '/' or ends in ".sqsh" or
 * ".squashfs", and such a file exists. Not found: kind ERR_NOT_FOUND, docker's words
 * ("No such image: web:latest"); no reference at all: ERR_USAGE, "invalid reference format".
 * Costs the same with ten thousand images, and therefore leaves refs empty. */
int image_find(const struct store *s, const char *what, struct image *out, struct err *e);
/* Whether it still is in the store, or a file by path: who has stored a container of it asks, and has it from then on. */
bool image_is_there(const struct store *s, const struct image *i);
/* It is a file by path, which nobody looked into before. */
bool image_is_new_file(const struct store *s, const char *what);
/* The same for a word that names it in the path of a request (parse_request_name). */
int image_find_named(const struct store *s, const char *what, struct image *out, struct err *e);
/* The same, but never a file by path. */
int image_find_ref(const struct store *s, const char *what, struct image *out, struct err *e);
/* Adds what a container has of its layers, lowest first: one that it has twice (an empty one, mostly) hides all of its own
 * below, and overlayfs takes no directory twice. */
void image_stack(const struct image *i, struct strv *out);
/* Whether somebody has seen that the working directory of its config is in its files, and that one has (until the next boot:
 * it is written down in the runtime directory). */
bool image_has_workdir(const struct store *s, const char *id);
void image_note_workdir(const struct store *s, const char *id);
/* Whether the name, as a user wrote it, still means the image of this id. */
bool image_is_called(const struct store *s, const char *name, const char *id);
/* All references of the image, in order. */
int image_load_refs(const struct store *s, struct image *i, struct err *e);
/* All images with their refs, newest first; of their configs the labels are sure to be there. An image without a name that is_parent is docker's intermediate one.
 * unread gets a sentence about each image and each name that cannot be read; NULL: the first such one fails all. */
int image_list(const struct store *s, struct image **out, size_t *n, struct strv *unread, struct err *e);
/* The inspect object of docker, with docker's types. */
json_t *image_inspect(const struct store *s, const struct image *i, struct err *e);
/* The config as docker has it: {"architecture", "config", "rootfs", "history", ...}. */
json_t *image_read_config(const struct store *s, const struct image *i, struct err *e);

/* docker's list of its steps, newest first: {"Id", "Created" (seconds), "CreatedBy", "Size", "Comment"}. */
json_t *image_history(const struct store *s, const struct image *i, struct err *e);

/* Name an image: `ref` as the user wrote it; a name that was another image's moves. */
int image_tag(const struct store *s, const char *id, const char *ref, struct err *e);

/*
 * Take away one reference, or (force or last reference) the image and the layers nobody else has, by
 * docker's rules about containers which use it. An image that is forced away while a stopped
 * container uses it is no longer found by name nor listed, but stays until that container is gone. One which is
 * another one's parent only loses its name, and goes with its last child (prune_parents).
 * What happened goes to `report` as docker prints it: "Untagged: ...", "Deleted: sha256:...".
 */
int image_remove(const struct store *s, const char *what, bool force, bool prune_parents,
	struct strv *report, struct err *e);
/* Removes images without a name (all: those that no container uses) for which wanted() is true or NULL.
 * *freed: bytes of disk. The report is as above; unread: as for image_list(), of what stays. */
int image_prune(const struct store *s, bool all, bool (*wanted)(const struct image *, void *),
	void *context, struct strv *report, struct strv *unread, int64_t *freed, struct err *e);

/* ---- adding (image_add.c) ---- */

struct image_layer {
	char diff_id[65]; /* 64 hex digits */
	int64_t size;     /* of all its files */
	char *temporary;  /* from image_layer_begin; NULL: is in the store already */
};

/* An empty file in the store for a squashfs, locked as long as somebody has the descriptor; *temporary is its
 * name, for image_layer and, whatever came of it, image_layer_drop. What a dead process left is swept. */
int image_layer_begin(const struct store *s, char **temporary, struct err *e);
void image_layer_drop(const struct store *s, const char *temporary);
/* What its files take, as its about file says. */
int image_layer_size(const struct store *s, const char *diff_id, int64_t *size, struct err *e);
/* Whether the store has the layer; size may be NULL. */
bool image_layer_known(const struct store *s, const char *diff_id, int64_t *size);
/* One that the store has stays to be had, should the images that have it be removed meanwhile: it gets a temporary name as
 * well, as from image_layer_begin. A descriptor likewise; -1: it has gone (ENOENT), or cannot be held. */
int image_layer_hold(const struct store *s, struct image_layer *layer);
/* Whether these layers and this config are an image; nothing is stored. */
int image_check(const char *config, size_t n, const struct image_layer *layers, size_t n_layers,
	struct err *e);
/* Stores an image: its layers (lowest first, as many as rootfs.diff_ids names) and its config, kept byte for
 * byte. parent: an id or NULL. name: a familiar one that it is to have, or NULL; without it, there is no image either.
 * *id: "sha256:<hex>", the caller frees. An image that is there already stays. */
int image_add(const struct store *s, const char *config, size_t n, const struct image_layer *layers,
	size_t n_layers, const char *parent, const char *name, char **id, struct err *e);

/* ---- config (image_config.c; pure) ---- */

#define IMAGE_CONFIG_MAX (8u << 20) /* bytes of JSON that are read at most */
#define IMAGE_WORDS_MAX  16384      /* of one list: each is looked for among those before it */

/* Docker's Config object ("Env", "Cmd", ...), as in an image config or in a container's. Absent and
 * null are the same; a wrong type is ERR_CORRUPT. */
int image_config_parse(const json_t *config, struct image_config *out, struct err *e);
/* The Config object with docker's fields. Never NULL. */
json_t *image_config_json(const struct image_config *c);
/* The same without what is empty: for files which are read at each run. */
void image_config_compact(json_t *config);
void image_config_done(struct image_config *c);
#define auto_image_config __attribute__((cleanup(image_config_done)))
