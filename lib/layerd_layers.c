/* SPDX-License-Identifier: Apache-2.0 */
/* layerd_layers: mounts layers by FUSE when the first container asks for them, serves them, and unmounts unused ones. */
#include "layerd_parts.h"

#include "auto.h"
#include "fuse.h"
#include "squash.h"
#include "sys.h"

#include <fcntl.h>
#include <string.h>

bool layerd_is_served(struct server *s, uint64_t id)
{
	struct served *v;

	pthread_mutex_lock(&s->lock);
	for (v = s->served; v && v->id != id; v = v->next)
		;
	pthread_mutex_unlock(&s->lock);
	return v != NULL;
}

/* Called by the last thread of a connection. */
static void served_ended(void *arg)
{
	struct served *v = arg, **at = &v->home->served;
	pthread_mutex_t *lock = &v->home->lock;

	pthread_mutex_lock(lock);
	while (*at != v)
		at = &(*at)->next;
	*at = v->next;
	pthread_mutex_unlock(lock);
	free(v);
}

int layerd_serve(struct server *s, int image, int fuse, int journal, struct err *e)
{
	auto_close int image2 = fcntl(image, F_DUPFD_CLOEXEC, 3),
		       fuse2 = fcntl(fuse, F_DUPFD_CLOEXEC, 3),
		       journal2 = fcntl(journal, F_DUPFD_CLOEXEC, 3);
	struct served *v;
	struct squash *sq;

	if (image2 < 0 || fuse2 < 0 || journal2 < 0)
		return err_sys(e, "descriptors");
	sq = squash_open(image2, "image", s->cache, e);
	if (!sq)
		return -1;
	(void)take_fd(&image2);
	v = xcalloc(1, sizeof(*v));
	*v = (struct served){.home = s, .id = fuse_journal_id(journal)};
	pthread_mutex_lock(&s->lock);
	v->next = s->served;
	s->served = v;
	pthread_mutex_unlock(&s->lock);
	if (fuse_serve(sq, fuse2, journal2, (struct fuse_ids){s->ids.uids, s->ids.gids},
		    served_ended, v, &v->serving, e) < 0) {
		served_ended(v);
		squash_free(sq);
		return -1;
	}
	(void)take_fd(&fuse2);
	(void)take_fd(&journal2);
	return 0;
}

void layerd_foresee(struct server *s, struct layer *l, const char *paths, size_t len)
{
	struct fuse_serving *serving = NULL;

	pthread_mutex_lock(&s->lock);
	for (struct served *v = s->served; v && !serving; v = v->next)
		if (v->id == l->id && fuse_hold(v->serving))
			serving = v->serving;
	pthread_mutex_unlock(&s->lock);
	if (!serving)
		return;
	fuse_foresee(serving, paths, len);
	if (s->seeds >= 0)
		seeds_preread(s->seeds, l->mount, paths, len);
}

static void layer_free(struct layer *l)
{
	/* Containers' clones go on; the FUSE connection ends with the last of them. */
	auto_close_(&l->mount);
	if (l->dir[0]) {
		(void)sys_umount2(l->dir, SYS_MNT_DETACH);
		(void)rmdir(l->dir);
	}
	auto_close_(&l->fuse);
	auto_close_(&l->journal);
	free(l);
}

static int mount_fuse(struct layer *l, struct err *e)
{
	auto_close int fs = sys_fsopen("fuse");
	char fd[16];

	if (fs < 0)
		return err_sys(e, "fsopen fuse");
	(void)snprintf(fd, sizeof(fd), "%d", l->fuse);
	/* Not nosuid: set-user-id programs of an image have to work inside; the kernel honours them only in this user
	 * namespace and below. */
	if (sys_fsconfig_string(fs, "source", "sbx") < 0 || sys_fsconfig_string(fs, "fd", fd) < 0 ||
		sys_fsconfig_string(fs, "rootmode", "40000") < 0 ||
		sys_fsconfig_string(fs, "user_id", "0") < 0 ||
		sys_fsconfig_string(fs, "group_id", "0") < 0 || sys_fsconfig_flag(fs, "allow_other") < 0 ||
		sys_fsconfig_flag(fs, "default_permissions") < 0 || sys_fsconfig_flag(fs, "ro") < 0 ||
		(l->mount = sys_fsmount(
			 fs, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOATIME)) < 0) {
		/* An old kernel, or a /dev/fuse that is another device: the layer can be unpacked instead. */
		(void)err_sys(e, "mount fuse");
		e->kind = ERR_UNSUPPORTED;
		return -1;
	}
	if (mkdir(l->dir, 0700) < 0)
		return err_sys(e, "mkdir");
	/* open_tree() can clone only what is attached in our mount namespace. */
	if (sys_attach_at(l->mount, l->dir) < 0) {
		(void)err_sys(e, "move_mount");
		(void)rmdir(l->dir);
		return -1;
	}
	return 0;
}

static struct layer *layer_new(struct server *s, int image, const struct stat *key, struct err *e)
{
	struct layer *l = xcalloc(1, sizeof(*l));

	*l = (struct layer){.key = *key, .mount = -1, .journal = -1};
	l->fuse = open("fuse", O_RDWR | O_CLOEXEC);
	if (l->fuse < 0) {
		(void)err_sys(e, "open /dev/fuse");
		e->kind = ERR_UNSUPPORTED;
		goto fail;
	}
	l->journal = fuse_journal_new(e);
	if (l->journal < 0)
		goto fail;
	l->id = fuse_journal_id(l->journal);
	(void)snprintf(l->dir, sizeof(l->dir), "%u", ++s->mounted);
	if (mount_fuse(l, e) < 0) {
		l->dir[0] = '\0';
		goto fail;
	}
	if (layerd_serve(s, image, l->fuse, l->journal, e) < 0)
		goto fail;
	l->fresh = true;
	l->next = s->layers;
	s->layers = l;
	return l;
fail:
	layer_free(l);
	return NULL;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

struct layer *layerd_layer(struct server *s, int image, struct err *e)
{
	struct stat st;
	struct layer *l;

	if (fstat(image, &st) < 0) {
		(void)err_sys(e, "stat");
		return NULL;
	}
	/* A layer whose FUSE connection was aborted by hand is of no use any more. */
	for (l = s->layers; l && !(same_file(&l->key, &st) && layerd_is_served(s, l->id)); l = l->next)
		;
	return l ? l : layer_new(s, image, &st, e);
}

void layerd_release(struct layer *l)
{
	if (--l->users == 0)
		l->unused_since = layerd_now_ms();
}

void layerd_unmount_unused(struct server *s)
{
	int64_t now = layerd_now_ms();

	for (struct layer **at = &s->layers; *at;) {
		struct layer *l = *at;

		if (l->users > 0 || now - l->unused_since < s->idle_ms) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		layer_free(l);
	}
}
