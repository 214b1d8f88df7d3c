/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress: a bar on standard error, if that is a terminal, for work that takes longer than a second; erased at the end.
 * A process of its own draws it, as the work is done by several processes, and any of them may wait in the kernel.
 *
 *	auto_progress struct progress bar = {0};
 *	... work(progress_begin(&bar, "Saving", true)) ...
 *	progress_end(&bar);  before anything else is printed
 */
#pragma once

#include "meter.h"

#include <stdbool.h>
#include <sys/types.h>

struct progress {
	struct meter *meter;
	pid_t drawer;
};

/* NULL if no bar will be shown; the functions of meter.h take that. */
struct meter *progress_begin(struct progress *p, const char *what, bool wanted);
void progress_end(struct progress *p);
#define auto_progress __attribute__((cleanup(progress_end)))
