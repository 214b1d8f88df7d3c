/* SPDX-License-Identifier: Apache-2.0 */
#include "auto.h"
#include "masks.h"
#include "str.h"
#include "tap.h"

/* Of what past advisories were about. */
static const char *const wanted[] = {"/proc/acpi", "/proc/asound", "/proc/interrupts",
	"/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/sched_debug", "/proc/scsi",
	"/proc/timer_list", "/proc/timer_stats", "/sys/devices/virtual/powercap", "/sys/firmware"};
static const char *const frozen[] = {
	"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"};

static const struct mask_path *find(const char *path)
{
	for (const struct mask_path *m = mask_paths; m->path; m++)
		if (str_eq(m->path, path))
			return m;
	return NULL;
}

int main(void)
{
	size_t n = 0;
	bool nested = false;

	for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
		ok(find(wanted[i]) && !find(wanted[i])->freeze, wanted[i]);
	for (size_t i = 0; i < ARRAY_LEN(frozen); i++)
		ok(find(frozen[i]) && find(frozen[i])->freeze, frozen[i]);
	for (const struct mask_path *m = mask_paths; m->path; m++, n++)
		for (const struct mask_path *o = mask_paths; o->path; o++) {
			size_t len = strlen(m->path);

			nested |= str_starts(o->path, m->path) && o->path[len] == '/';
		}
	is_int((int64_t)n, ARRAY_LEN(wanted) + ARRAY_LEN(frozen), "and no others");
	ok(!nested, "none lies below another");
	return done_testing();
}
