/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json: what the project adds to jansson: reading bounded files, replacing files whole,
 * getters which take the type they find or a default, and a scope attribute.
 */
#pragma once

#include "err.h"
#include "str.h"

#include <jansson.h>

/* On a line. So many digits come out of a double as they went in: 0.041871 is not 0.041870999999999998. */
#define JSON_DIGITS JSON_REAL_PRECISION(15)
#define JSON_LINE   (JSON_COMPACT | JSON_DIGITS)

static inline void auto_json_(json_t **j)
{
	json_decref(*j);
}
#define auto_json __attribute__((cleanup(auto_json_)))

/* First of all: jansson that gets no memory would leave out a member, or all; so this ends the process, as xcalloc() does. */
void json_begin(void);

/* Reads one JSON value from dir/name; at most `max` bytes. NULL on failure. */
json_t *json_read_at(int dir, const char *name, size_t max, struct err *e);
/* The same of a descriptor, which stays open; name: for the error. (jansson's own reads byte by byte.) */
json_t *json_read_fd(int fd, const char *name, size_t max, struct err *e);
/* Replaces dir/name by the value: a temporary in the same directory, then rename. A reader
 * sees the old or the new file, whole. */
int json_write_at(int dir, const char *name, const json_t *value, struct err *e);
/* The same of a name that nobody may have: else EEXIST in e->sys. Of several one gets it, with a whole file. */
int json_create_at(int dir, const char *name, const json_t *value, struct err *e);

const char *json_str(const json_t *object, const char *key, const char *otherwise);
int64_t json_int(const json_t *object, const char *key, int64_t otherwise);
bool json_bool(const json_t *object, const char *key, bool otherwise);
/* An array of strings, or of nothing; other elements are passed over. */
void json_strv(const json_t *array, struct strv *out);
/* Strings from outside may not be UTF-8, which JSON must be: bytes which are not become U+FFFD, as
 * docker does it. Never NULL. */
json_t *json_text(const char *s);
char *json_utf8(const char *s, size_t n); /* the same as text; the caller frees */
/* Why a text of n bytes, a NUL behind them, is no JSON, in Go's words; why: jansson's, of what Go would have read. The second as
 * docker's daemon says it of the body of a request. The caller frees. */
char *json_fault(const char *text, size_t n, const json_error_t *why);
char *json_stream_fault(const char *text, size_t n, const json_error_t *why);
/* "object", "array", "number": what Go cannot unmarshal into something else. */
const char *json_kind(const json_t *j);
void json_set(json_t *object, const char *key, json_t *value); /* takes the value; NULL is null */
void json_set_text(json_t *object, const char *key, const char *value); /* as it is; NULL is "" */
json_t *json_own(const char *text); /* of words of our own, which are JSON */
json_t *json_from_strv(const struct strv *a);
/* An object of strings as "K=V" words, and back; a word without "=" is a key with nothing. The object's keys are in their
 * order, as Go writes a map. */
void json_map_strv(const json_t *object, struct strv *out);
json_t *json_from_map(const struct strv *words);
