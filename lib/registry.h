/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry: what docker's daemon refuses before it asks a registry. There is no client for registries yet, so each of these
 * fails, in docker's words or, where a registry would be asked, with NO_REGISTRY and what helps.
 */
#pragma once

#include "err.h"
#include "filter.h"
#include "ref.h"
#include "store.h"

#include <stdint.h>

#define NO_REGISTRY "sbx has no client for registries yet: "

enum { REGISTRY_LIMIT_UNSET = INT32_MIN };

/* -1: ERR_USAGE or ERR_UNSUPPORTED. */
int registry_search(const char *term, const struct filters *f, int64_t limit, struct err *e);
/* -1: ERR_NOT_FOUND where there is no image by this name (any_tag: of any tag), or ERR_UNSUPPORTED. */
int registry_push(const struct store *s, const struct ref *r, bool any_tag, struct err *e);
