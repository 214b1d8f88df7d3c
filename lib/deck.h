/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deck: the cards of many containers in one file, root/cards, so that a listing need not open thousands.
 *
 * It is a cache of the state files: deleting it loses nothing, and a damaged one is ignored. A card is valid as long as its
 * sign matches: the inode and ctime of the container's directory, which change when the state file in it is replaced. If
 * the directory was changed so recently that its next change could get the same ctime, no card is kept. (The state file's
 * own ctime would not do: over NFS its name may still lead to the old file for a while.)
 */
#pragma once

#include "state.h"

/* To be called before the state is read. containers: the store's directory of that name. */
void deck_sign(int containers, const char *id, struct sign *out);
/* Whether the sign is old enough at `now` for a card to be kept. */
bool deck_settled(const struct sign *sign, const struct timespec *now);

struct deck {
	char *text;
	struct deck_record *v; /* by id */
	size_t n;
};

void deck_open(const struct store *s, struct deck *d); /* without a usable file the deck is empty */
/* The card of this id, if its sign matches; it can be drawn only once, and has no result and extra. */
bool deck_draw(struct deck *d, const char *id, const struct sign *sign, struct state *out);
void deck_done(struct deck *d);
#define auto_deck __attribute__((cleanup(deck_done)))

struct deck_card {
	const struct state *st;
	const struct sign *sign;
};

/* Writes a new deck; sorts the cards, whose signs were taken after began_ns. If it fails the next listing is slower. */
void deck_write(const struct store *s, struct deck_card *cards, size_t n, int64_t began_ns);
void deck_remove(const struct store *s);
