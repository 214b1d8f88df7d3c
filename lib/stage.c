/* SPDX-License-Identifier: Apache-2.0 */
#include "stage.h"

#include "auto.h"
#include "state.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* To be increased when the content changes. */
#define STAGE_BASE     "base-3"
#define STAGE_BASE_APT "base-apt-2"

struct entry {
	const char *path;
	mode_t mode;      /* of a directory or a file */
	const char *text; /* a file's content, or a link's target */
};

static const struct entry all[] = {
	{"dev", S_IFDIR | 0755, NULL},
	{"dev/console", S_IFREG | 0755, ""},
	{"dev/pts", S_IFDIR | 0755, NULL},
	{"dev/shm", S_IFDIR | 0755, NULL},
	{"proc", S_IFDIR | 0755, NULL},
	{"sys", S_IFDIR | 0755, NULL},
	{"etc", S_IFDIR | 0755, NULL},
	{"etc/hosts", S_IFREG | 0755, ""},
	{"etc/hostname", S_IFREG | 0755, ""},
	{"etc/resolv.conf", S_IFREG | 0755, ""},
	{"etc/mtab", S_IFLNK, "/proc/mounts"},
	{".dockerenv", S_IFREG | 0755, ""},
	{"etc/apt", S_IFDIR | 0755, NULL},
	{STAGE_APT_DIR, S_IFDIR | 0755, NULL},
	{STAGE_APT_FILE, S_IFREG | 0644, STAGE_APT_TEXT},
};
#define FOR_APT 3 /* the last ones */

static int make_entry(int dir, const struct entry *it)
{
	auto_close int fd = -1;

	if (S_ISLNK(it->mode))
		return symlinkat(it->text, dir, it->path);
	if (S_ISDIR(it->mode))
		return mkdirat(dir, it->path, 0700) < 0 ? -1
		                                        : fchmodat(dir, it->path, it->mode & 07777, 0);
	fd = openat(dir, it->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 || sys_write_all(fd, it->text, strlen(it->text)) < 0
	               ? -1
	               : fchmod(fd, it->mode & 07777);
}

/* Makes the first n entries under a temporary name, and renames it: of several processes at once, the last one
 * wins. */
static int make_base(int stage, const char *name, size_t n, struct err *e)
{
	auto_free char *part = NULL;
	auto_close int dir = -1;
	struct err other;
	id_text id;

	if (id_random(id, e) < 0)
		return -1;
	part = xasprintf(".%s-%.12s", name, id);
	if (mkdirat(stage, part, 0755) < 0)
		return err_sys(e, "mkdir %s", part);
	dir = openat(stage, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	for (size_t i = 0; i < n; i++)
		if (dir < 0 || make_entry(dir, &all[i]) < 0) {
			(void)err_sys(e, "make %s", all[i].path);
			(void)state_remove_tree(stage, part, &other); /* the first error is the one to tell */
			return -1;
		}
	if (fchmod(dir, 0755) == 0 && renameat(stage, part, stage, name) == 0)
		return 0;
	(void)state_remove_tree(stage, part, &other); /* another process was faster; if not, the next line tells */
	return faccessat(stage, name, F_OK, 0) < 0 ? err_sys(e, "rename %s", name) : 0;
}

const char *stage_base(int stage, bool apt, struct err *e)
{
	const char *name = apt ? STAGE_BASE_APT : STAGE_BASE;
	size_t n = ARRAY_LEN(all) - (apt ? 0 : FOR_APT);

	return faccessat(stage, name, F_OK, 0) == 0 || make_base(stage, name, n, e) == 0 ? name : NULL;
}

int stage_make(const struct store *s, struct err *e)
{
	auto_close int stage = -1, empty = -1;

	if (faccessat(s->runtime, "stage/" STAGE_EMPTY, F_OK, 0) == 0)
		return 0;
	if (mkdirat(s->runtime, "stage", 0700) < 0 && errno != EEXIST)
		return err_sys(e, "mkdir stage");
	stage = openat(s->runtime, "stage", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (stage < 0)
		return err_sys(e, "open stage");
	if (mkdirat(stage, STAGE_EMPTY_DIR, 0555) < 0 && errno != EEXIST)
		return err_sys(e, "mkdir stage/" STAGE_EMPTY_DIR);
	/* Last, since it is what the next caller looks for. */
	empty = openat(stage, STAGE_EMPTY, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0444);
	return empty < 0 ? err_sys(e, "create stage/" STAGE_EMPTY) : 0;
}
