/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state: what is stored of containers, a directory for each.
 *
 *   root/containers/<id>/spec.json     what was asked; never changes; locked by the supervisor, as the life file is, for
 *                                      those with another runtime directory
 *   root/containers/<id>/state         struct state in card.h's form; replaced whole
 *   root/containers/<id>/json.log      output, docker's JSON-file form
 *   root/containers/<id>/upper, work   the writable layer
 *   root/names/<name> -> the id        a symbolic link: creating it is what makes a name unique
 *   root/links/<id>                    empty: the container was made with --link
 *   root/sizes                         cache of containers' sizes (size.h); may be deleted
 *   root/cards                         cache of state files, for listings (deck.h); may be deleted
 *   runtime/c/<id>.life                locked by the supervisor as long as the container runs; at the end
 *                                      it writes the exit code into it, so that a process that waits by
 *                                      locking the file gets the code even if --rm has removed the rest
 *   runtime/c/<id>.ctl                 the supervisor's socket
 *
 * Readers take no lock. A directory appears complete (made as .new-<id>, then renamed) and disappears at once (renamed to
 * .rm-<id>, then removed; to .rmv-<id> first, if anonymous volumes are removed with it). These names show what a killed
 * command has left, and state_list() finishes that.
 * Writers hold a flock on the directory while they read, change and write; so do makers and removers, whose lock tells
 * whether they still live. Nobody keeps a locked descriptor of it. Nothing here calls fsync: after a power cut no container
 * runs any more, and a lost state file only means a container to remove.
 * Whether a container runs is decided by the lock of its life file, never by the state file: if the supervisor is gone,
 * state_load() kills what is left of the container (by pidfd, after comparing the start time) and changes "running" to
 * "exited" with code 137, or 255 after a reboot. The life file is looked for in the supervisor's runtime directory, too, which
 * the state names. Where it cannot be seen, because that directory is out of sight or was cleared, the supervisor's pid in the
 * state decides.
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

/* Identifies a version of a directory's content: its inode and ctime. */
struct sign {
	uint64_t inode; /* 0: it could not be looked at */
	struct timespec changed;
};

struct state {
	id_text id;
	char *name;
	char *image, *image_id; /* as the user wrote it, and its id */
	char *command;          /* for ps: the whole command line in one string */
	enum status status;
	struct timespec created, started, finished; /* zero: never */
	/* pid 1's pid outside; 0: not running. Between creation and start by `run --rm` it is the client's: if that dies before the
	 * start, nobody wants the container any more. */
	pid_t pid;
	uint64_t pid_start;  /* field 22 of its /proc/PID/stat */
	uint64_t pid_serial; /* sys_pidfd_serial() of it */
	pid_t sup; /* the supervisor's pid, and its start time, or its serial number where it has one */
	uint64_t sup_start, sup_serial;
	uint64_t pid_ns;  /* sys_pid_namespace(), of which these are numbers; 0: not known */
	char boot_id[37]; /* of the machine when it was started */
	char *host; /* the machine's node name, as a store in a shared home is seen by other machines, too */
	int exit_code;
	bool oom_killed, timed_out, manually_stopped, auto_remove;
	bool mountless; /* it has no binds or volumes, so its spec need not be read to list them */
	char *error;    /* why it could not be started, or NULL */
	int restart_count;
	struct strv labels; /* for ps and filters */
	char *network;      /* for ps */
	char *ports;    /* published ports: docker's NetworkSettings.Ports as JSON; NULL: none */
	char *health;   /* "starting", "healthy", "unhealthy"; NULL: not checked */
	json_t *result; /* how it ended (outcome.h), or NULL */
	struct sign sign; /* of its directory, from before state_list() read the state, if there are many */
	json_t *extra; /* what other modules store; not looked into here; or NULL */
};

void state_done(struct state *s);
#define auto_state __attribute__((cleanup(state_done)))

int id_random(id_text out, struct err *e); /* 64 hex digits */

/* Called by state_create() to put more files into the new directory. */
struct state_fill {
	int (*fill)(int dir, void *arg, struct err *e);
	void (*undo)(void *arg); /* called if the creation fails after all, to remove what fill() made elsewhere; or NULL */
	void *arg;
};
/* Creates a container: its directory with spec.json, state, upper and work, and its name. st->name NULL: sets a
 * random one like docker's (adjective_surname). ERR_CONFLICT: the name is in use, docker's sentence. *dir: the
 * container's directory, the caller closes. If the creator is killed, the container is complete, with what `fill`
 * (or NULL) has put into it, or does not exist. */
int state_create(const struct store *s, struct state *st, const json_t *spec,
	const struct state_fill *fill, int *dir, struct err *e);
int state_load(const struct store *s, const char *id, struct state *out, struct err *e);
/* The stored spec with all later changes. */
json_t *state_load_spec(const struct store *s, const char *id, struct err *e);
/* Applies a change: new values for members of HostConfig and, under "Sbx", for members of ours. */
void state_apply_change(json_t *spec, const json_t *change);
/* Whether there are any: one call. */
bool state_was_changed(const struct store *s, const char *id);
/* Stores a change, in changes.json beside the spec. */
int state_change_spec(const struct store *s, const char *id, const json_t *change, struct err *e);
int state_save(const struct store *s, const struct state *st, struct err *e);
/* Reserves disk space, so that this process's next state_save() succeeds even if the disk is full by then. */
int state_make_room(const struct store *s, const struct state *st, struct err *e);
/* Reads, changes and saves the state under the container's lock, without repairing it. To be used, and not state_save(), for
 * what two processes may change at once (the supervisor the end, `rename` the name). */
int state_update(const struct store *s, const char *id,
	int (*change)(struct state *st, void *arg, struct err *e), void *arg, struct err *e);
/* Sets the health of a container that is not checked any more, or is paused, to unhealthy, as docker does. Does not save. */
void state_health_stands(struct state *st);
/* state_save() for the supervisor, which knows everything but the name: that is taken from the file, as a `rename` may have
 * changed it. state_learn_name: only takes the name from the file; if that cannot be read the name stays. */
int state_save_life(const struct store *s, struct state *st, struct err *e);
void state_learn_name(const struct store *s, struct state *st);
/* To be called by the supervisor when pid 1 runs: sets status, pid, pid_start, pid_serial, the same of the
 * supervisor, pid_ns, boot_id, host, started; clears what the last end set. */
int state_started(struct state *st, pid_t pid, int pidfd, struct err *e);
bool state_runs(const struct state *st); /* by its status: running, paused or restarting */
/* ERR_CONFLICT if it is said to run on another machine, which shares the store and alone knows whether it still does. */
int state_is_here(const struct state *st, struct err *e);
/* Whether the numbers of its processes are of another pid namespace than ours, and so say nothing to us. */
bool state_is_apart(const struct state *st);
/* state_is_here(), and ERR_CONFLICT if it is said to run in another pid namespace, too. */
int state_is_in_reach(const struct state *st, struct err *e);
/* A pidfd of pid 1 of a container whose supervisor lives; -1: with ESRCH it is gone, even if another process has its number
 * now; with another errno it cannot be known. */
int state_pid1(const struct state *st);
/* A pidfd of the supervisor of a container that is said to run, if that lives, whether or not its life file can be seen. */
int state_supervisor(const struct state *st);
int state_rename(const struct store *s, struct state *st, const char *new_name, struct err *e);
/* Removes the directory, the name and runtime files. Of `st` only the id is used and, if the stored state cannot be read, the
 * name (NULL: links to the id are searched for). state_remove() is for the supervisor, which itself holds the life file; all
 * others call state_remove_stopped(), which gives ERR_CONFLICT if the container runs. Files in upper that this process may not
 * remove (of a subuid range) give ERR_DENIED: name and container are gone by then; calling it again, or state_remove_tree(),
 * in a child that has joined the user namespace removes the rest. */
int state_remove(const struct store *s, const struct state *st, struct err *e);
/* The same in two halves, for a supervisor whose client waits. After state_retire() the container is gone for everybody and its
 * name is free; state_remove_rest() removes the files. The caller holds *dir, which is locked, until then, so that other
 * processes do not clean up as well, and closes it. RETIRE_STOPPED: as state_remove_stopped(). RETIRE_VOLUMES: between the
 * halves the caller removes the container's anonymous volumes and calls state_volumes_gone(); if it is killed, a later command
 * does. (Not before the first half: if two containers that share a volume are removed at once, neither would remove it.) */
enum { RETIRE_STOPPED = 1, RETIRE_VOLUMES = 2 };
int state_retire(const struct store *s, const struct state *st, int how, int *dir, struct err *e);
void state_volumes_gone(const struct store *s, const char *id);
int state_remove_rest(const struct store *s, const struct state *st, struct err *e);
int state_remove_stopped(const struct store *s, const struct state *st, struct err *e);
/* The ids of all containers; reads and repairs no state. */
int state_ids(const struct store *s, struct strv *out, struct err *e);
/* Removes dir/name with everything below, of any depth, without following links, adding missing permissions of directories. Removes
 * as much as it can; the error is the first one. */
int state_remove_tree(int dir, const char *name, struct err *e);

/* Finds a container by name, id or unique prefix of an id. ERR_NOT_FOUND: "No such container: web". */
int state_find(const struct store *s, const char *what, id_text out, struct err *e);
/* For commands whose docker client inspects the container first: for a name like "." that gets a list, and fails with this. */
#define STATE_IS_LIST "json: cannot unmarshal array into Go value of type container.InspectResponse"
int state_find_inspected(const struct store *s, const char *what, id_text out, struct err *e);
/* For a name that is not part of a request's path, and so is not cleaned: "No such container: x/". */
int state_find_said(const struct store *s, const char *what, id_text out, struct err *e);
/* A hint that all of `what` (NULL ends it) will be looked up: if these are many, perhaps prefixes, the list of ids is read once
 * instead of each time. */
void state_know_ids(struct store *s, char *const *what);
/* A container with --link gives each container that it links to one more name, "web/db". state_note_links: notes that this one has
 * links. state_aliases: all of these names, each behind the id of its container. state_names: all names of a container, sorted. */
int state_note_links(const struct store *s, const char *id, struct err *e);
void state_aliases(const struct store *s, struct strv *out);
void state_names(const struct state *st, const struct strv *aliases, struct strv *out);
/* All containers, newest first; with `running_only` the time does not depend on the number of stopped ones. Skips half-removed
 * ones and finishes removing them; one whose state cannot be read is ST_DEAD, and its name the beginning of its id.
 * `result` and `extra` stay NULL, as parsing them would take more time than all the rest; so none of these states may be
 * saved. state_list_free takes NULL. */
int state_list(const struct store *s, bool running_only, struct state **out, size_t *n, struct err *e);
/* Those that run, or may run, if they cannot be read, wherever their runtime directory is, and if it was cleared: for who removes
 * or kills what none of them needs. Takes as long as listing all. */
int state_list_alive(const struct store *s, struct state **out, size_t *n, struct err *e);
void state_list_free(struct state *list, size_t n);

int state_dir(const struct store *s, const char *id, struct err *e); /* root/containers/<id> */
char *state_path(const struct store *s, const char *id); /* the path of that; the caller frees */
/* The directory with the files of running containers, ID.life and ID.ctl; made if missing. */
int state_runtime_dir(const struct store *s, struct err *e);
/* The same in the runtime directory of the supervisor of a container that is said to run, where that is another one; or -1. What
 * asks for the life file or the socket looks there as well. state_note_runtime: for the supervisor, before it saves its start. */
int state_runtime_elsewhere(const struct store *s, const char *id);
void state_note_runtime(const struct store *s, struct state *st);

/* Makes the caller the container's only supervisor, of whatever runtime directory, until the descriptor is closed; ERR_CONFLICT if it
 * runs. To be called before state_life_begin(), and closed before its life file, whose readers may start the next one. */
int state_life_claim(const struct store *s, const char *id, struct err *e);
/* The life file. state_life_begin: makes and locks a new one, ERR_CONFLICT if the container runs already; only the supervisor keeps
 * the descriptor. At the end, in this order: state_life_ending(), from when on who starts or removes it waits for the supervisor;
 * flush the log, save the state or remove the container, state_life_end() with the exit code and whose it is, state_runtime_remove(), close the descriptor.
 * To wait: state_life_open() before anything else is asked, then state_life_wait(), which blocks until the end: 0 and the
 * code, or -1 if the supervisor died without writing one. The descriptor cannot be polled; use the ctl socket for that. */
int state_life_begin(const struct store *s, const char *id, struct err *e);
void state_life_ending(int life);
/* Between two runs, when nothing of the container is mounted. state_life_again: before the next run; false: somebody is at work on
 * its files. */
void state_life_between(int life);
bool state_life_again(const struct store *s, const char *id, int life);
int state_life_end(int life, const struct state *st, struct err *e);
int state_life_open(const struct store *s, const char *id, struct err *e);
bool state_life_alive(int life);
int state_life_wait(int life, int *exit_code, struct err *e);
int state_life_code(int life, int *exit_code); /* the code if one was written, else -1 */
void state_runtime_remove(const struct store *s, const char *id); /* best effort */
