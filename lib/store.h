/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store: the two directories of sbx, opened once and passed around as descriptors.
 *
 *   root     setting "root" ($SBX_ROOT), else $XDG_DATA_HOME/sbx, else ~/.local/share/sbx: images,
 *            containers, volumes
 *   runtime  setting "runtime" ($SBX_RUNTIME), else /tmp/sbx-<uid>, else $XDG_RUNTIME_DIR/sbx, else
 *            /run/user/<uid>/sbx: sockets, locks; not kept over a reboot
 *
 * Both are created with mode 0700; an existing one that belongs to another user or is open to others is refused.
 * A directory that the user named is used or refused; one of the defaults that cannot be used, or only read, is skipped for the
 * next.
 * Opening the store also checks the settings (settings.h), since every command opens it.
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

/* Adds to an error of its file system (read-only, full, not permitted) which store it is about. Always -1. */
int store_ctx(const struct store *s, struct err *e);

/* Adds to an error about missing room (ENOSPC, EDQUOT) which of the directories is full. Always -1. */
int store_room_ctx(const struct store *s, struct err *e);

/* Opens the directory root/name, one component, and makes it (0700) if it is missing. */
int store_dir(const struct store *s, const char *name, struct err *e);
