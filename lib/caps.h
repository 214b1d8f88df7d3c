/* SPDX-License-Identifier: Apache-2.0 */
/* caps: names of capabilities and docker's rules for them. */
#pragma once

#include "err.h"
#include "str.h"

#include <stdint.h>

#define CAPS_DOCKER_DEFAULT 0xa80425fbull

int cap_from_name(const char *name); /* "SYS_ADMIN", "cap_sys_admin"; -1 unknown */
const char *cap_name(int cap);       /* "CAP_SYS_ADMIN" or NULL */
uint64_t caps_all(void);             /* all this kernel knows */
/* docker's: default (or all if privileged), --cap-add ALL, --cap-drop ALL, ... unknown: docker's words. */
int caps_resolve(const struct strv *add, const struct strv *drop, bool privileged, uint64_t *out,
	struct err *e);
/* Sets bounding, permitted, effective of this process to exactly `bounding` / `effective`; inheritable
 * and ambient become 0. Async-signal-safe. */
int caps_apply(uint64_t bounding, uint64_t effective, struct err *e);
