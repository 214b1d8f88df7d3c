/* SPDX-License-Identifier: Apache-2.0 */
/* helper: runs sbx-archive, the program beside ours which has the heavy libraries. */
#pragma once

#include "err.h"
#include "json.h"
#include "meter.h"

#include <sys/types.h>

/* Starts `sbx-archive WORD...` with these as descriptors 0, 1 and 3 (-1: /dev/null), and the meter as 4. It dies
 * with the caller. The pid, or -1. */
pid_t helper_start(const char *const *words, int in, int out, int file, const struct meter *meter,
	struct err *e);
/* What it says, read from what was `out` to its end; NULL: nothing of use. */
json_t *helper_answer(int fd);
/* Waits for it. {"Error", "Kind", "Errno"} in its answer becomes *e. */
int helper_end(pid_t pid, const json_t *answer, struct err *e);
/* The answer of `layer`: the digest of its tar, and how many bytes its files have. */
int helper_layer(const json_t *answer, char diff_id[65], int64_t *size, struct err *e);
/* All of it: the answer as an object, or NULL. */
json_t *helper_ask(const char *const *words, int in, int file, const struct meter *meter, struct err *e);
