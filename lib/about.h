/* SPDX-License-Identifier: Apache-2.0 */
/* about: docker's objects about the daemon and its machine, filled in for sbx: of `version`, `info`, and the API. */
#pragma once

#include "err.h"
#include "json.h"
#include "store.h"

struct utsname;

/* {"Client": ..., "Server": ...}. Never NULL. */
json_t *about_version(const struct utsname *u);
/* The object of `info`. NULL: an error. */
json_t *about_machine(const struct store *s, struct err *e);
