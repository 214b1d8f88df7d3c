/* SPDX-License-Identifier: Apache-2.0 */
/* mount_layers: mounts layers and the root, and makes detached mounts of the sources of steps. */
#include "mount_parts.h"

#include "auto.h"
#include "overlay.h"
#include "stage.h"
#include "sys.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- layers ---------------------------------------------------------------------------- */

int mount_attach_at(int mount, const char *name, struct err *e)
{
	auto_close int at = open(name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (at < 0 && errno == ENOENT) {
		/* Directories of the stage are made when needed: by the first container with so many layers. */
		(void)mkdir(name, 0700); /* another process may be faster; the open will tell */
		at = open(name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (at < 0)
		return err_sys(e, "open stage %s", name);
	if (sys_attach(mount, at) < 0)
		return err_sys(e, "attach %s", name);
	return 0;
}

/* The layer, detached. */
static int take_layer(const struct mount_layers *l, size_t i, struct err *e)
{
	int mount;

	if (!l->lower || !l->lower->n)
		return take_fd(&l->lease->layer[i].mount);
	mount = sys_open_tree(AT_FDCWD, l->lower->v[i], OPEN_TREE_CLONE);
	return mount < 0 ? err_sys(e, "open layer %s", l->lower->v[i]) : mount;
}

/* Attaches n layers, from `first` on, as l0, l1, ... in the stage, and returns overlay's list of them, the uppermost
 * first. Short relative names need no escaping, whatever the real paths contain. */
static int attach_layers(
	const struct mount_layers *l, size_t first, size_t n, struct buf *names, struct err *e)
{
	for (size_t i = first + n; i-- > first;) {
		char name[24];
		auto_close int mount = take_layer(l, i, e);

		(void)snprintf(name, sizeof(name), "l%zu", i); /* always fits */
		if (mount < 0 || mount_attach_at(mount, name, e) < 0)
			return -1;
		buf_printf(names, "%s%s", names->len ? ":" : "", name);
	}
	return 0;
}

size_t mount_own_layers(const struct mount_layers *l)
{
	return (l->lower && l->lower->n ? l->lower->n : (size_t)l->lease->n) - l->behind;
}

static int mount_overlay(const char *dir, const char *lower, struct err *e)
{
	auto_free char *upper = NULL, *work = NULL;
	struct overlay o = {.source = "overlay", .lower = lower, .attr = MOUNT_ATTR_NODEV};
	auto_close int c = -1;

	/* In overlay's options , : and \ are special: a path with these gets a short name as well. */
	if (dir && strpbrk(dir, ",:\\")) {
		c = sys_open_tree(AT_FDCWD, dir, OPEN_TREE_CLONE);
		if (c < 0)
			return err_sys(e, "open %s", dir);
		if (mount_attach_at(c, "c", e) < 0)
			return -1;
		dir = "c";
	}
	if (dir) {
		o.upper = upper = xasprintf("%s/upper", dir);
		o.work = work = xasprintf("%s/work", dir);
	}
	return overlay_mount(&o, e);
}

/* ---- gather --------------------------------------------------------------------------- */

#define BENEATH (RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS)

/* How much of a path exists, and the first component that does not. */
static int up_to_missing(int root, const char *path)
{
	size_t n = 0;

	while (path[n]) {
		auto_free char *part = NULL;
		auto_close int at = -1;

		n += strspn(path + n, "/");
		n += strcspn(path + n, "/");
		part = xstrndup(path, n);
		at = sys_openat2(root, part, O_PATH, BENEATH);
		if (at < 0)
			break;
	}
	return (int)n;
}

/* In docker's words, by errno. */
static int no_part(const struct step *s, int root, struct err *e)
{
	if (errno == EXDEV)
		return err_set(e, ERR_USAGE,
			"path concatenation escapes the base directory, base: %s, subpath: %s",
			s->src, s->sub);
	if (errno != ENOENT)
		return err_go(e, "error while resolving symlinks in combined path \"%s/%s\"",
			s->src, s->sub);
	(void)err_go(e, "cannot access path %s/%s: lstat %s/%.*s", s->src, s->sub, s->src,
		up_to_missing(root, s->sub), s->sub);
	e->kind = ERR_NOT_FOUND;
	return -1;
}

/* What is in a volume or image was written by containers: links in it must not lead out of it. */
static int open_part(const struct step *s, int root, unsigned int flags, struct err *e)
{
	auto_close int at = sys_openat2(root, s->sub, O_PATH, BENEATH);
	int part = at < 0 ? -1 : sys_open_tree(at, "", flags | AT_EMPTY_PATH);

	return part < 0 ? no_part(s, root, e) : part;
}

/* A copy of the source. */
static int open_source(const struct step *s, struct err *e)
{
	unsigned int flags = OPEN_TREE_CLONE | (s->kind == STEP_BIND ? AT_RECURSIVE : 0);
	auto_close int volume = s->sub ? open(s->src, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	int source;

	if (volume >= 0)
		return open_part(s, volume, flags, e);
	source = s->sub ? -1 : sys_open_tree(AT_FDCWD, s->src, flags);
	if (source >= 0)
		return source;
	if (errno != ENOENT && errno != ENOTDIR) {
		(void)err_sys(e, "open %s", s->src);
		return err_ctx(e, "%s", s->why);
	}
	(void)err_go(e, "error mounting %s to rootfs at %s: stat %s", QUOTED(s->src),
		QUOTED(s->dst), s->src);
	e->kind = ERR_RUNTIME;
	return -1;
}

#define COPY_MAX (1u << 20)

/* A container may find there what another one, which shares its network, has written: copies at most this much. */
static int copy_into(int mount, const struct step *s, struct err *e)
{
	auto_free char *text = xcalloc(COPY_MAX, 1);
	/* They may have a lease of it, too. */
	auto_close int from = sys_openat2(AT_FDCWD, s->src, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	auto_close int to = openat(mount, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	ssize_t n;

	if (from < 0 && errno == EWOULDBLOCK)
		return err_set(e, ERR_SYSTEM,
			"%s: copy %s: somebody has a lease of it, and does not let go", s->why, s->src);
	n = from < 0 ? -1 : sys_read(from, text, COPY_MAX);

	if (n < 0 || to < 0 || fchmod(to, 0644) < 0 || sys_write_all(to, text, (size_t)n) < 0)
		return err_sys(e, "%s: copy %s", s->why, s->src);
	return 0;
}

/* Attached for copying, as nothing can be opened in a detached mount. */
static int open_copy(const struct step *s, struct err *e)
{
	auto_close int fs = sys_fsopen("tmpfs"), mount = -1;
	int file;

	if (fs < 0 || sys_fsconfig_string(fs, "size", "2m") < 0 || (mount = sys_fsmount(fs, 0)) < 0)
		return err_sys(e, "%s: memory", s->why);
	if (mount_attach_at(mount, "f", e) < 0 || copy_into(mount, s, e) < 0)
		return -1;
	file = sys_open_tree(mount, "file", OPEN_TREE_CLONE);
	return file < 0 ? err_sys(e, "%s: open", s->why) : file;
}

/* What the path leads to, without leaving the mount; which is attached for that, as nothing can be opened in a
 * detached mount. */
static int part_of(int mount, const struct step *s, struct err *e)
{
	auto_close int root = -1;
	char name[16];

	(void)snprintf(name, sizeof(name), "l%zu", s->layer); /* always fits */
	if (mount_attach_at(mount, name, e) < 0)
		return err_ctx(e, "%s: image %s", s->why, s->src);
	root = open(name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return root < 0 ? err_sys(e, "open %s", s->src) : open_part(s, root, OPEN_TREE_CLONE, e);
}

/* An image of one layer is that layer, which is read-only; of several layers an overlay without an upper directory. */
static int open_image(const struct step *s, const struct mount_layers *layers, struct err *e)
{
	auto_buf struct buf names = {0};
	auto_close int mount = -1;

	if (s->n_layers == 0) {
		mount = sys_open_tree(AT_FDCWD, STAGE_EMPTY_DIR, OPEN_TREE_CLONE);
		if (mount < 0)
			(void)err_sys(e, "open the stage");
	} else if (s->n_layers == 1) {
		mount = take_layer(layers, s->layer, e);
	} else if (attach_layers(layers, s->layer, s->n_layers, &names, e) == 0) {
		mount = mount_overlay(NULL, names.s, e);
		if (mount < 0 && e->kind == ERR_NO_OVERLAY)
			e->kind = ERR_UNSUPPORTED; /* for this there is no other way */
	}
	if (mount < 0)
		return err_ctx(e, "%s: image %s", s->why, s->src);
	return s->sub ? part_of(mount, s, e) : take_fd(&mount);
}

/* On failure the volume is filled in place. */
static int open_above(const char *path)
{
	auto_free char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));

	return open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

size_t mount_n_sources(const struct plan *p)
{
	return 2 * p->n_steps;
}

int mount_gather(const struct plan *p, const struct mount_layers *layers, bool ready, int *sources,
	struct err *e)
{
	for (size_t i = 0; i < mount_n_sources(p); i++)
		sources[i] = -1;
	for (size_t i = 0; i < p->n_steps; i++) {
		const struct step *s = &p->steps[i];

		if (ready && i >= p->dev && i < p->dev + p->n_dev)
			continue;
		if (s->kind == STEP_IMAGE)
			sources[i] = open_image(s, layers, e);
		else if (s->copied)
			sources[i] = open_copy(s, e);
		else if (s->kind == STEP_BIND || s->kind == STEP_NODE || s->kind == STEP_FILL)
			sources[i] = open_source(s, e);
		else
			continue;
		if (s->beside)
			sources[p->n_steps + i] = open_above(s->src);
		if (sources[i] >= 0)
			continue;
		if (s->kind == STEP_IMAGE || !s->optional)
			return -1;
		err_clear(e);
	}
	return 0;
}

/* Whether an attached layer has apt's directory; links in its place are not followed. */
static bool has_apt(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		auto_close int fd = -1;
		char path[24 + sizeof(STAGE_APT_DIR)];

		(void)snprintf(path, sizeof(path), "l%zu/" STAGE_APT_DIR, i); /* always fits */
		fd = sys_openat2(AT_FDCWD, path, O_PATH | O_DIRECTORY,
			RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
		if (fd >= 0)
			return true;
	}
	return false;
}

/* ---- root ---------------------------------------------------------------------------- */

int mount_make_root(
	const char *upper, const struct mount_layers *layers, const char *rootfs, struct err *e)
{
	auto_buf struct buf names = {0};
	const char *base;
	int mount;

	if (rootfs) {
		mount = sys_open_tree(AT_FDCWD, rootfs, OPEN_TREE_CLONE);
		return mount < 0 ? err_sys(e, "open %s", rootfs) : mount;
	}
	if (attach_layers(layers, 0, mount_own_layers(layers), &names, e) < 0)
		return -1;
	base = stage_base(AT_FDCWD, layers->one_id && has_apt(mount_own_layers(layers)), e);
	if (!base)
		return -1;
	buf_printf(&names, "%s%s", names.len ? ":" : "", base);
	return mount_overlay(upper, names.s, e);
}

int mount_put_root(int mount, struct err *e)
{
	int root;

	if (mount_attach_at(mount, "root", e) < 0)
		return -1;
	root = open("root", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return root < 0 ? err_sys(e, "open the root") : root;
}

int mount_root(const char *upper, int quota, const struct mount_layers *layers, const char *rootfs,
	struct err *e)
{
	auto_close int made = quota < 0 ? mount_make_root(upper, layers, rootfs, e) : -1;

	return quota < 0 && made < 0 ? -1 : mount_put_root(quota < 0 ? made : quota, e);
}
