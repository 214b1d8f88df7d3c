/* SPDX-License-Identifier: Apache-2.0 */
/* manifest: parses docker's manifest.json like Go's decoder, with its errors. Pure. */
#pragma once

#include "err.h"
#include "json.h"

/* An array of objects in which "Config" and "Parent" are strings, and "RepoTags" and "Layers" arrays of strings, if present.
 * NULL: an error. */
json_t *manifest_read(const char *text, size_t n, struct err *e);
