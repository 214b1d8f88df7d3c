/* SPDX-License-Identifier: Apache-2.0 */
#include "listen.h"

#include "auto.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

/* A socket file that nobody listens on is one that a dead server left. */
static int clear_path(const struct sockaddr_un *a, struct err *e)
{
	auto_close int probe = -1;
	struct stat st;

	if (lstat(a->sun_path, &st) < 0)
		return errno == ENOENT ? 0 : err_sys(e, "%s", a->sun_path);
	if (!S_ISSOCK(st.st_mode))
		return err_set(e, ERR_CONFLICT, "%s: there is something that is no socket", a->sun_path);
	probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (probe >= 0 && connect(probe, (const struct sockaddr *)a, sizeof(*a)) == 0)
		return err_set(e, ERR_CONFLICT, "%s: another server listens there", a->sun_path);
	return unlink(a->sun_path) < 0 ? err_sys(e, "remove %s", a->sun_path) : 0;
}

int listen_unix(const char *path, struct err *e)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	auto_close int fd = -1;
	mode_t mask;
	int bound;

	if (strlen(path) >= sizeof(a.sun_path))
		return err_set(e, ERR_USAGE,
			"%s: longer than the %zu bytes which a socket's path may have", path,
			sizeof(a.sun_path) - 1);
	memcpy(a.sun_path, path, strlen(path));
	if (clear_path(&a, e) < 0)
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_sys(e, "socket");
	mask = umask(0177); /* never open to others, not for a moment */
	bound = bind(fd, (struct sockaddr *)&a, sizeof(a));
	(void)umask(mask);
	if (bound < 0 || listen(fd, 512) < 0)
		return err_sys(e, "listen on %s", path);
	return take_fd(&fd);
}
