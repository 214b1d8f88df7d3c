/* SPDX-License-Identifier: Apache-2.0 */
#include "listen.h"

#include "auto.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { HOLD_MS = 10000 };

ino_t listen_file(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 ? st.st_ino : 0;
}

void listen_forget(const char *path, ino_t file)
{
	if (file && listen_file(path) == file)
		(void)unlink(path); /* it may be removed already */
}

/* Removes a socket file on which nobody listens, as a dead server has left it. */
static int clear_path(const struct sockaddr_un *a, struct err *e)
{
	auto_close int probe = -1;
	struct stat st;

	if (lstat(a->sun_path, &st) < 0)
		return errno == ENOENT ? 0 : err_sys(e, "%s", a->sun_path);
	if (!S_ISSOCK(st.st_mode))
		return err_set(e, ERR_CONFLICT, "%s: there is something that is no socket", a->sun_path);
	probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (probe < 0)
		return err_sys(e, "socket");
	if (connect(probe, (const struct sockaddr *)a, sizeof(*a)) == 0)
		return err_set(e, ERR_CONFLICT, "%s: another server listens there", a->sun_path);
	/* It may be of another kind, or be somebody else's. */
	if (errno != ECONNREFUSED && errno != ENOENT)
		return err_sys(e, "%s: another's socket", a->sun_path);
	return unlink(a->sun_path) < 0 && errno != ENOENT ? err_sys(e, "remove %s", a->sun_path) : 0;
}

bool listen_is_dead(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	auto_close int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (probe < 0 || strlen(path) >= sizeof(a.sun_path))
		return false;
	memcpy(a.sun_path, path, strlen(path));
	return connect(probe, (const struct sockaddr *)&a, sizeof(a)) < 0 && errno == ECONNREFUSED;
}

/* If two servers begin at once, one has to find the other, and not a socket that does not listen yet. If the lock is
 * held for longer it is not by a server that begins. */
static int hold_directory(const char *path)
{
	char dir[sizeof(((struct sockaddr_un *)NULL)->sun_path)] = ".";
	const char *slash = strrchr(path, '/');
	auto_close int fd = -1;

	if (slash)
		(void)snprintf(dir, sizeof(dir), "%.*s", slash == path ? 1 : (int)(slash - path),
			path); /* fits */
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0;
		fd >= 0 && i < HOLD_MS && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK; i++)
		(void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* a shorter one is as good */
	return take_fd(&fd);
}

/* The file gets its name when the socket listens already, as clients that wait for the file connect at once. */
static int listen_at(int fd, const struct sockaddr_un *a)
{
	struct sockaddr_un first = {.sun_family = AF_UNIX};
	bool named =
		snprintf(first.sun_path, sizeof(first.sun_path), "%s.%d", a->sun_path, (int)getpid()) <
		(int)sizeof(first.sun_path); /* else there is no room for another name */
	const struct sockaddr_un *at = named ? &first : a;
	mode_t mask = umask(0177); /* never open to others, not for a moment */
	int done;

	if (named)
		(void)unlink(at->sun_path); /* of a process that had our number */
	done = bind(fd, (const struct sockaddr *)at, sizeof(*at));
	(void)umask(mask);
	if (done < 0)
		return -1;
	if (listen(fd, 512) == 0 && (!named || rename(at->sun_path, a->sun_path) == 0))
		return 0;
	done = errno;
	(void)unlink(at->sun_path); /* the error to report is the one before */
	errno = done;
	return -1;
}

int listen_unix(const char *path, struct err *e)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	auto_close int fd = -1, held = -1;

	if (strlen(path) >= sizeof(a.sun_path))
		return err_set(e, ERR_USAGE,
			"%s: longer than the %zu bytes which a socket's path may have", path,
			sizeof(a.sun_path) - 1);
	memcpy(a.sun_path, path, strlen(path));
	held = hold_directory(path);
	if (clear_path(&a, e) < 0)
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_sys(e, "socket");
	if (listen_at(fd, &a) < 0)
		return err_sys(e, "listen on %s", path);
	return take_fd(&fd);
}
