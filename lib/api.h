/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api: docker's Engine API on one connection. A front door: routes read a request, make a spec, call the
 * engine, and say what came of it in docker's fields. Nothing is kept here.
 *
 * Each file api_*.c has a table of routes about one subject. In a path "*" is a name, which may hold slashes (an image's, a
 * link's) or be empty. A route returns 0 when it has answered, or -1 and the error, whose
 * kind is the status; api_error() is for where docker's status is another.
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
	int minor;                         /* 44 of /v1.44/ */
	const char *arg;                   /* what stood for the star, or "" */
	int status;                        /* of the error, where it is not the kind's */
	void (*log)(const char *sentence); /* what a daemon tells nobody but its log */
};

struct api_route {
	const char *method, *path; /* NULL ends the table */
	int (*run)(struct api *a, struct err *e);
};

extern const struct api_route api_archive[], api_bundle[], api_containers[], api_disk[],
	api_execs[], api_images[], api_networks[], api_prune[], api_streams[], api_system[],
	api_usage[], api_volumes[];

/* Serves the connection until it ends; takes fd. log gets a line of what went wrong beside what a request was answered. */
void api_serve(const struct store *s, int fd, void (*log)(const char *sentence));
/* What could not be read or done of what was asked for is logged, as docker's daemon does it. */
void api_log(const struct api *a, const struct strv *sentences);

/* States an error with a status of its own; -1. */
int api_error(struct api *a, int status, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The request's body, its field names in docker's spelling; an empty object where there is none. NULL: it is no
 * object of JSON. */
json_t *api_read_json(struct api *a, struct err *e);
/* Fields of an object that must be of a type where they are there, with its letter before the name: "sName" is a string, "bForce" a
 * boolean, "oIPAM" an object, "lCmd" a list of strings, "mLabels" a map of them, which may be null as well. NULL at the end. */
int api_check(const json_t *object, const char *const *fields, struct err *e);
int api_done(struct api *a, int status);                /* an answer without a body; 0 */
int api_json(struct api *a, int status, json_t *value); /* takes it; 0 */
/* The container which the star names; ERR_USAGE where it names none. */
int api_container(struct api *a, id_text id, struct err *e);
int api_container_state(struct api *a, struct state *st, struct err *e);
/* The query `key` as a number; `otherwise` where it is absent or "". What is none is ERR_SYSTEM, as docker has it. */
int api_number(struct api *a, const char *key, int64_t otherwise, int64_t *out, struct err *e);
/* The query `key`, a platform in JSON, as words; NULL: there is none, or the client's API, older than 1.`since`, knows none. The
 * caller frees. */
int api_platform(struct api *a, const char *key, int since, char **out, struct err *e);
/* The queries "h" and "w" of a resize. */
int api_size(struct api *a, uint16_t *rows, uint16_t *cols, struct err *e);

struct filters;
/* ?filters={"label":["a=b"]} or {"label":{"a=b":true}} */
int api_filters(struct api *a, struct filters *out, struct err *e);
/* An element of the list of containers; spec as stored, aliases as state_aliases() has them. size: with what its files
 * take. Never NULL. */
json_t *api_container_row(struct api *a, const struct state *st, const json_t *spec,
	const struct strv *aliases, bool size);
/* An element of the list of images, with those of its names which the filters let through. Never NULL. */
struct image;
json_t *api_image_row(const struct api *a, const struct image *i, const struct filters *f);
/* What older versions of the API had besides, put in where the client speaks one. */
void api_old_info(const struct api *a, json_t *info);
void api_old_image(const struct api *a, json_t *image);
void api_old_container(const struct api *a, json_t *container);
/* Of what was asked for: what has no effect here, a sentence each. Never NULL. */
json_t *api_warnings(const struct spec *s);
void api_update_warnings(const json_t *change, struct strv *out);
/* Strings and numbers which say nothing ("", 0, null) leave the object: docker's clients send them for what was
 * not asked for. */
void api_tidy(json_t *object);
