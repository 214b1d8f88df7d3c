/* SPDX-License-Identifier: Apache-2.0 */
#include "spare.h"

#include "auto.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define SPARES 4

static void spare_path(path_text out, int i)
{
	(void)snprintf(out, sizeof(path_text), "spare/%d", i); /* always fits */
}

bool spare_take(const struct store *s, const char *path)
{
	path_text spare;

	for (int i = 0; i < SPARES; i++) {
		spare_path(spare, i);
		if (renameat(s->root, spare, s->root, path) == 0)
			return true;
	}
	return false;
}

/* What the container could touch is not used again, but made anew. */
static int clear_entry(const struct dirent *d, void *arg, struct err *e)
{
	int dir = *(int *)arg;

	if (strcmp(d->d_name, "upper") == 0)
		return unlinkat(dir, "upper", AT_REMOVEDIR);
	if (strcmp(d->d_name, "work") == 0)
		return state_remove_tree(dir, "work", e);
	return unlinkat(dir, d->d_name, 0);
}

static int fill(int dir)
{
	static const char *const files[] = {"spec.json", "state", "hosts", "hostname", "resolv.conf"};

	if (mkdirat(dir, "upper", 0755) < 0 || fchmodat(dir, "upper", 0755, 0) < 0 ||
		mkdirat(dir, "work", 0700) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		auto_close int fd = openat(
			dir, files[i], O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

		if (fd < 0)
			return -1;
	}
	return 0;
}

static int rename_new(const struct store *s, const char *from, const char *to)
{
	return sys_renameat(s->root, from, s->root, to, RENAME_NOREPLACE);
}

/* The first place that is free; the directory of the places is made when it is missing. */
static int put(const struct store *s, const char *path)
{
	path_text spare;
	struct err e;

	for (int i = 0; i < SPARES; i++) {
		spare_path(spare, i);
		if (rename_new(s, path, spare) == 0)
			return 0;
		if (errno == ENOENT && statedir_make(s->root, "spare", &e) == 0 &&
			rename_new(s, path, spare) == 0)
			return 0;
	}
	return -1;
}

static bool any_place(const struct store *s)
{
	struct stat st;
	path_text spare;

	for (int i = 0; i < SPARES; i++) {
		spare_path(spare, i);
		if (fstatat(s->root, spare, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return true;
	}
	return false;
}

bool spare_keep(const struct store *s, const char *path)
{
	auto_close int dir = -1;
	struct err e;

	if (!any_place(s))
		return false;
	dir = openat(s->root, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return dir >= 0 && statedir_each(dir, ".", clear_entry, &dir, &e) == 0 && fill(dir) == 0 &&
	       put(s, path) == 0;
}
