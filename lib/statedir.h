/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statedir: shared by state.c, names.c, life.c, remove.c and others that work on the directories in state.h. The only words of a
 * user that become part of a path here are checked names and ids.
 */
#pragma once

#include "state.h"

#include <dirent.h>

/* "containers/", a mark, an id, "/" and a file name always fit. */
typedef char path_text[128];
void statedir_path(path_text out, const char *mark, const char *id, const char *file);
#define MARK_NEW     ".new-"
#define MARK_OLD     ".rm-"
#define MARK_VOLUMES ".rmv-" /* anonymous volumes are still to be removed with it */

/* root/containers/<mark><id>, or -1 with errno. */
int statedir_open(const struct store *s, const char *mark, const char *id);
/* root/containers, to look into by id; or -1 with errno. */
int statedir_all(const struct store *s);
/* Makes one of the directories directly below root and runtime. To be called only after something below was found missing, as
 * they nearly always exist. */
int statedir_make(int dir, const char *name, struct err *e);
/* The container's directory, flock'ed; closing the descriptor releases it. */
int statedir_lock(const struct store *s, const char *id, struct err *e);
/* flock() that is repeated after EINTR; 0, or -1 with errno. */
int statedir_flock(int fd, int how);
/* The state exactly as the file has it. whole: see card_parse(). */
int statedir_read(const struct store *s, const char *id, bool whole, struct state *out, struct err *e);
/* The same of a container that is being removed. mark: how its directory is marked. */
int statedir_read_as(const struct store *s, const char *mark, const char *id, bool whole,
	struct state *out, struct err *e);
/* The same, but repaired if the supervisor died, see life_repair(); with --rm that removes the container with its anonymous
 * volumes. */
int statedir_load(const struct store *s, const char *id, bool whole, struct state *out, struct err *e);
/* The name that the file has, or NULL; to be called with the lock held. The caller frees. */
char *statedir_name(const struct store *s, const char *id);

/* Calls each() for every entry of dir/name but . and ..; a missing directory has none. Stops when each() returns something
 * else than 0, and returns that. */
int statedir_each(int dir, const char *name,
	int (*each)(const struct dirent *d, void *arg, struct err *e), void *arg, struct err *e);

int statedir_no_such(const char *what, struct err *e); /* docker's sentence; -1 */

/* life_repair.c. If the supervisor of a container that should run is dead: kills what is left and changes the state, or with --rm removes
 * the container and returns ERR_NOT_FOUND. If it had anonymous volumes `orphans` gets its id, for orphans_remove(), which has
 * to come after listing, because it asks all containers whether they use these volumes. */
int life_repair(const struct store *s, struct state *st, struct strv *orphans, struct err *e);
/* Removes the control group that a killed supervisor left, if there is one. The container must not run. */
void life_remove_cgroup(const struct state *st);
/* life.c. Whether some supervisor, perhaps with another runtime directory, holds the lock in the store. */
bool life_is_claimed(const struct store *s, const char *id);
/* Whether the life file (or -1) has the end of just this life. */
bool life_has_end_of(int life, const struct state *st, int *exit_code);
/* Empty: it cannot be known. */
void life_boot_id(char out[37]);
/* Whether nobody holds the container's life file. Unless the caller has the container's lock, it may start right afterwards. */
bool life_is_stale(const struct store *s, const char *id);
/* The same, and nobody has the claim to it, which a supervisor with another runtime directory has as well. */
bool life_is_over(const struct store *s, const char *id);
/* Takes the lock of a container that does not run; else ERR_CONFLICT. If it has ended but its supervisor is still there, waits for
 * that. */
int life_lock_stopped(const struct store *s, const char *id, struct err *e);
/* The same for who works on its files: one that is between two runs stays there as long as the lock is held. */
int life_lock_files(const struct store *s, const char *id, struct err *e);
/* Removes the runtime files of a container that does not run. */
void life_clean(const struct store *s, const char *id);

/* state_links.c: undoes state_note_links(). */
void links_forget(const struct store *s, const char *id);

/* remove.c. dir: the container's locked directory; -1: it is renamed already. */
int remove_locked(const struct store *s, const struct state *st, int dir, struct err *e);
/* The first half of that. mark: for the renamed directory. */
int remove_retire(
	const struct store *s, const struct state *st, int dir, const char *mark, struct err *e);
/* Removes what a killed remover or creator has left: an entry of containers/. If anonymous volumes are to be removed first,
 * `orphans` gets the id; NULL: such an entry stays. */
void remove_leftover(const struct store *s, const char *entry, struct strv *orphans);

/* orphans.c. Whether the spec in this directory has anonymous volumes. */
bool orphans_have_volumes(int dir);
/* Removes the unused anonymous volumes of removed containers, and then what is left of these containers. What cannot be found
 * out now is left to the next command. */
void orphans_remove(const struct store *s, const struct strv *ids);
