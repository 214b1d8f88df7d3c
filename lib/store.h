/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store: the two directories which are ours, opened once and passed around as descriptors.
 *
 *   root     setting "root" ($SBX_ROOT), else $XDG_DATA_HOME/sbx, else ~/.local/share/sbx: images,
 *            containers, volumes
 *   runtime  setting "runtime" ($SBX_RUNTIME), else $XDG_RUNTIME_DIR/sbx, else /run/user/<uid>/sbx,
 *            else /tmp/sbx-<uid>: sockets, locks; not kept over a reboot
 *
 * Both are created mode 0700; an existing one which is not ours or is open to others is refused.
 * Settings that make no sense are refused here (settings.h): every command comes by.
 * What the user named is used or refused; what we chose and cannot use is passed over for the next.
 */
#pragma once

#include "err.h"

#include <stdbool.h>

struct store {
	int root, runtime;              /* directory descriptors, CLOEXEC */
	char *root_path, *runtime_path; /* absolute */
	struct known_ids *ids;          /* see state_know_ids(); else NULL */
};

int store_open(struct store *s, struct err *e);
void store_done(struct store *s);
#define auto_store __attribute__((cleanup(store_done)))

/* In front of what its file system refused (read-only, full, no right): which store it is. Always -1. */
int store_ctx(const struct store *s, struct err *e);

/* Of what needs several places and has no room in one (ENOSPC, EDQUOT): which. Always -1. */
int store_room_ctx(const struct store *s, struct err *e);

/* The directory root/name, made (0700) when it is missing; name has one component. */
int store_dir(const struct store *s, const char *name, struct err *e);
