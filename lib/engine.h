/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine: everything that a front door (a command line, the API) may ask for. Below it are plan (pure), launch and
 * supervise; above it is only parsing and printing. Calls take container ids (state_find) unless they say otherwise.
 */
#pragma once

#include "err.h"
#include "spec.h"
#include "state.h"
#include "store.h"

struct host; /* plan.h */

/* Those checks of a spec that come before its image is looked for; engine_create() and engine_run() do them, too. s: the store
 * with the containers whose namespaces the spec shares; NULL: these are not looked up. */
int engine_check_asked(const struct store *s, struct spec *spec, struct err *e);
/* Resolves the image, completes the spec, stores the container. Nothing runs yet. */
int engine_create(const struct store *s, struct spec *spec, id_text out, struct err *e);

struct attach {
	bool in, out, err;  /* which streams the caller wants */
	bool tty;           /* the caller's terminal is put in raw mode, resizes are passed on */
	bool proxy_signals; /* signals that the caller gets are passed on to the container */
	bool third_ends; /* the third SIGTERM or SIGINT ends the caller, passed on or not; none before does */
	bool die_with_me; /* run --rm: the container dies with this client, even if that is killed by SIGKILL */
	bool redraw; /* resize the terminal twice, so that a full-screen program draws itself again */
	const char *detach_keys; /* NULL: ctrl-p ctrl-q; "" none */
	/* Outputs; each may be NULL. */
	int *killed_by; /* the signal that ends the caller, which has to raise it again after its last words */
	char **result;    /* the result as JSON; the caller frees */
	struct err *lost; /* why it is not known how the container ended; *status is 137 then */
	struct err *cut;  /* why not all of its output could be passed on */
	bool *detached;   /* the user has detached by keys */
	const int *streams; /* an input again: three descriptors instead of the caller's standard streams; or NULL */
};

/* Starts a created or ended container. With `a` (foreground) it relays streams until the container ends and sets *status to
 * the client's exit status: that of the command, 128+n for signal n, 124 after a timeout, 0 when detached by keys. Without
 * `a` it returns when the command was exec'ed, or with the error why that failed (ERR_NO_COMMAND and so on). */
int engine_start(
	const struct store *s, const char *id, const struct attach *a, int *status, struct err *e);

/* Reads from the machine what planning a new container of this spec needs to know. */
int engine_read_machine(struct host *h, const struct spec *spec, struct err *e);
/* A hint that a container of this spec is about to be run: begins in the background what takes long if its image is a file
 * that was never used before. */
void engine_expect(const struct store *s, const struct spec *spec);
/* Creates and starts a container without reading back what it has just stored: the hot path of `run`. created() is called
 * with the id before anything runs (--cidfile); if it fails the container is removed again. */
int engine_run(const struct store *s, struct spec *spec, const struct attach *a,
	int (*created)(const char *id, void *arg, struct err *e), void *arg, int *status,
	struct err *e);

/* The spec of an exec: the process part of a spec (cmd, env, workdir, user, tty, privileged, timeout);
 * said: how the user called the container. */
int engine_exec(const struct store *s, const char *id, const char *said, const struct spec *spec,
	const struct attach *a /* NULL: -d */, int *status, struct err *e);

/* Fails in docker's words if the container does not run, or is paused. */
int engine_exec_may(const struct state *st, const char *said, struct err *e);

/* An exec of the API: the caller moves the bytes of its streams and is its parent, but the command goes on if the caller
 * ends. */
struct exec_io {
	int in, out, err; /* non-blocking pipes; -1: none */
	int pty;          /* with a terminal, instead of the pipes */
	int pidfd;        /* readable when the exec has ended */
	pid_t shim;
	pid_t pid;      /* the command's, in the machine's pid namespace; 0: it has ended */
	int rows, cols; /* set by the caller: the terminal's size from the start; 0: not known */
};
int engine_exec_open(const struct store *s, const char *id, const struct spec *spec, bool streams,
	bool in, struct exec_io *io, struct err *e);
/* Reaps the exec and returns its exit code. */
int engine_exec_wait(const struct exec_io *io);

/* A foreground `run --rm` directly on three descriptors of the caller's, which the caller still closes: streams pass through
 * no other process and are not logged. Returns a socket that becomes readable when there is something for engine_hear(); the
 * container is ended when the caller closes it or dies. */
int engine_open(
	const struct store *s, struct spec *spec, const int streams[3], id_text out, struct err *e);
/* True: the container has ended. *status: as engine_start() has it; *result: how it ended (outcome.h), NULL if its supervisor
 * was killed; the caller frees. */
bool engine_hear(int sock, int *status, char **result);

int engine_attach(
	const struct store *s, const char *id, const struct attach *a, int *status, struct err *e);

/* ERR_CONFLICT, in docker's words for a container that is not running, or is restarting. */
int engine_not_running(const struct state *st, struct err *e);
/* kill, stop and restart take the container by any of its names and the signal by its name, which may be NULL or "". Errors about
 * either come in docker's words and order. */
/* Sends a signal, SIGKILL if none is named, to pid 1; after SIGKILL it returns when the container has ended. If the container is
 * waiting to be restarted, it is not. Not running: ERR_CONFLICT. */
int engine_kill(const struct store *s, const char *what, const char *signal, struct err *e);
/* Sends the named signal or the container's stop signal, and SIGKILL after timeout_s seconds (SPEC_UNSET: the container's own
 * timeout, -1: never); returns when it has ended. Not running: 0, nothing is done. */
int engine_stop(const struct store *s, const char *what, const char *signal, int64_t timeout_s,
	struct err *e);
/* Stops the container like engine_stop() and starts it again, even one of --rm. */
int engine_restart(const struct store *s, const char *what, const char *signal, int64_t timeout_s,
	struct err *e);
int engine_pause(const struct store *s, const char *id, bool pause, struct err *e);
/* Blocks until the container's command ends, whether or not its restart policy starts it again. result, if not NULL: how it
 * ended, as JSON, or NULL if it had ended before; the caller frees. */
int engine_wait_exit(
	const struct store *s, const char *id, int *exit_code, char **result, struct err *e);
/* Removes a container. If it is running: ERR_CONFLICT with docker's sentence, or with force it is killed first. */
int engine_remove(const struct store *s, const char *id, bool force, bool volumes, struct err *e);
/* engine_remove() with the name by which the user called it, for docker's sentence. */
int engine_remove_named(const struct store *s, const char *id, const char *name, bool force,
	bool volumes, struct err *e);
/* what: "web/db": container web forgets its link db. Without a slash it is a container's own name: ERR_CONFLICT. */
int engine_remove_link(const struct store *s, const char *what, struct err *e);
