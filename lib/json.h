/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json: additions to jansson: reading files up to a bound, replacing files atomically, getters with a default for members that
 * are missing or of another type, and a scope attribute.
 */
#pragma once

#include "err.h"
#include "str.h"

#include <jansson.h>

/* Flags for json_dumps(). 15 digits of a double come out as they went in: 0.041871, not 0.041870999999999998. */
#define JSON_DIGITS JSON_REAL_PRECISION(15)
#define JSON_LINE   (JSON_COMPACT | JSON_DIGITS)

static inline void auto_json_(json_t **j)
{
	json_decref(*j);
}
#define auto_json __attribute__((cleanup(auto_json_)))

/* To be called first: makes jansson end the process when memory runs out, as xcalloc() does; otherwise it would silently leave
 * members out. */
void json_begin(void);

/* What is stored has at most so many bytes: more is refused when it is written, so that what was written can be read. */
#define JSON_STORED_MAX (64u << 20)

/* Reads one JSON value from dir/name; at most `max` bytes. NULL on failure. */
json_t *json_read_at(int dir, const char *name, size_t max, struct err *e);
/* The same from a descriptor, which stays open; name: for the error. (jansson's own function reads byte by byte.) */
json_t *json_read_fd(int fd, const char *name, size_t max, struct err *e);
/* Replaces dir/name by the value, by renaming a temporary file: a reader sees the whole old file or the whole new
 * one. ERR_USAGE: it is larger than JSON_STORED_MAX. */
int json_write_at(int dir, const char *name, const json_t *value, struct err *e);
/* The same, but the name must not exist: else e->sys is EEXIST. Of several processes at once one succeeds. */
int json_create_at(int dir, const char *name, const json_t *value, struct err *e);

/* Appends what json_dumps() made, NULL for none, as Go's encoding/json writes it; html: with <, > and & escaped as it does unless
 * told otherwise. */
void json_go(const char *text, bool html, struct buf *out);

const char *json_str(const json_t *object, const char *key, const char *otherwise);
int64_t json_int(const json_t *object, const char *key, int64_t otherwise);
bool json_bool(const json_t *object, const char *key, bool otherwise);
/* Spells the object's keys as they stand among the names: Go's decoder takes them in any case, and of several the last one. */
void json_spell(json_t *object, const char *const *names, size_t n);
/* Adds the strings of an array to `out`; skips elements of other types. */
void json_strv(const json_t *array, struct strv *out);
/* A JSON string of any text; bytes that are not UTF-8 become U+FFFD, as with docker. Never
 * NULL. */
json_t *json_text(const char *s);
char *json_utf8(const char *s, size_t n); /* that text itself; the caller frees */
/* A text in JSON with what jansson refuses but Go takes for U+FFFD: bytes that are no UTF-8, and escapes of half a pair of
 * surrogates, which python writes for such bytes. NULL: there is a NUL in it. The caller frees. */
char *json_forgiven(const char *s, size_t n);
/* Why a text of n bytes, with a NUL behind them, is not JSON, in Go's words; why: jansson's error, for texts that Go would take.
 * json_stream_fault(): in the words of docker's daemon about the body of a request. The caller frees. */
char *json_fault(const char *text, size_t n, const json_error_t *why);
char *json_stream_fault(const char *text, size_t n, const json_error_t *why);
/* Go's name of the value's type, for its unmarshal errors: "object", "array", "number"... */
const char *json_kind(const json_t *j);
void json_set(json_t *object, const char *key, json_t *value); /* takes the value; NULL is null */
void json_set_text(json_t *object, const char *key, const char *value); /* a json_text(); NULL is "" */
json_t *json_own(const char *text); /* parses JSON that is part of this program */
json_t *json_from_strv(const struct strv *a);
/* Converts an object of strings to "K=V" words, and back, where a word without "=" is a key with "". The object's keys are
 * sorted, as Go writes a map. */
void json_map_strv(const json_t *object, struct strv *out);
json_t *json_from_map(const struct strv *words);
