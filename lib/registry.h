/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registry: search and push. There is no client for registries yet, so these always fail: in docker's words for what its daemon
 * refuses before it asks a registry, else with NO_REGISTRY and what the user can do instead.
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
/* -1: ERR_NOT_FOUND if there is no image of this name (any_tag: with any tag), else ERR_UNSUPPORTED. */
int registry_push(const struct store *s, const struct ref *r, bool any_tag, struct err *e);
