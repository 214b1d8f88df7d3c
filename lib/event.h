/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event: what happened to containers, images and volumes, for `events` and who waits for it.
 *
 *   root/events    one JSON object a line, docker's event message; appended by one write each
 *   root/events.1  the older half
 *
 * Telling never fails what is told: nothing here returns an error to those who emit, and an event costs
 * them one write. The file is bounded: the one whose line makes it too long renames it.
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
/* Of a container: image, name and labels are among the attributes. key: one more, or NULL. */
void event_container(const struct store *s, const struct state *st, const char *action,
	const char *key, const char *value);
/* The same with several more: an object of strings, which is taken. */
void event_container_with(
	const struct store *s, const struct state *st, const char *action, json_t *more);
/* A life of it begins: its networks are connected, its volumes mounted, and then it starts; of one that could not
 * (started: false) the rest is told all the same. One write. */
void event_life_begin(
	const struct store *s, const struct state *st, const struct spec *spec, bool started);
/* code: with which it died, or NULL when it never started. spec NULL: the stored one is read. */
void event_life_end(
	const struct store *s, const struct state *st, const struct spec *spec, const char *code);
/* "exec_create: CMD ARGS", "exec_start: CMD ARGS", or "exec_detach" without a command (NULL). */
void event_exec(const struct store *s, const struct state *st, const char *action,
	const char *exec_id, const struct strv *command);
/* exec_create and exec_start in one write. */
void event_exec_start(const struct store *s, const struct state *st, const char *exec_id,
	const struct strv *command);
void event_exec_die(const struct store *s, const struct state *st, const char *exec_id, int code);
/* With its labels, and under this name; NULL: its id, as docker tells of what is done to an image rather than to a
 * name of it. */
void event_image(const struct store *s, const char *action, const char *id, const char *name);
/* "Untagged: x" and "Deleted: sha256:x", as image_remove() reports of the image `id` that had these labels. */
void event_image_removed(const struct store *s, const char *id, const struct strv *labels,
	const struct strv *report);
/* Of what nobody used all has gone: of no one thing, and therefore without an id. */
void event_prune(const struct store *s, const char *type, int64_t reclaimed);

/* Reading. The whole of what is kept, oldest first, then what comes. */
struct event_reader {
	const struct store *store;
	int fd, old; /* the file which is appended to; the one that it was before it was renamed */
	int inotify;
	struct buf rest, old_rest; /* the beginning of a line */
	struct err failed;         /* why there are no more; ERR_NONE where nothing failed */
};

int event_open(struct event_reader *r, const struct store *s, struct err *e);
/* True and the next event (the caller's); false: none came until `until` (NULL: now; zero: for ever), or `failed` says why
 * none can be read. */
bool event_next(struct event_reader *r, const struct timespec *until, json_t **out);
void event_done(struct event_reader *r);
#define auto_event_reader __attribute__((cleanup(event_done)))

/* From when on, and until when, somebody wants to hear. */
struct event_span {
	struct timespec since, until;
	bool ends; /* else until is nothing, and it goes on for ever */
};

/* Of the two words that docker's client sends; NULL or "" where it sends none: what comes, or all that is kept until
 * then. ERR_USAGE for a since after its until, ERR_SYSTEM for what is no moment. */
int event_span_read(const char *since, const char *until, struct event_span *out, struct err *e);
/* The next of it that passes; else as event_next(). */
struct filters;
bool event_next_of(struct event_reader *r, const struct event_span *span, const struct filters *f,
	json_t **out);
