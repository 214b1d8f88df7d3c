/* SPDX-License-Identifier: Apache-2.0 */
#include "mask.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static mode_t callers = 022; /* set once, by mask_begin() */

void mask_begin(void)
{
	callers = umask(022);
	(void)umask(callers & 077);
}

void mask_end(void)
{
	(void)umask(callers);
}

int mask_open(const char *path, int flags, mode_t mode)
{
	mode_t ours = umask(callers);
	int fd = open(path, flags, mode), why = errno;

	(void)umask(ours);
	errno = why;
	return fd;
}
