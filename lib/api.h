/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api: docker's Engine API on one connection. A front door: a route reads a request, makes a spec, calls the
 * engine, and answers in docker's fields. Nothing is kept between requests.
 *
 * Each file api_*.c has a table of routes about one subject. "*" in a path stands for a name, which may contain slashes (of an
 * image or a link) or be empty. A route returns 0 when it has answered, or -1 and an error, whose kind gives the HTTP
 * status; api_error() is for errors to which docker gives another status.
 */
#pragma once

#include "err.h"
#include "http.h"
#include "spec.h"
#include "state.h"
#include "store.h"

struct api {
	const struct store *s;
	struct http *h;
	const struct http_request *r;
	int minor;       /* 44 of /v1.44/ */
	const char *arg; /* what the star in the path stands for, or "" */
	int status;      /* HTTP status set by api_error(); 0: the error's kind gives it */
	void (*log)(const char *sentence); /* for what docker's daemon writes to its log only */
};

struct api_route {
	const char *method, *path; /* NULL ends the table */
	int (*run)(struct api *a, struct err *e);
};

extern const struct api_route api_archive[], api_bundle[], api_containers[], api_disk[],
	api_execs[], api_images[], api_networks[], api_prune[], api_streams[], api_system[],
	api_usage[], api_volumes[];

/* Serves the connection until it ends; takes fd over. log: called with what went wrong although a request was answered. */
void api_serve(const struct store *s, int fd, void (*log)(const char *sentence));
/* Logs sentences about what was left out of an answer, as docker's daemon does. */
void api_log(const struct api *a, const struct strv *sentences);

/* Sets an error with this HTTP status; returns -1. */
int api_error(struct api *a, int status, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The request's body with its field names in docker's spelling, as Go takes them in any case; without a body an empty object.
 * NULL: the body is not a JSON object. */
json_t *api_read_json(struct api *a, struct err *e);
/* Checks the types of a body's fields, at any depth, where docker decodes it as this type of Go's; null among strings becomes "". */
int api_types(const char *type, json_t *body, struct err *e);
/* Checks the types of an object's fields, those that are present. A letter before each name gives its type: "sName" a string,
 * "bForce" a boolean, "oIPAM" an object, "lCmd" a list of strings, "mLabels" a map of strings, or null. NULL ends the list. */
int api_check(const json_t *object, const char *const *fields, struct err *e);
int api_done(struct api *a, int status);                /* an answer without a body; 0 */
int api_json(struct api *a, int status, json_t *value); /* takes it; 0 */
/* The container which the star names; ERR_USAGE where it names none. */
int api_container(struct api *a, id_text id, struct err *e);
int api_container_state(struct api *a, struct state *st, struct err *e);
/* The query `key` as a number; `otherwise` where it is absent or "". Not a number: ERR_SYSTEM, as docker answers 500. */
int api_number(struct api *a, const char *key, int64_t otherwise, int64_t *out, struct err *e);
/* The query `key`, a platform in JSON, as "os/arch/variant"; NULL: it is absent, or the client's API is older than 1.`since`,
 * which introduced it. The caller frees. */
int api_platform(struct api *a, const char *key, int since, char **out, struct err *e);
/* The queries "h" (rows) and "w" (columns) of a resize. */
int api_size(struct api *a, uint16_t *rows, uint16_t *cols, struct err *e);

/* The content type of a connection that becomes a stream, for http_hijack(): as docker's daemon has it, only a client that
 * asked for an upgrade is told that there are frames. */
const char *api_hijack_type(const struct api *a, bool tty);

struct filters;
/* ?filters={"label":["a=b"]} or {"label":{"a=b":true}} */
int api_filters(struct api *a, struct filters *out, struct err *e);
/* An element of the list of containers. spec: as stored; aliases: from state_aliases(); size: with SizeRw and SizeRootFs.
 * Never NULL. */
json_t *api_container_row(struct api *a, const struct state *st, const json_t *spec,
	const struct strv *aliases, bool size);
struct image;
/* An element of the list of images, with only those of its names that the filters let through. Never NULL. */
json_t *api_image_row(const struct api *a, const struct image *i, const struct filters *f);
/* Add fields that only older versions of the API had, if the client speaks such a version. */
void api_old_info(const struct api *a, json_t *info);
void api_old_image(const struct api *a, json_t *image);
void api_old_image_names(const struct api *a, json_t *row);
void api_old_container(const struct api *a, json_t *container);
/* A sentence for each wish of the spec that has no effect here. Never NULL. */
json_t *api_warnings(const struct spec *s);
void api_update_warnings(const json_t *change, struct strv *out);
/* Removes members that are "", 0 or null: docker's clients send them for every option that was not given. */
void api_tidy(json_t *object);
