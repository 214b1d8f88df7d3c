/* SPDX-License-Identifier: Apache-2.0 */
#include "upper_lock.h"

#include "auto.h"
#include "statedir.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>

char *upper_home(const char *dir, const json_t *extra)
{
	return xstrdup(json_str(extra, "upper", dir));
}

static int open_upper(const char *home)
{
	auto_free char *upper = xasprintf("%s/upper", home);

	return open(upper, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int upper_hold(const char *home)
{
	auto_close int fd = open_upper(home);

	return fd < 0 || statedir_flock(fd, LOCK_SH) < 0 ? -1 : take_fd(&fd);
}

bool upper_is_held(const char *home)
{
	auto_close int fd = open_upper(home);

	return fd >= 0 && statedir_flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

#define LOOK_NS 5000000

bool upper_wait(const char *home, bool (*gives_up)(void))
{
	while (upper_is_held(home)) {
		if (gives_up())
			return false;
		(void)nanosleep(&(struct timespec){.tv_nsec = LOOK_NS}, NULL); /* shorter does no harm */
	}
	return true;
}
