/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact: replaces secrets in text by [REDACTED:what-it-was]. Pure.
 *
 * Built in: keys and tokens of many services by their prefixes, passwords and the like by the name before them, credentials
 * in URLs, JWTs, private keys, dumps of an environment. A file adds more, one a line:
 *
 *	# name, blanks, a POSIX extended regular expression, which matches within a line; its first group,
 *	# or without a group all of the match, is the secret.
 *	internal-token  corp_[0-9a-f]{32}
 *	pin             PIN: ([0-9]+)
 *
 * It helps against accidents, not against intent: a secret printed backwards is printed.
 */
#pragma once

#include "err.h"
#include "json.h"
#include "str.h"

#include <regex.h>

struct redact {
	struct redact_rule {
		char *name;
		regex_t re;
	} * rules;
	size_t n;
};

void redact_done(struct redact *r);
#define auto_redact __attribute__((cleanup(redact_done)))

/* Adds the patterns of a file's text; `name` is for messages. */
int redact_patterns(struct redact *r, const char *name, const char *text, struct err *e);

/* Replace in place. more: patterns beside the built-in ones, or NULL. NULL and empty texts stay as they are. */
void redact_buf(const struct redact *more, struct buf *text);
void redact_bytes(const struct redact *more, char **data, size_t *n);
void redact_text(const struct redact *more, char **text);
void redact_json(const struct redact *more, json_t **value); /* in its strings, and in names of members */
