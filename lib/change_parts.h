/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change_parts: what the files of change share: instructions (change.c), the words of one (change_words.c). Nobody
 * else includes this.
 */
#pragma once

#include "change.h"

#define BLANKS " \t\v\f\r\n" /* as isspace() has it */

struct change {
	json_t *config;
	struct strv env;  /* as it was before this instruction */
	const char *name; /* of the instruction, upper case */
	const char *rest; /* what follows its name */
	bool cmd_set;     /* by an instruction before: an ENTRYPOINT then keeps it */
};

/* Takes quotes off and puts variables in, behind what `out` holds. */
int change_unquote(const struct change *c, const char *word, struct buf *out, struct err *e);
/* Words at blanks outside of quotes, which stay. */
void change_split(const char *s, struct strv *out);
/* "[...]" as JSON, if it is that and holds strings alone; else NULL. */
json_t *change_json_words(const char *s);
