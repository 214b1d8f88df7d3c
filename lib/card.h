/* SPDX-License-Identifier: Apache-2.0 */
/*
 * card: struct state as text, one "key value" a line, values escaped, in a fixed order.
 *
 * Not JSON: `ps -a` reads a card of every container there is. With 5,000 of them opening and
 * reading the files takes 20 ms, jansson's parsing another 60 to 85, this form 5. A reader takes the
 * lines in any order and passes over keys it does not know; the last line is "end".
 */
#pragma once

#include "state.h"

void card_print(const struct state *st, struct buf *out);
/* The text must be followed by a 0. `whole`: with result and extra. */
int card_parse(char *text, size_t n, bool whole, struct state *out, struct err *e);

/*
 * The same as bytes, for the deck (deck.h), where thousands are read at once: a fifth of the instructions. Numbers lie
 * there as in this program's memory, so who keeps them keeps card_form() beside them, which differs for a program
 * with other fields. Without id, result and extra.
 */
void card_pack(const struct state *st, struct buf *out);
/* False: these are no such bytes. */
bool card_unpack(const char *bytes, size_t n, struct state *out);
uint64_t card_form(void);
