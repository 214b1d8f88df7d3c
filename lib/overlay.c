/* SPDX-License-Identifier: Apache-2.0 */
#include "overlay.h"

#include "auto.h"
#include "sys.h"

#include <errno.h>
#include <sys/xattr.h>

/* The kernel writes its reason for refusing a mount to the log of the mount's context. */
static int refused(int fs, struct err *e)
{
	int sys = errno;
	char why[256];
	ssize_t n = fs < 0 ? 0 : read(fs, why, sizeof(why) - 1);

	errno = sys;
	(void)err_sys(e, "mount overlay");
	if (sys != ENOSPC && sys != EDQUOT && sys != ENOMEM)
		e->kind = ERR_NO_OVERLAY;
	if (n > 2) {
		why[n] = '\0';
		(void)err_ctx(e, "%s", why + 2); /* after "e " */
	}
	return -1;
}

int overlay_mount(const struct overlay *o, struct err *e)
{
	auto_close int fs = sys_fsopen("overlay");
	int mount;

	if (fs < 0)
		return refused(-1, e);
	(void)sys_fsconfig_string(fs, "source", o->source); /* then it is not listed */
	/* Without userxattr an unprivileged overlay mounts, and later fails with EIO when a
	 * directory of the image is removed. */
	if (sys_fsconfig_string(fs, "lowerdir", o->lower) < 0 || sys_fsconfig_flag(fs, "userxattr") < 0)
		return refused(fs, e);
	if (o->upper && (sys_fsconfig_string(fs, "upperdir", o->upper) < 0 ||
				sys_fsconfig_string(fs, "workdir", o->work) < 0))
		return refused(fs, e);
	/* Without "volatile" each container's end would wait for a sync of the whole file system that its upper
	 * directory is on. What a power cut may damage is a container's layer, which is not trusted after a power cut
	 * anyway. */
	if (o->upper)
		(void)sys_fsconfig_flag(fs, "volatile"); /* 5.10 and later */
	mount = sys_fsmount(fs, o->attr);
	return mount < 0 ? refused(fs, e) : mount;
}

bool overlay_is_opaque(int dir)
{
	char value[4];

	return fgetxattr(dir, "user.overlay.opaque", value, sizeof(value)) == 1 && value[0] == 'y';
}
