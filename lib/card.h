/* SPDX-License-Identifier: Apache-2.0 */
/*
 * card: struct state as text, one "key value" a line, values escaped, in a fixed order.
 *
 * Not JSON, because `ps -a` reads a card for every container: for 5,000 of them opening and reading the files takes
 * 20 ms, parsing JSON another 60 to 85 ms, parsing this format 5 ms. A reader takes the lines in any order and skips
 * keys that it does not know; the last line is "end".
 */
#pragma once

#include "state.h"

void card_print(const struct state *st, struct buf *out);
/* text[n] must be 0. whole: result and extra are parsed, too. */
int card_parse(char *text, size_t n, bool whole, struct state *out, struct err *e);

/*
 * The same in binary, without id, result and extra: for the deck (deck.h), where thousands are read at once, as it takes a
 * fifth of the instructions. Numbers have this program's memory layout, so card_form() must be stored beside them: it
 * differs between programs with different fields.
 */
void card_pack(const struct state *st, struct buf *out);
/* False: not bytes from card_pack(). */
bool card_unpack(const char *bytes, size_t n, struct state *out);
uint64_t card_form(void);
