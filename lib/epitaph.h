/* SPDX-License-Identifier: Apache-2.0 */
/*
 * epitaph: exit codes of containers which removed themselves, for who asks too late.
 *
 * Clients of the API start a container of --rm and ask afterwards how it ended. docker is slow enough for that.
 *
 *   runtime/gone/<id>    a symbolic link that says the code; five minutes long
 *
 * Only `serve` makes the directory: where nobody can ask nothing is written.
 */
#pragma once

#include "store.h"

void epitaph_begin(const struct store *s);
void epitaph_write(const struct store *s, const char *id, int exit_code);
/* False: nothing is known of it. */
bool epitaph_read(const struct store *s, const char *id, int *exit_code);
