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
 * Only this module knows these names. Readers take no lock; adding and removing is done under the flock of
 * images/, so that no layer is removed while an image that shares it is being added.
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
	bool is_parent; /* another image in the store has it as parent; only set by image_list() */
};

void image_done(struct image *i);
#define auto_image __attribute__((cleanup(image_done)))
void image_list_free(struct image *list, size_t n);

/* Finds an image by reference, id, id prefix or path. A word is a path if it contains a '/' or ends in ".sqsh" or ".squashfs",
 * and such a file exists. ERR_NOT_FOUND: docker's "No such image: web:latest"; ERR_USAGE: not a reference, "invalid
 * reference format". Takes the same time with ten thousand images, so it does not fill in refs. */
int image_find(const struct store *s, const char *what, struct image *out, struct err *e);
/* Whether the image still is in the store, or is a file by path. To be asked after a container of it was stored: if it is there
 * then, it will not be removed before the container. */
bool image_is_there(const struct store *s, const struct image *i);
/* Whether `what` is a file by path whose config was never read yet. */
bool image_is_new_file(const struct store *s, const char *what);
/* image_find() for a name in the path of a request (parse_request_name). */
int image_find_named(const struct store *s, const char *what, struct image *out, struct err *e);
/* image_find() that never takes a file by path. */
int image_find_ref(const struct store *s, const char *what, struct image *out, struct err *e);
/* Says that there is none, in docker's words, in which a whole id begins with "sha256:". Always -1. */
int image_missing(const char *what, struct err *e);
/* Adds the image's layers as a container mounts them, lowest first. Of a layer that occurs twice (an empty one, mostly) only the
 * upper occurrence is taken: overlayfs does not take a directory twice. */
void image_stack(const struct image *i, struct strv *out);
/* The layers of a container, as its state has them: where the store was moved meanwhile, by their paths of now. */
void image_layers_now(const struct store *s, const json_t *layers, struct strv *out);
/* Whether it is known that the config's working directory exists in the image; and notes that it does, in the runtime directory,
 * so until the next boot. */
bool image_has_workdir(const struct store *s, const char *id);
void image_note_workdir(const struct store *s, const char *id);
/* Whether the name, as a user wrote it, still means the image of this id. */
bool image_is_called(const struct store *s, const char *name, const char *id);
/* Fills in all references of the image, sorted. */
int image_load_refs(const struct store *s, struct image *i, struct err *e);
/* All images with their refs, newest first; of their configs only the labels are certain to be filled in. docker's intermediate
 * images are those without a name that is_parent. unread: gets a sentence about each image and each name that cannot be
 * read; NULL: the first of these fails the call. */
int image_list(const struct store *s, struct image **out, size_t *n, struct strv *unread, struct err *e);
/* docker's inspect object. */
json_t *image_inspect(const struct store *s, const struct image *i, struct err *e);
/* The whole config: {"architecture", "config", "rootfs", "history", ...}. */
json_t *image_read_config(const struct store *s, const struct image *i, struct err *e);

/* docker's list of the image's history, newest first: {"Id", "Created" (seconds), "CreatedBy", "Size", "Comment"}. */
json_t *image_history(const struct store *s, const struct image *i, struct err *e);

/* Names an image. ref: as the user wrote it; if it is another image's name it moves to this one. */
int image_tag(const struct store *s, const char *id, const char *ref, struct err *e);

/*
 * Removes one reference, or (the last one, or with force) the image and the layers that no other image has, by docker's
 * rules about containers that use it. An image removed by force while a stopped container uses it is not found or listed any
 * more, but its files stay until that container is removed. An image that is another one's parent only loses its name; it is
 * removed with its last child (prune_parents). report: gets docker's lines, "Untagged: ...", "Deleted: sha256:...".
 */
int image_remove(const struct store *s, const char *what, bool force, bool prune_parents,
	struct strv *report, struct err *e);
/* Removes images without a name (all: those that no container uses) for which wanted() is true or NULL.
 * *freed: bytes of disk. report: as above; unread: as for image_list(), about what therefore stays. */
int image_prune(const struct store *s, bool all, bool (*wanted)(const struct image *, void *),
	void *context, struct strv *report, struct strv *unread, int64_t *freed, struct err *e);

/* ---- adding (image_add.c) ---- */

struct image_layer {
	char diff_id[65]; /* 64 hex digits */
	int64_t size;     /* sum of its files' sizes */
	char *temporary;  /* from image_layer_begin; NULL: the layer is in the store already */
};

/* Makes an empty file in the store for a squashfs, which is locked as long as the descriptor is open. *temporary: its name, for
 * struct image_layer, and for image_layer_drop() in any case. Files that dead processes left are removed. */
int image_layer_begin(const struct store *s, char **temporary, struct err *e);
void image_layer_drop(const struct store *s, const char *temporary);
/* The sum of its files' sizes, as <hex>.json tells. */
int image_layer_size(const struct store *s, const char *diff_id, int64_t *size, struct err *e);
/* Whether the store has the layer; size may be NULL. */
bool image_layer_known(const struct store *s, const char *diff_id, int64_t *size);
/* Keeps a layer of the store from being removed with its images: gives it a temporary name as well, as image_layer_begin()
 * does. Returns a descriptor likewise; -1: the layer is gone (ENOENT), another command
 * has it locked (EWOULDBLOCK), or it cannot be held. */
int image_layer_hold(const struct store *s, struct image_layer *layer);
/* Whether these layers and this config fit together as an image; stores nothing. */
int image_check(const char *config, size_t n, const struct image_layer *layers, size_t n_layers,
	struct err *e);
/* Stores an image: its layers, lowest first, as many as rootfs.diff_ids of the config names, and the config, byte for byte.
 * parent: an id or NULL. name: a familiar name for it, or NULL; if naming fails the image is not stored either. *id:
 * "sha256:<hex>", the caller frees. If the store has the image already, that stays. */
int image_add(const struct store *s, const char *config, size_t n, const struct image_layer *layers,
	size_t n_layers, const char *parent, const char *name, char **id, struct err *e);

/* ---- config (image_config.c; pure) ---- */

#define IMAGE_CONFIG_MAX (8u << 20) /* bytes of JSON */
#define IMAGE_WORDS_MAX  16384      /* words of a list, which takes quadratic time */

/* Gives the keys of a whole config the spelling that they should have. */
void image_config_spell(json_t *config);
/* A whole config out of its text, spelled like that; NULL: it is no JSON, and why. */
json_t *image_config_load(const char *text, size_t n, json_error_t *why);
/* Parses docker's Config object ("Env", "Cmd", ...), of an image or a container. null means absent; a wrong type is
 * ERR_CORRUPT. */
int image_config_parse(const json_t *config, struct image_config *out, struct err *e);
/* The Config object with docker's fields. Never NULL. */
json_t *image_config_json(const struct image_config *c);
/* Removes empty members, for files that are read at each run. */
void image_config_compact(json_t *config);
void image_config_done(struct image_config *c);
#define auto_image_config __attribute__((cleanup(image_config_done)))
