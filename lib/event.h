/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event: the log of what happened to containers, images, volumes and networks, for `events`.
 *
 *   root/events    one JSON object a line, docker's event message; appended by one write each
 *   root/events.1  the older half
 *
 * Emitting an event never fails the operation that it is about: it returns no error, and costs one write. The file is
 * bounded: the process whose line makes it too long renames it.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "spec.h"
#include "state.h"
#include "store.h"

#include <time.h>

/* type: "container", "image", "volume", "network". attributes: an object of strings, or NULL; not taken. */
void event_emit(const struct store *s, const char *type, const char *action, const char *id,
	const json_t *attributes);
/* An event of a container, with its image, name and labels as attributes. key: one more attribute, or NULL. */
void event_container(const struct store *s, const struct state *st, const char *action,
	const char *key, const char *value);
/* The same with several more attributes: an object of strings, which is taken over. */
void event_container_with(
	const struct store *s, const struct state *st, const char *action, json_t *more);
/* The events of a container's start, in one write: its networks are connected, its volumes mounted, then it starts. started:
 * false: the start failed; all events but that one are told, as docker does. */
void event_life_begin(
	const struct store *s, const struct state *st, const struct spec *spec, bool started);
/* The events of its end. code: its exit code, or NULL if it never started. spec NULL: the stored one is read. */
void event_life_end(
	const struct store *s, const struct state *st, const struct spec *spec, const char *code);
/* "exec_create: CMD ARGS", "exec_start: CMD ARGS", or "exec_detach" without a command (NULL). */
void event_exec(const struct store *s, const struct state *st, const char *action,
	const char *exec_id, const struct strv *command);
/* exec_create and exec_start in one write. */
void event_exec_start(const struct store *s, const struct state *st, const char *exec_id,
	const struct strv *command);
void event_exec_die(const struct store *s, const struct state *st, const char *exec_id, int code);
/* An event of an image, with its labels. name: as which it is told; NULL: its id, as docker has it for what is done to an image
 * rather than to one of its names. */
void event_image(const struct store *s, const char *action, const char *id, const char *name);
/* An event for each line "Untagged: x" or "Deleted: sha256:x" of image_remove()'s report. labels: those that the image had. */
void event_image_removed(const struct store *s, const char *id, const struct strv *labels,
	const struct strv *report);
/* The event of a prune, which is about no single object and therefore has no id. */
void event_prune(const struct store *s, const char *type, int64_t reclaimed);

/* Reading: all events that are kept, oldest first, then new ones as they come. */
struct event_reader {
	const struct store *store;
	int fd, old; /* the file that is appended to; the one before that, which was renamed */
	int inotify;
	struct buf rest, old_rest; /* the beginning of a line */
	struct err failed;         /* why there are no more; ERR_NONE where nothing failed */
};

int event_open(struct event_reader *r, const struct store *s, struct err *e);
/* True: *out is the next event, the caller's. False: none came until `until` (NULL: do not wait; zero: no end), or none can be
 * read: then `failed` says why. */
bool event_next(struct event_reader *r, const struct timespec *until, json_t **out);
void event_done(struct event_reader *r);
#define auto_event_reader __attribute__((cleanup(event_done)))

/* --since and --until. */
struct event_span {
	struct timespec since, until;
	bool ends; /* false: `until` is unset */
};

/* Reads the two words that docker's client sends, each of which may be NULL or "". Without since: from now on or, with until,
 * from the oldest event on. ERR_USAGE: since is after until; ERR_SYSTEM: not a point in time. */
int event_span_read(const char *since, const char *until, struct event_span *out, struct err *e);
struct filters;
/* Like event_next(), for the next event in the span that passes the filters. */
bool event_next_of(struct event_reader *r, const struct event_span *span, const struct filters *f,
	json_t **out);
