/* SPDX-License-Identifier: Apache-2.0 */
/* images_tree: `images --tree`, docker's other layout of the list. */
#pragma once

#include "filter.h"
#include "image.h"

/* The images of `shown`, with those of their names that pass the filters. */
void images_tree(const struct image *const *shown, size_t n, const struct filters *f, struct buf *out);
