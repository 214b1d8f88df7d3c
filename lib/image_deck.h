/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_deck: what a listing says of all images, in one file, root/images.cards: with thousands, opening two files for
 * each is nearly all that `images` does. Images and names appear and go by renames in two directories: as long as the
 * kernel describes these as it did before they were read, the file says what they hold. It is kept only when both had
 * not been changed for so long that a change meanwhile must bear another time.
 */
#pragma once

#include "image.h"

#include <time.h>

struct image_sign {
	uint64_t inode[2];
	struct timespec changed[2]; /* of images/, of refs/ */
};

/* To be asked before anything is read. False: there is none. */
bool image_sign(const struct store *s, struct image_sign *out);
/* As image_list_all(), but of the configs labels alone. False: there is no file of this sign. */
bool image_deck_read(
	const struct store *s, const struct image_sign *sign, struct image **out, size_t *n);
void image_deck_write(const struct store *s, const struct image_sign *sign, int64_t began_ns,
	const struct image *list, size_t n);
