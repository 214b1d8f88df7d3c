/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deck: the cards of many containers in one file, root/cards, so that a listing need not open thousands.
 *
 * It only repeats what the state files say: who deletes it loses nothing, and a damaged one is as good as none. A card is
 * of the moment that its sign tells, which is the container's directory as the kernel describes it: replacing the state
 * file in it changes that. Of a directory that was changed so lately that its next change could bear the same time no
 * card is kept. (Not the state file's own sign: over NFS its name may mean the file before for a while.)
 */
#pragma once

#include "state.h"

/* To be asked before the state is read. containers: the directory of that name in the store. */
void deck_sign(int containers, const char *id, struct sign *out);
/* Whether it is long enough ago at `now` for a card to be kept. */
bool deck_settled(const struct sign *sign, const struct timespec *now);

struct deck {
	char *text;
	struct deck_record *v; /* by id */
	size_t n;
};

void deck_open(const struct store *s, struct deck *d); /* an empty one where there is none that can be used */
/* The card of this id and sign, once; without result and extra. */
bool deck_draw(struct deck *d, const char *id, const struct sign *sign, struct state *out);
void deck_done(struct deck *d);
#define auto_deck __attribute__((cleanup(deck_done)))

struct deck_card {
	const struct state *st;
	const struct sign *sign;
};

/* A new deck, of cards whose signs were asked for after began_ns; sorts them. What fails is only slower the next time. */
void deck_write(const struct store *s, struct deck_card *cards, size_t n, int64_t began_ns);
void deck_remove(const struct store *s);
