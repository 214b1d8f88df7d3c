/* SPDX-License-Identifier: Apache-2.0 */
/* image_files: shared by the files of image. Nobody else includes this. */
#pragma once

#include "image.h"
#include "ref.h"
#include "sha256.h"

#include <sys/stat.h>

#define IMAGE_FORMAT 1 /* of meta.json and of cached configs */

/* Reads images/<hex>/meta.json. */
int image_load(const struct store *s, const char *hex, struct image *out, struct err *e);
/* The id that a reference, id or prefix of an id stands for; whether a whole id exists is not checked. */
int image_id_of(const struct store *s, const char *what, char hex[SHA256_HEX + 1], struct err *e);
bool image_by_ref(const struct store *s, const char *familiar, char hex[SHA256_HEX + 1]);
/* File name in refs/ of a reference; the caller frees. */
char *image_ref_file(const char *familiar);
bool image_ref_read(int dir, const char *name, char hex[SHA256_HEX + 1]);
/* Takes the flock of images/, for adding or removing images, layers or references. Close the descriptor to unlock. */
int image_lock(const struct store *s, struct err *e);
/* Replaces refs/<familiar> by one for `hex`, atomically. */
int image_ref_write(const struct store *s, const char *familiar, const char *hex, struct err *e);
/* image_list() with doomed images. Even with `unread` a name that cannot be read is an error: its image would seem to have no
 * name, and could be removed. */
int image_list_all(
	const struct store *s, struct image **out, size_t *n, struct strv *unread, struct err *e);
/* Removes the layer's unpacked forms, if there are any. Best effort. */
void image_unpacked_remove(const struct store *s, const char *hex);
/* Removes temporary files of layers that no process has open any more: left by processes that were killed. */
void image_layers_sweep(int layers);
/* A key that changes if the file is replaced or written to; the caller frees. */
char *image_file_key(const struct stat *st);
/* Whether the image was removed by force while a container uses it, so that its files still exist. */
bool image_is_doomed(const struct store *s, const char *hex);
