/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"
#include "auto.h"
#include "settings.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

/* An absolute path from the environment; the XDG specification says that others are to be ignored. */
static const char *env_path(const char *name)
{
	const char *p = getenv(name);

	return p && p[0] == '/' ? p : NULL;
}

/* ---- directories ---- */

/* Makes missing directories above the last component, with access only for us. */
static int make_parents(const char *path, struct err *e)
{
	auto_free char *part = xstrdup(path);

	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		/* for an existing directory the error may be EROFS or EACCES instead of EEXIST */
		if (mkdir(part, 0700) < 0 && errno != EEXIST) {
			int why = errno;

			if (access(part, F_OK) < 0) {
				errno = why;
				return err_sys(e, "create directory %s", part);
			}
		}
		*slash = '/';
	}
	return 0;
}

static int check_dir(int fd, const char *path, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(e, "stat %s", path);
	if (st.st_uid != geteuid())
		return err_set(e, ERR_DENIED, "directory %s belongs to uid %u, not to you (uid %u)",
			path, st.st_uid, geteuid());
	if (st.st_mode & 077)
		return err_set(e, ERR_DENIED,
			"directory %s is open to others (mode %03o): chmod 700 it, or name another",
			path, st.st_mode & 0777);
	return 0;
}

/*
 * Opens the directory, which is created when it is missing. When all is there this is one open
 * and one fstat. `follow`: whether its last component may be a symbolic link: yes where the place is
 * the user's own, never in /tmp.
 */
static int open_dir(const char *path, bool parents, bool follow, struct err *e)
{
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW);
	auto_close int fd = open(path, flags);

	if (fd < 0 && errno == ENOENT) {
		if (parents && make_parents(path, e) < 0)
			return -1;
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return err_sys(e, "create directory %s", path);
		fd = open(path, flags);
		/* Else what is made in containers has the rights that the user wants for his files, whatever the umask there. */
		if (fd >= 0)
			(void)fremovexattr(fd, "system.posix_acl_default"); /* mostly there is none */
	}
	if (fd < 0)
		return err_sys(e, "open directory %s", path);
	if (check_dir(fd, path, e) < 0)
		return -1;
	return take_fd(&fd);
}

/* Symbolic links and dots in what the user typed stay as they are. */
static char *absolute(char *path)
{
	char cwd[PATH_MAX], *whole;

	if (path[0] == '/' || !getcwd(cwd, sizeof(cwd)))
		return path;
	whole = xasprintf("%s/%s", cwd, path);
	free(path);
	return whole;
}

static char *root_place(struct err *e)
{
	const char *data = env_path("XDG_DATA_HOME"), *home = setting_home();
	char *given = setting("root");

	if (given)
		return absolute(given);
	if (data)
		return xasprintf("%s/sbx", data);
	if (home && home[0] == '/')
		return xasprintf("%s/.local/share/sbx", home);
	(void)err_set(e, ERR_USAGE, "no place for images and containers: set SBX_ROOT or HOME");
	return NULL;
}

static int open_root(struct store *s, struct err *e)
{
	s->root_path = root_place(e);
	if (!s->root_path)
		return -1;
	s->root = open_dir(s->root_path, true, true, e);
	if (s->root < 0)
		return err_ctx(e, "the store (SBX_ROOT can name another place)");
	return 0;
}

static int try_runtime(struct store *s, char *path, bool parents, struct err *e)
{
	s->runtime = open_dir(path, parents, parents, e);
	if (s->runtime < 0) {
		free(path);
		return -1;
	}
	s->runtime_path = path;
	return 0;
}

/* Who is root of a user namespace only must not take the place of the machine's root. */
static char *place_in_tmp(void)
{
	unsigned int inside, outside;
	char map[64];

	if (geteuid() == 0 && sys_get(AT_FDCWD, "/proc/self/uid_map", map, sizeof(map)) > 0 &&
		sscanf(map, "%u %u", &inside, &outside) == 2 && inside == 0 && outside != 0)
		return xasprintf("/tmp/sbx-0-%u", outside);
	return xasprintf("/tmp/sbx-%u", geteuid());
}

/*
 * Not first in XDG_RUNTIME_DIR: that is removed with the user's last login session, but containers go on, and must be found
 * by the next session, by cron and by batch jobs.
 */
static int open_runtime(struct store *s, struct err *e)
{
	const char *xdg = env_path("XDG_RUNTIME_DIR");
	char *given = setting("runtime");
	auto_close int only_read = -1;
	auto_free char *path = NULL;
	struct err unused;

	if (given) {
		if (try_runtime(s, absolute(given), true, e) < 0)
			return err_ctx(e, "SBX_RUNTIME");
		return 0;
	}
	if (try_runtime(s, place_in_tmp(), false, e) == 0) {
		if (faccessat(s->runtime, ".", W_OK, 0) == 0 || errno != EROFS)
			return 0;
		only_read = take_fd(&s->runtime);
		path = take(s->runtime_path);
	}
	if ((xdg && try_runtime(s, xasprintf("%s/sbx", xdg), false, &unused) == 0) ||
		try_runtime(s, xasprintf("/run/user/%u/sbx", geteuid()), false, &unused) == 0) {
		err_clear(e);
		return 0;
	}
	if (only_read >= 0) { /* enough to look */
		s->runtime = take_fd(&only_read);
		s->runtime_path = take(path);
		return 0;
	}
	return err_ctx(e, "the runtime directory (SBX_RUNTIME can name another)");
}

int store_open(struct store *s, struct err *e)
{
	*s = (struct store){.root = -1, .runtime = -1};
	if (settings_check(e) == 0 && open_root(s, e) == 0 && open_runtime(s, e) == 0)
		return 0;
	store_done(s);
	return -1;
}

void store_done(struct store *s)
{
	/* A zeroed store has never been opened: its 0 is no descriptor of ours. */
	if (s->root_path && s->root >= 0)
		(void)close(s->root); /* a directory: nothing to lose */
	if (s->runtime_path && s->runtime >= 0)
		(void)close(s->runtime); /* likewise */
	free(s->root_path);
	free(s->runtime_path);
	free(s->ids);
	*s = (struct store){.root = -1, .runtime = -1};
}

int store_dir(const struct store *s, const char *name, struct err *e)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(s->root, name, flags);

	if (fd < 0 && errno == ENOENT) {
		if (mkdirat(s->root, name, 0700) < 0 && errno != EEXIST)
			return err_sys(e, "create directory %s/%s", s->root_path, name);
		fd = openat(s->root, name, flags);
	}
	if (fd < 0)
		return err_sys(e, "open directory %s/%s", s->root_path, name);
	return fd;
}

int store_ctx(const struct store *s, struct err *e)
{
	static const int of_place[] = {
		EROFS, ENOSPC, EDQUOT, EACCES, EPERM, EOPNOTSUPP, EIO, ENOSYS, ENOLCK};
	bool is = false;

	for (size_t i = 0; i < ARRAY_LEN(of_place); i++)
		is |= e->sys == of_place[i];
	if (!is || strstr(e->text, s->root_path))
		return -1;
	return err_ctx(e, "the store %s (SBX_ROOT can name another place)", s->root_path);
}

/* Whether there is hardly any room: a process that failed for lack of it has removed again what it had made. */
static bool is_full(int dir)
{
	struct statvfs v;

	return fstatvfs(dir, &v) == 0 &&
	       ((v.f_blocks && v.f_bavail * v.f_frsize < 1 << 20) || (v.f_files && v.f_favail < 100));
}

/* A mount more than these are refused as if a disk were full; each start makes some dozens. */
static bool mounts_are_many(void)
{
	auto_close int mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	auto_close int limit = open("/proc/sys/fs/mount-max", O_RDONLY | O_CLOEXEC);
	char text[4096];
	long have = 0, most = 0;
	ssize_t n = limit < 0 ? 0 : read(limit, text, sizeof(text) - 1);

	if (n > 0) {
		text[n] = '\0';
		most = strtol(text, NULL, 10);
	}
	while (mounts >= 0 && (n = read(mounts, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < n; i++)
			have += text[i] == '\n';
	return most && have + 100 > most;
}

int store_room_ctx(const struct store *s, struct err *e)
{
	bool told = strstr(e->text, s->root_path) != NULL;

	if (e->sys != ENOSPC && e->sys != EDQUOT)
		return -1;
	if (is_full(s->root))
		return told ? -1
		            : err_ctx(e, "no room in the store %s (SBX_ROOT can name another place)",
				      s->root_path);
	if (!told && is_full(s->runtime))
		return err_ctx(e, "no room in %s (SBX_RUNTIME can name another place)", s->runtime_path);
	if (e->sys == ENOSPC && mounts_are_many())
		return err_ctx(e, "too many mounts for fs.mount-max (sysctl)");
	return -1;
}
