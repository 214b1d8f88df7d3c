/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lsan: for builds with AddressSanitizer. The leak check traces the process itself, and makes it fail if it cannot. So the check is
 * turned off in processes that cannot be traced: those that are not dumpable (so that a container cannot trace them), the
 * first of a pid namespace, those that are being traced already, and those without /proc.
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

/* libsquashfs 1.2 leaks a block when its block processor is destroyed. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libsquashfs";
}
#endif
