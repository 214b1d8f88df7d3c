/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names: a container's name is a symbolic link root/names/<name> to its id. symlink(2) fails if the name exists, so making
 * the link claims the name without a lock; and look-ups take the same time with any number of containers.
 *
 * A name is claimed while the container's directory is still called .new-<id>, and released when it is already called
 * .rm-<id>, both times with the directory flock'ed. So a process that finds a name taken can tell whether the container
 * exists, or is being made or removed by a living process, or whether that process died and the name may be taken over.
 */
#pragma once

#include "state.h"

/* Checks docker's rule, [a-zA-Z0-9][a-zA-Z0-9_.-]+, after one optional slash. Returns `name` without that slash; NULL: docker's
 * error. */
const char *name_check(const char *name, struct err *e);
/* A random adjective_surname, with a digit if tries > 0. The caller frees. */
char *name_make_up(int tries);

/* Whether the name is free at this moment; else -1, ERR_CONFLICT and docker's sentence. */
int name_is_free(const struct store *s, const char *name, struct err *e);
/* Makes the link from name to id. If the name is taken: the same error. */
int name_claim(const struct store *s, const char *name, const char *id, struct err *e);
/* Removes the link if it points to id. */
void name_release(const struct store *s, const char *name, const char *id);
/* The link's target: the id with 5 bits a digit. 64 hex digits would not fit into ext4's inode (59 bytes), and a block of its own
 * would cost more than everything else about a name. */
#define NAME_TARGET 52
void name_target(const char *id, char out[NAME_TARGET + 1]);
/* Removes every link that points to id. */
void name_release_all(const struct store *s, const char *id);
/* The id that a name points to, whether or not that container exists; false: there is no such name. */
bool name_lookup(const struct store *s, const char *name, id_text out);
