/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter: --filter key=value of all listings and prunes, by docker's rules: several values of one key are alternatives,
 * except labels, which must all match; the values of names and ids are regular expressions of Go's.
 */
#pragma once

#include "err.h"
#include "str.h"

#include <time.h>

struct re;

struct filter {
	char *key, *value; /* value NULL: none was given, and the key has only to be one that is known */
	bool off; /* the API's {"value":false}, which is a value to docker, but one that equals nothing */
	bool plain;    /* the value has no special characters of regular expressions */
	struct re *re; /* NULL: the value is not a valid expression, and matches only itself */
};

struct filters {
	struct filter *v;
	size_t n;
};

/* "key=value". ERR_USAGE: "bad format of filter (expected name=value)". */
int filter_add(struct filters *f, const char *word, struct err *e);
/* The same in two words, which are taken as they are. value: NULL for none. */
void filter_put(struct filters *f, const char *key, const char *value);
void filter_put_off(struct filters *f, const char *key, const char *value);
/* known: keys, NULL at the end. ERR_USAGE for any other key: "invalid filter 'x'". */
int filter_check(const struct filters *f, const char *const *known, struct err *e);
bool filter_has(const struct filters *f, const char *key);
/* The same of a key that has no values, too. */
bool filter_asked(const struct filters *f, const char *key);
/* Whether the key has different values. */
bool filter_has_several(const struct filters *f, const char *key);
/* The next value of the key; *i starts at 0. NULL: no more. */
const char *filter_next(const struct filters *f, const char *key, size_t *i);
/* True: there is no filter of that key, or one of them is found in the value as an expression. */
bool filter_match(const struct filters *f, const char *key, const char *value);
/* The same, but a filter must equal the value, and be on. */
bool filter_equal(const struct filters *f, const char *key, const char *value);
/* Whether the value is one of the key's, on or off. */
bool filter_lists(const struct filters *f, const char *key, const char *value);
/* Whether every label=K and label=K=V is among these "K=V". */
bool filter_labels(const struct filters *f, const struct strv *labels);
/* *out: the value of a boolean key; `otherwise` if there is no such filter. One without a value, or with both, is refused. */
int filter_bool(const struct filters *f, const char *key, bool otherwise, bool *out, struct err *e);
/* ERR_USAGE for values that cannot be used: "invalid filter 'dangling=[x y]'"; where there are none, "invalid filter 'dangling'". */
int filter_invalid(const struct filters *f, const char *key, struct err *e);
void filter_done(struct filters *f);

/* Checks the filters of a prune. *until: the moment of its key "until", which may be given once. */
int filter_prune(
	const struct filters *f, const char *const *known, struct timespec *until, struct err *e);
/* Whether to prune an object: it has all labels of label=, not all of label!=, and was created before `until`. created NULL: its
 * age does not matter. */
bool filter_prunes(const struct filters *f, const struct timespec *until, const struct strv *labels,
	const struct timespec *created);
#define auto_filters __attribute__((cleanup(filter_done)))
