/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact: secrets in text become [REDACTED:what-it-was]. Pure.
 *
 * Known by itself: keys and tokens by the shapes their makers gave them, passwords and the like by the name before
 * them, credentials in URLs, JWTs, private keys, dumps of an environment. A file adds more, one a line:
 *
 *	# name, blanks, a POSIX extended regular expression; its first group, or all of it, is the secret. It
 *	# matches within a line.
 *	internal-token  corp_[0-9a-f]{32}
 *	pin             PIN: ([0-9]+)
 *
 * It is help against accidents and no proof: who prints a secret backwards has printed it.
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

/* more: NULL, or patterns beside the built-in ones. Everything is replaced in place; NULL and empty stay. */
void redact_buf(const struct redact *more, struct buf *text);
void redact_bytes(const struct redact *more, char **data, size_t *n);
void redact_text(const struct redact *more, char **text);
void redact_json(const struct redact *more, json_t **value); /* its strings, and names */
