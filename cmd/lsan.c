/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In a build with AddressSanitizer: processes whose memory may not be looked at (not dumpable, which is what
 * keeps a container from tracing them) and those which are a namespace's first cannot be traced by the
 * search for leaks either, nor who is traced already or has no /proc of its own any more. It would end them with its
 * own complaint, so it is left out there.
 */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static bool is_traced(void)
{
	char line[128];
	FILE *f = fopen("/proc/self/status", "re");
	bool traced = false;

	while (f && fgets(line, sizeof(line), f))
		traced |= strncmp(line, "TracerPid:\t", 11) == 0 && line[11] != '0';
	if (f)
		(void)fclose(f);
	return traced;
}

static bool is_hidden(void)
{
	char path[40];

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)getpid());
	return access(path, R_OK) < 0;
}

int __lsan_is_turned_off(void)
{
	return prctl(PR_GET_DUMPABLE) != 1 || getpid() == 1 || is_traced() || is_hidden();
}

/* libsquashfs 1.2 forgets a block of its own when its block processor is destroyed. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libsquashfs";
}
#endif
