/* SPDX-License-Identifier: Apache-2.0 */
/* progress: a bar on standard error for what takes longer than a second, when that is a terminal. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct progress {
	const char *what; /* "Importing" */
	uint64_t total;   /* bytes to come; 0: not known */
	uint64_t done;
	struct timespec start, last;
	bool shown;
};

void progress_show(void *progress, uint64_t done);
void progress_end(struct progress *p);
