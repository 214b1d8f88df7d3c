/* SPDX-License-Identifier: Apache-2.0 */
/*
 * epitaph: exit codes of containers that were removed at their end, for clients that ask too late.
 *
 * Clients of the API start a container of --rm and only afterwards wait for its exit code. With docker that works, as it
 * is slow enough in removing the container.
 *
 *   runtime/gone/<id>    a symbolic link to the code, kept for five minutes
 *
 * Only `serve` makes the directory, and who waits for a container whose life file is gone: nobody else can ask too late, and
 * nothing is written.
 */
#pragma once

#include "store.h"

void epitaph_begin(const struct store *s);
void epitaph_write(const struct store *s, const char *id, int exit_code);
/* False: nothing is known of it. */
bool epitaph_read(const struct store *s, const char *id, int *exit_code);
