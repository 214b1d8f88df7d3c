/* SPDX-License-Identifier: Apache-2.0 */
#include "masks.h"

/* clang-format off */
const struct mask_path mask_paths[] = {
	{ "/proc/bus",           true },
	{ "/proc/fs",            true },
	{ "/proc/irq",           true },
	{ "/proc/sys",           true },
	{ "/proc/sysrq-trigger", true },

	{ "/proc/acpi" },
	{ "/proc/asound" },
	{ "/proc/interrupts" }, /* it reveals when keys were pressed */
	{ "/proc/kcore" },
	{ "/proc/keys" },
	{ "/proc/latency_stats" },
	{ "/proc/sched_debug" },
	{ "/proc/scsi" },
	{ "/proc/timer_list" },
	{ "/proc/timer_stats" },
	{ "/sys/devices/virtual/powercap" }, /* power meters, fine enough to read secrets from */
	{ "/sys/firmware" },
	{ NULL },
};
/* clang-format on */
