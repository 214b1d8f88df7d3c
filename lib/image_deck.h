/* SPDX-License-Identifier: Apache-2.0 */
/* image_deck: what a listing shows of all images, cached in one file (deck_list), root/images.cards. */
#pragma once

#include "deck_list.h"
#include "image.h"

extern const struct deck_kind image_deck;

/* image_list_all() from the file; of the configs only the labels are filled in. False: there is no file with this sign. */
bool image_deck_read(const struct store *s, const struct deck_sign *sign, struct image **out, size_t *n);
void image_deck_write(const struct store *s, const struct deck_sign *sign, int64_t began_ns,
	const struct image *list, size_t n);
