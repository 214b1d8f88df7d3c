/* SPDX-License-Identifier: Apache-2.0 */
/* mount_point: where a path of a container leads below its root, and the file or directory to mount on there. */
#include "mount_parts.h"

#include "auto.h"
#include "sys.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int mount_open_below(int root, const char *path)
{
	return sys_openat2(root, path, O_PATH, MOUNT_IN_ROOT);
}

bool mount_is_there(int root, const char *path)
{
	auto_close int at = mount_open_below(root, path);

	return at >= 0;
}

int mount_make_parent(int root, const char *path, struct err *e)
{
	auto_free char *parent = xstrdup(path);
	char *slash = strrchr(parent, '/');
	int fd;

	if (!slash || slash == parent)
		return sys_openat2(root, "/", O_PATH | O_DIRECTORY, MOUNT_IN_ROOT);
	*slash = '\0';
	fd = mount_open_below(root, parent);
	if (fd >= 0)
		return fd;
	return mount_point(root, parent, true, e);
}

/* Of a path in which there is no link and no "..". */
static int make_point(int root, const char *path, bool directory, struct err *e)
{
	const char *name = strrchr(path, '/');
	auto_close int parent = -1;
	int fd;

	if (!name || !name[1])
		return err_go(e, "open %s", path);
	parent = mount_make_parent(root, path, e);
	if (parent < 0)
		return -1;
	if (directory) {
		if (mkdirat(parent, name + 1, 0755) < 0 && errno != EEXIST)
			return err_go(e, "mkdir %s", path);
	} else {
		auto_close int made = openat(parent, name + 1,
			O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0755);

		if (made < 0 && errno != EEXIST)
			return err_go(e, "open %s", path);
	}
	fd = openat(parent, name + 1, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? err_go(e, "open %s", path) : fd;
}

#define MOST_LINKS 255 /* as many as docker's runtime follows */

/* The target of the symbolic link there; NULL: it is none, or not there. */
static char *link_at(int root, const char *path)
{
	auto_close int at = sys_openat2(root, path, O_PATH | O_NOFOLLOW, MOUNT_IN_ROOT);
	char target[4096];
	ssize_t n = at < 0 ? -1 : readlinkat(at, "", target, sizeof(target));

	return n <= 0 || (size_t)n == sizeof(target) ? NULL : xstrndup(target, (size_t)n);
}

static void cut(struct buf *b, size_t len)
{
	b->len = len;
	b->s[len] = '\0';
}

char *mount_leads_to(int root, const char *path, char **round)
{
	auto_free char *rest = xstrdup(path);
	auto_buf struct buf done = {0};
	int links = 0;

	buf_puts(&done, "");
	while (*rest) {
		size_t n = strspn(rest, "/"), len = strcspn(rest + n, "/"), before = done.len;
		auto_free char *name = xstrndup(rest + n, len), *more = xstrdup(rest + n + len);
		auto_free char *target = NULL;

		free(rest);
		rest = take(more);
		if (!*name || strcmp(name, ".") == 0)
			continue;
		if (strcmp(name, "..") == 0) {
			const char *slash = strrchr(done.s, '/');

			cut(&done, slash ? (size_t)(slash - done.s) : 0);
			continue;
		}
		buf_printf(&done, "/%s", name);
		target = link_at(root, done.s);
		if (!target)
			continue;
		more = xasprintf("%s/%s", target, rest + (*rest == '/'));
		if (++links > MOST_LINKS) {
			if (round)
				*round = take(more);
			return NULL;
		}
		cut(&done, *target == '/' ? 0 : before);
		free(rest);
		rest = take(more);
	}
	if (!done.len)
		buf_putc(&done, '/');
	return buf_take(&done);
}

int mount_point(int root, const char *path, bool directory, struct err *e)
{
	auto_free char *real = NULL, *round = NULL;
	int fd = mount_open_below(root, path);

	if (fd >= 0)
		return fd;
	if (errno != ENOENT && errno != ELOOP)
		return err_go(e, "open %s", path);
	real = mount_leads_to(root, path, &round);
	if (!real) { /* as docker's runtime has it */
		errno = ELOOP;
		return err_go(e, "SecureJoin %s%s", *round == '/' ? "" : "/", round);
	}
	return make_point(root, real, directory, e);
}

int mount_goes_round(const char *path, struct err *e)
{
	return err_set(e, ERR_UNMADE, "evalSymlinksInScope: too many links in %s", path);
}

int mount_below_file(int root, const char *path, struct err *e)
{
	auto_free char *at = xstrdup(path);

	for (char *s = at; s; *s = '/') {
		s = strchr(s + 1, '/');
		if (s)
			*s = '\0';
		if (!mount_is_there(root, at))
			return errno == ENOTDIR
			               ? err_set(e, ERR_UNMADE, "lstat %s: not a directory", at)
			               : 0;
		if (!s)
			break;
	}
	return 0;
}

int mount_no_directory(int root, const char *path, struct err *e)
{
	auto_free char *real = mount_leads_to(root, path, NULL);
	struct stat st;

	if (!real)
		return mount_goes_round(path, e);
	auto_close int at = mount_open_below(root, real);
	if (at < 0)
		return mount_below_file(root, real, e);
	if (fstat(at, &st) == 0 && !S_ISDIR(st.st_mode))
		return err_set(e, ERR_UNMADE, "Cannot mkdir: %s is not a directory", path);
	return 0;
}
