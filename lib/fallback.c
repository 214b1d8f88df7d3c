/* SPDX-License-Identifier: Apache-2.0 */
#include "fallback.h"

#include "auto.h"
#include "census.h"
#include "child.h"
#include "copy.h"
#include "idmap.h"
#include "settings.h"
#include "stage.h"
#include "state.h"
#include "sys.h"
#include "unpack.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#define USUAL_GRANT 65536 /* ids in /etc/subuid, beside the caller's own */

static bool is_beyond(const char *number, size_t len)
{
	unsigned long id = 0;

	for (size_t i = 0; i < len; i++) {
		if (number[i] < '0' || number[i] > '9')
			return false; /* the image will tell which ids it has */
		id = id > USUAL_GRANT ? id : id * 10 + (unsigned long)(number[i] - '0');
	}
	return id > USUAL_GRANT;
}

/* user: "1000:100". */
static bool wants_one(const char *user)
{
	size_t n = user ? strcspn(user, ":") : 0;
	char own[16];

	if (n == 0)
		return false;
	(void)snprintf(own, sizeof(own), "%u", geteuid()); /* fits */
	return (geteuid() != 0 && strlen(own) == n && memcmp(user, own, n) == 0) ||
	       is_beyond(user, n) || (user[n] && is_beyond(user + n + 1, strlen(user + n + 1)));
}

enum ids_mode fallback_ids(const struct spec *s, const json_t *range)
{
	auto_free char *ids = s->ids ? xstrdup(s->ids) : setting("ids");

	if (str_eq(ids, "one"))
		return IDS_ONE;
	if (str_eq(ids, "range"))
		return IDS_RANGE;
	return !json_is_true(range) && wants_one(s->user) ? IDS_ONE : IDS_AUTO;
}

/* ---- no FUSE: unpacked layers ---------------------------------------------------------- */

struct unpacking {
	const struct store *s;
	int userns;
	const char *layer;
};

/* Run in a child that has the containers' ids, so that files get the right owners. */
static int unpack_as(void *arg, struct err *e)
{
	const struct unpacking *u = arg;
	auto_free char *dir = NULL;

	if (sys_setns(u->userns, CLONE_NEWUSER) < 0)
		return idmap_not_joined(e);
	return image_unpack_layer(u->s, u->layer, true, &dir, e);
}

static int unpack_each(const struct store *s, const struct lease *lease, const struct strv *layers,
	struct strv *lower, struct err *e)
{
	for (size_t i = 0; i < layers->n; i++) {
		struct unpacking u = {s, lease->userns, layers->v[i]};
		char *dir;

		if (lease->range && child_do(unpack_as, &u, e) < 0)
			return -1;
		if (image_unpack_layer(s, layers->v[i], lease->range, &dir, e) < 0)
			return -1;
		strv_take(lower, dir);
	}
	return 0;
}

/* Takes as long as the image is large. A signal may end it, although signals are already blocked for the container. */
static int unpack(const struct store *s, const struct lease *lease, const struct strv *layers,
	struct strv *lower, struct err *e)
{
	static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
	sigset_t set, before;
	int result;

	(void)sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		(void)sigaddset(&set, ends[i]);
	(void)sigprocmask(SIG_UNBLOCK, &set, &before); /* cannot fail with these arguments */
	result = unpack_each(s, lease, layers, lower, e);
	(void)sigprocmask(SIG_SETMASK, &before, NULL); /* likewise */
	return result;
}

int fallback_lease(const struct store *s, enum ids_mode ids, const struct strv *layers,
	struct lease *out, struct strv *lower, struct err *e)
{
	if (!setting_is_off("fuse") && !setting_is_off("overlay")) {
		if (layers_lease(s, ids, (const char *const *)layers->v, (int)layers->n, out, e) == 0)
			return 0;
		if (e->kind != ERR_UNSUPPORTED)
			return -1;
		err_clear(e);
	}
	if (layers_lease(s, ids, NULL, 0, out, e) < 0)
		return -1;
	return unpack(s, out, layers, lower, e);
}

/* ---- no overlay: a private copy -------------------------------------------------------- */

bool fallback_no_overlay(const char *dir)
{
	auto_free char *copy = dir ? fallback_copy(dir) : NULL;

	return copy || setting_is_off("overlay");
}

/* The base first, so that mount points do not count as the container's changes. */
static int copy_layers(const struct store *s, const struct strv *lower, int to, struct err *e)
{
	auto_close int stage =
		openat(s->runtime, "stage", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	const char *name = stage < 0 ? NULL : stage_base(stage, false, e);
	auto_close int base =
		name ? openat(stage, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;

	if (stage >= 0 && !name)
		return -1;
	if (base < 0)
		return err_sys(e, "open the base in %s/stage", s->runtime_path);
	if (copy_tree(base, to, e) < 0)
		return -1;
	for (size_t i = 0; i < lower->n; i++) {
		auto_close int from = open(lower->v[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (from < 0)
			return err_sys(e, "open %s", lower->v[i]);
		if (copy_tree(from, to, e) < 0)
			return -1;
	}
	return 0;
}

/* Written before the copy gets its name, so that there is no copy without a census. */
static int write_census(int dir, int copy, struct err *e)
{
	auto_close int out = openat(
		dir, "rootfs.census", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	return out < 0 ? err_sys(e, "create rootfs.census") : census_take(copy, out, e);
}

char *fallback_copy(const char *dir)
{
	auto_free char *path = xasprintf("%s/rootfs", dir);

	return access(path, F_OK) == 0 ? take(path) : NULL;
}

int fallback_census(const char *dir)
{
	auto_free char *path = xasprintf("%s/rootfs.census", dir);

	return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

/* A whole copy under its name, or none. */
static int make_copy(const struct store *s, const struct strv *lower, int dir, struct err *e)
{
	auto_close int part = -1;

	if (mkdirat(dir, "rootfs.part", 0755) < 0)
		return err_sys(e, "mkdir rootfs");
	part = openat(dir, "rootfs.part", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (part < 0)
		return err_sys(e, "open rootfs");
	if (copy_layers(s, lower, part, e) < 0 || write_census(dir, part, e) < 0)
		return -1;
	return renameat(dir, "rootfs.part", dir, "rootfs") < 0 ? err_sys(e, "rename rootfs") : 0;
}

/* If the file system is mounted noexec, nothing in a copy could be executed, and the container would only report
 * "permission denied". */
static int check_exec(const char *dir, struct err *e)
{
	auto_free char *place = realpath(dir, NULL);
	struct statvfs v;
	struct stat here, above;

	if (!place || statvfs(place, &v) < 0 || !(v.f_flag & ST_NOEXEC) || stat(place, &here) < 0)
		return 0;
	for (char *slash = strrchr(place, '/'); slash > place; slash = strrchr(place, '/')) {
		*slash = '\0';
		if (stat(place, &above) < 0 || above.st_dev != here.st_dev) {
			*slash = '/';
			break;
		}
	}
	return err_set(e, ERR_DENIED,
		"without overlay a container is a copy of its image, and %s is mounted noexec: mount it with "
		"exec, or set SBX_ROOT to a directory on another file system",
		place);
}

/* What the container wrote through an overlay would be missing in a copy, for good. e: why there is no overlay. */
static int check_unwritten(const char *home, const char *id, struct err *e)
{
	auto_free char *path = xasprintf("%s/upper", home);
	auto_close int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (dir < 0 ? errno == ENOENT : copy_is_empty(dir) == 1) {
		err_clear(e);
		return 0;
	}
	if (e->kind != ERR_NO_OVERLAY)
		(void)err_set(e, ERR_UNSUPPORTED, "overlay is off");
	e->kind = ERR_UNSUPPORTED;
	return err_ctx(e, "what container %.12s has written is to be had by overlay only", id);
}

int fallback_rootfs(const struct store *s, const char *id, const char *home,
	const struct strv *layers, const struct strv *lower, char **path, struct err *e)
{
	auto_close int dir = state_dir(s, id, e);
	auto_free char *own = state_path(s, id);
	auto_strv struct strv unpacked = {0};
	struct err other;

	if (dir < 0)
		return -1;
	if (faccessat(dir, "rootfs", F_OK, 0) == 0) {
		err_clear(e);
		*path = xasprintf("%s/rootfs", own);
		return check_exec(own, e);
	}
	if (check_unwritten(home ? home : own, id, e) < 0 || check_exec(own, e) < 0)
		return -1;
	for (size_t i = 0; lower->n == 0 && i < layers->n; i++) {
		char *one;

		if (image_unpack_layer(s, layers->v[i], false, &one, e) < 0)
			return -1;
		strv_take(&unpacked, one);
	}
	(void)state_remove_tree(dir, "rootfs.part", &other); /* left by a process that was killed */
	if (make_copy(s, lower->n ? lower : &unpacked, dir, e) < 0) {
		(void)state_remove_tree(dir, "rootfs.part", &other); /* the first error is the one to tell */
		return -1;
	}
	*path = xasprintf("%s/rootfs", own);
	return 0;
}

/* ---- no user attributes: the writable layer elsewhere ---------------------------------- */

/* Network file systems, which overlay refuses for writing even if they have attributes. */
static bool is_remote(int dir)
{
	static const unsigned long remote[] = {0x6969 /* nfs */, 0x0bd00bd0 /* lustre */,
		0x47504653 /* gpfs */, 0xff534d42 /* cifs */, 0xfe534d42 /* smb2 */, 0x01021997 /* 9p */,
		0x65735546 /* fuse */, 0x19830326 /* beegfs */, 0x00c36400 /* ceph */};
	struct statfs st;

	if (fstatfs(dir, &st) < 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(remote); i++)
		if ((unsigned long)st.f_type == remote[i])
			return true;
	return false;
}

/* Without file types in directory entries (d_type), which ext4 and xfs can be made without, overlay cannot find
 * whiteouts. Even then "." has a type. */
static bool has_types(int dir)
{
	char room[2048] __attribute__((aligned(8)));
	ssize_t n;

	while ((n = sys_getdents(dir, room, sizeof(room))) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct dirent *d = (const struct dirent *)(room + at);

			at += d->d_reclen;
			if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
				return d->d_type != DT_UNKNOWN;
		}
	}
	return true;
}

/* A directory that has an entry. */
static bool can_be_upper(int dir)
{
	char value[1];

	return !is_remote(dir) && has_types(dir) &&
	       (fgetxattr(dir, "user.sbx.probe", value, 1) >= 0 || errno == ENODATA);
}

/* The directory above may be writable for others, like /tmp. */
static int open_scratch(const char *place, struct err *e)
{
	bool made = mkdir(place, 0700) == 0;
	auto_close int dir = -1;
	struct stat st;

	if (!made && errno != EEXIST)
		return err_sys(e, "a place for writable layers: mkdir %s", place);
	dir = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (dir < 0 || fstat(dir, &st) < 0)
		return err_sys(e, "a place for writable layers: open %s", place);
	if (st.st_uid != geteuid() || st.st_mode & 022)
		return err_set(e, ERR_DENIED,
			"a place for writable layers: %s is not yours alone (SBX_SCRATCH can name another directory)",
			place);
	if (made)
		(void)fremovexattr(dir, "system.posix_acl_default"); /* as of the store; mostly there is none */
	return take_fd(&dir);
}

static int make_upper(
	const struct store *s, const char *place, int scratch, const char *id, struct err *e)
{
	if (mkdirat(scratch, id, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "mkdir %s/%s", place, id);
	if (!can_be_upper(scratch)) {
		(void)unlinkat(scratch, id, AT_REMOVEDIR); /* nothing is in it that matters */
		return err_set(e, ERR_UNSUPPORTED,
			"neither %s nor %s can hold a container's writable layer (no user attributes, or no file "
			"types): set SBX_SCRATCH to a directory on a local file system",
			s->root_path, place);
	}
	for (int i = 0; i < 2; i++) {
		auto_free char *sub = xasprintf("%s/%s", id, i ? "work" : "upper");

		if (mkdirat(scratch, sub, i ? 0700 : 0755) < 0 && errno != EEXIST)
			return err_sys(e, "mkdir %s/%s", place, sub);
	}
	return 0;
}

/* The place where the container has written before, even if another one would be chosen today. */
static int known_upper(const char *known, const char *id, char **path, struct err *e)
{
	const char *slash = strrchr(known, '/');
	auto_free char *place = xstrndup(known, slash ? (size_t)(slash - known) : 0);
	auto_free char *upper = xasprintf("%s/upper", known);
	auto_close int scratch = -1;

	if (access(upper, F_OK) < 0)
		return err_set(e, ERR_UNSUPPORTED,
			"what container %.12s has written was in %s: that is on another machine, or was emptied "
			"by a reboot",
			id, known);
	scratch = open_scratch(place, e);
	if (scratch < 0)
		return -1;
	*path = xstrdup(known);
	return 0;
}

int fallback_upper(const struct store *s, const char *id, const char *known, char **path, struct err *e)
{
	auto_close int dir = known ? -1 : state_dir(s, id, e), own = -1, scratch = -1;
	auto_free char *asked = setting("scratch"), *place = NULL;

	*path = NULL;
	if (known)
		return known_upper(known, id, path, e);
	if (dir < 0)
		return -1;
	if (!asked && can_be_upper(dir))
		return 0;
	own = openat(dir, "upper", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (own >= 0 && copy_is_empty(own) != 1)
		return 0; /* it has written there */
	place = asked ? xasprintf("%s/sbx-layers-%u", asked, geteuid())
	              : xasprintf("%s/u", s->runtime_path);
	scratch = open_scratch(place, e);
	if (scratch < 0 || make_upper(s, place, scratch, id, e) < 0)
		return -1;
	*path = xasprintf("%s/%s", place, id);
	return 0;
}

int fallback_renew_work(const char *dir, struct err *e)
{
	auto_close int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(e, "open the writable layer");
	/* Otherwise it was never mounted, or the process that renewed it was killed before the last step. */
	if (faccessat(fd, "work/work", F_OK, 0) == 0 && state_remove_tree(fd, "work", e) < 0)
		return err_ctx(e, "the writable layer in %s", dir);
	if (mkdirat(fd, "work", 0700) < 0 && errno != EEXIST)
		return err_sys(e, "the writable layer in %s: mkdir work", dir);
	return 0;
}

int fallback_upper_remove(const char *path, const char *id, struct err *e)
{
	auto_free char *place = xstrndup(path, strlen(path) - strlen(id));
	auto_close int scratch = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (scratch < 0)
		return errno == ENOENT ? 0 : err_sys(e, "open %s", place);
	return state_remove_tree(scratch, id, e) < 0 && e->sys != ENOENT ? -1 : 0;
}
