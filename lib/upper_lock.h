/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upper_lock: the lock of a container's writable layer. Who works on the files of a running container does so below its
 * overlay, which lives as long as the work, even if the container ends meanwhile. A second overlay above the same layer,
 * that of the next run, would not see what is done through the first one, nor the first what it does; so it waits.
 */
#pragma once

#include "json.h"

#include <stdbool.h>

/* home: the directory that has the layer, of which `dir` is the container's own; to free. */
char *upper_home(const char *dir, const json_t *extra);
/* Shared with others who work. The descriptor that holds it; -1: there is nothing to lock. */
int upper_hold(const char *home);
bool upper_is_held(const char *home);
/* Until nobody holds it. False: gives_up() came true before. */
bool upper_wait(const char *home, bool (*gives_up)(void));
