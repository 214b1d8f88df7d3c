/* SPDX-License-Identifier: Apache-2.0 */
/* images_tree: `images --tree`, docker's other way to show images. */
#pragma once

#include "filter.h"
#include "image.h"

/* `shown` says which images; of the others nothing. Names that the filters let through. */
void images_tree(const struct image *const *shown, size_t n, const struct filters *f, struct buf *out);
