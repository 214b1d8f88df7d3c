/* SPDX-License-Identifier: Apache-2.0 */
/* manifest: docker's manifest.json, taken as Go's decoder takes it, and refused in its words. Pure. */
#pragma once

#include "err.h"
#include "json.h"

/* A list of objects; of each "Config" and "Parent" are words, "RepoTags" and "Layers" are lists of words, where they are there. */
json_t *manifest_read(const char *text, size_t n, struct err *e);
