/* SPDX-License-Identifier: Apache-2.0 */
/* tmpl_layout: a moment as text, by the layouts of Go's time.Format: "Mon Jan 2 15:04:05 MST 2006". */
#pragma once

#include "str.h"

#include <stdbool.h>
#include <stdint.h>

struct moment {
	int64_t s; /* since 1970 */
	int ns, offset;
	char zone[16]; /* "": none is known */
	bool local;
	int64_t year; /* from here on in its zone */
	int month, day, hour, minute, second, weekday, yearday;
};

extern const char *const go_months[12]; /* "January" ... */
extern const char *const go_days[7];    /* "Sunday" ... */

/* Every member of the moment is filled in. */
void moment_print(const struct moment *m, const char *layout, struct buf *out);
