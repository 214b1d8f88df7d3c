/* SPDX-License-Identifier: Apache-2.0 */
#include "volume.h"

#include "auto.h"
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* A path from the user that becomes one component of ours. */
static bool name_ok(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

	return n > 1 && n < 200 && name[n] == '\0' && !strchr("_.-", name[0]);
}

static int make_volume(const struct store *s, const char *name, struct err *e)
{
	auto_close int all = store_dir(s, "volumes", e);
	auto_close int one = -1;

	if (all < 0)
		return -1;
	if (!name_ok(name))
		return err_set(e, ERR_USAGE,
			"create %s: \"%s\" includes invalid characters for a local volume name, only "
			"\"[a-zA-Z0-9][a-zA-Z0-9_.-]\" are allowed. If you intended to pass a host directory, "
			"use absolute path", name, name);
	if (mkdirat(all, name, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "create volume %s", name);
	one = openat(all, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (one < 0 || (mkdirat(one, "_data", 0755) < 0 && errno != EEXIST))
		return err_sys(e, "create volume %s", name);
	return 0;
}

static int make_directories(const char *path, struct err *e)
{
	auto_free char *dir = xstrdup(path);

	for (char *s = dir + 1;; s++) {
		char end = *s;

		if (end != '/' && end != '\0')
			continue;
		*s = '\0';
		if (mkdir(dir, 0755) < 0 && errno != EEXIST)
			return err_sys(e, "error while creating mount source path '%s': mkdir %s", path, dir);
		if (!end)
			return 0;
		*s = end;
	}
}

static int prepare_bind(const struct spec_mount *m, struct err *e)
{
	struct stat st;

	if (stat(m->src, &st) == 0)
		return 0;
	if (errno != ENOENT)
		return err_sys(e, "%s", m->src);
	if (m->create_src)
		return make_directories(m->src, e);
	return err_set(e, ERR_USAGE,
		"invalid mount config for type \"bind\": bind source path does not exist: %s", m->src);
}

static bool mounted(const struct spec *spec, const char *dst)
{
	for (size_t i = 0; i < spec->n_mounts; i++)
		if (strcmp(spec->mounts[i].dst, dst) == 0)
			return true;
	return false;
}

int volume_prepare(const struct store *s, struct spec *spec, struct err *e)
{
	for (size_t i = 0; i < spec->volumes.n; i++) {
		struct spec_mount *m;

		if (mounted(spec, spec->volumes.v[i]))
			continue;
		m = spec_add_mount(spec);
		m->kind = MOUNT_VOLUME;
		m->src = xstrdup("");
		m->dst = xstrdup(spec->volumes.v[i]);
		m->why = xasprintf("--volume %s", m->dst);
	}
	for (size_t i = 0; i < spec->n_mounts; i++) {
		struct spec_mount *m = &spec->mounts[i];

		if (m->kind == MOUNT_BIND && prepare_bind(m, e) < 0)
			return -1;
		if (m->kind != MOUNT_VOLUME)
			continue;
		if (!m->src || !*m->src) {
			id_text id;

			id_random(id);
			free(m->src);
			m->src = xstrdup(id);
		}
		if (make_volume(s, m->src, e) < 0)
			return -1;
	}
	return 0;
}

int volume_resolve(const struct store *s, struct spec *spec, struct err *e)
{
	for (size_t i = 0; i < spec->n_mounts; i++) {
		struct spec_mount *m = &spec->mounts[i];
		char *path;

		if (m->kind != MOUNT_VOLUME)
			continue;
		/* One that was removed meanwhile is made again, as docker makes it again. */
		if (make_volume(s, m->src, e) < 0)
			return -1;
		path = xasprintf("%s/volumes/%s/_data", s->root_path, m->src);
		free(m->src);
		m->src = path;
	}
	return 0;
}

int volume_remove_anonymous(const struct store *s, const struct spec *spec, struct err *e)
{
	auto_close int all = store_dir(s, "volumes", e);

	if (all < 0)
		return -1;
	for (size_t i = 0; i < spec->n_mounts; i++) {
		const struct spec_mount *m = &spec->mounts[i];

		if (m->kind == MOUNT_VOLUME && str_is_hex(m->src, ID_LEN) &&
				state_remove_tree(all, m->src, e) < 0)
			return -1;
	}
	return 0;
}
