/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change_parts: shared by the files of change: instructions (change.c) and their words (change_words.c). Nobody else
 * includes this.
 */
#pragma once

#include "change.h"

#define BLANKS " \t\v\f\r\n" /* those of isspace() */

struct change {
	json_t *config;
	struct strv env; /* the environment before this instruction; in the config when all are done */
	struct strv set;  /* what this one sets */
	const char *name; /* of the instruction, upper case */
	const char *rest; /* what follows its name and flags */
	struct strv flags;
	bool cmd_set; /* an earlier instruction has set CMD, so ENTRYPOINT does not reset it */
};

/* Appends the word to `out`, without its quotes and with variables replaced. */
int change_unquote(const struct change *c, const char *word, struct buf *out, struct err *e);
/* Splits at blanks outside of quotes; the quotes stay. */
void change_split(const char *s, struct strv *out);
/* Splits at blanks, whatever quotes there are. */
void change_split_blanks(const char *s, struct strv *out);
/* Takes the words "--..." that come first, without their quotes, up to one that is "--" alone. The rest. */
const char *change_flags(const char *s, struct strv *out);
/* "[...]" as JSON, whatever stands behind it; NULL: it is none. */
json_t *change_json_list(const char *s);
/* "[...]" as a JSON array; NULL: it is not one, or holds something else than strings. */
json_t *change_json_words(const char *s);
