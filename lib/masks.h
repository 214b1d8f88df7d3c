/* SPDX-License-Identifier: Apache-2.0 */
/*
 * masks: the files of /proc and /sys that docker hides from a container or makes
 * read-only. Which of them exist, and whether they are directories or files, depends on the
 * kernel; missing ones are skipped. A hidden file must be covered by something of our own
 * (never by the image's /dev/null), after /proc and /sys were checked to be the real file
 * systems.
 *
 * They are applied in the table's order; none lies below another, so no cover hides another
 * entry.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct mask_path {
	const char *path; /* NULL ends the table */
	bool freeze;      /* read-only, with nosuid nodev noexec; else hidden */
};

extern const struct mask_path mask_paths[];

/* One more hidden directory for each processor: counters of its overheating, which reveal what other users
 * compute. Only some machines have them: look for that of cpu0 first. */
#define MASK_OF_CPU "/sys/devices/system/cpu/cpu%u/thermal_throttle"
