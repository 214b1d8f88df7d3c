/* SPDX-License-Identifier: Apache-2.0 */
/* helper: runs sbx-archive, the second program of sbx, which is linked with the libraries for archives. */
#pragma once

#include "err.h"
#include "json.h"
#include "meter.h"

#include <sys/types.h>

/* Starts `sbx-archive WORD...` with in, out and file as descriptors 0, 1 and 3 (-1: /dev/null), and the meter as 4. Returns its
 * pid, or -1. It dies with the caller. */
pid_t helper_start(const char *const *words, int in, int out, int file, const struct meter *meter,
	struct err *e);
/* Reads the helper's answer to its end; fd: the other end of `out`. NULL: not JSON. */
json_t *helper_answer(int fd);
/* Waits for the helper. "Error", "Kind" and "Errno" in its answer become *e. */
int helper_end(pid_t pid, const json_t *answer, struct err *e);
/* Reads the answer of `sbx-archive layer`: the digest of the layer's tar, and the sum of its files' sizes. */
int helper_layer(const json_t *answer, char diff_id[65], int64_t *size, struct err *e);
/* All of these together: starts, reads, waits. The answer, or NULL. */
json_t *helper_ask(const char *const *words, int in, int file, const struct meter *meter, struct err *e);
