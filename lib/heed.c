/* SPDX-License-Identifier: Apache-2.0 */
#include "heed.h"

#include "procs.h"
#include "sys.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_MS    2
#define MOMENT_MS  100
#define STATUS_MAX 4096

static bool has(const char *status, const char *set, int signo)
{
	const char *at = strstr(status, set);

	return at && (strtoull(at + strlen(set), NULL, 16) >> (signo - 1) & 1);
}

/* False: it is gone, or there is no such signal. */
static bool read_status(pid_t pid, int signo, char *text, size_t size)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid); /* fits */
	return signo >= 1 && signo <= 64 && sys_get_status(AT_FDCWD, path, text, size) > 0;
}

static bool is_lost_on(pid_t pid, int signo)
{
	char text[STATUS_MAX];

	return read_status(pid, signo, text, sizeof(text)) && !has(text, "\nSigCgt:", signo) &&
	       !has(text, "\nSigBlk:", signo) && !has(text, "\nSigIgn:", signo) &&
	       procs_own_namespace(pid) > 0;
}

void heed_wait(pid_t pid, int pidfd, int signo, int64_t until_ns)
{
	struct pollfd p = {.fd = pidfd, .events = POLLIN};

	while (sys_now_ns() < until_ns && is_lost_on(pid, signo) && poll(&p, 1, LOOK_MS) == 0)
		;
}

bool heed_ends(pid_t pid, int pidfd, int signo)
{
	struct pollfd p = {.fd = pidfd, .events = POLLIN};
	char text[STATUS_MAX];

	return read_status(pid, signo, text, sizeof(text)) && has(text, "\nSigCgt:", signo) &&
	       poll(&p, 1, MOMENT_MS) > 0;
}
