/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names: a name is a symbolic link root/names/<name> to the id. symlink(2) fails when it is there, so
 * making it is the claim: no lock, and look-ups cost the same with any number of containers.
 *
 * A claim is made while the container's directory is still called .new-<id>, and given up when it
 * is already called .rm-<id>, each time with the directory flock'ed. So who finds a name taken can
 * tell: the container exists; or it is being made or removed by a living process; or nobody is
 * there any more, and the name is free to take.
 */
#pragma once

#include "state.h"

/* [a-zA-Z0-9][a-zA-Z0-9_.-]+, docker's rule; one leading slash is passed over. NULL and docker's sentence, or
 * where in `name` the name begins. */
const char *name_check(const char *name, struct err *e);
/* adjective_surname; a digit is added where tries > 0. The caller frees. */
char *name_make_up(int tries);

/* Nobody has it now, which may change: -1, ERR_CONFLICT and docker's sentence where somebody has. */
int name_is_free(const struct store *s, const char *name, struct err *e);
/* The link name -> id. Taken: the same. */
int name_claim(const struct store *s, const char *name, const char *id, struct err *e);
/* Takes the link away if it points to id. */
void name_release(const struct store *s, const char *name, const char *id);
/* What a link to id points to: the id with 5 bits a digit. 64 digits of 4 bits would not fit into the inode
 * of ext4 (59 bytes), and a block of its own costs more than all else about a name. */
#define NAME_TARGET 52
void name_target(const char *id, char out[NAME_TARGET + 1]);
/* Every link that points to id. */
void name_release_all(const struct store *s, const char *id);
/* The id a name points to, whether or not it exists; false: there is no such name. */
bool name_lookup(const struct store *s, const char *name, id_text out);
