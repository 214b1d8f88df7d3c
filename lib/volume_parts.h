/* SPDX-License-Identifier: Apache-2.0 */
/*
 * volume_parts: what the files of volume share: the store's side (volume.c), volumes' directories (volume_dir.c), the
 * driver's options (volume_local.c), a listing of many (volume_deck.c). Nobody else includes this.
 */
#pragma once

#include "volume.h"

/* The directory of a volume in `all`, that of all of them; meta: NULL, or what meta.json shall hold where it is new. */
int volume_dir_make(const struct store *s, int all, const char *name, const json_t *meta, bool *new,
	struct err *e);
/* 1: it was there. */
int volume_dir_remove(const struct store *s, int all, const char *name, struct err *e);

/* Of what is mounted; the caller frees. */
char *volume_path(const struct store *s, const char *name);
/* As volume_list(), each read by itself. */
int volume_list_all(
	const struct store *s, struct volume **out, size_t *n, struct strv *unread, struct err *e);

/* In the driver's words, without the volume's name. */
int volume_check_options(const struct strv *options, struct err *e);
/* At start: what a volume's options make of a mount of it, whose src is its path so far. What docker's mounting fails
 * with is told in docker's sentence; what only the kernel can know of a tmpfs it says later, behind m->why. */
int volume_mount(const struct volume *v, struct spec_mount *m, struct err *e);
