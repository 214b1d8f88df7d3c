/* SPDX-License-Identifier: Apache-2.0 */
/*
 * volume_parts: shared by the files of volume: volumes and their users (volume.c), their directories (volume_dir.c), options of
 * the driver (volume_local.c), a listing of many (volume_deck.c). Nobody else includes this.
 */
#pragma once

#include "volume.h"

/* Makes a volume's directory in `all`, the directory of all volumes. meta: the content of a new one's meta.json, or NULL. */
int volume_dir_make(const struct store *s, int all, const char *name, const json_t *meta, bool *new,
	struct err *e);
/* 1: it existed; 0: it did not. may: called while nobody can begin to use it; if that fails, the volume stays. NULL: it may be
 * removed. */
int volume_dir_remove(const struct store *s, int all, const char *name,
	int (*may)(const struct store *s, const char *name, const void *arg, struct err *e),
	const void *arg, struct err *e);

/* The path of what is mounted; the caller frees. */
char *volume_path(const struct store *s, const char *name);
/* volume_list() without the cached listing. */
int volume_list_all(
	const struct store *s, struct volume **out, size_t *n, struct strv *unread, struct err *e);

/* Checks a new volume's options; the error is docker's driver's, without the volume's name. */
int volume_check_options(const struct strv *options, struct err *e);
/* At start: changes a mount of the volume, whose src is its path so far, by the volume's options. Errors are docker's sentences
 * about mounting it; errors that only the kernel can find, of a tmpfs, come later and are added to m->why. */
int volume_mount(const struct volume *v, struct spec_mount *m, struct err *e);
