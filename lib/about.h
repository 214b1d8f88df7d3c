/* SPDX-License-Identifier: Apache-2.0 */
/* about: who we are and where we run, in docker's objects: `version`, `info`, and what the API says of itself. */
#pragma once

#include "err.h"
#include "json.h"
#include "store.h"

struct utsname;

/* {"Client": ..., "Server": ...}. Never NULL. */
json_t *about_version(const struct utsname *u);
/* The object of `info`. */
json_t *about_machine(const struct store *s, struct err *e);
