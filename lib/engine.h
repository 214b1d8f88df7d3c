/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine: what a front door may ask for. Below it are plan (pure), launch and supervise; above
 * it are only words. Every call takes ids (state_find) and answers with struct err.
 */
#pragma once

#include "err.h"
#include "spec.h"
#include "state.h"
#include "store.h"

struct host; /* plan.h */

/* What of a spec is refused before anybody looks for its image; engine_create() and engine_run() do it, too. s: where those
 * are whose namespaces it shares; NULL: nobody looks for them. */
int engine_check_asked(const struct store *s, struct spec *spec, struct err *e);
/* Resolves the image, completes the spec, stores the container. Nothing runs yet. */
int engine_create(const struct store *s, struct spec *spec, id_text out, struct err *e);

struct attach {
	bool in, out, err;  /* which streams the caller wants */
	bool tty;           /* the caller's terminal is put in raw mode, resizes are passed on */
	bool proxy_signals; /* signals which the caller gets go to the container */
	bool third_ends; /* of SIGTERM and SIGINT, passed on or not, the third ends the caller, and none before */
	bool die_with_me; /* run --rm: the container dies with this client, SIGKILL included */
	bool redraw; /* what is in front of the terminal is told of another size first, so that it shows itself */
	const char *detach_keys; /* NULL: ctrl-p ctrl-q; "" none */
	int *killed_by; /* NULL, or where to put the signal that ends the caller: it has to raise it again, when all is told */
	char **result;  /* NULL, or where to put the result as JSON (the caller frees) */
	struct err *lost; /* NULL, or where to put why nobody could tell how it ended (137 then) */
	struct err *cut;  /* NULL, or where to put why not all that it wrote could be passed on */
	bool *detached;   /* NULL, or set when the user lets go by keys */
	const int *streams; /* NULL, or three descriptors in the place of in, out and err */
};

/* Starts a created or ended container. With `a` (foreground) relays until it ends and sets *status to what
 * the client exits with (128+n rules, 124 timed out, 0 when detached by keys). Without: returns when
 * the command was exec'ed, or with the reason why it could not be (ERR_NO_COMMAND and so on). */
int engine_start(
	const struct store *s, const char *id, const struct attach *a, int *status, struct err *e);

/* What the plan of a new container of this spec may know of this machine. */
int engine_read_machine(struct host *h, const struct spec *spec, struct err *e);
/* A container of this spec will be run, if its image can be read: what takes long where the image is a file that nobody used
 * before goes on meanwhile. */
void engine_expect(const struct store *s, const struct spec *spec);
/* Create and start in one, without reading back what was just stored: the hot path of `run`. created()
 * is told the id before anything runs (--cidfile); a failure of its undoes the container. */
int engine_run(const struct store *s, struct spec *spec, const struct attach *a,
	int (*created)(const char *id, void *arg, struct err *e), void *arg, int *status,
	struct err *e);

/* The spec of an exec: the process part of a spec (cmd, env, workdir, user, tty, privileged, timeout);
 * said: how the user called the container. */
int engine_exec(const struct store *s, const char *id, const char *said, const struct spec *spec,
	const struct attach *a /* NULL: -d */, int *status, struct err *e);

/* An exec whose streams the caller moves, and which outlives the caller (the API's, where a connection may
 * go and the command stays). The caller is its parent. */
struct exec_io {
	int in, out, err; /* pipes without blocking; -1: none */
	int pty;          /* instead of them, with a terminal */
	int pidfd;        /* readable when it has ended */
	pid_t shim;
	pid_t pid;      /* the command, as the machine numbers it; 0: it has ended */
	int rows, cols; /* asked for: the terminal's size from the start; 0: nobody knows */
};
int engine_exec_open(const struct store *s, const char *id, const struct spec *spec, bool streams,
	bool in, struct exec_io *io, struct err *e);
/* Reaps it: the exit code. */
int engine_exec_wait(const struct exec_io *io);

/* A foreground `run --rm` whose streams are descriptors of the caller's own (all three), which stay his to close:
 * what the program reads and writes passes by nobody else, and is not kept. Answers a socket that is readable when
 * there is something to hear; when the caller closes it, or dies, the container goes. */
int engine_open(
	const struct store *s, struct spec *spec, const int streams[3], id_text out, struct err *e);
/* Is it over? Then the status as of engine_start(), and how it ended (outcome.h), which the caller frees: NULL when its
 * supervisor was killed. */
bool engine_hear(int sock, int *status, char **result);

int engine_attach(
	const struct store *s, const char *id, const struct attach *a, int *status, struct err *e);

/* ERR_CONFLICT, in docker's words for one that does not run, or is between two lives. */
int engine_not_running(const struct state *st, struct err *e);
/* These three take the container by any of its names, and the signal by its word, which may be NULL or "". What is wrong
 * with either is told in docker's words and order. */
/* Sends a signal (SIGKILL where none is named) to pid 1; SIGKILL: returns when it has ended. Between two lives: it begins
 * no other. Not running: ERR_CONFLICT. */
int engine_kill(const struct store *s, const char *what, const char *signal, struct err *e);
/* Its stop signal or the one that is named, then after timeout_s (SPEC_UNSET: its own, -1: never) SIGKILL; returns when it
 * has ended. Not running: 0, nothing done. */
int engine_stop(const struct store *s, const char *what, const char *signal, int64_t timeout_s,
	struct err *e);
/* Ends it like engine_stop and starts it again, one of --rm too. */
int engine_restart(const struct store *s, const char *what, const char *signal, int64_t timeout_s,
	struct err *e);
int engine_pause(const struct store *s, const char *id, bool pause, struct err *e);
/* Blocks until its command ends, be it started again by its restart policy or not. result, if not NULL: how, as JSON, or
 * NULL where it had ended before; the caller's. */
int engine_wait_exit(
	const struct store *s, const char *id, int *exit_code, char **result, struct err *e);
/* Running and not force: ERR_CONFLICT with docker's sentence. force: kills first. */
int engine_remove(const struct store *s, const char *id, bool force, bool volumes, struct err *e);
/* For who calls it by that name, which is told in docker's sentence. */
int engine_remove_named(const struct store *s, const char *id, const char *name, bool force,
	bool volumes, struct err *e);
/* What the container of "web/db" calls db is forgotten; without a slash it is a container's own name: ERR_CONFLICT. */
int engine_remove_link(const struct store *s, const char *what, struct err *e);
