/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress: a bar on standard error for what takes longer than a second, when that is a terminal; nothing of it is
 * left at the end. A process of its own draws, since the work is done by several, and may wait in the kernel.
 *
 *	auto_progress struct progress bar = {0};
 *	... work(progress_begin(&bar, "Saving", true)) ...
 *	progress_end(&bar);  before anything else is said
 */
#pragma once

#include "meter.h"

#include <stdbool.h>
#include <sys/types.h>

struct progress {
	struct meter *meter;
	pid_t drawer;
};

/* NULL when nobody is to see it. */
struct meter *progress_begin(struct progress *p, const char *what, bool wanted);
void progress_end(struct progress *p);
#define auto_progress __attribute__((cleanup(progress_end)))
