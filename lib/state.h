/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state: one directory a container.
 *
 *   root/containers/<id>/spec.json     what was asked; never changes
 *   root/containers/<id>/state         struct state in card.h's form; replaced whole
 *   root/containers/<id>/json.log      output, docker's JSON-file form
 *   root/containers/<id>/upper, work   the writable layer
 *   root/names/<name> -> the id        a symbolic link: creating it is what makes a name unique
 *   root/links/<id>                    empty: the container was made with --link
 *   root/sizes                         what the files of many add up to (size.h); may be deleted
 *   root/cards                         what many state files say, for listings (deck.h); may be deleted
 *   runtime/c/<id>.life                locked by the supervisor as long as the container runs; at the end
 *                                      the exit code is written into it, so that one who waits by
 *                                      locking it learns the code even when --rm has removed all else
 *   runtime/c/<id>.ctl                 the supervisor's socket
 *
 * Readers take no lock. A directory appears whole (made as .new-<id>, renamed) and goes whole
 * (renamed to .rm-<id>, then taken apart; to .rmv-<id> first, where volumes that nobody named go with it): what a killed
 * command left is recognised by these names, and state_list() finishes it.
 * Writers hold flock on the directory over read-change-write, makers and removers too: so the dead
 * are told from the living. Nobody keeps a locked descriptor of it. Nothing here calls fsync: after a power
 * cut no container runs any more, and a lost state file only means one to remove.
 * Whether a container runs is asked of the kernel (the lock), never of the file: state_load() repairs
 * what it reads when the supervisor is gone: kills what is left of the container (pid with start
 * time, by pidfd), and makes a "running" into an "exited" with code 137, or 255 after a reboot.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "store.h"

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define ID_LEN 64
typedef char id_text[ID_LEN + 1];

enum status {
	ST_CREATED,
	ST_RUNNING,
	ST_PAUSED,
	ST_RESTARTING,
	ST_REMOVING,
	ST_EXITED,
	ST_DEAD,
	STATUSES
};
extern const char *const status_names[STATUSES]; /* "created", "running", ... */

/* A directory as the kernel describes it. */
struct sign {
	uint64_t inode; /* 0: it could not be looked at */
	struct timespec changed;
};

struct state {
	id_text id;
	char *name;
	char *image, *image_id; /* as asked, and what it meant */
	char *command;          /* for ps: the whole command line in one string */
	enum status status;
	struct timespec created, started, finished; /* zero: never */
	/* pid 1's pid outside, 0 when not running; of one which `run --rm` has just created, its client's: killed
	 * before the start, that one leaves a container which nobody wants. */
	pid_t pid;
	uint64_t pid_start;  /* field 22 of its /proc/PID/stat */
	uint64_t pid_serial; /* sys_pidfd_serial() of it */
	char boot_id[37];    /* of the machine when it was started */
	char *host;          /* its node name: a store in a shared home is seen by other machines */
	int exit_code;
	bool oom_killed, timed_out, manually_stopped, auto_remove;
	bool mountless; /* no binds and no volumes: nobody need read the spec to know which */
	char *error;    /* why it could not start, or NULL */
	int restart_count;
	struct strv labels; /* for ps and filters */
	char *network;      /* for ps */
	char *ports;    /* published: docker's NetworkSettings.Ports of them as JSON; NULL: none */
	char *health;   /* "starting", "healthy", "unhealthy"; NULL: not checked */
	json_t *result; /* how it ended: struct of the result file, or NULL */
	struct sign sign; /* of its directory, before state_list() read this, where there are many */
	json_t *extra;    /* what later pieces of work store; kept, never looked into; or NULL */
};

void state_done(struct state *s);
#define auto_state __attribute__((cleanup(state_done)))

int id_random(id_text out, struct err *e); /* 64 hex digits */

/* Make a container: its directory with spec.json, state.json, upper and work, and its name. st->name
 * NULL: a name in docker's manner is made up (adjective_surname) and set. Name in use: ERR_CONFLICT and
 * docker's sentence. On success *dir is the container's directory (caller closes). Of a creator that is killed
 * there is the whole container or none: what else belongs into the directory `fill` puts there; or NULL. */
struct state_fill {
	int (*fill)(int dir, void *arg, struct err *e);
	void (*undo)(void *arg); /* what was made elsewhere, of a creation that fails; or NULL */
	void *arg;
};
int state_create(const struct store *s, struct state *st, const json_t *spec,
	const struct state_fill *fill, int *dir, struct err *e);
int state_load(const struct store *s, const char *id, struct state *out, struct err *e);
/* The spec with the changes made since. */
json_t *state_load_spec(const struct store *s, const char *id, struct err *e);
/* A change: members of HostConfig that are other from now on, and under "Sbx" those of ours. */
void state_apply_change(json_t *spec, const json_t *change);
/* Keeps it, in changes.json beside the spec. */
int state_change_spec(const struct store *s, const char *id, const json_t *change, struct err *e);
int state_save(const struct store *s, const struct state *st, struct err *e);
/* The next state_save() of this process's finds room there on a disk which may be full by then. */
int state_make_room(const struct store *s, const struct state *st, struct err *e);
/* Read, change, save under the container's lock; nothing is repaired. What two processes may
 * change (the supervisor its end, `rename` the name) goes through here, not through state_save. */
int state_update(const struct store *s, const char *id,
	int (*change)(struct state *st, void *arg, struct err *e), void *arg, struct err *e);
/* Nobody asks for its health any more, or for now: docker calls that unhealthy. Not yet saved. */
void state_health_stands(struct state *st);
/* state_save by the supervisor, which knows all of it but the name: a `rename` may be on its way, and what stands in
 * the file is its name then. state_learn_name: that alone; without a readable file the old one stays. */
int state_save_life(const struct store *s, struct state *st, struct err *e);
void state_learn_name(const struct store *s, struct state *st);
/* pid 1 runs: sets status, pid, pid_start, pid_serial, boot_id, host, started; clears what told of the last end. */
int state_started(struct state *st, pid_t pid, int pidfd, struct err *e);
/* A pidfd of pid 1 of a container whose supervisor lives; -1 when it is gone, whoever has its number now. */
int state_pid1(const struct state *st);
int state_rename(const struct store *s, struct state *st, const char *new_name, struct err *e);
/* Directory, name and runtime files go. Of `st` the id is looked at, and the name where there is
 * no readable state; NULL then: its links are searched. state_remove is for the supervisor, which holds the life file itself; all
 * others call state_remove_stopped: ERR_CONFLICT when it runs. Files in upper which are not the
 * user's to remove (subuid ranges) make it ERR_DENIED: name and container are gone by then; call it
 * again, or state_remove_tree(), in a child which joined the user namespace, and the rest goes. */
int state_remove(const struct store *s, const struct state *st, struct err *e);
/* The same in two halves, for a supervisor whose client waits: after the first the container is gone for
 * everybody, and its name free; the second takes the files away. *dir is held until then, so that a cleaner knows
 * that someone is at it; the caller closes. RETIRE_STOPPED: as state_remove_stopped. RETIRE_VOLUMES: between the halves its
 * volumes are removed, and then it is told that they are gone; a later command does this for one that was killed. Not before
 * the first: of two that share one, and go at the same time, none would take it along. */
enum { RETIRE_STOPPED = 1, RETIRE_VOLUMES = 2 };
int state_retire(const struct store *s, const struct state *st, int how, int *dir, struct err *e);
void state_volumes_gone(const struct store *s, const char *id);
int state_remove_rest(const struct store *s, const char *id, struct err *e);
int state_remove_stopped(const struct store *s, const struct state *st, struct err *e);
/* The ids of all, as they are called now: nothing is read or repaired. */
int state_ids(const struct store *s, struct strv *out, struct err *e);
/* dir/name and all below; links are not followed, depth does not matter, missing permissions of
 * directories are given first. What cannot go stays, the rest goes; the first refusal is told. */
int state_remove_tree(int dir, const char *name, struct err *e);

/* By name, id or unique prefix of an id. ERR_NOT_FOUND "No such container: web". */
int state_find(const struct store *s, const char *what, id_text out, struct err *e);
/* For a command whose docker client inspects the container first: of a name like "." it gets a list, and says so itself. */
#define STATE_IS_LIST "json: cannot unmarshal array into Go value of type container.InspectResponse"
int state_find_inspected(const struct store *s, const char *what, id_text out, struct err *e);
/* A name that is no part of a request's path, and so is not cleaned: "No such container: x/". */
int state_find_said(const struct store *s, const char *what, id_text out, struct err *e);
/* For who looks for all of `what` (NULL ends it), by the beginnings of their ids it may be: where that are many, which ids
 * there are is read once instead of each time. */
void state_know_ids(struct store *s, char *const *what);
/* A container with --link gives those that it leads to one more name each, "web/db". state_note_links: it is one.
 * state_aliases: all of these names, each behind the id that it means. state_names: all of a container's, sorted. */
int state_note_links(const struct store *s, const char *id, struct err *e);
void state_aliases(const struct store *s, struct strv *out);
void state_names(const struct state *st, const struct strv *aliases, struct strv *out);
/* All containers, newest first; with `running_only` in a time that does not depend on how many
 * stopped ones there are. Half-removed ones are passed over, and their removal is finished;
 * one whose state cannot be read is ST_DEAD, its name the beginning of its id.
 * `result` and `extra` stay NULL (parsing them would cost more than all the rest), so save none of these.
 * state_list_free takes NULL. */
int state_list(const struct store *s, bool running_only, struct state **out, size_t *n, struct err *e);
void state_list_free(struct state *list, size_t n);

int state_dir(const struct store *s, const char *id, struct err *e); /* root/containers/<id> */
char *state_path(const struct store *s, const char *id); /* its path, for those who need one; caller frees */
/* The directory of the running ones' files, ID.life and ID.ctl; made if missing. */
int state_runtime_dir(const struct store *s, struct err *e);

/* The life file. state_life_begin: a new file, locked, ERR_CONFLICT when the container runs already; the
 * descriptor is kept by the supervisor alone. At the end, in this order: log flushed, state saved or container
 * removed, state_life_end, state_runtime_remove, descriptor closed.
 * state_life_end: writes the exit code. state_life_open: for one who waits, opened before he asks for
 * anything; state_life_wait blocks until the end: 0 and the code, or -1 when the supervisor died without one.
 * The descriptor is pollable by nobody: callers which must poll as well use the ctl socket. */
int state_life_begin(const struct store *s, const char *id, struct err *e);
int state_life_end(int life, int exit_code, struct err *e);
int state_life_open(const struct store *s, const char *id, struct err *e);
bool state_life_alive(int life);
int state_life_wait(int life, int *exit_code, struct err *e);
int state_life_code(int life, int *exit_code); /* the code if one was written, else -1 */
void state_runtime_remove(const struct store *s, const char *id); /* best effort */
