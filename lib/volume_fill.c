/* SPDX-License-Identifier: Apache-2.0 */
#include "volume_fill.h"

#include "auto.h"
#include "copy.h"
#include "state.h"
#include "str.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define WORK  "fill"  /* beside the data; locked while somebody is at it */
#define PART  "part"  /* in that: a copy that is not complete, */
#define WHOLE "whole" /* and one that is, but for what has been moved already */

static int open_dir(int dir, const char *name)
{
	return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool same(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_ino == y.st_ino && x.st_dev == y.st_dev;
}

static int in_place(int image, int data, struct err *e)
{
	if (image < 0 || copy_is_empty(data) != 1)
		return 0;
	if (copy_tree(image, data, e) < 0)
		return -1;
	copy_top(image, data);
	return 0;
}

/* The working directory, locked; whoever held it before may have taken it away. */
static int begin(int home, struct err *e)
{
	for (;;) {
		auto_close int work = -1, again = -1;

		if (mkdirat(home, WORK, 0700) < 0 && errno != EEXIST)
			return err_sys(e, "mkdir %s", WORK);
		work = open_dir(home, WORK);
		if (work < 0 && errno == ENOENT)
			continue;
		if (work < 0)
			return err_sys(e, "open %s", WORK);
		while (flock(work, LOCK_EX) < 0)
			if (errno != EINTR)
				return err_sys(e, "lock %s", WORK);
		again = open_dir(home, WORK);
		if (again >= 0 && same(work, again))
			return take_fd(&work);
	}
}

/* Nothing that came there meanwhile is replaced. */
static int rename_new(int from, int to, const char *name)
{
	struct stat st;

	if (sys_renameat(from, name, to, name, RENAME_NOREPLACE) == 0 || errno == EEXIST)
		return 0;
	if (errno != EINVAL || fstatat(to, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return errno == EINVAL ? 0 : -1;
	return renameat(from, name, to, name); /* as some file systems have it alone */
}

/* Who may not write into a directory may not move it, either; on a network file system we are no root. */
static int move(int from, int to, const char *name)
{
	auto_close int dir = -1;
	struct stat st;
	int result, why;

	if (rename_new(from, to, name) == 0)
		return 0;
	why = errno;
	dir = why == EACCES ? open_dir(from, name) : -1;
	if (dir < 0 || fstat(dir, &st) < 0 || fchmod(dir, (st.st_mode & 07777) | 0200) < 0) {
		errno = why;
		return -1;
	}
	result = rename_new(from, to, name);
	why = errno;
	(void)fchmod(dir, st.st_mode & 07777); /* its owner may */
	errno = why;
	return result;
}

static int move_all(int work, int to, struct err *e)
{
	auto_close int whole = open_dir(work, WHOLE);
	auto_strv struct strv names = {0};
	struct stat st;

	if (whole < 0)
		return errno == ENOENT ? 0 : err_sys(e, "open %s", WHOLE);
	if (sys_names(whole, &names) < 0 || fstat(whole, &st) < 0)
		return err_sys(e, "read %s", WHOLE);
	for (size_t i = 0; i < names.n; i++)
		if (move(whole, to, names.v[i]) < 0)
			return err_sys(e, "move %s", names.v[i]);
	(void)futimens(whole, (struct timespec[2]){st.st_atim, st.st_mtim}); /* else it is as old as the move */
	copy_top(whole, to);
	return state_remove_tree(work, WHOLE, e);
}

static int copy_beside(int image, int work, struct err *e)
{
	auto_close int part = -1;

	if (mkdirat(work, PART, 0700) < 0 || (part = open_dir(work, PART)) < 0)
		return err_sys(e, "mkdir %s", PART);
	if (copy_tree(image, part, e) < 0)
		return -1;
	copy_top(image, part);
	return renameat(work, PART, work, WHOLE) < 0 ? err_sys(e, "rename %s", PART) : 0;
}

static int remove_part(int work, struct err *e)
{
	return state_remove_tree(work, PART, e) < 0 && e->sys != ENOENT ? -1 : 0;
}

/* Where somebody has mounted another directory at the data nothing can be moved there. */
static int moved(int image, int work, int to, struct err *e)
{
	if (move_all(work, to, e) == 0)
		return 0;
	if (e->sys != EXDEV)
		return -1;
	err_clear(e);
	return state_remove_tree(work, WHOLE, e) < 0 ? -1 : in_place(image, to, e);
}

/* to: the data by the way of home, as names are moved within one mount only. */
static int work_on(int image, int work, int to, struct err *e)
{
	struct err unused;

	if (moved(image, work, to, e) < 0 || remove_part(work, e) < 0)
		return -1;
	if (image < 0 || copy_is_empty(to) != 1)
		return 0;
	if (copy_beside(image, work, e) == 0)
		return moved(image, work, to, e);
	(void)remove_part(work, &unused); /* the first error is the one to tell */
	return -1;
}

int volume_fill(int image, int data, int home, const char *name, struct err *e)
{
	auto_close int work = -1, to = -1;
	int result;

	/* In this order: a name stands in the data before the directory is gone. */
	if (home < 0 || (copy_is_empty(data) != 1 && faccessat(home, WORK, F_OK, 0) < 0))
		return home < 0 ? in_place(image, data, e) : 0;
	if ((image < 0 || copy_is_empty(image) == 1) && faccessat(home, WORK, F_OK, 0) < 0)
		return in_place(image, data, e); /* mode and owner alone */
	to = open_dir(home, name);
	if (to < 0 || !same(to, data))
		return in_place(image, data, e);
	work = begin(home, e);
	if (work < 0)
		return -1;
	result = work_on(image, work, to, e);
	(void)unlinkat(home, WORK, AT_REMOVEDIR); /* what could not be moved stays for the next one */
	return result;
}
