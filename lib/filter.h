/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter: --filter key=value of all listings and prunes, with docker's rules: several values of one
 * key are alternatives, but labels must all be there; names and ids are searched as regular expressions.
 */
#pragma once

#include "err.h"
#include "str.h"

#include <time.h>

#include <regex.h>

struct filter {
	char *key, *value;
	bool plain;  /* no character of the value means anything to a regular expression */
	regex_t *re; /* or NULL: it is none, and matches only itself */
};

struct filters {
	struct filter *v;
	size_t n;
};

/* "key=value". ERR_USAGE: "bad format of filter (expected name=value)". */
int filter_add(struct filters *f, const char *word, struct err *e);
/* known: keys, NULL at the end. Another: ERR_USAGE, "invalid filter 'x'". */
int filter_check(const struct filters *f, const char *const *known, struct err *e);
bool filter_has(const struct filters *f, const char *key);
/* The next value of the key; *i starts at 0. NULL: no more. */
const char *filter_next(const struct filters *f, const char *key, size_t *i);
/* No filter of that key, or one whose expression is found in the value. */
bool filter_match(const struct filters *f, const char *key, const char *value);
/* The same, compared whole. */
bool filter_equal(const struct filters *f, const char *key, const char *value);
/* Every label=K and label=K=V is among these "K=V". */
bool filter_labels(const struct filters *f, const struct strv *labels);
/* *out: what a key that takes true or false says, else `otherwise`. */
int filter_bool(const struct filters *f, const char *key, bool otherwise, bool *out, struct err *e);
void filter_done(struct filters *f);

/* What prune takes: known keys, and *until of its key "until", of which there may be one (0: none). */
int filter_prune(
	const struct filters *f, const char *const *known, struct timespec *until, struct err *e);
/* Whether it is to go: label= must all be there, of label!= none; made before `until`. created NULL: at any time. */
bool filter_prunes(const struct filters *f, const struct timespec *until, const struct strv *labels,
	const struct timespec *created);
#define auto_filters __attribute__((cleanup(filter_done)))
