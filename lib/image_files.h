/* SPDX-License-Identifier: Apache-2.0 */
/* image_files: what the files of the image module share; nobody else includes it. */
#pragma once

#include "image.h"
#include "ref.h"
#include "sha256.h"

#include <sys/stat.h>

#define IMAGE_FORMAT 1 /* of meta.json and of cached configs */

/* Reads images/<hex>/meta.json. */
int image_load(const struct store *s, const char *hex, struct image *out, struct err *e);
/* What a reference, id or prefix of an id means; for a whole id that is not looked up. */
int image_id_of(const struct store *s, const char *what, char hex[SHA256_HEX + 1], struct err *e);
bool image_by_ref(const struct store *s, const char *familiar, char hex[SHA256_HEX + 1]);
/* File name in refs/ of a reference; the caller frees. */
char *image_ref_file(const char *familiar);
bool image_ref_read(int dir, const char *name, char hex[SHA256_HEX + 1]);
/* flock of images/: who adds or removes images, layers or references holds it. Close to unlock. */
int image_lock(const struct store *s, struct err *e);
/* Makes refs/<familiar> say `hex`, whole. */
int image_ref_write(const struct store *s, const char *familiar, const char *hex, struct err *e);
/* As image_list, with the doomed. A name that cannot be read fails it all the same: its image would be one that nobody
 * misses. */
int image_list_all(
	const struct store *s, struct image **out, size_t *n, struct strv *unread, struct err *e);
/* Takes unpacked forms of the layer away, if there are any. Best effort. */
void image_unpacked_remove(const struct store *s, const char *hex);
/* Temporary files of layers that nobody has open any more: left by a process that was killed. */
void image_layers_sweep(int layers);
/* What changes when another file takes the place of one; the caller frees. */
char *image_file_key(const struct stat *st);
/* An image that was forced away from a container which uses it. */
bool image_is_doomed(const struct store *s, const char *hex);
