/* SPDX-License-Identifier: Apache-2.0 */
/* image_deck: what a listing says of all images, in one file (deck_list), root/images.cards. */
#pragma once

#include "deck_list.h"
#include "image.h"

extern const struct deck_kind image_deck;

/* As image_list_all(), but of the configs labels alone. False: there is no file of this sign. */
bool image_deck_read(const struct store *s, const struct deck_sign *sign, struct image **out, size_t *n);
void image_deck_write(const struct store *s, const struct deck_sign *sign, int64_t began_ns,
	const struct image *list, size_t n);
