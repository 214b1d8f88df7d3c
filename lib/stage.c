/* SPDX-License-Identifier: Apache-2.0 */
#include "stage.h"

#include "auto.h"
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static const struct {
	const char *path;
	mode_t mode;      /* of a directory or a file */
	const char *link; /* or what a link says */
} base[] = {
	{"dev", S_IFDIR | 0755, NULL},
	{"proc", S_IFDIR | 0755, NULL},
	{"sys", S_IFDIR | 0755, NULL},
	{"etc", S_IFDIR | 0755, NULL},
	{"etc/hosts", S_IFREG | 0644, NULL},
	{"etc/hostname", S_IFREG | 0644, NULL},
	{"etc/resolv.conf", S_IFREG | 0644, NULL},
	{"etc/mtab", S_IFLNK, "/proc/mounts"},
	{".dockerenv", S_IFREG | 0755, NULL},
};

static int make_entry(int dir, size_t i)
{
	auto_close int fd = -1;

	if (S_ISLNK(base[i].mode))
		return symlinkat(base[i].link, dir, base[i].path);
	if (S_ISDIR(base[i].mode))
		return mkdirat(dir, base[i].path, 0700) < 0
		               ? -1
		               : fchmodat(dir, base[i].path, base[i].mode & 07777, 0);
	fd = openat(dir, base[i].path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? -1 : fchmod(fd, base[i].mode & 07777);
}

/* Under a name of its own, then renamed: of several who do it at once one is last. */
static int make_base(int stage, struct err *e)
{
	auto_free char *part = xasprintf(".%s-%d", STAGE_BASE, (int)getpid());
	auto_close int dir = -1;
	struct err other;

	if (mkdirat(stage, part, 0755) < 0)
		return err_sys(e, "mkdir %s", part);
	dir = openat(stage, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	for (size_t i = 0; i < ARRAY_LEN(base); i++)
		if (dir < 0 || make_entry(dir, i) < 0) {
			(void)err_sys(e, "make %s", base[i].path);
			(void)state_remove_tree(stage, part, &other); /* the first error is the one to tell */
			return -1;
		}
	if (fchmod(dir, 0755) == 0 && renameat(stage, part, stage, STAGE_BASE) == 0)
		return 0;
	(void)state_remove_tree(stage, part, &other); /* another one was faster, or the next line tells */
	return faccessat(stage, STAGE_BASE, F_OK, 0) < 0 ? err_sys(e, "rename %s", STAGE_BASE) : 0;
}

int stage_make(const struct store *s, struct err *e)
{
	auto_close int stage = -1, empty = -1;

	if (faccessat(s->runtime, "stage/" STAGE_BASE "/.dockerenv", F_OK, 0) == 0)
		return 0;
	if (mkdirat(s->runtime, "stage", 0700) < 0 && errno != EEXIST)
		return err_sys(e, "mkdir stage");
	stage = openat(s->runtime, "stage", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (stage < 0)
		return err_sys(e, "open stage");
	if (mkdirat(stage, STAGE_EMPTY_DIR, 0555) < 0 && errno != EEXIST)
		return err_sys(e, "mkdir stage/" STAGE_EMPTY_DIR);
	empty = openat(stage, STAGE_EMPTY, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0444);
	if (empty < 0)
		return err_sys(e, "create stage/empty");
	/* Last, since it is what the next caller looks for. */
	return make_base(stage, e);
}
