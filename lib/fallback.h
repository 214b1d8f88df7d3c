/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fallback: the image by the best way which this machine has.
 *
 *   layers    FUSE through the image server; where there is no /dev/fuse (or the setting "fuse" is off)
 *             each layer unpacked once into the store
 *   overlay   the kernel's; where it refuses (or the setting "overlay" is off) a private copy of the image
 *             in the container's directory
 *   upper     in the container's directory; where its file system has no user attributes, no types of
 *             files in its directories, or is another machine's, below the setting "scratch", else in the
 *             runtime directory
 */
#pragma once

#include "err.h"
#include "layers.h"
#include "spec.h"
#include "store.h"
#include "str.h"

#include <stdbool.h>

/* Which ids a container gets: by --ids, the setting, and who it runs as. Of "auto", one where that is a number which no
 * usual grant has, or the caller's own: as himself he owns what he has outside, and what he makes there. `range`: what the
 * state tells of an earlier start, whose files have their owners; or NULL. */
enum ids_mode fallback_ids(const struct spec *s, const json_t *range);
/* The user namespace, and the layers as detached mounts of `out` or as directories in `lower`. */
int fallback_lease(const struct store *s, enum ids_mode ids, const struct strv *layers,
	struct lease *out, struct strv *lower, struct err *e);

/* The setting says so; or the container of this directory has a copy, made where or when there was no overlay. */
bool fallback_no_overlay(const char *dir);
/* Makes the copy if it is not there, unless the container has written by overlay already; called where the containers'
 * ids are held. `home`: where upper is, see fallback_upper(). `e` comes clear, or says why there is no overlay. The
 * caller frees *path. */
int fallback_rootfs(const struct store *s, const char *id, const char *home,
	const struct strv *layers, const struct strv *lower, char **path, struct err *e);
/* Of the container's directory: the copy, if there is one (the caller frees), and a descriptor of the census that was
 * taken when it was complete, or -1. */
char *fallback_copy(const char *dir);
int fallback_census(const char *dir);

/* *path: the directory with upper and work, when it is not the container's own; else NULL. `known`: what it was when the
 * container first had one, as its state tells, or NULL: what is written there is never passed over. */
int fallback_upper(const struct store *s, const char *id, const char *known, char **path, struct err *e);
/* Overlay marks the working directory of a mount and refuses it another time: before each but the first. `dir`:
 * that with upper and work. */
int fallback_renew_work(const char *dir, struct err *e);
int fallback_upper_remove(const char *path, const char *id, struct err *e);
