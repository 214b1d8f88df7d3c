/* SPDX-License-Identifier: Apache-2.0 */
#include "deep.h"

#include "auto.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define OPEN_MAX_DEPTH 10 /* two for each are open in some walks, and 64 at all may be the limit */

void deep_leave(struct deep *d, int depth, int *dir)
{
	struct stat st;

	*d = (struct deep){0};
	if (depth <= OPEN_MAX_DEPTH || *dir < 0 || fstat(*dir, &st) < 0)
		return;
	*d = (struct deep){st.st_dev, st.st_ino, true};
	(void)close(take_fd(dir)); /* only read, or names were made in it */
}

int deep_back(const struct deep *d, int below, int *dir)
{
	auto_close int fd = -1;
	struct stat st;

	if (!d->left)
		return 0;
	fd = openat(below, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	if (st.st_dev != d->dev || st.st_ino != d->ino) {
		errno = ESTALE;
		return -1;
	}
	*dir = take_fd(&fd);
	return 0;
}
