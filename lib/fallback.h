/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fallback: a container's root by the best way that this machine has.
 *
 *   layers    by FUSE from the image server; without /dev/fuse (or with the setting "fuse" off) each layer is unpacked
 *             once into the store
 *   overlay   the kernel's; if it refuses (or with the setting "overlay" off) a private copy of the image in the
 *             container's directory
 *   upper     in the container's directory; if that file system has no user attributes or no d_type, or is another
 *             machine's: below the setting "scratch", else in the runtime directory
 */
#pragma once

#include "err.h"
#include "layers.h"
#include "spec.h"
#include "store.h"
#include "str.h"

#include <stdbool.h>

/* Which ids a container gets, by --ids, the setting, and its user. "auto" maps one id if the user is a number beyond usual
 * grants, or the caller's own: then he owns in the container what he owns outside, and the other way round. range: the id
 * range of an earlier start, to which existing files belong, as the state tells; or NULL. */
enum ids_mode fallback_ids(const struct spec *s, const json_t *range);
/* Gets a user namespace, and the layers as detached mounts in `out` or as directories in `lower`. */
int fallback_lease(const struct store *s, enum ids_mode ids, const struct strv *layers,
	struct lease *out, struct strv *lower, struct err *e);

/* Whether to do without overlay: the setting is off, or the container with this directory has a private copy already. */
bool fallback_no_overlay(const char *dir);
/* Makes the private copy if it does not exist; an error if the container has written through an overlay already. To be called in
 * the user namespace of the containers' ids. home: the directory with upper, see fallback_upper(). *e must be clear on
 * entry, or say why there is no overlay. The caller frees *path. */
int fallback_rootfs(const struct store *s, const char *id, const char *home,
	const struct strv *layers, const struct strv *lower, char **path, struct err *e);
/* The private copy in a container's directory, or NULL (the caller frees); and a descriptor of the census that was taken when the
 * copy was complete, or -1. */
char *fallback_copy(const char *dir);
int fallback_census(const char *dir);

/* *path: the directory with upper and work; NULL: it is the container's own. known: the path of the container's first start, as
 * its state tells, which is used again, as there is data in it; or NULL. */
int fallback_upper(const struct store *s, const char *id, const char *known, char **path, struct err *e);
/* Makes a new work directory, before each mount but the first: the kernel refuses one that another overlay was mounted with. dir:
 * the one with upper and work. */
int fallback_renew_work(const char *dir, struct err *e);
int fallback_upper_remove(const char *path, const char *id, struct err *e);
