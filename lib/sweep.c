/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

#include "auto.h"
#include "sys.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

/* Rounds in which nothing but killed processes may be seen before they are let alone: somebody who
 * does not wait for his child keeps it, and the kernel may have to finish with one. */
#define ROUNDS 200

static bool is_in(int dir, const char *ns, const struct stat *what)
{
	struct stat st;

	/* A process that is dying has no namespaces any more. */
	return fstatat(dir, ns, &st, 0) == 0 && st.st_ino == what->st_ino && st.st_dev == what->st_dev;
}

/* Processes appear in the order of their numbers, so that most that are forked meanwhile come later. */
static bool sweep_once(int proc, const char *ns, const struct stat *what)
{
	int fd = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	bool any = false;

	if (!d) {
		if (fd >= 0)
			(void)close(fd); /* only read from */
		return false;
	}
	for (struct dirent *at; (at = readdir(d)) != NULL;) {
		auto_close int dir = -1;

		if (!isdigit((unsigned char)at->d_name[0]))
			continue;
		/* Good for a signal as a pidfd is: the number cannot come to mean another one. */
		dir = openat(proc, at->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir >= 0 && is_in(dir, ns, what) && sys_pidfd_kill(dir, SIGKILL) == 0)
			any = true;
	}
	(void)closedir(d); /* only read from */
	return any;
}

void sweep(int proc, const char *ns, const struct stat *what)
{
	for (int i = 0; i < ROUNDS && sweep_once(proc, ns, what); i++)
		if (i > 1)
			(void)nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL); /* shorter is fine */
}
