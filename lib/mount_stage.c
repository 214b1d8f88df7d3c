/* SPDX-License-Identifier: Apache-2.0 */
/* mount_stage: a stage of one's own, in memory, and nothing else of the machine. */
#include "mount_parts.h"

#include "auto.h"
#include "stage.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int fill_stage(int stage, struct err *e)
{
	auto_close int empty = -1;

	if (mkdirat(stage, STAGE_EMPTY_DIR, 0555) < 0)
		return err_sys(e, "make a stage");
	empty = openat(stage, STAGE_EMPTY, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	return empty < 0 ? err_sys(e, "make a stage") : 0;
}

/* With all that is mounted below: otherwise the kernel would take parts of it to be hidden. */
static int keep(int stage, const char *name, const char *path, struct err *e)
{
	auto_close int mount = sys_open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | AT_RECURSIVE);
	auto_close int at = -1;

	if (mount < 0)
		return errno == ENOENT ? 0 : err_sys(e, "open %s", path);
	if (mkdirat(stage, name, 0755) < 0)
		return err_sys(e, "make a stage");
	at = openat(stage, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return at < 0 || sys_attach(mount, at) < 0 ? err_sys(e, "keep %s", path) : 0;
}

int mount_stage(bool alone, struct err *e)
{
	auto_close int fs = sys_fsopen("tmpfs"), mount = -1, stage = -1;

	if (fs < 0 || sys_fsconfig_string(fs, "source", "tmpfs") < 0 ||
		sys_fsconfig_string(fs, "size", "64k") < 0 ||
		(mount = sys_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)) < 0)
		return err_sys(e, "a stage in memory");
	if (mount_attach_at(mount, "f", e) < 0)
		return -1;
	stage = open("f", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (stage < 0 || fchdir(stage) < 0)
		return err_sys(e, "enter a stage");
	if (fill_stage(stage, e) < 0)
		return -1;
	if (!alone)
		return 0;
	if (keep(stage, "proc", "/proc", e) < 0 || keep(stage, "sys", "/sys", e) < 0)
		return -1;
	return mount_pivot(stage, false, e);
}
