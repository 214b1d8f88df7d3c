/* SPDX-License-Identifier: Apache-2.0 */
/*
 * masks: the files of /proc and /sys which docker hides from a container or makes
 * read-only. Whether one is a directory or a file, and whether it is there at all, only the
 * kernel knows; a missing one is passed over. What covers a hidden one must be of our own
 * making (never the image's /dev/null), and both /proc and /sys must be known to be what
 * they seem before.
 *
 * In the order in which they are to be applied: none lies below another, so that no cover
 * hides one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct mask_path {
	const char *path; /* NULL ends the table */
	bool freeze;      /* read-only, with nosuid nodev noexec; else hidden */
};

extern const struct mask_path mask_paths[];

/* One more of each processor, hidden: counters of its heat, which tell what others
 * compute. Only some machines have them: look for that of cpu0 first. */
#define MASK_OF_CPU "/sys/devices/system/cpu/cpu%u/thermal_throttle"
