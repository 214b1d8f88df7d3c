/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statedir: what state.c, names.c, life.c and remove.c share about the directories in state.h. Nobody
 * else includes this. No word of a user becomes part of a path here but a checked name or id.
 */
#pragma once

#include "state.h"

#include <dirent.h>

/* "containers/" ".new-" id "/" file: none of the files has a longer name than this has room for. */
typedef char path_text[128];
void statedir_path(path_text out, const char *mark, const char *id, const char *file);
#define MARK_NEW     ".new-"
#define MARK_OLD     ".rm-"
#define MARK_VOLUMES ".rmv-" /* one whose volumes that nobody named are still to go */

/* root/containers/<mark><id>, or -1 with errno. */
int statedir_open(const struct store *s, const char *mark, const char *id);
/* root/containers, to look into by id; or -1 with errno. */
int statedir_all(const struct store *s);
/* mkdirat for the few directories directly below root and runtime, which exist nearly always:
 * called when something below was found missing. */
int statedir_make(int dir, const char *name, struct err *e);
/* The container's directory, flock'ed; closing the descriptor releases it. */
int statedir_lock(const struct store *s, const char *id, struct err *e);
/* flock which goes on after a signal; 0 or -1 with errno. */
int statedir_flock(int fd, int how);
/* The state as it stands in the file. */
int statedir_read(const struct store *s, const char *id, bool whole, struct state *out, struct err *e);
/* Of one that is going, by the mark of it. */
int statedir_read_as(const struct store *s, const char *mark, const char *id, bool whole,
	struct state *out, struct err *e);
/* The same, but of a container whose supervisor died it says what became of it; see life_repair(). One of --rm takes the
 * volumes that nobody named along. */
int statedir_load(const struct store *s, const char *id, bool whole, struct state *out, struct err *e);
/* The name as it stands in the file, or NULL. For who has the lock. Caller frees. */
char *statedir_name(const struct store *s, const char *id);

/* Calls each() for every entry of dir/name but . and ..; a missing directory has none. Stops at the first
 * answer which is not 0 and returns it. */
int statedir_each(int dir, const char *name,
	int (*each)(const struct dirent *d, void *arg, struct err *e), void *arg, struct err *e);

int statedir_no_such(const char *what, struct err *e); /* docker's sentence; -1 */

/* life.c: when the supervisor of a container that should run is dead: kill what is left, say so in
 * the state, or remove the container (--rm): then ERR_NOT_FOUND. `orphans` gets its id where it had volumes that nobody named:
 * for orphans_remove(), when whoever lists has seen all, since who uses these is asked of all others. */
int life_repair(const struct store *s, struct state *st, struct strv *orphans, struct err *e);
/* The control group of a container that does not run, which its killed supervisor left; if there is one. */
void life_remove_cgroup(const struct state *st);
/* Nobody holds the life file of this container. It may run again at once, unless one has the lock. */
bool life_is_stale(const struct store *s, const char *id);
/* The container's lock, with the certainty that it does not run, or ERR_CONFLICT. One whose end is told, but
 * whose supervisor is still there, is waited for. */
int life_lock_stopped(const struct store *s, const char *id, struct err *e);
/* The runtime directory of a container which does not run goes. */
void life_clean(const struct store *s, const char *id);

/* state_links.c: the note of state_note_links() goes. */
void links_forget(const struct store *s, const char *id);

/* remove.c: `dir` is the container's directory, locked, or -1: already renamed. */
int remove_locked(const struct store *s, const struct state *st, int dir, struct err *e);
/* The first half of it, under which name. */
int remove_retire(
	const struct store *s, const struct state *st, int dir, const char *mark, struct err *e);
/* What a killed remover (or creator) left under containers/; entry as found there. Of one that had volumes which nobody named
 * `orphans` gets the id; NULL: such a one stays. */
void remove_leftover(const struct store *s, const char *entry, struct strv *orphans);

/* orphans.c: whether its spec has volumes that nobody named. */
bool orphans_have_volumes(int dir);
/* The volumes that nobody named, and that nobody uses, of containers that are gone, and then what is left of these.
 * What cannot be asked now the next command does. */
void orphans_remove(const struct store *s, const struct strv *ids);
