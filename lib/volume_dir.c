/* SPDX-License-Identifier: Apache-2.0 */
/*
 * volume_dir: a volume's directory appears complete and disappears at once, by a rename: nobody sees it without its options, or
 * with half of its files. While it is being made or removed it has a special name and a lock; a directory with such a name
 * that is not locked was left by a process that was killed.
 */
#include "volume_parts.h"

#include "auto.h"
#include "owner.h"
#include "state.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define COMES ".new-"
#define GOES  ".old-"

typedef char passing_name[sizeof(COMES) + sizeof(id_text)];

static int open_dir(int all, const char *name)
{
	return openat(all, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int give_name(const char *kind, passing_name out, struct err *e)
{
	id_text id;

	if (id_random(id, e) < 0)
		return -1;
	(void)snprintf(out, sizeof(passing_name), "%s%s", kind, id); /* always fits */
	return 0;
}

static int cannot_make_root(const struct store *s, const char *name, struct err *e)
{
	auto_free char *path = xasprintf("%s/volumes/%s", s->root_path, name);

	(void)err_go(e, "error while creating volume root path '%s': mkdir %s", path, path);
	return err_ctx(e, "create %s", name);
}

/* Users in containers need these permissions, whatever the caller's umask; the parent directory keeps others out. */
static int fill(int one, const char *name, const json_t *meta, struct err *e)
{
	if (one < 0 || (mkdirat(one, "_data", 0755) < 0 ? errno != EEXIST
							: fchmodat(one, "_data", 0755, 0) < 0))
		return err_sys(e, "create volume %s", name);
	if (meta && json_write_at(one, "meta.json", meta, e) < 0)
		return err_ctx(e, "create volume %s", name);
	return 0;
}

/* Whether the name still leads to what was opened by it. */
static bool is_still(int all, const char *name, int one)
{
	struct stat by_name, opened;

	return fstatat(all, name, &by_name, AT_SYMLINK_NOFOLLOW) == 0 && fstat(one, &opened) == 0 &&
	       by_name.st_ino == opened.st_ino && by_name.st_dev == opened.st_dev;
}

/* Makes a new directory and locks it. A process that cleans up may be faster than the lock: then makes another one. */
static int begin(const struct store *s, int all, const char *name, passing_name out, struct err *e)
{
	for (;;) {
		auto_close int one = -1;

		if (give_name(COMES, out, e) < 0)
			return -1;
		if (mkdirat(all, out, 0700) < 0)
			return cannot_make_root(s, name, e);
		one = open_dir(all, out);
		if (one < 0 && errno != ENOENT) {
			(void)cannot_make_root(s, name, e);
			(void)unlinkat(all, out, AT_REMOVEDIR); /* else it is taken away later */
			return -1;
		}
		if (one < 0)
			continue;
		if (flock(one, LOCK_EX | LOCK_NB) == 0) {
			if (is_still(all, out, one))
				return take_fd(&one);
		} else if (errno != EWOULDBLOCK && errno != EINTR) { /* not in this file system */
			(void)err_sys(e, "create volume %s: flock", name);
			(void)unlinkat(all, out, AT_REMOVEDIR); /* else it is taken away later */
			return store_ctx(s, e);
		}
	}
}

static void give_up(int all, int one, const char *passing)
{
	(void)unlinkat(one, "meta.json", 0); /* what stays is taken away later */
	(void)unlinkat(one, "_data", AT_REMOVEDIR);
	(void)unlinkat(all, passing, AT_REMOVEDIR);
}

/* One that is there. 1: it has been removed. */
static int complete(const struct store *s, int all, const char *name, struct err *e)
{
	auto_close int one = open_dir(all, name);

	if (one < 0 && errno == ENOENT)
		return 1;
	if (one >= 0) {
		(void)flock(one, LOCK_SH); /* without the lock it might be removed while it is filled, which is an error then */
		if (!is_still(all, name, one))
			return 1;
	}
	return fill(one, name, NULL, e) < 0 ? store_ctx(s, e) : 0;
}

/* 1: neither made nor there: another process has made and removed it. */
static int make(const struct store *s, int all, const char *name, const json_t *meta, bool *new,
	struct err *e)
{
	auto_close int one = -1;
	passing_name passing;
	struct stat st;

	if (fstatat(all, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return complete(s, all, name, e);
	if (errno != ENOENT)
		return cannot_make_root(s, name, e);
	one = begin(s, all, name, passing, e);
	if (one < 0)
		return -1;
	if (fill(one, name, meta, e) < 0) {
		give_up(all, one, passing);
		return store_ctx(s, e);
	}
	if (renameat(all, passing, all, name) == 0) {
		*new = true;
		return 0;
	}
	if (errno == EEXIST || errno == ENOTEMPTY) { /* another process has just made it */
		give_up(all, one, passing);
		return complete(s, all, name, e);
	}
	(void)cannot_make_root(s, name, e);
	give_up(all, one, passing);
	return -1;
}

int volume_dir_make(const struct store *s, int all, const char *name, const json_t *meta, bool *new,
	struct err *e)
{
	int r;

	*new = false;
	do
		r = make(s, all, name, meta, new, e);
	while (r > 0);
	return r;
}

struct files {
	int all; /* the directory of volumes */
	const char *name;
};

static int remove_as_owner(const struct store *s, const void *arg, struct err *e)
{
	const struct files *f = arg;

	(void)s;
	return state_remove_tree(f->all, f->name, e);
}

static int remove_tree(const struct store *s, int all, const char *passing, struct err *e)
{
	const struct files files = {all, passing};

	if (state_remove_tree(all, passing, e) == 0)
		return 0;
	return e->kind == ERR_DENIED ? owner_do(s, remove_as_owner, &files, e) : -1;
}

static int cannot_remove(const struct store *s, const char *name, struct err *e)
{
	(void)err_sys(e, "remove volume %s", name);
	return store_ctx(s, e);
}

int volume_dir_remove(const struct store *s, int all, const char *name,
	int (*may)(const struct store *s, const char *name, const void *arg, struct err *e),
	const void *arg, struct err *e)
{
	auto_close int one = open_dir(all, name);
	passing_name passing;

	if (one < 0)
		return errno == ENOENT ? 0 : err_sys(e, "remove volume %s", name);
	if (give_name(GOES, passing, e) < 0)
		return -1;
	if (flock(one, LOCK_EX) < 0)
		return cannot_remove(s, name, e);
	if (!is_still(all, name, one))
		return 0; /* another process was faster */
	/* Whoever begins to use it has stored that before it waits for this lock. */
	if (may && may(s, name, arg, e) < 0)
		return -1;
	if (renameat(all, name, all, passing) < 0)
		return errno == ENOENT ? 0 : cannot_remove(s, name, e);
	if (remove_tree(s, all, passing, e) == 0)
		return 1;
	(void)renameat(all, passing, all, name); /* what could not be removed is there still */
	return err_ctx(e, "remove volume %s", name);
}

void volume_sweep(const struct store *s)
{
	struct err later; /* the next one tries again */
	auto_close int all = store_dir(s, "volumes", &later);
	auto_strv struct strv names = {0};

	if (all >= 0)
		(void)sys_names(all, &names); /* with as many names as could be read */
	for (size_t i = 0; i < names.n; i++) {
		auto_close int one = -1;

		if (!str_starts(names.v[i], COMES) && !str_starts(names.v[i], GOES))
			continue;
		one = open_dir(all, names.v[i]);
		if (one >= 0 && flock(one, LOCK_EX | LOCK_NB) == 0)
			(void)remove_tree(s, all, names.v[i], &later);
	}
}
